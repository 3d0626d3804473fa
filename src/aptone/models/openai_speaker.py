"""Any OpenAI-compatible server as a speaker."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import read
from aptone.errors import AudioError, TransientError, UsageError
from aptone.models.about import About
from aptone.models.endpoint import ABOUT, Endpoint
from aptone.types import Audio, Json, Language, signature

LONGEST_SPEECH = 600.0
"""Seconds beyond which what came back is not a spoken line."""


@dataclass(frozen=True, slots=True)
class OpenAiSpeaker:
    """A model behind ``/audio/speech``.

    Args:
        endpoint: where it is.
        model: its name there.
        voice: its usual voice.
        format: of the file that it sends: one that states its rate (wav, flac, opus, mp3).

    Raises:
        UsageError: if the model or the voice has no name, or the format states no rate.
    """

    endpoint: Endpoint
    model: str
    voice: str
    format: str = "flac"

    def __post_init__(self) -> None:
        if not self.model or not self.voice:
            raise UsageError("which model speaks, and with which voice? Give the names that the server knows them by.")
        if self.format not in ("wav", "flac", "opus", "mp3"):
            raise UsageError(f"the format is wav, flac, opus or mp3, got {self.format!r}.")

    @property
    def about(self) -> About:
        """What it needs; text goes to the server, recordings do not."""
        return ABOUT

    @property
    def signature(self) -> str:
        """Model, server, voice and format."""
        return signature(
            "openai-compatible-speaker",
            {"model": self.model, "server": self.endpoint.base_url, "voice": self.voice, "format": self.format},
        )

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """A text as sound; the model finds out the language by itself. See `aptone.models.speaker.Speaker`."""
        if not text.strip():
            raise UsageError("there is nothing to say: the text is empty.")
        body: dict[str, Json] = {
            "model": self.model,
            "voice": voice or self.voice,
            "input": text,
            "response_format": self.format,
            "speed": speed,
        }
        if instruction:
            body["instructions"] = instruction
        data = await self.endpoint.post_json_for_bytes("audio/speech", body)
        with tempfile.TemporaryDirectory(prefix="aptone-") as folder:
            path = Path(folder) / f"speech.{self.format}"
            path.write_bytes(data)
            try:
                audio = read(path, rate=None, channel="mix", max_seconds=LONGEST_SPEECH)
            except AudioError as error:
                problem = str(error).replace(str(path), "the reply")
                raise TransientError(f"{self.endpoint.machine}: no sound came back ({problem})") from error
        return Audio(audio.samples, rate=audio.rate, source=f"{self.endpoint.machine}: {voice or self.voice}")
