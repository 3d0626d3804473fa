"""Recordings as browsers play them: plain WAV files, cut or converted once and kept in a cache folder.

They are decoded, checked and written block by block: a conversion holds some `MEMORY_BYTES`, whatever the length, the
channels and the compression of a recording. What it makes is bounded, too: the browser holds all of it in memory.
"""

import hashlib
import os
import struct
from pathlib import Path

import numpy as np

from aptone.audio import OpenRecording, open_recording
from aptone.errors import AudioError
from aptone.files import make_folder, whole_file
from aptone.messages import message
from aptone.types import AudioRef

PLAIN_HEADER = 44
"""Bytes of a WAV header with nothing in it but the format."""
SAMPLE_BYTES = 2
MOST_CHANNELS = 8
"""Channels of a clip, as many as browsers play."""
MOST_BYTES = 512 * 1024 * 1024
"""Largest file that is made of a clip; at 48 kHz 93 minutes in mono, 46 in stereo, 11 in eight channels."""
MEMORY_BYTES = 16 * 1024 * 1024
"""Memory of a conversion: a block of 2^18 samples as decoded, scaled, rounded and written, and the decoder's own."""


def playable(ref: AudioRef, *, cache: Path, longest: float) -> Path:
    """Return the file to be sent for a clip; cut it or convert it to WAV on first use.

    Args:
        cache: folder in which it is kept then.
        longest: seconds that a clip may last.

    Raises:
        AudioError: if the recording is gone, damaged, shorter than the clip or too large.
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
        with whole_file(target) as partial:
            peak = _write_wav(partial, ref, longest=longest, full_scale=1.0)
            if peak > 1.0:  # clipping is audible: all of it is scaled down, which only its end could say
                _write_wav(partial, ref, longest=longest, full_scale=peak)
    return target


def check_size(*, frames: int, rate: int, channels: int, longest: float) -> None:
    """Check that a clip can be played.

    Raises:
        AudioError: if it has more than `MOST_CHANNELS`, lasts longer than so many seconds, or would be a file of more
            than `MOST_BYTES`; the message names no file.
    """
    if channels > MOST_CHANNELS:
        raise AudioError(message("web.clip-channels", channels=channels, most=MOST_CHANNELS))
    if frames > longest * rate:
        raise AudioError(message("web.clip-longer", seconds=longest))
    if PLAIN_HEADER + frames * channels * SAMPLE_BYTES > MOST_BYTES:
        raise AudioError(message("web.clip-larger", most=MOST_BYTES // 2**20, channels=channels, rate=rate))


def _write_wav(path: Path, ref: AudioRef, *, longest: float, full_scale: float) -> float:
    """Write a clip as 16-bit WAV, and return its peak; `full_scale` is what becomes the largest sample."""
    peak, frames = 0.0, 0
    with open_recording(ref.path, start=ref.start, end=ref.end) as recording, path.open("wb") as file:
        file.write(_header(recording, frames=0))
        for block in recording.blocks:
            frames += len(block)
            check_size(frames=frames, rate=recording.rate, channels=recording.channels, longest=longest)
            peak = max(peak, float(np.abs(block).max()))
            scaled = np.rint(block / np.float32(full_scale) * np.float32(32768.0))
            file.write(np.clip(scaled, -32768, 32767).astype("<i2").tobytes())
        file.seek(0)
        file.write(_header(recording, frames=frames))
    return peak


def _header(recording: OpenRecording, *, frames: int) -> bytes:
    rate, width = recording.rate, recording.channels * SAMPLE_BYTES
    size = frames * width
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        *(b"RIFF", PLAIN_HEADER - 8 + size, b"WAVE", b"fmt ", 16, 1, recording.channels, rate),
        *(rate * width, width, 8 * SAMPLE_BYTES, b"data", size),
    )


def _is_plain(path: Path) -> bool:
    """True if a file has the form that is written here, so that it can be sent unchanged."""
    try:
        with path.open("rb") as file:
            header = file.read(PLAIN_HEADER)
            size = os.fstat(file.fileno()).st_size
    except OSError:
        return False
    if len(header) < PLAIN_HEADER or header[:4] + header[8:22] != b"RIFFWAVEfmt \x10\0\0\0\x01\0":
        return False
    channels, bits, data, length = struct.unpack("<H10xH4sI", header[22:44])
    fits = 1 <= channels <= MOST_CHANNELS and size <= MOST_BYTES
    return bool(fits and bits == 16 and data == b"data" and length == size - PLAIN_HEADER)
