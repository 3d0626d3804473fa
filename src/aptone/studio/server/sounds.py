"""Clips as raters hear them: plain WAV, cut as the task says, with nothing in the file that tells where it came from.

Every clip is decoded and written anew, so that any browser plays it, and so that two systems cannot be told apart by
the format, tags or date of their files; sampling rate and channels stay, for they can be heard. What was written is
kept in the project's cache, which may be deleted at any time.
"""

import hashlib
import os
import struct
from pathlib import Path

import numpy as np

from aptone.audio import probe, read_blocks, read_channels
from aptone.errors import AudioError
from aptone.files import make_folder, write_bytes_whole
from aptone.messages import message, replaced
from aptone.studio.store.tasks import LONGEST_SECONDS
from aptone.types import Audio, AudioRef

PLAIN_HEADER = 44
"""Bytes of a WAV header with nothing in it but the format."""


def playable(ref: AudioRef, *, cache: Path) -> Path:
    """The file to be sent for a clip, written now if it was not before.

    Args:
        ref: the clip, its path already known to lie in the project.
        cache: folder for what is written.

    Raises:
        AudioError: if the recording is gone, damaged or shorter than the clip.
        RunError: if the cache cannot be written.
    """
    source = Path(ref.path)
    if ref.start == 0 and ref.end is None and _is_plain(source):
        return source
    try:
        state = source.stat()
    except OSError as error:
        raise AudioError(message("studio.recording-cannot-opened", name=source.name, what=error.strerror)) from error
    identity = f"{source}|{state.st_size}|{state.st_mtime_ns}|{ref.start}|{ref.end}"
    target = cache / f"{hashlib.sha256(os.fsencode(identity)).hexdigest()[:32]}.wav"
    if not target.is_file():
        make_folder(cache)
        channels = read_channels(source, rate=None, start=ref.start, end=ref.end, max_seconds=LONGEST_SECONDS)
        write_bytes_whole(target, plain_wav(channels))
    return target


def plain_wav(channels: tuple[Audio, ...]) -> bytes:
    """A WAV file of 16 bits a sample; a peak beyond full scale is scaled down to it, for clipping would be heard."""
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
    """Whether a file is just what `plain_wav` writes, so that it can be sent as it is."""
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


def check_sound(path: Path) -> float:
    """Decode a whole recording that somebody sent, and give its seconds.

    Raises:
        AudioError: if it is no sound, damaged, or longer than `LONGEST_SECONDS`; the message holds no path.
        MissingExtraError: if its format needs an extra.
    """
    try:
        info = probe(path)
        frames = 0
        for block in read_blocks(path, rate=info.rate):
            frames += block.size
            if frames > LONGEST_SECONDS * info.rate:
                raise AudioError(message("studio.sound-longer-cut-into-clips", seconds=LONGEST_SECONDS))
    except AudioError as error:
        raise AudioError(replaced(str(error), os.fspath(path), message("studio.the-file"))) from None
    return frames / info.rate
