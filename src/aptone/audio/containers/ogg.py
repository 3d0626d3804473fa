"""Ogg: whether every logical stream runs to its end, whole (RFC 3533).

An Ogg file has no length in its header; a decoder takes the last page that it finds for the end, so half a file decodes
without complaint, and pages that are damaged are left out without a word. But the end is marked: the last page of each
logical stream carries the end-of-stream flag; pages are numbered, and each carries a sum over its bytes.

Decisions:
    - A stream without a last page, or whose last page is cut off, is a truncated file. Some streaming recorders never
      write the flag; the message says how to repair such a file.
    - A page whose sum is wrong, or a number that is left out, makes a damaged file.
    - Bytes behind the last page that are no page are ignored.
    - Chained files (one recording after the other in one file) are refused, because the decoder would give back only
      the first without a word.
"""

import zlib
from typing import BinaryIO

from aptone.audio.containers.window import Window
from aptone.errors import AudioError
from aptone.messages import message

_HEADER_BYTES = 27
_FIRST, _LAST = 0x02, 0x04
_REVERSED_BITS = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def prepare(file: BinaryIO, *, size: int, name: str) -> Window:
    """The bytes to decode, every stream seen to be whole; raises `AudioError` if one is not, or follows another."""
    position = 0
    expected: dict[int, int] = {}  # the number of the next page, of each stream that has not ended
    ended = False
    while (header := _header(file, position)) is not None:
        flags, length = header[5], sum(header[_HEADER_BYTES:])
        body = file.read(length)
        serial, number, stated = (int.from_bytes(header[begin : begin + 4], "little") for begin in (14, 18, 22))
        if flags & _FIRST and ended:
            raise AudioError(message("audio.ogg-chained", name=name))
        if len(body) < length:
            break
        position += len(header) + length
        if page_sum(header[:22] + bytes(4) + header[26:] + body) != stated:
            raise AudioError(message("audio.ogg-wrong-checksum", name=name))
        if number != expected.get(serial, number):
            raise AudioError(message("audio.ogg-pages-missing", name=name))
        if flags & _FIRST or serial in expected:
            expected[serial] = (number + 1) & 0xFFFF_FFFF
        if flags & _LAST:
            expected.pop(serial, None)
            ended = True
    if expected or not ended:
        raise AudioError(message("audio.ogg-truncated", name=name))
    return Window(file, begin=0, end=size)


def first_packet(file: BinaryIO) -> bytes:
    """Return the beginning of an Ogg file's first packet, which identifies the codec."""
    header = _header(file, 0)
    return b"" if header is None else file.read(8)


def page_sum(page: bytes) -> int:
    """The CRC-32 of a page whose own sum is set to 0 (RFC 3533, section 6): 0x04C11DB7, begun at 0, bits in order.

    zlib has the same polynomial with the bits of each byte and of the sum reversed, and with its register inverted
    before and after; so bytes and sum are turned round, and the inversions undone.

    >>> hex(page_sum(b"123456789"))
    '0x89a1897f'
    """
    turned = zlib.crc32(page.translate(_REVERSED_BITS), 0xFFFF_FFFF) ^ 0xFFFF_FFFF
    return int.from_bytes(turned.to_bytes(4, "little").translate(_REVERSED_BITS), "big")


def _header(file: BinaryIO, position: int) -> bytes | None:
    """Header and segment table of the page at a byte, or ``None`` where no whole header lies; the body comes next."""
    file.seek(position)
    fixed = file.read(_HEADER_BYTES)
    if len(fixed) < _HEADER_BYTES or fixed[:4] != b"OggS" or fixed[4] != 0:
        return None
    segments = file.read(fixed[26])
    return fixed + segments if len(segments) == fixed[26] else None
