"""WebM elements."""

import io

import pytest

from aptone.audio.containers.matroska import _length, prepare
from aptone.errors import AudioError

HEADER = b"\x1a\x45\xdf\xa3\x82ab"
SEGMENT = b"\x18\x53\x80\x67"


@pytest.mark.parametrize(
    "data",
    [
        HEADER + SEGMENT + b"\x84" + bytes(4),
        HEADER + SEGMENT + b"\x84" + bytes(9),  # bytes behind the segment
        HEADER + SEGMENT + b"\x01\xff\xff\xff\xff\xff\xff\xff" + bytes(3),  # unknown length
        HEADER + b"\xec\x83abc" + SEGMENT + b"\x84" + bytes(4),  # a void in between
    ],
)
def test_whole_files_pass(data: bytes) -> None:
    assert prepare(io.BytesIO(data), size=len(data), name="a.webm").read() == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (HEADER + SEGMENT + b"\x88" + bytes(3), r"a\.webm: the WebM file is truncated: 5 bytes are missing"),
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


@pytest.mark.parametrize(
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
