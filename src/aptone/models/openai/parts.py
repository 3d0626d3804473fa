"""Transcribers, speakers and text embedders behind an OpenAI-compatible server, from options of a command line.

What is not said is taken from the environment: ``OPENAI_BASE_URL``, and ``APTONE_TRANSCRIBER_MODEL``,
``APTONE_SPEAKER_MODEL`` or ``APTONE_TEXT_EMBEDDER_MODEL``.
"""

import base64
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from aptone.audio import read
from aptone.audio.write import wav_bytes
from aptone.errors import AudioError, TransientError, UsageError
from aptone.messages import labelled, message, replaced
from aptone.models.about import About
from aptone.models.openai.endpoint import ABOUT, KEY_VARIABLE, TIMEOUT, Endpoint
from aptone.models.openai.served import check_kinds, served_at
from aptone.models.speakers.voices import Reference
from aptone.models.text_embedder import Vectors, checked_texts
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


@dataclass(frozen=True, slots=True)
class OpenAiTextEmbedder:
    """A model behind ``/embeddings``.

    Args:
        endpoint: where it is.
        model: its name there.

    Raises:
        UsageError: if the model has no name.
    """

    endpoint: Endpoint
    model: str

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("which model embeds? Give the name that the server knows it by.")

    @property
    def about(self) -> About:
        """What it needs; text goes to the server."""
        return ABOUT

    @property
    def signature(self) -> str:
        """Model and server."""
        return signature("openai-compatible-embedder", {"model": self.model, "server": self.endpoint.base_url})

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each text, in their order; see `aptone.models.text_embedder.TextEmbedder`."""
        asked = checked_texts(texts)
        data = await self.endpoint.post_json("embeddings", {"model": self.model, "input": asked})
        rows = data.get("data")
        listed = rows if isinstance(rows, Sequence) and not isinstance(rows, str) else ()
        by_index = {row.get("index"): row.get("embedding") for row in listed if isinstance(row, Mapping)}
        vectors = _vectors([by_index.get(index) for index in range(len(texts))])
        if vectors is None:
            problem = message("models.expected-vectors", count=len(texts))
            raise TransientError(labelled(self.endpoint.machine, problem))
        return vectors


def _vectors(rows: Sequence[Json]) -> Vectors | None:
    """The rows as one array, if they are vectors of one length that hold finite numbers only."""
    try:
        with np.errstate(over="ignore"):  # what does not fit becomes infinite and is refused below
            vectors = np.array(rows, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        return None
    return vectors if vectors.ndim == 2 and vectors.shape[1] > 0 and np.isfinite(vectors).all() else None


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
        """A text as sound; the model finds out the language by itself. See `aptone.models.transcriber.Speaker`."""
        told: dict[str, Json] = {"instructions": instruction} if instruction else {}
        return await self._sound(text, voice=voice or self.voice, speed=speed, told=told)

    @property
    def cloning_about(self) -> About:
        """What it needs where it clones: reference clips go to the server."""
        machines = () if self.endpoint.is_here else (self.endpoint.machine,)
        return About(modules=ABOUT.modules, extra=ABOUT.extra, sends_audio_to=machines)

    async def clone(self, text: str, *, reference: Reference, language: Language, speed: float = 1.0) -> Audio:
        """A text in the voice of a clip; see `aptone.models.speakers.voices.CloningSpeaker`."""
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


def api_transcriber(
    *,
    model: str = "",
    base_url: str = "",
    key_variable: str = KEY_VARIABLE,
    timeout: float = TIMEOUT,
    times: Times = "segment",
    price_per_minute: float = 0.0,
) -> OpenAiTranscriber:
    """A model behind an OpenAI-compatible server that writes down speech.

    Args:
        model: its name there.
        base_url: of the server.
        key_variable: name of the environment variable that holds the key.
        timeout: seconds for a call.
        times: ``none``, ``segment`` or ``word``: how fine its times are.
        price_per_minute: of sound.

    Raises:
        UsageError: if it is not said which model or which server, or an option is not one.
    """
    check_kinds("transcriber", {"price_per_minute": price_per_minute}, {"price_per_minute": ((int, float), "a number")})
    if times not in get_args(Times):
        raise UsageError(f"the transcriber's option times is {', '.join(get_args(Times))}, got {times!r}.")
    endpoint, named = served_at("transcriber", model, base_url, key_variable=key_variable, timeout=timeout)
    return OpenAiTranscriber(endpoint, named, times=times, price_per_minute=price_per_minute)


def api_speaker(
    *,
    model: str = "",
    voice: str = "",
    base_url: str = "",
    key_variable: str = KEY_VARIABLE,
    timeout: float = TIMEOUT,
    format: str = "flac",
    reference_field: str = "ref_audio",
    reference_text_field: str = "ref_text",
) -> OpenAiSpeaker:
    """A model behind an OpenAI-compatible server that says texts.

    Args:
        model: its name there.
        voice: its usual voice.
        base_url: of the server.
        key_variable: name of the environment variable that holds the key.
        timeout: seconds for a call.
        format: of the file that it sends: wav, flac, opus or mp3.
        reference_field: how the server calls a clip whose voice is to be cloned.
        reference_text_field: how it calls the words of that clip.

    Raises:
        UsageError: if it is not said which model, voice or server, or an option is not one.
    """
    names = {"reference_field": reference_field, "reference_text_field": reference_text_field}
    words = {
        "voice": ((str,), "a name"),
        "format": ((str,), "the name of a format"),
        **dict.fromkeys(names, ((str,), "the name of a field")),
    }
    check_kinds("speaker", {"voice": voice, "format": format, **names}, words)
    endpoint, named = served_at("speaker", model, base_url, key_variable=key_variable, timeout=timeout)
    return OpenAiSpeaker(endpoint, named, voice=voice, format=format, **names)


def api_text_embedder(
    *, model: str = "", base_url: str = "", key_variable: str = KEY_VARIABLE, timeout: float = TIMEOUT
) -> OpenAiTextEmbedder:
    """A model behind an OpenAI-compatible server that gives texts their vectors.

    Args:
        model: its name there.
        base_url: of the server.
        key_variable: name of the environment variable that holds the key.
        timeout: seconds for a call.

    Raises:
        UsageError: if it is not said which model or which server, or an option is not one.
    """
    endpoint, named = served_at("text_embedder", model, base_url, key_variable=key_variable, timeout=timeout)
    return OpenAiTextEmbedder(endpoint, named)
