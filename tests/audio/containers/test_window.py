"""A part of a file as a file."""

import io
import os

from aptone.audio.containers import Window
from tests.tables import for_each


def window() -> Window:
    return Window(io.BytesIO(b"0123456789"), begin=4, end=8, prefix=b"abc")


def test_the_prefix_stands_before_the_part() -> None:
    assert window().read() == b"abc4567"
    assert window().size == 7
    assert window().readable()
    assert window().seekable()


@for_each(
    ("offset", "whence", "expected"),
    [
        (2, os.SEEK_SET, b"c4567"),
        (4, os.SEEK_SET, b"567"),
        (-2, os.SEEK_END, b"67"),
        (99, os.SEEK_SET, b""),
        (-99, os.SEEK_CUR, b"abc4567"),
    ],
)
def test_reading_goes_on_where_seek_went(offset: int, whence: int, expected: bytes) -> None:
    view = window()
    view.seek(offset, whence)
    assert view.read() == expected


def test_a_read_across_the_seam_is_filled_whole() -> None:
    buffer = bytearray(5)
    assert window().readinto(buffer) == 5
    assert bytes(buffer) == b"abc45"


def test_tell_counts_what_was_read() -> None:
    view = window()
    view.read(5)
    assert view.tell() == 5


def test_a_failing_disk_is_remembered_and_not_raised() -> None:
    class Broken(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise OSError(5, "Input/output error")

    view = Window(Broken(), begin=0, end=8, prefix=b"ab")
    buffer = bytearray(8)
    assert view.readinto(buffer) == 2
    assert view.error is not None
    assert view.error.errno == 5
