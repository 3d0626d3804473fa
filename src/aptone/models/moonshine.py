"""Moonshine tiny: English speech to text on a plain CPU, offline; its weights come inside the package."""

import asyncio
import threading
from collections.abc import Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from aptone.audio import cut, resample, split
from aptone.errors import MissingExtraError, UsageError
from aptone.installation import install_command
from aptone.messages import message
from aptone.models.parts import About, TimedText, Transcript, check_kinds
from aptone.types import Audio, Json, Language, Segment, signature

RATE = 16_000
MODEL = "tiny-en"
LONGEST = 25.0
"""Longest piece in seconds where Moonshine does not look for pauses."""

_one_at_a_time = threading.Lock()


class Moonshine:
    """Moonshine tiny, which transcribes English speech on a plain CPU.

    Args:
        pauses: cut speech at pauses, which gives phrases with their times. Moonshine's pause detector keeps state
            between recordings, so that a word may come out differently the next time; without it, a transcript
            depends on the recording alone, and long recordings are cut at pauses that our own detector finds.

    Raises:
        UsageError: if the option has a wrong type.
    """

    about = About(
        modules=("moonshine_voice",),
        extra="speech",
        licence=message("models.licence-moonshine", model="tiny-en", licence="MIT"),
    )

    def __init__(self, *, pauses: bool = True) -> None:
        check_kinds("transcriber", {"pauses": pauses}, {"pauses": ((bool,), "true or false")})
        self._pauses = pauses

    @property
    def signature(self) -> str:
        """Package, version and model; raises `MissingExtraError` if the package is not installed."""
        try:
            installed = version("moonshine-voice")
        except PackageNotFoundError as error:
            raise MissingExtraError("Moonshine", extra="speech") from error
        own: dict[str, Json] = {} if self._pauses else {"pauses": False, "longest": LONGEST}
        return signature("moonshine", {"model": MODEL, "version": installed, **own})

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        """Return the transcript, with times for each phrase; see `aptone.models.parts.Transcriber`."""
        if language != "en":
            raise UsageError(f"Moonshine hears English only, got {language!r}; use a server that knows the language.")
        whole = resample(audio, rate=RATE)
        return await asyncio.to_thread(_transcribe, whole, pauses=self._pauses)


def _transcribe(audio: Audio, *, pauses: bool) -> Transcript:
    """Transcribe a recording; without its pause detector, Moonshine repeats itself beyond half a minute in a piece."""
    if pauses or audio.seconds <= LONGEST:
        pieces = tuple(_heard(audio, pauses=pauses))
    else:
        segments = split(audio, max_seconds=LONGEST)
        pieces = tuple(piece for one in segments for piece in _heard(cut(audio, one), pauses=False, start=one.start))
    return Transcript(" ".join(piece.text for piece in pieces), pieces=pieces)


def _heard(audio: Audio, *, pauses: bool, start: float = 0.0) -> Iterator[TimedText]:
    """Yield the lines of a recording that begins at `start` seconds."""
    with _one_at_a_time:
        heard = _model(pauses=pauses).transcribe_without_streaming(audio.samples.tolist(), RATE)
    for line in heard.lines:
        if line.text.strip():
            begin = start + max(0.0, line.start_time)
            yield TimedText(line.text.strip(), Segment(begin, begin + line.duration))


@cache
def _model(*, pauses: bool) -> Any:
    try:
        import moonshine_voice
    except ImportError as error:
        raise MissingExtraError("Moonshine", extra="speech") from error
    path = moonshine_voice.get_model_path(MODEL)
    try:
        options = None if pauses else {"vad_threshold": "0.0"}
        return moonshine_voice.Transcriber(
            model_path=str(path), model_arch=moonshine_voice.ModelArch.TINY, options=options
        )
    except moonshine_voice.MoonshineError as error:
        raise UsageError(
            f"Moonshine's model is missing from its package ({error}); newer versions leave it out. "
            f"Install the right one with: {install_command('speech')}"
        ) from error
