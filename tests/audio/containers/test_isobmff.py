"""MP4 boxes."""

import io
import struct

import pytest

from aptone.audio.containers.isobmff import prepare
from aptone.errors import AudioError
from tests.tables import for_each


def box(kind: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I", 8 + len(body)) + kind + body


HEAD = box(b"ftyp", b"M4A ") + box(b"moov", bytes(20))


@for_each(
    "tail",
    [
        box(b"mdat", bytes(100)),
        struct.pack(">I", 0) + b"mdat" + bytes(50),  # 0: up to the end of the file
        struct.pack(">I", 1) + b"mdat" + struct.pack(">Q", 66) + bytes(50),  # 1: a length of 64 bits
        box(b"mdat") + b"junk",
        box(b"mdat") + b"junk" * 100,  # a box 'junk', too long by far
        box(b"mdat") + struct.pack(">I", 3) + b"free",  # no box is shorter than its header
        box(b"mdat") + b"\0\0\0\x09\xff\xff\xff\xff",
    ],
)
def test_whole_files_pass(tail: bytes) -> None:
    data = HEAD + tail
    assert prepare(io.BytesIO(data), size=len(data), name="a.m4a").read() == data


@for_each(
    ("data", "message"),
    [
        (HEAD + box(b"mdat", bytes(100))[:-7], r"a\.m4a: .* its box 'mdat' needs 7 bytes more"),
        (HEAD + struct.pack(">I", 1) + b"mdat" + struct.pack(">Q", 1 << 60) + bytes(5), "'mdat' needs"),
        (HEAD + box(b"mdat") + box(b"moof", bytes(100))[:-7], "'moof' needs 7 bytes more"),
        (HEAD + box(b"junk", bytes(100))[:-7], "'junk' needs 7 bytes more"),  # no samples yet
        (box(b"ftyp", b"M4A ") + box(b"mdat", bytes(100)), "has no index"),
        (box(b"ftyp", b"M4A ") + struct.pack(">I", 1) + b"mdat", "has no index"),
    ],
)
def test_cut_files_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(AudioError, match=message):
        prepare(io.BytesIO(data), size=len(data), name="a.m4a")
