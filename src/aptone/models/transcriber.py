"""Protocols of speech recognition and speech synthesis."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from aptone.models.parts import Part
from aptone.types import Audio, Json, Language, Segment


class Speaker(Part, Protocol):
    """Speech synthesiser. It makes one call and does not retry, as `aptone.models.chat.Chat`."""

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """Return a text as speech, at the synthesiser's own sample rate.

        Args:
            voice: name of the voice; empty for the default one.
            speed: factor on the speaking rate.
            instruction: instruction on the delivery in words, for models that take one.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will, for instance for an argument that it cannot follow: none is ignored silently.
        """
        ...


OFFLINE: Mapping[Language, str] = {"en": "moonshine"}
"""Names of transcribers that need no server, by language."""
REPEATABLE: Mapping[str, Mapping[str, Json]] = {"moonshine": {"transcriber.pauses": False}}
"""Options that make a transcript depend on its recording alone, by transcriber."""


@dataclass(frozen=True, slots=True)
class TimedText:
    """Stretch of speech: a word, a phrase or a sentence, as finely as the transcriber gives it."""

    text: str
    segment: Segment


@dataclass(frozen=True, slots=True)
class Transcript:
    """Transcript of a recording; its pieces, in order, are empty where the transcriber gives no times."""

    text: str
    pieces: tuple[TimedText, ...] = ()
    cost: float = 0.0


class Transcriber(Part, Protocol):
    """Speech recogniser. It makes one call and does not retry, as `aptone.models.chat.Chat`."""

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        """Return the transcript of a recording; an empty text where nothing is said.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will, for instance because it does not know the language.
        """
        ...
