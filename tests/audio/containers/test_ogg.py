"""Ogg pages."""

from collections.abc import Callable
from pathlib import Path

import pytest

from aptone.audio import read
from aptone.errors import AudioError

Save = Callable[[str, bytes], Path]


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
    data = bytearray(encoded["opus"])
    data[last_page(data) + 5] &= ~4
    with pytest.raises(AudioError, match="mend it with: ffmpeg -i IN -c copy"):
        read(save("open.ogg", bytes(data)), rate=None)


@pytest.mark.parametrize("name", ["vorbis", "opus"])
def test_bytes_behind_the_last_page_are_ignored(name: str, encoded: dict[str, bytes], save: Save) -> None:
    assert read(save("tail.ogg", encoded[name] + b"junk" * 100), rate=None).samples.size == 32_000


def test_chained_recordings_are_refused_since_only_the_first_would_be_heard(
    encoded: dict[str, bytes], save: Save
) -> None:
    with pytest.raises(AudioError, match="several Ogg recordings are chained"):
        read(save("chain.ogg", encoded["opus"] + encoded["vorbis"]), rate=None)
