"""Recordings from whatever a user has in hand: files, bytes, open files, arrays, rows of a dataset, decoders."""

import os
from collections.abc import Mapping
from typing import Any, BinaryIO, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
import numpy.typing as npt

from aptone.audio.read import MAX_SECONDS, Channel, from_array, read, read_bytes, read_ref, span_of
from aptone.audio.resample import resample
from aptone.errors import AudioError, UsageError
from aptone.messages import message
from aptone.types import Audio, AudioRef

MAX_BYTES = 1 << 31
"""Most bytes that are read from an open file: two gibibytes."""


@runtime_checkable
class AudioDecoder(Protocol):
    """Decoder that gives all samples at once, as those of torchcodec do, which rows of `datasets` hold."""

    def get_all_samples(self) -> Any:
        """Samples as ``data``, channels × frames, and their ``sample_rate``."""


@runtime_checkable
class _Readable(Protocol):
    def read(self, size: int, /) -> Any: ...


AudioSource: TypeAlias = (
    str
    | os.PathLike[str]
    | AudioRef
    | Audio
    | bytes
    | bytearray
    | memoryview
    | BinaryIO
    | Mapping[str, Any]
    | AudioDecoder
    | npt.ArrayLike
)
"""A recording: its path, a part of a file, an `Audio`, the bytes of a file, a file that is open in binary mode, a row
of a dataset (``{"bytes", "path"}`` or ``{"array", "sampling_rate"}``), a decoder, or samples."""


def read_audio(
    source: AudioSource,
    *,
    rate: int | None,
    sample_rate: int | None = None,
    channel: Channel = "only",
    start: float = 0.0,
    end: float | None = None,
    max_seconds: float = MAX_SECONDS,
) -> Audio:
    """One channel of a recording, or of a part of it, at a stated rate.

    Files are read as `aptone.audio.read` describes, wherever their bytes are; an open file is read from where it is to
    its end. Arrays are a vector or frames × channels; those of datasets and decoders are channels × frames.

    Args:
        rate: samples per second of the result, resampled by soxr HQ where the source has another; ``None`` for its
            own.
        sample_rate: samples per second of an array, which cannot be guessed; for nothing else.
        channel: ``"only"`` refuses several channels, ``"mix"`` averages them, a number picks one from 0 on.
        start, end: seconds; ``None`` for the end of the recording.
        max_seconds: refuse a longer clip.

    Raises:
        AudioError: if the recording cannot be used.
        MissingExtraError: if its format needs the extra ``formats``.
        UsageError: if it is none of these, a rate is missing, or there is one that the source states itself.
    """
    span: dict[str, Any] = {"start": start, "end": end}
    options: dict[str, Any] = {"rate": rate, "channel": channel, "max_seconds": max_seconds}
    if _is_samples(source):
        if sample_rate is None:
            raise UsageError(message("audio.samples-need-rate"))
        audio = from_array(source, rate=sample_rate, channel=channel)
        return _part(audio, rate=rate, max_seconds=max_seconds, **span)
    if sample_rate is not None:
        raise UsageError(message("audio.rate-is-known"))
    if isinstance(source, Audio):
        return _part(source, rate=rate, max_seconds=max_seconds, **span)
    if isinstance(source, str | os.PathLike):
        return read(source, **options, **span)
    if isinstance(source, AudioRef):
        if (start, end) != (0.0, None):
            raise UsageError(message("audio.part-of-part", name=source.path))
        return read_ref(source, **options)
    if isinstance(source, bytes | bytearray | memoryview):
        return read_bytes(bytes(source), name="bytes", **options, **span)
    if isinstance(source, Mapping):
        return _of_row(source, rate=rate, channel=channel, max_seconds=max_seconds, **span)
    if isinstance(source, AudioDecoder):
        audio = _decoded(source, channel=channel, max_seconds=max_seconds)
        return _part(audio, rate=rate, max_seconds=max_seconds, **span)
    if isinstance(source, _Readable):
        data, name = _content(source)
        return read_bytes(data, name=name, **options, **span)
    raise UsageError(message("audio.unknown-source", what=type(source).__name__))


def _is_samples(source: object) -> TypeGuard[npt.ArrayLike]:
    """Check that a source is an array, such as those of numpy and torch, or a list of numbers."""
    if isinstance(source, list | tuple | np.ndarray):
        return True
    is_other = isinstance(source, str | os.PathLike | Audio | AudioRef | bytes | bytearray | memoryview | Mapping)
    return not is_other and hasattr(source, "__array__")


def _of_row(row: Mapping[str, Any], *, rate: int | None, channel: Channel, max_seconds: float, **span: Any) -> Audio:
    """The recording of a row of a dataset: samples with their rate, or the bytes of a file, or else its path."""
    name = row.get("path")
    if name is not None and not isinstance(name, str | os.PathLike):
        raise UsageError(message("audio.row-path", what=type(name).__name__))
    if row.get("array") is not None:
        if row.get("sampling_rate") is None:
            raise UsageError(message("audio.row-without-rate"))
        array = _channels_last(row["array"])
        audio = from_array(array, rate=row["sampling_rate"], source=os.fspath(name or "array"), channel=channel)
        return _part(audio, rate=rate, max_seconds=max_seconds, **span)
    if (data := row.get("bytes")) is not None:
        if not isinstance(data, bytes | bytearray | memoryview):
            raise UsageError(message("audio.row-bytes", what=type(data).__name__))
        shown = os.fspath(name or "bytes")
        return read_bytes(bytes(data), name=shown, rate=rate, channel=channel, max_seconds=max_seconds, **span)
    if name is None:
        raise UsageError(message("audio.row-empty", keys=", ".join(map(str, row)) or "-"))
    return read(name, rate=rate, channel=channel, max_seconds=max_seconds, **span)


def _decoded(decoder: AudioDecoder, *, channel: Channel, max_seconds: float) -> Audio:
    metadata = getattr(decoder, "metadata", None)
    name = str(getattr(metadata, "path", None) or "decoder")
    stated = getattr(metadata, "duration_seconds", None)
    if isinstance(stated, int | float) and stated > max_seconds:  # before it fills the memory
        raise AudioError(message("audio.clip-too-long", name=name, seconds=max_seconds))
    samples = decoder.get_all_samples()
    data = getattr(samples, "data", None)
    rate = getattr(samples, "sample_rate", None)
    if data is None or rate is None:
        raise UsageError(message("audio.strange-decoder", what=type(samples).__name__))
    on_this_machine = data.cpu() if hasattr(data, "cpu") else data
    return from_array(_channels_last(on_this_machine), rate=rate, source=name, channel=channel)


def _channels_last(array: npt.ArrayLike) -> npt.NDArray[Any]:
    """Samples of a dataset or a decoder, channels × frames, as frames × channels; a vector stays one."""
    made: npt.NDArray[Any] = np.asarray(array)
    return made.T if made.ndim == 2 else made


def _content(file: _Readable) -> tuple[bytes, str]:
    """The rest of an open file, and its name."""
    named = getattr(file, "name", None)
    name = named if isinstance(named, str) else "file"
    try:
        data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise AudioError(message("audio.cannot-read", name=name, what=error.strerror or str(error))) from error
    if not isinstance(data, bytes | bytearray | memoryview):
        raise UsageError(message("audio.not-binary", name=name, what=type(data).__name__))
    if len(data) > MAX_BYTES:
        raise AudioError(message("audio.too-many-bytes", name=name, count=MAX_BYTES))
    return bytes(data), name


def _part(audio: Audio, *, rate: int | None, start: float, end: float | None, max_seconds: float) -> Audio:
    """A part of samples in memory, at a rate."""
    name = audio.source
    span = span_of(rate=audio.rate, frames=audio.samples.size, start=start, end=end, name=name)
    samples = audio.samples[span.first : span.last]
    if not samples.size <= max_seconds * audio.rate:
        raise AudioError(message("audio.clip-too-long", name=name, seconds=max_seconds))
    part = audio if samples.size == audio.samples.size else Audio(samples, rate=audio.rate, source=name)
    return part if rate is None else resample(part, rate=rate)
