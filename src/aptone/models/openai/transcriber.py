"""Any OpenAI-compatible server as a transcriber."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from aptone.audio.wav import wav_bytes
from aptone.errors import TransientError, UsageError
from aptone.messages import message
from aptone.models.about import About
from aptone.models.openai.endpoint import ABOUT, Endpoint
from aptone.models.transcriber import TimedText, Transcript
from aptone.types import Audio, Json, Language, Segment, signature

Times = Literal["none", "segment", "word"]


@dataclass(frozen=True, slots=True)
class OpenAiTranscriber:
    """A model behind ``/audio/transcriptions``.

    Args:
        endpoint: where it is.
        model: its name there.
        times: how fine its times are; servers that know none want ``"none"``.
        price_per_minute: of sound.

    Raises:
        UsageError: if the model has no name, or the price is negative.
    """

    endpoint: Endpoint
    model: str
    times: Times = "segment"
    price_per_minute: float = 0.0

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("which model transcribes? Give the name that the server knows it by.")
        if not self.price_per_minute >= 0:
            raise UsageError(f"a price is not negative, got {self.price_per_minute}.")

    @property
    def about(self) -> About:
        """What it needs, and the machine to which recordings go."""
        machines = () if self.endpoint.is_here else (self.endpoint.machine,)
        return About(modules=ABOUT.modules, extra=ABOUT.extra, sends_audio_to=machines)

    @property
    def signature(self) -> str:
        """Model, server and the kind of times."""
        return signature(
            "openai-compatible-transcriber",
            {"model": self.model, "server": self.endpoint.base_url, "times": self.times},
        )

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        """What is said in a recording; see `aptone.models.transcriber.Transcriber`."""
        fields = {"model": self.model, "language": language, "response_format": "json"}
        if self.times != "none":
            fields |= {"response_format": "verbose_json", "timestamp_granularities[]": self.times}
        data = await self.endpoint.post_file("audio/transcriptions", wav_bytes(audio), name="speech.wav", fields=fields)
        text = data.get("text")
        if not isinstance(text, str):
            raise TransientError(message("models.expected-transcript", machine=self.endpoint.machine))
        pieces = data.get("words" if self.times == "word" else "segments")
        cost = self.price_per_minute * audio.seconds / 60
        return Transcript(text.strip(), pieces=tuple(_pieces(pieces)) if self.times != "none" else (), cost=cost)


def _pieces(data: Json) -> Iterator[TimedText]:
    """The timed pieces; one whose times make no sense is left out, its words are in the text all the same."""
    for piece in data if isinstance(data, Sequence) and not isinstance(data, str) else ():
        if not isinstance(piece, Mapping):
            continue
        text, start, end = piece.get("text", piece.get("word")), piece.get("start"), piece.get("end")
        if not (isinstance(text, str) and isinstance(start, int | float) and isinstance(end, int | float)):
            continue
        if 0 <= start <= end < math.inf:
            yield TimedText(text.strip(), Segment(float(start), float(end)))
