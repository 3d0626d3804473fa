"""Fake models with scripted replies, for tests."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aptone.errors import UsageError
from aptone.models.chat import AnyMessage, Reply
from aptone.models.parts import About, Transcript, Vectors
from aptone.types import Audio, Json, Language


@dataclass(frozen=True, slots=True)
class Asked:
    """Request to a scripted chat; fields as the arguments of `aptone.models.chat.Chat.complete`."""

    messages: tuple[AnyMessage, ...]
    max_tokens: int
    temperature: float
    json_schema: Mapping[str, Json] | None
    seed: int | None


class ScriptedChat:
    """Chat model that replies by a script of texts, whole replies and errors to raise, and records its requests."""

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
        """Return the next reply of the script; raises `UsageError` if the script has come to its end."""
        self.asked.append(Asked(tuple(messages), max_tokens, temperature, json_schema, seed))
        reply = next(self._script, None)
        if reply is None:
            raise UsageError(f"the script of {self.signature} ended before question {len(self.asked)}.")
        if isinstance(reply, Exception):
            raise reply
        return Reply(reply) if isinstance(reply, str) else reply


class ScriptedTranscriber:
    """Transcriber with a scripted transcript for each recording, by its hash."""

    about = About()
    signature = "scripted"

    def __init__(self, transcripts: Mapping[str, Transcript]) -> None:
        self._transcripts = transcripts

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        """Return the transcript of a recording; raises `UsageError` if the script has none."""
        try:
            return self._transcripts[audio.hash]
        except KeyError:
            raise UsageError(f"{audio.source}: the script has no transcript of it.") from None


class ScriptedSpeaker:
    """Speaker that says every text as a tone, longer for longer texts, and records the texts."""

    about = About()
    signature = "scripted"

    def __init__(self, *, rate: int = 16_000, seconds_per_character: float = 0.05) -> None:
        self.said: list[str] = []
        self._rate = rate
        self._seconds = seconds_per_character

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """Return a tone of 220 Hz."""
        self.said.append(text)
        count = max(1, round(len(text) * self._seconds * self._rate / speed))
        tone = 0.1 * np.sin(2 * np.pi * 220.0 * np.arange(count) / self._rate)
        return Audio(tone.astype(np.float32), rate=self._rate, source=f"scripted: {text[:20]}")


class ScriptedTextEmbedder:
    """Embedder with a scripted vector for each text, all of one length."""

    about = About()
    signature = "scripted"

    def __init__(self, vectors: Mapping[str, Sequence[float]]) -> None:
        self._vectors = vectors

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, in their order; raises `UsageError` if the script has no vector for a text."""
        if missing := [text for text in texts if text not in self._vectors]:
            raise UsageError(f"the script has no vector for {missing[0]!r}.")
        return np.array([self._vectors[text] for text in texts], dtype=np.float32)
