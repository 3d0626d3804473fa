"""WAV (RIFF and RF64): where the samples lie, and whether all that the header promises is there.

Decisions:
    - A data chunk that promises more bytes than the file holds is a truncated file, unless the promise is a placeholder
      that a streaming encoder leaves when it cannot go back to fill it in (close to 2^31 or 2^32): then the samples run
      to the end of the file.
    - A data chunk of length 0 with bytes behind it is such a placeholder too when the length of the whole file in the
      header is wrong as well, as recorders that were switched off leave it. If that length is right, there are no
      samples.
    - Bytes behind the data chunk (LIST, id3, junk) are ignored.
"""

import struct
from typing import BinaryIO

from aptone.audio.containers.window import Window
from aptone.errors import AudioError

_PLACEHOLDERS = (range(0x7FFF_0000, 0x8000_0001), range(0xFFFF_0000, 0x1_0000_0000))
_MAX_CHUNKS = 10_000


def prepare(file: BinaryIO, *, size: int, name: str) -> Window:
    """The bytes to decode, with the true length of the data chunk in the header.

    Raises:
        AudioError: if there is no data chunk, it is shorter than promised, or empty.
    """
    file.seek(0)
    riff_size = struct.unpack("<I", file.read(12)[4:8])[0]
    position = 12
    long_size: int | None = None
    for _ in range(_MAX_CHUNKS):
        file.seek(position)
        header = file.read(8)
        if len(header) < 8:
            break
        kind, length = header[:4], struct.unpack("<I", header[4:])[0]
        body = position + 8
        if kind == b"ds64":
            long_size = _data_size_of_ds64(file.read(16))
        elif kind == b"data":
            if long_size is not None and length == 0xFFFF_FFFF:
                length = long_size
            return _window(file, body=body, length=length, size=size, riff_size=riff_size, name=name)
        position = body + length + (length & 1)
    raise AudioError(f"{name}: the WAV file has no data chunk, so it is truncated or damaged; make or copy it again.")


def _data_size_of_ds64(body: bytes) -> int | None:
    return int.from_bytes(body[8:16], "little") if len(body) == 16 else None


def _window(file: BinaryIO, *, body: int, length: int, size: int, riff_size: int, name: str) -> Window:
    there = size - body
    streamed = any(length in placeholder for placeholder in _PLACEHOLDERS) and length > there
    if length == 0 and there > 0 and riff_size != size - 8:
        streamed = True
    if length == 0 and not streamed:
        raise AudioError(f"{name}: the WAV file holds no samples; record or export it again.")
    if not streamed:
        if length > there:
            raise AudioError(
                f"{name}: the WAV file is truncated: its header promises {length} bytes of samples, {there} are there; "
                "copy it again from its source."
            )
        return Window(file, begin=0, end=size)
    if there <= 0:
        raise AudioError(f"{name}: the WAV file holds no samples; record or export it again.")
    file.seek(0)
    header = bytearray(file.read(body))
    if header[:4] == b"RIFF" and there < 0xFFFF_0000:
        header[4:8] = struct.pack("<I", size - 8)
        header[body - 4 : body] = struct.pack("<I", there)
    return Window(file, begin=body, end=size, prefix=bytes(header))
