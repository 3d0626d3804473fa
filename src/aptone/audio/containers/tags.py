"""Tags that players glue to the front and the back of a stream: ID3v2 before it, ID3v1, APEv2 and Lyrics3 behind it."""

import struct
from typing import BinaryIO

_ID3V1_BYTES = 128
_APE_FOOTER_BYTES = 32
_LYRICS_FOOTER_BYTES = 15
_MAX_TAGS = 16


def begin_after_tags(file: BinaryIO, *, size: int) -> int:
    """The first byte that is not part of an ID3v2 tag (id3.org, ID3v2.4.0, section 3.1)."""
    begin = 0
    for _ in range(_MAX_TAGS):
        file.seek(begin)
        header = file.read(10)
        if len(header) < 10 or header[:3] != b"ID3" or any(byte & 0x80 for byte in header[6:]):
            break
        length = header[6] << 21 | header[7] << 14 | header[8] << 7 | header[9]
        has_footer = bool(header[5] & 0x10)
        begin += 10 + length + (10 if has_footer else 0)
    return min(begin, size)


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
            return _shortened(end, length + (_APE_FOOTER_BYTES if flags & 0x8000_0000 else 0))
        if footer.endswith(b"LYRICS200") and footer[-_LYRICS_FOOTER_BYTES:-9].isdigit():
            return _shortened(end, int(footer[-_LYRICS_FOOTER_BYTES:-9]) + _LYRICS_FOOTER_BYTES)
    return end


def _shortened(end: int, length: int) -> int:
    return end - length if 0 < length <= end else end
