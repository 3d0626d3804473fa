"""FLAC files that do not tell how long they are."""

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from aptone.audio import probe, read
from aptone.audio.containers.flac import _coded_number, _crc8, _frame_header
from aptone.errors import AudioError
from tests.tables import for_each

Samples = npt.NDArray[np.float32]
Save = Callable[[str, bytes], Path]


def crc16(data: bytes) -> int:
    """Transcribed from RFC 9639, 9.3: x^16 + x^15 + x^2 + 1, begun at 0, from the first byte to the last."""
    value = 0
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1 ^ 0x1_8005) if value & 0x8000 else value << 1
    return value


def test_an_unknown_total_is_found_from_the_last_frame(encoded: dict[str, bytes], save: Save) -> None:
    assert probe(save("pipe.flac", encoded["flac unknown"])).frames == 32_000


@for_each("cut", [1, 50, 5_000])
def test_an_unknown_total_without_a_whole_last_frame_is_truncated(
    cut: int, encoded: dict[str, bytes], save: Save
) -> None:
    with pytest.raises(AudioError, match="does not say how long it is and its last frame is not whole"):
        read(save("cut.flac", encoded["flac unknown"][:-cut]), rate=None)


def test_a_tag_behind_an_unknown_total_is_ignored(encoded: dict[str, bytes], save: Save, samples: Samples) -> None:
    path = save("tag.flac", encoded["flac unknown"] + b"TAG" + bytes(125))
    assert np.array_equal(read(path, rate=None).samples, samples)


@for_each(
    "tail",
    [b"TAG" + bytes(125), bytes(4_096), b"junk" * 100, b"APETAGEX" + b"\xd0\x07\0\0\x20" + bytes(19)],
    ids=["id3v1", "zeros", "junk", "ape"],
)
def test_what_stands_behind_a_known_total_is_ignored(
    tail: bytes, encoded: dict[str, bytes], save: Save, samples: Samples
) -> None:
    assert np.array_equal(read(save("tail.flac", encoded["flac"] + tail), rate=None).samples, samples)


def test_headers_without_end_do_not_take_time_without_end(encoded: dict[str, bytes], save: Save) -> None:
    # Two megabytes of frame headers with right sums but no frame: summing up to the end from each would take hours.
    head = bytearray(encoded["flac unknown"][:42])
    head[8:12] = b"\xff\xff\xff\xff"  # the largest blocks, so that a frame may be as long as the file
    head[20:22] = bytes([head[20] | 0x0F, head[21] | 0xF0])  # eight channels of 32 bits
    lone = frame(12, 5, b"")[:6]
    began = time.process_time()
    with pytest.raises(AudioError, match="its last frame is not whole"):
        read(save("bomb.flac", bytes(head) + lone * (2_000_000 // len(lone)) + b"\x01"), rate=None)
    assert time.process_time() - began < 20.0


def test_a_last_frame_that_takes_more_than_its_samples_is_found(tmp_path: Path) -> None:
    # Noise of full scale cannot be packed: each frame is as long as its samples, and longer by its headers.
    noise = np.random.default_rng(0).integers(-(2**15), 2**15, size=(9_000, 2)).astype(np.int16)
    path = tmp_path / "noise.flac"
    soundfile.write(path, noise, 16_000)
    data = bytearray(path.read_bytes())
    data[21] &= 0xF0
    data[22:26] = bytes(4)
    path.write_bytes(data)
    assert probe(path).frames == 9_000


def test_a_tag_before_the_stream_is_ignored(encoded: dict[str, bytes], save: Save, samples: Samples) -> None:
    for name in ("flac", "flac unknown"):
        path = save("tag.flac", b"ID3\x04\0\0\0\0\0\x0a" + bytes(10) + encoded[name])
        assert np.array_equal(read(path, rate=None).samples, samples)


def test_a_header_that_is_cut_off_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    with pytest.raises(AudioError, match="truncated or damaged in its header"):
        read(save("head.flac", encoded["flac"][:30]), rate=None)


def test_the_sums_are_those_of_the_specification() -> None:
    # Catalogued check values over "123456789": CRC-8/SMBUS (0x07) is 0xF4, CRC-16/UMTS (0x8005) is 0xFEE8.
    assert _crc8(b"123456789") == 0xF4
    assert crc16(b"123456789") == 0xFEE8
    assert _crc8(b"123456789\xf4") == 0


@for_each(
    ("data", "expected"),
    [
        (b"\x05", (5, 1)),
        ("é".encode(), (0xE9, 2)),  # the coding is that of UTF-8
        ("語".encode(), (0x8A9E, 3)),
        (b"\xfe\x82\x80\x80\x80\x80\x80", (0x8000_0000, 7)),  # up to 36 bits: 2 × 64^5
        (b"\x80", None),
        (b"\xff", None),
        (b"\xc3", None),
        (b"\xc3\x00", None),
    ],
)
def test_frame_numbers_are_coded_like_characters(data: bytes, expected: tuple[int, int] | None) -> None:
    assert _coded_number(data) == expected


def frame(size_code: int, rate_code: int, extra: bytes, *, variable: bool = False) -> bytes:
    head = bytes([0xFF, 0xF8 | variable, size_code << 4 | rate_code, 0x08, 0x07]) + extra
    return head + bytes([_crc8(head)]) + bytes(4)


@for_each(
    ("data", "size"),
    [
        (frame(1, 5, b""), 192),
        (frame(2, 5, b""), 576),
        (frame(12, 5, b""), 4096),
        (frame(6, 5, b"\x63"), 100),
        (frame(7, 5, b"\x03\xe7"), 1000),
        (frame(7, 12, b"\x03\xe7\x10"), 1000),
        (frame(7, 13, b"\x03\xe7\x10\x10"), 1000),
    ],
)
def test_frame_headers_tell_their_block_size(data: bytes, size: int) -> None:
    header = _frame_header(data)
    assert header is not None
    assert (header.block_size, header.number, header.variable) == (size, 7, False)


def test_what_is_no_frame_header_is_not_taken_for_one() -> None:
    good = frame(12, 5, b"", variable=True)
    assert _frame_header(good) is not None
    assert _frame_header(b"\xfe" + good[1:]) is None
    assert _frame_header(good[:5]) is None
    assert _frame_header(frame(0, 5, b"")) is None  # reserved
    assert _frame_header(good[:4] + b"\xff" + good[5:]) is None
    assert _frame_header(good[:5] + bytes([good[5] ^ 1]) + good[6:]) is None


def test_a_total_beyond_36_bits_is_not_believed(save: Save, encoded: dict[str, bytes]) -> None:
    # Sample number 2^36 - 1 with a block of 4,096: one header, and a checksum over all of it.
    number = b"\xfe" + b"\xbf" * 6
    head = bytes([0xFF, 0xF9, 12 << 4 | 5, 0x08]) + number
    head += bytes([_crc8(head)])
    last = head + crc16(head).to_bytes(2, "big")
    with pytest.raises(AudioError, match="its last frame is not whole"):
        read(save("huge.flac", encoded["flac unknown"][:42] + last), rate=None)
