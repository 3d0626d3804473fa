"""FLAC: the number of samples, also when the encoder did not know it.

An encoder that writes into a pipe leaves the total in STREAMINFO at 0. The last frame says which samples it holds, and
a CRC-16 over the frame proves that it is whole, so the total can be filled in; without a whole last frame the file is
truncated. (RFC 9639, sections 8.2, 9.1 and 9.3.)

Decisions: a tag before (ID3v2) or behind (ID3v1) the stream is ignored; a total that is smaller than what the file
holds is believed, as the decoder does; a larger one shows when decoding ends early.
"""

from functools import cache
from typing import BinaryIO, NamedTuple

from aptone.audio.containers.tags import end_before_tags
from aptone.audio.containers.window import Window
from aptone.errors import AudioError

_STREAMINFO_END = 42
_MAX_FRAME_BYTES = 1 << 21
_FIXED_BLOCK_SIZES = {
    1: 192,
    **{code: 144 << code for code in range(2, 6)},
    **{code: 1 << code for code in range(8, 16)},
}


class _FrameHeader(NamedTuple):
    variable: bool
    number: int
    block_size: int


def prepare(file: BinaryIO, *, size: int, name: str, begin: int = 0) -> Window:
    """The bytes to decode from the marker ``fLaC`` on, with the true number of samples in STREAMINFO.

    Raises:
        AudioError: if STREAMINFO is cut off, or the total is unknown and the last frame is not whole.
    """
    file.seek(begin)
    head = bytearray(file.read(_STREAMINFO_END))
    if len(head) < _STREAMINFO_END or head[4] & 0x7F != 0:
        raise AudioError(f"{name}: the FLAC file is truncated or damaged in its header; make or copy it again.")
    if int.from_bytes(head[21:26], "big") & 0xF_FFFF_FFFF:
        return Window(file, begin=begin, end=size)
    end = end_before_tags(file, size=size)
    total = _samples_to_the_last_frame(file, begin=begin + _STREAMINFO_END, end=end, block_size=head[8] << 8 | head[9])
    if total is None:
        raise AudioError(
            f"{name}: the FLAC file does not say how long it is and its last frame is not whole, so it is truncated; "
            "copy it again from its source."
        )
    head[21] = (head[21] & 0xF0) | total >> 32
    head[22:26] = (total & 0xFFFF_FFFF).to_bytes(4, "big")
    return Window(file, begin=begin + _STREAMINFO_END, end=end, prefix=bytes(head))


def _samples_to_the_last_frame(file: BinaryIO, *, begin: int, end: int, block_size: int) -> int | None:
    start = max(begin, end - _MAX_FRAME_BYTES)
    file.seek(start)
    tail = file.read(end - start)
    position = len(tail)
    while (position := tail.rfind(b"\xff", 0, position)) >= 0:
        header = _frame_header(tail[position : position + 16])
        if header is None or _crc16(tail[position:]) != 0:
            continue
        before = header.number if header.variable else header.number * block_size
        total = before + header.block_size
        return total if total < 1 << 36 else None
    return None


def _frame_header(data: bytes) -> _FrameHeader | None:
    """The frame header at the beginning of the data, or ``None`` where its CRC-8 says that there is none."""
    if len(data) < 6 or data[0] != 0xFF or data[1] & 0xFE != 0xF8:
        return None
    coded = _coded_number(data[4:])
    if coded is None:
        return None
    number, used = coded
    position = 4 + used
    size_code, rate_code = data[2] >> 4, data[2] & 0x0F
    extra = {6: 1, 7: 2}.get(size_code, 0)
    block_size = (
        int.from_bytes(data[position : position + extra], "big") + 1 if extra else _FIXED_BLOCK_SIZES.get(size_code)
    )
    position += extra + {12: 1, 13: 2, 14: 2}.get(rate_code, 0)
    if block_size is None or position >= len(data) or _crc8(data[: position + 1]) != 0:
        return None
    return _FrameHeader(variable=bool(data[1] & 1), number=number, block_size=block_size)


def _coded_number(data: bytes) -> tuple[int, int] | None:
    """The frame or sample number, coded as UTF-8 codes characters (up to 36 bits), and how many bytes it takes."""
    first = data[0]
    if first < 0x80:
        return first, 1
    length = 8 - (first ^ 0xFF).bit_length()
    if not 2 <= length <= 7 or len(data) < length:
        return None
    number = first & (0x7F >> length)
    for byte in data[1:length]:
        if byte & 0xC0 != 0x80:
            return None
        number = number << 6 | byte & 0x3F
    return number, length


@cache
def _table(polynomial: int, bits: int) -> tuple[int, ...]:
    entries = []
    top, mask = 1 << (bits - 1), (1 << bits) - 1
    for byte in range(256):
        value = byte << (bits - 8)
        for _ in range(8):
            value = (value << 1 ^ polynomial if value & top else value << 1) & mask
        entries.append(value)
    return tuple(entries)


def _crc8(data: bytes) -> int:
    """CRC-8 with x^8 + x^2 + x + 1; 0 over data that ends in its own sum."""
    table = _table(0x07, 8)
    value = 0
    for byte in data:
        value = table[value ^ byte]
    return value


def _crc16(data: bytes) -> int:
    """CRC-16 with x^16 + x^15 + x^2 + 1; 0 over data that ends in its own sum."""
    table = _table(0x8005, 16)
    value = 0
    for byte in data:
        value = (value << 8 & 0xFF00) ^ table[value >> 8 ^ byte]
    return value
