"""Sound to words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from aptone.models.about import About
from aptone.types import Audio, Json, Language, Segment


class Speaker(Protocol):
    """Says a text. It makes one call and does not try again, as `aptone.models.chat.Chat`."""

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
        ...

    @property
    def signature(self) -> str:
        """Everything that the sound depends on besides the arguments of `speak`; never a key."""
        ...

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """A text as sound, at the speaker's own rate.

        Args:
            text: what to say.
            language: of the text.
            voice: whose; empty for the speaker's usual one.
            speed: how many times faster than usual.
            instruction: how to say it, in words, for speakers that take such.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will, for instance because it cannot do what is asked: nothing is left out silently.
        """
        ...


OFFLINE: Mapping[Language, str] = {"en": "moonshine"}
"""Names of transcribers that need no server, by language."""
REPEATABLE: Mapping[str, Mapping[str, Json]] = {"moonshine": {"transcriber.pauses": False}}
"""Options with which a transcriber hears a clip the same every time, whatever it heard before."""


@dataclass(frozen=True, slots=True)
class TimedText:
    """A stretch of speech: a word, a phrase or a sentence, as finely as the transcriber gives it."""

    text: str
    segment: Segment


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said.

    Args:
        text: all of it.
        pieces: the same in order of time; empty when the transcriber gives no times.
        cost: of the call.
    """

    text: str
    pieces: tuple[TimedText, ...] = ()
    cost: float = 0.0


class Transcriber(Protocol):
    """Writes down what is said. It makes one call and does not try again, as `aptone.models.chat.Chat`."""

    @property
    def about(self) -> About:
        """What a user must know before it runs: above all, where recordings go."""
        ...

    @property
    def signature(self) -> str:
        """Everything that a transcript depends on besides the recording and its language; never a key."""
        ...

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        """What is said in a recording; an empty text where nothing is.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will, for instance because it does not know the language.
        """
        ...
