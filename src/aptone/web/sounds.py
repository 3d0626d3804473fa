"""Recordings as browsers play them: plain WAV files, cut or converted once and kept in a cache folder."""

import hashlib
import os
import struct
from pathlib import Path

import numpy as np

from aptone.audio import read_channels
from aptone.errors import AudioError
from aptone.files import make_folder, write_bytes_whole
from aptone.messages import message
from aptone.types import Audio, AudioRef

PLAIN_HEADER = 44
"""Bytes of a WAV header with nothing in it but the format."""


def playable(ref: AudioRef, *, cache: Path, longest: float) -> Path:
    """Return the file to be sent for a clip; cut it or convert it to WAV on first use.

    Args:
        cache: folder in which it is kept then.
        longest: seconds that a clip may last.

    Raises:
        AudioError: if the recording is gone, damaged, shorter than the clip or too long.
        RunError: if the cache cannot be written to.
    """
    source = Path(ref.path)
    if ref.start == 0 and ref.end is None and _is_plain(source):
        return source
    try:
        state = source.stat()
    except OSError as error:
        raise AudioError(message("web.recording-cannot-opened", name=source.name, what=error.strerror)) from error
    identity = f"{source}|{state.st_size}|{state.st_mtime_ns}|{ref.start}|{ref.end}"
    target = cache / f"{hashlib.sha256(os.fsencode(identity)).hexdigest()[:32]}.wav"
    if not target.is_file():
        make_folder(cache)
        channels = read_channels(source, rate=None, start=ref.start, end=ref.end, max_seconds=longest)
        write_bytes_whole(target, plain_wav(channels))
    return target


def plain_wav(channels: tuple[Audio, ...]) -> bytes:
    """Encode channels as a 16-bit WAV file; a peak beyond full scale is scaled down, since clipping is audible."""
    samples = np.stack([channel.samples for channel in channels], axis=1)
    peak = max(1.0, float(np.abs(samples).max()))
    whole = np.clip(np.rint(samples / np.float32(peak) * 32768.0), -32768, 32767).astype("<i2")
    data, count, rate = whole.tobytes(), len(channels), channels[0].rate
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", PLAIN_HEADER - 8 + len(data), b"WAVE", b"fmt ", 16, 1, count, rate),
        *(rate * count * 2, count * 2, 16, b"data", len(data)),
    )
    return bytes(header + data)


def _is_plain(path: Path) -> bool:
    """True if a file has the form that `plain_wav` writes, so that it can be sent unchanged."""
    try:
        with path.open("rb") as file:
            header = file.read(PLAIN_HEADER)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return False
    if len(header) < PLAIN_HEADER or header[:4] + header[8:22] != b"RIFFWAVEfmt \x10\0\0\0\x01\0":
        return False
    bits, data, length = struct.unpack("<H4sI", header[34:44])
    return bool(bits == 16 and data == b"data" and length == size - PLAIN_HEADER)
