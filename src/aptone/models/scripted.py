"""Models that say what a script says, for tests: of Aptone, of plugins, and of what users build on them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aptone.errors import UsageError
from aptone.models.about import About
from aptone.models.audio_chat import AnyMessage
from aptone.models.chat import Reply
from aptone.models.text_embedder import Vectors
from aptone.models.transcriber import Transcript
from aptone.types import Audio, Json, Language


@dataclass(frozen=True, slots=True)
class Asked:
    """What a scripted chat was asked.

    Args:
        messages: the conversation.
        max_tokens: how many it might have written.
        temperature: of the request.
        json_schema: that the reply was to follow.
        seed: of the request.
    """

    messages: tuple[AnyMessage, ...]
    max_tokens: int
    temperature: float
    json_schema: Mapping[str, Json] | None
    seed: int | None


class ScriptedChat:
    """A chat model, with or without recordings, that replies by a script and notes what it was asked.

    Args:
        script: texts, whole replies, or errors to raise.
        name: stands in its signature.
        about: what it says about itself.
    """

    def __init__(
        self, script: Iterable[str | Reply | Exception], *, name: str = "scripted", about: About | None = None
    ) -> None:
        self.asked: list[Asked] = []
        self.about = about or About()
        self.signature = name
        self._script = iter(script)

    async def complete(
        self,
        messages: Sequence[AnyMessage],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        """The next reply of the script.

        Raises:
            UsageError: if the script has come to its end.
        """
        self.asked.append(Asked(tuple(messages), max_tokens, temperature, json_schema, seed))
        reply = next(self._script, None)
        if reply is None:
            raise UsageError(f"the script of {self.signature} ended before question {len(self.asked)}.")
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply) if isinstance(reply, str) else reply


class ScriptedTranscriber:
    """A transcriber that hears what a script says for each recording.

    Args:
        transcripts: by the hash of the recording.
    """

    about = About()
    signature = "scripted"

    def __init__(self, transcripts: Mapping[str, Transcript]) -> None:
        self._transcripts = transcripts

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        """The transcript of a recording.

        Raises:
            UsageError: if the script has none.
        """
        try:
            return self._transcripts[audio.hash]
        except KeyError:
            raise UsageError(f"{audio.source}: the script has no transcript of it.") from None


class ScriptedSpeaker:
    """A speaker that says every text as a tone, longer for longer texts, and notes the texts.

    Args:
        rate: samples per second.
        seconds_per_character: of text.
    """

    about = About()
    signature = "scripted"

    def __init__(self, *, rate: int = 16_000, seconds_per_character: float = 0.05) -> None:
        self.said: list[str] = []
        self._rate = rate
        self._seconds = seconds_per_character

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """A tone of 220 Hz."""
        self.said.append(text)
        count = max(1, round(len(text) * self._seconds * self._rate / speed))
        tone = 0.1 * np.sin(2 * np.pi * 220.0 * np.arange(count) / self._rate)
        return Audio(tone.astype(np.float32), rate=self._rate, source=f"scripted: {text[:20]}")


class ScriptedTextEmbedder:
    """An embedder with a vector for each text of a script.

    Args:
        vectors: by text, all of one length.
    """

    about = About()
    signature = "scripted"

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self._vectors = vectors

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in their order.

        Raises:
            UsageError: if the script has no vector for a text.
        """
        if missing := [text for text in texts if text not in self._vectors]:
            raise UsageError(f"the script has no vector for {missing[0]!r}.")
        return np.array([self._vectors[text] for text in texts], dtype=np.float32)
