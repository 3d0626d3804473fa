"""Tags around a stream."""

import io
import struct

from aptone.audio.containers.window import begin_after_tags, end_before_tags
from tests.tables import for_each


@for_each(
    ("data", "begin"),
    [
        (b"fLaC", 0),
        (b"ID3\x04\0\0\0\0\0\x05" + bytes(5) + b"fLaC", 15),
        (b"ID3\x04\0\x10\0\0\0\x05" + bytes(15) + b"fLaC", 25),  # flag 0x10: a footer of ten bytes
        (b"ID3\x04\0\0\0\0\0\x00" * 2 + b"fLaC", 20),
        (b"ID3\x04\0\0\x7f\x7f\x7f\x7f" + bytes(5), 15),  # longer than the file
        (b"ID3\x04\0\0\x80\0\0\0" + bytes(5), 0),  # seven bits a byte: no such length
        (b"ID3", 0),
    ],
)
def test_tags_in_front(data: bytes, begin: int) -> None:
    assert begin_after_tags(io.BytesIO(data), size=len(data)) == begin


def ape(length: int, flags: int = 0) -> bytes:
    return b"APETAGEX" + struct.pack("<IIII", 2000, length, 1, flags) + bytes(8)


@for_each(
    ("tail", "end"),
    [
        (b"", 200),
        (b"TAG" + bytes(125), 200),
        (bytes(10) + ape(42), 200),
        (bytes(42) + ape(42, 0x8000_0000), 200),  # 32 bytes of header that the length leaves out
        (ape(1 << 30), 232),  # longer than the file: not believed
        (b"LYRICSBEGIN000011LYRICS200", 200),
        (b"LYRICSBEGINxxxxxxLYRICS200", 226),
        (ape(32) + b"TAG" + bytes(125), 200),
    ],
)
def test_tags_behind(tail: bytes, end: int) -> None:
    data = bytes(200) + tail
    assert end_before_tags(io.BytesIO(data), size=len(data)) == end


def test_short_files_have_no_tags() -> None:
    assert end_before_tags(io.BytesIO(b"TAG"), size=3) == 3


def test_tags_without_end_are_not_followed_forever() -> None:
    data = (b"TAG" + bytes(125)) * 40
    assert end_before_tags(io.BytesIO(data), size=len(data)) == 24 * 128
    front = b"ID3\x04\0\0\0\0\0\x00" * 40
    assert begin_after_tags(io.BytesIO(front), size=len(front)) == 160
