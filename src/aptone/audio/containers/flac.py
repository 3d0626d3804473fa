"""FLAC: the number of samples, also when the encoder did not know it.

An encoder that writes into a pipe leaves the total in STREAMINFO at 0. The last frame says which samples it holds, and
a CRC-16 over the frame proves that it is whole, so the total can be filled in; without a whole last frame the file is
truncated. (RFC 9639, sections 8.2, 9.1 and 9.3.)

Decisions: tags before (ID3v2) and behind (ID3v1, APEv2) the stream are ignored; a total that is smaller than what the
file holds is believed, as the decoder does, and what stands behind it is ignored; a larger one shows when decoding ends
early.
"""

from functools import cache
from typing import BinaryIO, NamedTuple

from aptone.audio.containers.window import Window, end_before_tags
from aptone.errors import AudioError
from aptone.messages import message

_STREAMINFO_END = 42
_FRAME_OVERHEAD_BYTES = 18  # header and CRC-16
_SUBFRAME_OVERHEAD_BYTES = 8  # its header with the count of wasted bits
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
    """The bytes to decode, the true total in STREAMINFO; raises `AudioError` if that or the last frame is cut off."""
    file.seek(begin)
    head = bytearray(file.read(_STREAMINFO_END))
    if len(head) < _STREAMINFO_END or head[4] & 0x7F != 0:
        raise AudioError(message("audio.damaged-header", name=name, container="FLAC"))
    end = end_before_tags(file, size=size)
    if int.from_bytes(head[21:26], "big") & 0xF_FFFF_FFFF:
        return Window(file, begin=begin, end=end)
    first = max(begin + _STREAMINFO_END, end - _most_bytes_of_a_frame(head))
    file.seek(first)
    total = _samples_to_the_last_frame(file.read(end - first), block_size=head[8] << 8 | head[9])
    if total is None:
        raise AudioError(message("audio.flac-truncated", name=name))
    head[21] = (head[21] & 0xF0) | total >> 32
    head[22:26] = (total & 0xFFFF_FFFF).to_bytes(4, "big")
    return Window(file, begin=begin + _STREAMINFO_END, end=end, prefix=bytes(head))


def _most_bytes_of_a_frame(head: bytes | bytearray) -> int:
    """Return a frame's largest size by STREAMINFO: all samples verbatim, one bit more for the channel difference."""
    block_size, channels = head[10] << 8 | head[11], (head[20] >> 1 & 7) + 1
    bits = ((head[20] & 1) << 4 | head[21] >> 4) + 1
    return _FRAME_OVERHEAD_BYTES + channels * (block_size * (bits + 1) // 8 + _SUBFRAME_OVERHEAD_BYTES)


def _samples_to_the_last_frame(tail: bytes, *, block_size: int) -> int | None:
    """The number behind the last sample, by the last place from which a header and a whole frame run to the end.

    The CRC-16 over a stretch is 0 if it ends in its own sum. It is taken from the end towards the beginning, which
    gives the sums of all stretches that run to the end in one go: with the bytes as coefficients of a polynomial and P
    the CRC's, the remainder r(p) of the stretch from p on, but for a power of x, is r(p + 1) · x^-8 + byte(p) mod P.
    """
    backwards = _backward_table()
    remainder = 0
    for position in range(len(tail) - 1, -1, -1):
        remainder = remainder >> 8 ^ backwards[remainder & 0xFF] ^ tail[position]
        if remainder == 0 and (header := _frame_header(tail[position : position + 16])) is not None:
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
def _backward_table() -> tuple[int, ...]:
    """Each byte times x^-8, modulo the polynomial of the CRC-16."""
    entries = []
    for byte in range(256):
        value = byte
        for _ in range(8):
            value = (value ^ 0x1_8005 if value & 1 else value) >> 1
        entries.append(value)
    return tuple(entries)


def _crc8(data: bytes) -> int:
    """CRC-8 with x^8 + x^2 + x + 1; 0 over data that ends in its own sum. Headers are short, so bit by bit."""
    value = 0
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = (value << 1 ^ 0x107) if value & 0x80 else value << 1
    return value
