"""Any OpenAI-compatible server as a speaker."""

import base64
import tempfile
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import read
from aptone.audio.wav import wav_bytes
from aptone.errors import AudioError, TransientError, UsageError
from aptone.messages import message, replaced
from aptone.models.about import About
from aptone.models.openai.endpoint import ABOUT, Endpoint
from aptone.models.speakers.cloning import Reference
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
        reference_field: how the server calls a clip whose voice is to be cloned; vLLM calls it ``ref_audio``.
        reference_text_field: how it calls the words of that clip.

    Raises:
        UsageError: if the model or the voice has no name, or the format states no rate.
    """

    endpoint: Endpoint
    model: str
    voice: str
    format: str = "flac"
    reference_field: str = "ref_audio"
    reference_text_field: str = "ref_text"

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
        told: dict[str, Json] = {"instructions": instruction} if instruction else {}
        return await self._sound(text, voice=voice or self.voice, speed=speed, told=told)

    @property
    def cloning_about(self) -> About:
        """What it needs where it clones: reference clips go to the server."""
        machines = () if self.endpoint.is_here else (self.endpoint.machine,)
        return About(modules=ABOUT.modules, extra=ABOUT.extra, sends_audio_to=machines)

    async def clone(self, text: str, *, reference: Reference, language: Language, speed: float = 1.0) -> Audio:
        """A text in the voice of a clip; see `aptone.models.speakers.cloning.CloningSpeaker`."""
        clip = base64.b64encode(wav_bytes(reference.read())).decode("ascii")
        told: dict[str, Json] = {
            self.reference_field: f"data:audio/wav;base64,{clip}",
            self.reference_text_field: reference.text,
        }
        return await self._sound(text, voice=self.voice, speed=speed, told=told)

    async def _sound(self, text: str, *, voice: str, speed: float, told: dict[str, Json]) -> Audio:
        if not text.strip():
            raise UsageError("there is nothing to say: the text is empty.")
        body: dict[str, Json] = {
            "model": self.model,
            "voice": voice,
            "input": text,
            "response_format": self.format,
            "speed": speed,
            **told,
        }
        data = await self.endpoint.post_json_for_bytes("audio/speech", body)
        with tempfile.TemporaryDirectory(prefix="aptone-") as folder:
            path = Path(folder) / f"speech.{self.format}"
            path.write_bytes(data)
            try:
                audio = read(path, rate=None, channel="mix", max_seconds=LONGEST_SPEECH)
            except AudioError as error:
                problem = replaced(str(error), str(path), message("models.the-reply"))
                raise TransientError(
                    message("models.no-sound-back", machine=self.endpoint.machine, why=problem)
                ) from error
        return Audio(audio.samples, rate=audio.rate, source=f"{self.endpoint.machine}: {voice}")
