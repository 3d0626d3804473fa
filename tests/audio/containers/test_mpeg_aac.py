"""Raw AAC frames."""

import io

import pytest

from aptone.audio.containers.mpeg import aac_frame_length, prepare_aac
from aptone.errors import AudioError
from tests.tables import for_each


def frame(length: int) -> bytes:
    """A header whose 13 bits of length lie in bytes 3 to 5, and as many bytes behind it."""
    header = bytes([0xFF, 0xF1, 0x60, 0x40 | length >> 11, length >> 3 & 0xFF, (length & 7) << 5 | 0x1F, 0xFC])
    return header + bytes(length - 7)


@for_each("length", [7, 100, 8191])
def test_frames_tell_their_length(length: int) -> None:
    assert aac_frame_length(frame(length)) == length


@for_each("header", [frame(9)[:6], b"\xfe" + frame(9)[1:], b"\xff\xfb" + frame(9)[2:], b"\xff\xf1\x7c" + frame(9)[3:]])
def test_what_is_no_header_has_no_length(header: bytes) -> None:
    assert aac_frame_length(header) is None


def test_a_length_shorter_than_the_header_is_none() -> None:
    assert aac_frame_length(frame(7)[:4] + b"\0\x3f\xfc") is None


@for_each(("tail", "left"), [(b"", b""), (b"TAG" + bytes(125), b""), (b"junk", b"junk")])
def test_whole_files_pass_without_their_tags_and_the_decoder_skips_junk(tail: bytes, left: bytes) -> None:
    data = frame(50) + frame(60) + tail
    window = prepare_aac(io.BytesIO(data), size=len(data), name="a.aac")
    assert window.read() == frame(50) + frame(60) + left


def test_a_frame_that_is_cut_off_is_refused() -> None:
    data = frame(50) + frame(60)[:-1]
    with pytest.raises(AudioError, match=r"a\.aac: the AAC file is truncated inside its last frame"):
        prepare_aac(io.BytesIO(data), size=len(data), name="a.aac")
