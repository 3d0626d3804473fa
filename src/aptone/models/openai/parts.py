"""Transcribers, speakers and text embedders behind an OpenAI-compatible server, from options of a command line.

Defaults come from the environment: ``OPENAI_BASE_URL``, and ``APTONE_TRANSCRIBER_MODEL``, ``APTONE_SPEAKER_MODEL`` or
``APTONE_TEXT_EMBEDDER_MODEL``.
"""

import base64
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType
from typing import Literal, Unpack, get_args

import numpy as np

from aptone.audio import read
from aptone.audio.write import wav_bytes
from aptone.errors import AudioError, TransientError, UsageError
from aptone.messages import labelled, message, replaced
from aptone.models.openai.endpoint import ABOUT, LARGEST_REPLY, Endpoint, EndpointOptions, endpoint_of
from aptone.models.parts import About, TimedText, Transcript, Vectors, check_kinds, checked_texts, passes_on
from aptone.models.speakers.voices import Reference
from aptone.types import Audio, Json, Language, Segment, signature

Times = Literal["none", "segment", "word"]

MOST_SAID, LONGEST_SAID = 100, 1000
"""Characters of a transcript for each second of sound, and besides; the fastest speakers say some 30 in a second."""


@dataclass(frozen=True, slots=True)
class OpenAiTranscriber:
    """Speech recogniser behind ``/audio/transcriptions``, with times (``"none"`` for servers without them).

    Raises:
        UsageError: if the model has no name, or the price is negative.
    """

    endpoint: Endpoint
    model: str
    times: Times = "segment"
    price_per_minute: float | None = None

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("which model transcribes? Give the name that the server knows it by.")
        if not (self.price_per_minute or 0.0) >= 0:
            raise UsageError(f"a price is not negative, got {self.price_per_minute}.")

    @property
    def about(self) -> About:
        """Requirements, and the machine that receives recordings."""
        return replace(self.endpoint.about_audio, unpriced=(self.model,) if self.price_per_minute is None else ())

    @property
    def signature(self) -> str:
        """Model, server and the kind of times."""
        return signature(
            "openai-compatible-transcriber",
            {"model": self.model, "server": self.endpoint.base_url, "times": self.times},
        )

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        """Return the transcript of a recording; see `aptone.models.parts.Transcriber`."""
        fields = {"model": self.model, "language": language, "response_format": "json"}
        if self.times != "none":
            fields |= {"response_format": "verbose_json", "timestamp_granularities[]": self.times}
        data = await self.endpoint.post_file("audio/transcriptions", wav_bytes(audio), name="speech.wav", fields=fields)
        text = data.get("text")
        if not isinstance(text, str):
            raise TransientError(message("models.expected-transcript", machine=self.endpoint.machine))
        if len(text) > LONGEST_SAID + MOST_SAID * audio.seconds:  # it would be kept in journals and caches
            raise TransientError(message("models.transcript-too-long", machine=self.endpoint.machine, count=len(text)))
        pieces = data.get("words" if self.times == "word" else "segments")
        cost = (self.price_per_minute or 0.0) * audio.seconds / 60
        return Transcript(text.strip(), pieces=tuple(_pieces(pieces)) if self.times != "none" else (), cost=cost)


def _pieces(data: Json) -> Iterator[TimedText]:
    """Yield the timed pieces; one with invalid times is left out, its words are in the text all the same."""
    for piece in data if isinstance(data, Sequence) and not isinstance(data, str) else ():
        if not isinstance(piece, Mapping):
            continue
        text, start, end = piece.get("text", piece.get("word")), piece.get("start"), piece.get("end")
        if not (isinstance(text, str) and isinstance(start, int | float) and isinstance(end, int | float)):
            continue
        if 0 <= start <= end < math.inf:
            yield TimedText(text.strip(), Segment(float(start), float(end)))


@dataclass(frozen=True, slots=True)
class OpenAiTextEmbedder:
    """Text embedder behind ``/embeddings``; raises `UsageError` if the model has no name."""

    about = ABOUT  # text goes to the server
    endpoint: Endpoint
    model: str

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("which model embeds? Give the name that the server knows it by.")

    @property
    def signature(self) -> str:
        """Model and server."""
        return signature("openai-compatible-embedder", {"model": self.model, "server": self.endpoint.base_url})

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, in their order; see `aptone.models.parts.TextEmbedder`."""
        asked = checked_texts(texts)
        body: dict[str, Json] = {"model": self.model, "input": asked}
        data = await self.endpoint.post_json("embeddings", body, largest=LARGEST_REPLY)
        rows = data.get("data")
        listed = rows if isinstance(rows, Sequence) and not isinstance(rows, str) else ()
        by_index = {row.get("index"): row.get("embedding") for row in listed if isinstance(row, Mapping)}
        vectors = _vectors([by_index.get(index) for index in range(len(texts))])
        if vectors is None:
            problem = message("models.expected-vectors", count=len(texts))
            raise TransientError(labelled(self.endpoint.machine, problem))
        return vectors


def _vectors(rows: Sequence[Json]) -> Vectors | None:
    """Return the rows as one array, if they are vectors of one length with finite numbers; else None."""
    try:
        with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused below
            vectors = np.array(rows, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        return None
    return vectors if vectors.ndim == 2 and vectors.shape[1] > 0 and np.isfinite(vectors).all() else None


LONGEST_SPEECH = 600.0
"""Longest speech that is accepted, in seconds."""


@dataclass(frozen=True, slots=True)
class OpenAiSpeaker:
    """Speech synthesiser behind ``/audio/speech``.

    Args:
        format: format of the files that it sends, one that states its rate (wav, flac, opus, mp3).
        reference_field: request field for a clip whose voice is to be cloned; vLLM's is ``ref_audio``.
        reference_text_field: request field for the words of that clip.

    Raises:
        UsageError: if the model or the voice has no name, or the format states no rate.
    """

    about = ABOUT  # text goes to the server, recordings do not
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
    def signature(self) -> str:
        """Model, server, voice and format."""
        return signature(
            "openai-compatible-speaker",
            {"model": self.model, "server": self.endpoint.base_url, "voice": self.voice, "format": self.format},
        )

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """Return a text as speech; the model detects the language. See `aptone.models.parts.Speaker`."""
        fields: dict[str, Json] = {"instructions": instruction} if instruction else {}
        return await self._sound(text, voice=voice or self.voice, speed=speed, fields=fields)

    @property
    def cloning_about(self) -> About:
        """Requirements for cloning: reference clips go to the server."""
        return self.endpoint.about_audio

    async def clone(self, text: str, *, reference: Reference, language: Language, speed: float = 1.0) -> Audio:
        """Return a text in the voice of a clip; see `aptone.models.speakers.voices.CloningSpeaker`."""
        clip = base64.b64encode(wav_bytes(reference.read())).decode("ascii")
        fields: dict[str, Json] = {
            self.reference_field: f"data:audio/wav;base64,{clip}",
            self.reference_text_field: reference.text,
        }
        return await self._sound(text, voice=self.voice, speed=speed, fields=fields)

    async def _sound(self, text: str, *, voice: str, speed: float, fields: dict[str, Json]) -> Audio:
        if not text.strip():
            raise UsageError("there is nothing to say: the text is empty.")
        body: dict[str, Json] = {
            "model": self.model,
            "voice": voice,
            "input": text,
            "response_format": self.format,
            "speed": speed,
            **fields,
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


@passes_on(endpoint_of)
def api_transcriber(
    *, times: Times = "segment", price_per_minute: float | None = None, **server: Unpack[EndpointOptions]
) -> OpenAiTranscriber:
    """Speech recognition by a model behind an OpenAI-compatible server.

    Args:
        times: granularity of its times: ``none``, ``segment`` or ``word``.
        price_per_minute: price of a minute of audio; 0 for a server that costs nothing, ``None`` for unknown.
        server: model, base_url, key_variable and timeout; see `aptone.models.openai.endpoint.endpoint_of`.

    Raises:
        UsageError: if model or server is missing, or an option has a wrong type or value.
    """
    number = ((int, float, NoneType), "a number")
    check_kinds("transcriber", {"price_per_minute": price_per_minute}, {"price_per_minute": number})
    if times not in get_args(Times):
        raise UsageError(f"the transcriber's option times is {', '.join(get_args(Times))}, got {times!r}.")
    return OpenAiTranscriber(*endpoint_of("transcriber", **server), times=times, price_per_minute=price_per_minute)


@passes_on(endpoint_of)
def api_speaker(
    *,
    voice: str = "",
    format: str = "flac",
    reference_field: str = "ref_audio",
    reference_text_field: str = "ref_text",
    **server: Unpack[EndpointOptions],
) -> OpenAiSpeaker:
    """Speech synthesis by a model behind an OpenAI-compatible server.

    Args:
        format: format of the files that it sends: wav, flac, opus or mp3.
        reference_field: request field for a clip whose voice is to be cloned.
        reference_text_field: request field for the words of that clip.
        server: model, base_url, key_variable and timeout; see `aptone.models.openai.endpoint.endpoint_of`.

    Raises:
        UsageError: if model, voice or server is missing, or an option has a wrong type or value.
    """
    names = {"reference_field": reference_field, "reference_text_field": reference_text_field}
    words = {
        "voice": ((str,), "a name"),
        "format": ((str,), "the name of a format"),
        **dict.fromkeys(names, ((str,), "the name of a field")),
    }
    check_kinds("speaker", {"voice": voice, "format": format, **names}, words)
    endpoint, model = endpoint_of("speaker", **server)
    return OpenAiSpeaker(endpoint, model, voice=voice, format=format, **names)


@passes_on(endpoint_of)
def api_text_embedder(**server: Unpack[EndpointOptions]) -> OpenAiTextEmbedder:
    """Text embeddings by a model behind an OpenAI-compatible server.

    Raises:
        UsageError: if model or server is missing, or an option has a wrong type or value.
    """
    return OpenAiTextEmbedder(*endpoint_of("text_embedder", **server))
