"""Open a recording, whatever its container, after checking that it is there, readable, and whole.

Decoders give blocks of samples, so that memory stays bounded whatever a file claims. libsndfile decodes wav, flac, ogg
(Vorbis, Opus) and mp3; PyAV, the extra ``formats``, the rest: m4a, mp4, aac, webm, Ogg FLAC and Speex. The delay that
an AAC encoder puts before the sound is taken out where the container states it (the edit list of an m4a file); raw AAC
cannot state it and keeps it, mostly 1,024 samples. Padding behind the sound, less than a frame, stays.
"""

import os
import re
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import soundfile

from aptone.audio.containers import Container, Window, prepare
from aptone.errors import AudioError, MissingExtraError
from aptone.messages import message

Block = npt.NDArray[np.float32]  # samples as an array of frames × channels
MIN_RATE = 1_000
MAX_RATE = 768_000
MAX_CHANNELS = 64
MAX_AMPLITUDE = 1e12  # times full scale: beyond this, sums and squares of samples no longer fit into 32-bit floats
BLOCK_SAMPLES = 1 << 18  # most samples, all channels together, that are decoded at a time


_DECODER_ERRORS = (RuntimeError, TypeError, ValueError, ArithmeticError, MemoryError, OSError)
"""Exceptions of decoders on bad files; the own errors of soundfile are RuntimeErrors."""


class Stream(ABC):
    """An open recording.

    Attributes:
        rate: samples per second and channel, as in the file.
        channels: how many.
        frames: samples per channel that the file promises; ``None`` when only decoding tells.
        position: frames decoded so far, those before the first one asked for included.
        format: container and coding, for instance ``wav pcm_16``.
    """

    rate: int
    channels: int
    frames: int | None
    format: str
    _errors: tuple[type[Exception], ...] = _DECODER_ERRORS
    _slack_seconds = 0.0

    def __init__(self, window: Window, *, container: Container, name: str) -> None:
        self._window = window
        self._container = container
        self._name = name
        self.position = 0

    @abstractmethod
    def close(self) -> None:
        """Let the decoder go."""

    def blocks(self, *, first: int) -> Iterator[Block]:
        """Blocks from the frame ``first`` on, in order.

        Raises:
            AudioError: if the decoder gives up, changes its rate or channels on the way, or ends before the stated
                duration.
        """
        try:
            for block in self._decoded(first):
                if self._window.error is not None:
                    raise self._window.error
                skipped = min(len(block), max(0, first - self.position))
                self.position += len(block)
                if skipped < len(block):
                    yield block[skipped:]
        except self._errors as error:
            raise self._damaged(error) from error
        names, decoded, stated = self._names(), self.position / self.rate, self._stated_seconds()
        if stated is not None and decoded < stated - self._slack_seconds:
            raise AudioError(message("audio.truncated-seconds", **names, stated=stated, decoded=decoded))

    @abstractmethod
    def _decoded(self, first: int) -> Iterator[Block]:
        """Blocks from ``first`` on where the decoder can jump, else from the beginning on."""

    @abstractmethod
    def _stated_seconds(self) -> float | None:
        """Return the duration stated by the file in seconds; ``None`` if it states none."""

    def _damaged(self, error: BaseException) -> AudioError:
        seconds = self.position / self.rate
        return AudioError(message("audio.damaged-after", **self._names(), seconds=seconds, what=self._detail(error)))

    def _detail(self, error: BaseException) -> str:
        return str(error) or type(error).__name__

    def _names(self) -> dict[str, str]:
        return {"name": self._name, "container": self._container}


def check_shape(*, rate: int, channels: int, name: str) -> None:
    """Raise `AudioError` for what only a damaged header claims: not 1 to 768 kHz (whole), not 1 to 64 channels."""
    if not _is_whole(rate) or not MIN_RATE <= rate <= MAX_RATE:
        raise AudioError(message("audio.wrong-sample-rate", name=name, low=MIN_RATE, high=MAX_RATE, rate=rate))
    if not 1 <= channels <= MAX_CHANNELS:
        raise AudioError(message("audio.wrong-channels", name=name, most=MAX_CHANNELS, channels=channels))


def check_samples(samples: Block, *, name: str) -> None:
    """Refuse what is no sound; raises `AudioError` if a sample is NaN, infinite, or beyond 10^12 times full scale."""
    peak = max(float(samples.max()), -float(samples.min()))  # of NaN, both are NaN
    if not peak <= MAX_AMPLITUDE:  # written so that NaN, which max hands on, refuses too
        raise AudioError(message("audio.wrong-samples", name=name, peak=peak))


def _is_whole(rate: object) -> bool:
    """Return True if a number is of an integer type: a caller without a type checker may well give 16000.0."""
    return isinstance(rate, int | np.integer)


_DEMUXERS = {Container.MP4: "mov", Container.WEBM: "matroska", Container.AAC: "aac", Container.OGA: "ogg"}
"""The demuxer is fixed by the content, so that no file can make FFmpeg open another file or address."""

_CLOCK = re.compile(r"(\d+):(\d\d):(\d\d(?:\.\d+)?)")


def load_av(what: str) -> ModuleType:
    """PyAV; `what` it is for goes into the message: "Reading m4a".

    Raises:
        MissingExtraError: if it is not installed.
    """
    try:
        import av
    except ImportError as error:
        raise MissingExtraError(what, extra="formats") from error
    return av


class PyAvStream(Stream):
    """A recording that FFmpeg decodes, always from the beginning: its jumps are not exact to the sample."""

    _slack_seconds = 0.2  # how far a duration may exceed the sound: encoders count delay and padding in, a few frames

    def __init__(self, window: Window, *, container: Container, name: str) -> None:
        super().__init__(window, container=container, name=name)
        self._av = load_av(message("audio.reading", container=container))
        self._errors = (self._av.FFmpegError, *_DECODER_ERRORS)
        try:
            self._input = self._av.open(window, mode="r", format=_DEMUXERS[container], metadata_errors="ignore")
        except self._errors as error:
            raise self._damaged(error) from error
        if not self._input.streams.audio:
            self._input.close()
            raise AudioError(message("audio.no-audio-stream", name=name))
        if (tracks := len(self._input.streams.audio)) > 1:
            self._input.close()
            raise AudioError(message("audio.several-tracks", name=name, count=tracks))
        self._audio = self._input.streams.audio[0]
        if self._audio.codec_context is None:
            self._input.close()
            raise AudioError(message("audio.unknown-codec", name=name))
        self.rate = int(self._audio.codec_context.sample_rate)
        self.channels = int(self._audio.codec_context.channels)
        self.frames = None
        self.format = f"{container} {self._audio.codec_context.name}"

    def close(self) -> None:
        """Let the decoder go."""
        self._input.close()

    def _decoded(self, first: int) -> Iterator[Block]:
        resampler = self._av.AudioResampler(format="fltp", layout=self._audio.codec_context.layout, rate=self.rate)
        for frame in self._input.decode(self._audio):
            if frame.sample_rate != self.rate or len(frame.layout.channels) != self.channels:
                raise ValueError(message("audio.format-changes"))
            for converted in resampler.resample(frame):
                yield np.asarray(converted.to_ndarray(), dtype=np.float32).T

    def _stated_seconds(self) -> float | None:
        """Return the stated duration; raw AAC has no header, and FFmpeg guesses from the bit rate.

        Matroska states the end of each track in a tag, and that of the whole file, pictures included, in its header:
        the latter speaks of the sound only where there is nothing else. Both count from 0 on, also if the sound begins
        later.
        """
        if self._container is Container.AAC:
            return None
        unit = self._audio.time_base
        if self._audio.duration is not None and unit is not None:
            return float(self._audio.duration * unit)
        late = 0.0 if self._audio.start_time is None or unit is None else max(0.0, self._audio.start_time * unit)
        for key, value in self._audio.metadata.items():
            if key.startswith("DURATION") and (match := _CLOCK.fullmatch(value)):
                hours, minutes, seconds = (float(part) for part in match.groups())
                return float(3600 * hours + 60 * minutes + seconds - late)
        if self._input.duration is None or len(self._input.streams) > 1:
            return None
        return float(self._input.duration / 1_000_000 - late)

    def _damaged(self, error: BaseException) -> AudioError:
        if self.position:
            return super()._damaged(error)
        return AudioError(message("audio.damaged", **self._names(), what=self._detail(error)))

    def _detail(self, error: BaseException) -> str:
        return getattr(error, "strerror", None) or super()._detail(error)


_BY_SNDFILE = (Container.WAV, Container.FLAC, Container.OGG, Container.MP3)
_CODED_ALONE = ("PCM_", "FLOAT", "DOUBLE", "ULAW", "ALAW")
"""Prefixes of libsndfile's codings in which no sample depends on those before it or, in FLAC, before its frame."""


class SndfileStream(Stream):
    """A recording that libsndfile decodes: wav, flac, ogg (Vorbis, Opus) and mp3.

    Only FLAC and WAV with samples coded one by one are jumped into. All else is decoded from the beginning: after a
    jump, MP3 and Opus give other samples for a while, libsndfile's Vorbis comes out late in the last page, and GSM
    cannot jump at all.
    """

    def __init__(self, window: Window, *, container: Container, name: str) -> None:
        super().__init__(window, container=container, name=name)
        try:
            self._file = soundfile.SoundFile(window)
        except _DECODER_ERRORS as error:
            raise AudioError(message("audio.cannot-decode", **self._names(), what=self._detail(error))) from error
        # soundfile seeks to where it already is after each block that it reads, unless told that it cannot. A lossy
        # decoder loses its state by such a seek, and the samples that follow would hang on the size of the blocks.
        self._file.seekable = lambda: False
        self.rate = int(self._file.samplerate)
        self.channels = int(self._file.channels)
        self.frames = self._promised = int(self._file.frames)
        self.format = f"{container} {self._file.subtype.lower()}"

    def close(self) -> None:
        """Let the decoder go."""
        self._file.close()

    def _decoded(self, first: int) -> Iterator[Block]:
        size = max(1, BLOCK_SAMPLES // self.channels)
        if first > 0 and self._file.subtype.startswith(_CODED_ALONE):
            self.position = int(self._file.seek(first))
        # Never beyond the promised end: what stands there may be a tag, at which FLAC's decoder gives up.
        while (wanted := min(size, self._promised - self.position)) > 0:
            block: Block = self._file.read(wanted, dtype="float32", always_2d=True)
            yield block
            if len(block) == 0:
                break

    def _stated_seconds(self) -> float:
        return self._promised / self.rate

    def _detail(self, error: BaseException) -> str:
        """The error's text without the name of the file object that soundfile puts in front."""
        return str(getattr(error, "error_string", None) or super()._detail(error)).rstrip(".")


@contextmanager
def open_stream(path: str | os.PathLike[str]) -> Iterator[Stream]:
    """The recording at a path, open for as long as the ``with`` block lasts.

    Raises:
        AudioError: if it is missing, no regular file, unreadable, empty, not audio, truncated, or absurd in shape.
        MissingExtraError: if it needs the extra ``formats`` (m4a, mp4, aac, webm, Ogg FLAC) and that is not installed.
    """
    name = os.fspath(path)
    size = _size_of_file(name)
    with _opened(name) as file, stream_of(file, size=size, name=name) as stream:
        yield stream


@contextmanager
def stream_of(file: BinaryIO, *, size: int, name: str) -> Iterator[Stream]:
    """The recording in a file of `size` bytes that is open already, or in memory; errors as those of `open_stream`."""
    try:
        container, window = prepare(file, size=size, name=name)
    except OSError as error:
        raise AudioError(message("audio.cannot-read", name=name, what=error.strerror)) from error
    decoder = SndfileStream if container in _BY_SNDFILE else PyAvStream
    stream: Stream = decoder(window, container=container, name=name)
    try:
        check_shape(rate=stream.rate, channels=stream.channels, name=name)
        yield stream
    finally:
        stream.close()


def _opened(name: str) -> BinaryIO:
    try:
        return Path(name).open("rb")
    except PermissionError as error:
        raise AudioError(message("audio.no-read-permission", name=name)) from error
    except OSError as error:
        raise AudioError(message("audio.cannot-open", name=name, what=error.strerror)) from error


def _size_of_file(name: str) -> int:
    try:
        status = Path(name).stat()
    except PermissionError as error:
        raise AudioError(message("audio.no-lookup-permission", name=name)) from error
    except (OSError, ValueError) as error:
        raise AudioError(message("audio.no-such-file", name=name)) from error
    if stat.S_ISDIR(status.st_mode):
        raise AudioError(message("audio.is-folder", name=name))
    if not stat.S_ISREG(status.st_mode):
        raise AudioError(message("audio.is-device", name=name))
    if status.st_size == 0:
        raise AudioError(message("audio.file-empty", name=name))
    return status.st_size
