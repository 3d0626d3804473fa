"""Tags that players glue to a stream: ID3v2 and APEv2 before it; ID3v1, APEv2, Lyrics3 and ID3v2 behind it."""

import struct
from typing import BinaryIO

_ID3V1_BYTES = 128
_ID3V2_HEADER_BYTES = 10
_APE_FOOTER_BYTES = 32
_APE_HAS_HEADER, _APE_IS_HEADER = 1 << 31, 1 << 29
_LYRICS_FOOTER_BYTES = 15
_MAX_TAGS = 16


def begin_after_tags(file: BinaryIO, *, size: int, begin: int = 0) -> int:
    """The first byte from ``begin`` on that is not part of a tag (ID3v2, ID3v1, or APEv2 with a header)."""
    for _ in range(_MAX_TAGS):
        file.seek(begin)
        header = file.read(_APE_FOOTER_BYTES)
        if (length := _id3v2_bytes(header, b"ID3")) is None:
            flags = int.from_bytes(header[20:24], "little")
            if header[:8] == b"APETAGEX" and flags & _APE_IS_HEADER:
                length = _APE_FOOTER_BYTES + int.from_bytes(header[12:16], "little")
            elif begin > 0 and header[:3] == b"TAG":
                length = _ID3V1_BYTES
            else:
                break
        begin += length
    return min(begin, size)


def _id3v2_bytes(header: bytes, magic: bytes) -> int | None:
    """Length of an ID3v2 tag by its header or its footer (id3.org, ID3v2.4.0, section 3); ``None`` if it is none."""
    if len(header) < _ID3V2_HEADER_BYTES or header[:3] != magic or any(byte & 0x80 for byte in header[6:10]):
        return None
    length = header[6] << 21 | header[7] << 14 | header[8] << 7 | header[9]
    return _ID3V2_HEADER_BYTES + length + (_ID3V2_HEADER_BYTES if header[5] & 0x10 else 0)


def end_before_tags(file: BinaryIO, *, size: int) -> int:
    """The byte behind the last one that is not part of a tag at the end of the file."""
    end = size
    for _ in range(_MAX_TAGS):
        shorter = _without_one_tag(file, end)
        if shorter == end:
            break
        end = shorter
    return end


def _without_one_tag(file: BinaryIO, end: int) -> int:
    if end >= _ID3V1_BYTES:
        file.seek(end - _ID3V1_BYTES)
        if file.read(3) == b"TAG":
            return end - _ID3V1_BYTES
    if end >= _APE_FOOTER_BYTES:
        file.seek(end - _APE_FOOTER_BYTES)
        footer = file.read(_APE_FOOTER_BYTES)
        if footer[:8] == b"APETAGEX":
            length, _, flags = struct.unpack("<III", footer[12:24])
            return _shortened(end, length + (_APE_FOOTER_BYTES if flags & _APE_HAS_HEADER else 0))
        if footer.endswith(b"LYRICS200") and footer[-_LYRICS_FOOTER_BYTES:-9].isdigit():
            return _shortened(end, int(footer[-_LYRICS_FOOTER_BYTES:-9]) + _LYRICS_FOOTER_BYTES)
        if (length := _id3v2_bytes(footer[-_ID3V2_HEADER_BYTES:], b"3DI")) is not None:
            return _shortened(end, length)
    return end


def _shortened(end: int, length: int) -> int:
    return end - length if 0 < length <= end else end
