"""WAV (RIFF and RF64): where the samples lie, and whether all that the header promises is there.

Decisions:
    - A data chunk that promises more bytes than the file holds is a truncated file, unless the promise is a placeholder
      that a streaming encoder leaves when it cannot go back to fill it in (close to 2^31 or 2^32, or 0 in the chunk
      ``ds64`` of RF64): then the samples run to the end of the file, which must not lie inside a sample.
    - A data chunk of length 0 with bytes behind it is such a placeholder too when the length of the whole file in the
      header is wrong as well, as recorders that were switched off leave it. If that length is right, there are no
      samples.
    - Chunks, tags, zeros and a few odd bytes behind the data chunk are ignored. Anything else there, in a file that
      says it ends with the data chunk, is taken for samples that the header does not know of, and refused.
    - A chunk of odd length without the byte of padding that should follow it is stepped over.
    - MP3 in WAV is refused: its length cannot be known, and its sound is easily taken out.
"""

import struct
from typing import BinaryIO, NamedTuple

from aptone.audio.containers.window import Window, end_before_tags
from aptone.errors import AudioError
from aptone.messages import message

_PLACEHOLDERS = (range(0x7FFF_0000, 0x8000_0001), range(0xFFFF_0000, 0x1_0000_0000))
_MAX_CHUNKS = 10_000
_LOOKED_AT_BYTES = 1 << 16
_MP3 = 0x0055
_LATER_CHUNKS = (b"data", b"fact", b"fmt ", b"LIST", b"bext", b"JUNK", b"junk", b"id3 ", b"cue ", b"PEAK", b"iXML")
"""Chunks that may follow one that lacks its padding."""


class _Chunks(NamedTuple):
    """Chunks before the samples: ``kept`` holds those that the decoder needs, corrected."""

    kept: bytes
    sample_bytes: int
    unpadded: bool
    body: int
    length: int


def prepare(file: BinaryIO, *, size: int, name: str) -> Window:
    """The bytes to decode, with the true length; raises `AudioError` if data are missing, cut off, stale, or MP3."""
    file.seek(0)
    riff_size = struct.unpack("<I", file.read(12)[4:8])[0]
    chunks = _chunks(file, name=name)
    there = size - chunks.body
    streamed = chunks.length > there and any(chunks.length in placeholder for placeholder in _PLACEHOLDERS)
    if chunks.length == 0 and there > 0 and riff_size != size - 8:
        streamed = True
    if there <= 0 or (chunks.length == 0 and not streamed):
        raise AudioError(message("audio.file-without-samples", name=name, container="WAV"))
    if streamed:
        length = _whole_samples(file, chunks, size=size, name=name)
    elif chunks.length > there:
        raise AudioError(message("audio.wav-truncated", name=name, stated=chunks.length, there=there))
    else:
        length = chunks.length
        if riff_size + 8 <= chunks.body + length + 1:
            _check_behind(file, begin=chunks.body + length, size=size, name=name)
    if not streamed and not chunks.unpadded:
        return Window(file, begin=0, end=size)
    return Window(file, begin=chunks.body, end=chunks.body + length, prefix=_header(chunks.kept, length=length))


def _chunks(file: BinaryIO, *, name: str) -> _Chunks:
    position, long_size, sample_bytes, kept, unpadded = 12, None, 1, b"", False
    for _ in range(_MAX_CHUNKS):
        file.seek(position)
        header = file.read(8)
        if len(header) < 8:
            break
        kind, length = header[:4], struct.unpack("<I", header[4:])[0]
        body = position + 8
        if kind == b"ds64":
            sizes = file.read(16)
            long_size = int.from_bytes(sizes[8:], "little") if len(sizes) == 16 else None
        elif kind == b"data":
            if long_size is not None and length == 0xFFFF_FFFF:
                length = long_size or length  # 0: a placeholder, as in the chunk's own header
            return _Chunks(kept, sample_bytes, unpadded, body, length)
        elif kind in (b"fmt ", b"fact") and length < 1 << 16:
            content = file.read(length)
            kept += header + content + bytes(length & 1)
            if kind == b"fmt " and len(content) >= 14:
                sample_bytes = max(1, int.from_bytes(content[12:14], "little"))
                if int.from_bytes(content[:2], "little") == _MP3:
                    raise AudioError(message("audio.wav-holds-mp3", name=name))
        position = body + length
        if length & 1:
            file.seek(position)
            lacking = file.read(4) in _LATER_CHUNKS
            unpadded |= lacking
            position += not lacking
    raise AudioError(message("audio.wav-no-data", name=name))


def _whole_samples(file: BinaryIO, chunks: _Chunks, *, size: int, name: str) -> int:
    """Bytes of samples up to the end of the file, without the byte that pads an odd number of them."""
    there = size - chunks.body
    excess = there % chunks.sample_bytes
    if excess == 0:
        return there
    file.seek(size - 1)
    if excess == 1 and there % 2 == 0 and file.read(1) == b"\0":
        return there - 1
    raise AudioError(message("audio.wav-ends-in-sample", name=name, count=chunks.sample_bytes - excess))


def _check_behind(file: BinaryIO, *, begin: int, size: int, name: str) -> None:
    """Refuse bytes behind the samples that are neither chunk nor tag nor padding: samples that came in later."""
    end = end_before_tags(file, size=size)
    file.seek(begin)
    rest = file.read(min(_LOOKED_AT_BYTES, max(0, end - begin)))
    if not rest.strip(b"\0"):
        return
    for chunk in (rest[:8], rest[1:9]):  # the latter behind a byte that pads an odd number of them
        length = int.from_bytes(chunk[4:], "little")
        if len(chunk) < 8 or (all(0x20 <= byte < 0x7F for byte in chunk[:4]) and length <= end - begin - 8):
            return
    raise AudioError(message("audio.wav-longer-than-header", name=name, count=end - begin))


def _header(chunks: bytes, *, length: int) -> bytes:
    """A header for samples of a known length, of the long kind (RF64, EBU Tech 3306) where 32 bits do not hold it."""
    whole = 4 + len(chunks) + 8 + length
    if whole < 0xFFFF_0000:
        return b"RIFF" + struct.pack("<I", whole) + b"WAVE" + chunks + b"data" + struct.pack("<I", length)
    sizes = b"ds64" + struct.pack("<IQQQI", 28, whole + 36, length, 0, 0)
    return b"RF64\xff\xff\xff\xffWAVE" + sizes + chunks + b"data\xff\xff\xff\xff"
