"""Ogg pages."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import read
from aptone.audio.containers.ogg import page_sum
from aptone.errors import AudioError
from tests.tables import for_each

Save = Callable[[str, bytes], Path]


def bitwise_sum(data: bytes) -> int:
    """Transcribed from RFC 3533, section 6: polynomial 0x04C11DB7, begun at 0, highest bit first, nothing inverted."""
    value = 0
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ 0x1_04C1_1DB7) if value & 0x8000_0000 else value << 1
    return value


def with_sum(page: bytes | bytearray) -> bytes:
    bare = bytes(page[:22]) + bytes(4) + bytes(page[26:])
    return bare[:22] + bitwise_sum(bare).to_bytes(4, "little") + bare[26:]


def pages_of(data: bytes) -> list[bytes]:
    found, position = [], 0
    while position < len(data):
        segments = data[position + 26]
        length = 27 + segments + sum(data[position + 27 : position + 27 + segments])
        found.append(data[position : position + length])
        position += length
    return found


def test_the_sum_of_a_page_is_that_of_the_specification(encoded: dict[str, bytes]) -> None:
    generator = np.random.default_rng(2)
    for length in (0, 1, 27, 1_000):
        data = generator.bytes(length)
        assert page_sum(data) == bitwise_sum(data)
    assert all(with_sum(page) == page for page in pages_of(encoded["vorbis"]))


@for_each("name", ["vorbis", "opus"])
@for_each("which", [-1, -2])
def test_a_page_with_a_wrong_byte_is_damage(name: str, which: int, encoded: dict[str, bytes], save: Save) -> None:
    pages = pages_of(encoded[name])
    for damaged in (
        pages[which][:-1] + bytes([pages[which][-1] ^ 1]),
        pages[which][:40] + bytes(len(pages[which]) - 40),
    ):
        data = b"".join([*pages[:which], damaged, *pages[len(pages) + which + 1 :]])
        with pytest.raises(AudioError, match=r"hurt\.ogg: the Ogg file is damaged: a page has a wrong checksum"):
            read(save("hurt.ogg", data), rate=None)


def test_a_page_that_is_missing_is_damage(encoded: dict[str, bytes], save: Save) -> None:
    pages = pages_of(encoded["opus"])
    assert len(pages) >= 4
    with pytest.raises(AudioError, match="pages are missing or out of order"):
        read(save("gap.ogg", b"".join([*pages[:2], *pages[3:]])), rate=None)


def last_page(data: bytes | bytearray) -> int:
    return data.rindex(b"OggS")


@pytest.mark.parametrize("name", ["vorbis", "opus"])
def test_a_file_without_its_last_page_is_truncated(name: str, encoded: dict[str, bytes], save: Save) -> None:
    data = encoded[name]
    with pytest.raises(AudioError, match=r"cut\.ogg: the Ogg file is truncated: it has no end-of-stream page"):
        read(save("cut.ogg", data[: last_page(data)]), rate=None)


@pytest.mark.parametrize("missing", [1, 20])
def test_a_last_page_that_is_cut_off_is_truncated(missing: int, encoded: dict[str, bytes], save: Save) -> None:
    with pytest.raises(AudioError, match="truncated"):
        read(save("cut.ogg", encoded["opus"][:-missing]), rate=None)


def test_a_cut_inside_the_table_of_a_page_is_truncated(encoded: dict[str, bytes], save: Save) -> None:
    data = encoded["opus"]
    with pytest.raises(AudioError, match="truncated"):
        read(save("cut.ogg", data[: last_page(data) + 28]), rate=None)


def test_a_recorder_that_never_wrote_the_mark_is_told_how_to_mend_it(encoded: dict[str, bytes], save: Save) -> None:
    pages = pages_of(encoded["opus"])
    last = bytearray(pages[-1])
    last[5] &= ~4
    data = b"".join([*pages[:-1], with_sum(last)])
    with pytest.raises(AudioError, match="repair it with: ffmpeg -i IN -c copy"):
        read(save("open.ogg", bytes(data)), rate=None)


@pytest.mark.parametrize("name", ["vorbis", "opus"])
def test_bytes_behind_the_last_page_are_ignored(name: str, encoded: dict[str, bytes], save: Save) -> None:
    assert read(save("tail.ogg", encoded[name] + b"junk" * 100), rate=None).samples.size == 32_000


def test_chained_recordings_are_refused_since_only_the_first_would_be_heard(
    encoded: dict[str, bytes], save: Save
) -> None:
    with pytest.raises(AudioError, match="several Ogg recordings are chained"):
        read(save("chain.ogg", encoded["opus"] + encoded["vorbis"]), rate=None)
