"""Files, and arrays in memory, to records at a stated rate."""

import hashlib
import io
import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import soxr

from aptone.audio.decode import Block, Stream, check_samples, check_shape, open_stream, stream_of
from aptone.audio.resample import resampled_length
from aptone.errors import AudioError
from aptone.messages import message
from aptone.types import Audio, AudioRef

Channel = int | Literal["mix", "only"]
"""A channel: its number from 0 on, the mean of all, or the only one there is."""

FULL_SCALE = {np.dtype(np.int16): 2.0**15, np.dtype(np.int32): 2.0**31}  # what counts as ±1 in arrays of integers


def pick_channel(block: Block, channel: Channel, *, name: str) -> Block:
    """One channel of frames × channels, as a vector; raises `AudioError` if it is not there, or not the only one."""
    channels = block.shape[1]
    if channel == "mix" and channels == 1:
        return block[:, 0] + np.float32(0.0)  # as the mean, which gives no -0
    if channel == "mix":
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number is refused by whoever takes the mix
            mixed: Block = block.mean(axis=1, dtype=np.float32)
        return mixed
    if channel == "only":
        if channels != 1:
            raise AudioError(message("audio.several-channels", name=name, channels=channels, last=channels - 1))
        return block[:, 0]
    if isinstance(channel, bool) or not isinstance(channel, int):
        raise AudioError(message("audio.no-such-channel-kind", name=name, what=repr(channel)))
    if not 0 <= channel < channels:
        raise AudioError(message("audio.no-such-channel", name=name, channel=channel, last=channels - 1))
    return block[:, channel]


def from_array(samples: npt.ArrayLike, *, rate: int, source: str = "array", channel: Channel = "only") -> Audio:
    """Samples in memory as a record.

    Args:
        samples: a vector, or frames × channels. Full scale is ±1 for floats, 2^15 for int16 and 2^31 for int32.
        rate: samples per second; there is no default, because a rate cannot be guessed.

    Raises:
        AudioError: if there are no samples, NaN, infinite or absurdly large ones, another type or shape, several
            channels without a choice, or an absurd rate.

    >>> from_array(np.array([0, 16384], dtype=np.int16), rate=16_000).samples.tolist()
    [0.0, 0.5]
    """
    array: npt.NDArray[Any] = np.asarray(samples)
    if array.dtype in FULL_SCALE:
        array = (array / FULL_SCALE[array.dtype]).astype(np.float32)
    if array.dtype.kind != "f":
        raise AudioError(message("audio.wrong-dtype", name=source, what=array.dtype))
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise AudioError(message("audio.wrong-shape", name=source, shape=array.shape))
    if array.shape[0] == 0:
        raise AudioError(message("audio.array-empty", name=source))
    check_shape(rate=rate, channels=array.shape[1], name=source)
    with np.errstate(over="ignore"):
        vector = pick_channel(array.astype(np.float32, copy=False), channel, name=source)
    check_samples(vector, name=source)
    return Audio(vector, rate=rate, source=source)


MAX_SECONDS = 4 * 3600.0
"""Longest clip that is read unless the caller allows more: four hours."""

MAX_SAMPLES = 1 << 30
"""Most samples, all channels together, that are kept in memory (4 GiB), whatever the caller allows."""

RECORDINGS = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".m4a", ".mp4", ".aac", ".webm")
"""Endings of the files that count as recordings in a folder; a file that is named by itself may have any."""

_UNKNOWN_FRAMES = 1 << 62  # counts from here on are libsndfile's way of saying that it does not know


@dataclass(frozen=True, slots=True)
class AudioInfo:
    """Properties of an audio file.

    Args:
        frames: samples per channel.
        format: container and coding, for instance ``wav pcm_16``, ``ogg opus`` or ``mp4 aac``.
    """

    frames: int
    rate: int
    channels: int
    seconds: float
    format: str


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a file that was asked for, in frames; ``last`` is ``None`` for the end of the file."""

    first: int
    last: int | None


@dataclass(frozen=True, slots=True)
class _Limits:
    """Bounds on a clip: its seconds, the samples that are kept of it, and those that are decoded for that."""

    rate: int
    new_rate: int
    channels: int
    kept: int
    seconds: float
    decoded: float

    def check(self, frames: int, *, name: str) -> None:
        """Raise `AudioError` if a clip of so many frames exceeds one of them."""
        if not frames <= self.seconds * self.rate:  # written so that NaN refuses too
            raise AudioError(message("audio.clip-too-long", name=name, seconds=self.seconds))
        if resampled_length(frames, old=self.rate, new=self.new_rate) * self.kept > MAX_SAMPLES:
            raise AudioError(message("audio.too-many-samples", name=name, count=MAX_SAMPLES, rate=self.new_rate))
        if frames * self.channels > self.decoded:
            raise AudioError(
                message(
                    "audio.too-much-to-decode",
                    name=name,
                    count=int(self.decoded),
                    channels=self.channels,
                    rate=self.rate,
                )
            )


def read(
    path: str | os.PathLike[str],
    *,
    rate: int | None,
    channel: Channel = "only",
    start: float = 0.0,
    end: float | None = None,
    max_seconds: float = MAX_SECONDS,
) -> Audio:
    """One channel of a recording, or of a part of it, at a stated rate.

    wav, flac, ogg (Vorbis and Opus) and mp3 are always read; m4a, mp4, aac, webm, and Ogg with FLAC or Speex need the
    extra ``formats``. The content decides, not the name of the file. Whether a file is whole is checked before it is
    decoded, also where only a part is asked for; FLAC, mp4 and webm can show damage only as far as they are decoded.
    A part holds the very samples that the whole has there; wav and flac are jumped into, all else is decoded from the
    beginning.

    Args:
        rate: samples per second of the result, resampled by soxr HQ where the file has another; ``None`` for the
            file's own.
        channel: ``"only"`` refuses a file with several channels, ``"mix"`` averages them, a number picks one from 0 on.
        start: seconds where to begin.
        end: seconds where to stop; ``None`` for the end of the file.
        max_seconds: refuse a longer clip.

    Raises:
        AudioError: if the file is missing, a folder, unreadable, empty, without samples, with samples that are NaN,
            infinite or beyond 10^12, not audio, truncated, too long, or does not have the channel or the part that
            was asked for.
        MissingExtraError: if the format needs the extra ``formats``.
    """
    with open_stream(path) as stream:
        (audio,) = _read(stream, rate, channel, start=start, end=end, max_seconds=max_seconds, name=os.fspath(path))
        return audio


def read_bytes(
    data: bytes,
    *,
    name: str,
    rate: int | None,
    channel: Channel = "only",
    start: float = 0.0,
    end: float | None = None,
    max_seconds: float = MAX_SECONDS,
    max_decoded: float = math.inf,
) -> Audio:
    """One channel of a recording whose file is in memory; arguments and errors as those of `read`.

    Args:
        max_decoded: samples, all channels together, beyond which a recording is refused: a few kilobytes of silence
            may stand for minutes of work.
    """
    if not data:
        raise AudioError(message("audio.file-empty", name=name))
    with stream_of(io.BytesIO(data), size=len(data), name=name) as stream:
        (audio,) = _read(
            stream,
            rate,
            channel,
            start=start,
            end=end,
            max_seconds=max_seconds,
            max_decoded=max_decoded,
            name=name,
        )
        return audio


def read_channels(
    path: str | os.PathLike[str],
    *,
    rate: int | None,
    start: float = 0.0,
    end: float | None = None,
    max_seconds: float = MAX_SECONDS,
) -> tuple[Audio, ...]:
    """Every channel of a recording, each as a record of its own; arguments and errors as those of `read`."""
    with open_stream(path) as stream:
        return _read(stream, rate, None, start=start, end=end, max_seconds=max_seconds, name=os.fspath(path))


@dataclass(frozen=True, slots=True)
class OpenRecording:
    """Recording that is being decoded: its shape, and its samples, frames by channels, in blocks of some 2^18."""

    rate: int
    channels: int
    blocks: Iterator[Block]


@contextmanager
def open_recording(
    path: str | os.PathLike[str], *, start: float = 0.0, end: float | None = None
) -> Iterator[OpenRecording]:
    """Open a recording, or a part of it, to be decoded block by block; arguments and errors as those of `read`.

    Memory does not grow with the length of the recording or with its channels.
    """
    name = os.fspath(path)
    with open_stream(path) as stream:
        span = span_of(rate=stream.rate, frames=_promised(stream), start=start, end=end, name=name)
        yield OpenRecording(stream.rate, stream.channels, _sound_blocks(stream, span, name=name))


def _sound_blocks(stream: Stream, span: Span, *, name: str) -> Iterator[Block]:
    for block in _blocks_of(stream, span, name=name):
        check_samples(block, name=name)
        yield block


def read_ref(ref: AudioRef, *, rate: int | None, channel: Channel = "only", max_seconds: float = MAX_SECONDS) -> Audio:
    """The clip that a reference points to; arguments and errors as those of `read`.

    Raises:
        AudioError: besides, if the reference knows a hash of the file and the file has another.
    """
    audio = read(ref.path, rate=rate, channel=channel, start=ref.start, end=ref.end, max_seconds=max_seconds)
    if ref.sha256:
        with Path(ref.path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if digest != ref.sha256.lower():
            raise AudioError(message("audio.file-changed", name=ref.path, expected=ref.sha256, digest=digest))
    return audio


def probe(path: str | os.PathLike[str]) -> AudioInfo:
    """Return the properties of a file, as `read` would find them.

    wav, flac, ogg and mp3 are not decoded for that; what needs the extra ``formats`` is, because such headers
    count the encoder's delay and padding in or do not tell at all.

    Raises:
        AudioError: as `read`.
        MissingExtraError: as `read`.
    """
    name = os.fspath(path)
    with open_stream(path) as stream:
        frames = _promised(stream)
        if frames is None:
            frames = sum(len(block) for block in stream.blocks(first=0))
        if frames == 0:
            raise AudioError(message("audio.no-samples", name=name))
        return AudioInfo(frames, stream.rate, stream.channels, frames / stream.rate, stream.format)


def _read(
    stream: Stream,
    rate: int | None,
    channel: Channel | None,
    *,
    start: float = 0.0,
    end: float | None = None,
    max_seconds: float,
    max_decoded: float = math.inf,
    name: str,
) -> tuple[Audio, ...]:
    """The channel as a record, or every channel where that is ``None``."""
    new_rate = stream.rate if rate is None else rate
    span = span_of(rate=stream.rate, frames=_promised(stream), start=start, end=end, name=name)

    def pick(block: Block) -> Block:
        return block if channel is None else pick_channel(block, channel, name=name)[:, np.newaxis]

    kept = stream.channels if channel is None else 1
    limits = _Limits(stream.rate, new_rate, stream.channels, kept, seconds=max_seconds, decoded=max_decoded)
    columns = _collect(stream, pick=pick, limits=limits, span=span, name=name)
    return tuple(Audio(samples, rate=new_rate, source=name) for samples in columns)


def span_of(*, rate: int, frames: int | None, start: float, end: float | None, name: str) -> Span:
    """The part of a recording from `start` to `end` seconds; `frames` is its length, ``None`` where unknown.

    Raises:
        AudioError: if there is no such part.
    """
    if not (math.isfinite(start) and start >= 0):
        raise AudioError(message("audio.wrong-start", name=name, start=start))
    if end is not None and not (math.isfinite(end) and end > start):
        raise AudioError(message("audio.wrong-end", name=name, start=start, end=end))
    first = round(start * rate)
    last = None if end is None else round(end * rate)
    if first == last:
        raise AudioError(message("audio.no-sample-between", name=name, start=start, end=end, rate=rate))
    if frames is not None:
        _check_inside(Span(first, last), frames=frames, rate=rate, name=name)
    return Span(first, last)


def _promised(stream: Stream) -> int | None:
    return stream.frames if stream.frames is not None and stream.frames < _UNKNOWN_FRAMES else None


def _check_inside(span: Span, *, frames: int, rate: int, name: str) -> None:
    if frames == 0:
        raise AudioError(message("audio.no-samples", name=name))
    if span.first >= frames or (span.last is not None and span.last > frames):
        wanted = message("audio.span-to-end", start=span.first / rate)
        if span.last is not None:
            wanted = message("audio.span", start=span.first / rate, end=span.last / rate)
        raise AudioError(message("audio.beyond-end", name=name, what=wanted, seconds=frames / rate))


def _collect(
    stream: Stream, *, pick: Callable[[Block], Block], limits: _Limits, span: Span, name: str
) -> list[npt.NDArray[np.float32]]:
    """Decode, choose and resample block by block, so that only what is kept is ever in memory; a vector per channel.

    A buffer grows with what was decoded, whatever the header promises, by an eighth at a time, and its bytes become the
    samples without a copy.
    """
    rate, kept = limits.new_rate, limits.kept
    check_shape(rate=rate, channels=kept, name=name)
    promised = span.last if span.last is not None else _promised(stream)
    if promised is not None:
        limits.check(promised - span.first, name=name)
    resampler = None
    if rate != stream.rate:
        resampler = soxr.ResampleStream(stream.rate, rate, kept, dtype="float32", quality="HQ")
    frames, buffers = 0, [io.BytesIO() for _ in range(kept)]
    for raw in _blocks_of(stream, span, name=name):
        block = pick(raw)
        frames += len(block)
        limits.check(frames, name=name)
        check_samples(block, name=name)
        _append(buffers, block if resampler is None else resampler.resample_chunk(np.ascontiguousarray(block)))
    if resampler is not None:
        _append(buffers, resampler.resample_chunk(np.empty((0, kept), dtype=np.float32), last=True))
    if buffers[0].tell() == 0:
        raise AudioError(message("audio.too-short-for-rate", name=name, rate=rate))
    # Vectors on top of bytes, because `Audio` keeps such without a copy: bytes cannot change.
    return [np.frombuffer(buffer.getvalue(), dtype=np.float32) for buffer in buffers]


def _blocks_of(stream: Stream, span: Span, *, name: str) -> Iterator[Block]:
    """Blocks of a part of a recording; `AudioError` at the end if the recording is shorter than the part."""
    position = span.first
    for raw in stream.blocks(first=span.first):
        block = raw if span.last is None else raw[: span.last - position]
        position += len(block)
        yield block
        if position == span.last:
            break
    frames = position if position > span.first else stream.position
    _check_inside(span, frames=frames, rate=stream.rate, name=name)


def _append(buffers: list[io.BytesIO], block: Block) -> None:
    for column, buffer in enumerate(buffers):
        buffer.write(np.ascontiguousarray(block[:, column]).data)
