"""WebM elements."""

import io

import pytest

from aptone.audio.containers.matroska import _length, prepare
from aptone.errors import AudioError
from tests.tables import for_each

HEADER = b"\x1a\x45\xdf\xa3\x82ab"
SEGMENT = b"\x18\x53\x80\x67"
CLUSTER = b"\x1f\x43\xb6\x75"
UNKNOWN = b"\x01\xff\xff\xff\xff\xff\xff\xff"
BLOCKS = b"\xe7\x81\x00" + b"\xa3\x81\x2a"


@for_each(
    "data",
    [
        HEADER + SEGMENT + b"\x84" + bytes(4),
        HEADER + SEGMENT + b"\x84" + bytes(9),  # bytes behind the segment
        HEADER + SEGMENT + UNKNOWN,
        HEADER + SEGMENT + UNKNOWN + CLUSTER + b"\x86" + BLOCKS,
        HEADER + SEGMENT + UNKNOWN + CLUSTER + UNKNOWN + BLOCKS + CLUSTER + b"\xff" + BLOCKS,
        HEADER + SEGMENT + UNKNOWN + b"\x15\x49\xa9\x66\x83abc" + CLUSTER + UNKNOWN + BLOCKS + b"\x1c\x53\xbb\x6b\x80",
        HEADER + SEGMENT + UNKNOWN + CLUSTER + UNKNOWN + BLOCKS[:3],  # between two blocks, which does not show
        HEADER + b"\xec\x83abc" + SEGMENT + b"\x84" + bytes(4),  # a void in between
    ],
)
def test_whole_files_pass(data: bytes) -> None:
    assert prepare(io.BytesIO(data), size=len(data), name="a.webm").read() == data


@for_each(
    ("data", "message"),
    [
        (HEADER + SEGMENT + b"\x88" + bytes(3), r"a\.webm: the WebM file is truncated: 5 bytes are missing"),
        (HEADER + SEGMENT + UNKNOWN + CLUSTER + b"\x87" + BLOCKS, "truncated: 1 bytes are missing"),
        (HEADER + SEGMENT + UNKNOWN + CLUSTER + UNKNOWN + BLOCKS[:-1], "truncated: 1 bytes are missing"),
        (HEADER + SEGMENT + UNKNOWN + CLUSTER + UNKNOWN + BLOCKS[:-2], "bytes from 34 on are no part of a recording"),
        (HEADER + SEGMENT + UNKNOWN + CLUSTER + UNKNOWN + BLOCKS + b"\x1f\x43", "bytes from 37 on"),
        (HEADER + SEGMENT + UNKNOWN + CLUSTER + UNKNOWN + BLOCKS + bytes(9), "bytes from 37 on"),
        (HEADER + SEGMENT + UNKNOWN + CLUSTER + UNKNOWN + b"\xa3\xff" + bytes(9), "bytes from 31 on"),
        (HEADER + SEGMENT, "damaged in its header"),
        (HEADER + b"\xec", "damaged in its header"),
        (HEADER + b"abcd\x84" + bytes(4), "damaged in its header"),
        (HEADER[:4], "damaged in its header"),
        (HEADER[:4] + b"\xff" + bytes(8), "damaged in its header"),  # a header of unknown length
        (HEADER[:4] + b"\x00" + bytes(8), "damaged in its header"),
    ],
)
def test_cut_files_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(AudioError, match=message):
        prepare(io.BytesIO(data), size=len(data), name="a.webm")


@for_each(
    ("data", "expected"),
    [
        (b"\x81", (1, 1)),
        (b"\x40\x02", (2, 2)),
        (b"\x20\x00\x03", (3, 3)),
        (b"\xff", (None, 1)),
        (b"\x7f\xff", (None, 2)),
        (b"\x40", None),
        (b"\x00", None),
        (b"", None),
    ],
)
def test_lengths_are_coded_in_as_many_bytes_as_they_need(data: bytes, expected: tuple[int | None, int] | None) -> None:
    assert _length(data, 0) == expected


def test_elements_without_end_are_not_walked_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.audio.containers.matroska._MAX_ELEMENTS", 10)
    data = HEADER + SEGMENT + UNKNOWN + b"\xec\x80" * 11 + bytes(9)
    assert prepare(io.BytesIO(data), size=len(data), name="a.webm").read() == data
