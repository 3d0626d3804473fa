"""What a file is, by its content."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import read
from aptone.audio.containers import Container, sniff
from aptone.errors import AudioError
from tests.tables import for_each

Save = Callable[[str, bytes], Path]
ID3 = b"ID3\x04\0\0\0\0\0\x0a" + bytes(10)


@for_each(
    ("name", "container"),
    [
        ("wav", Container.WAV),
        ("rf64", Container.WAV),
        ("flac", Container.FLAC),
        ("vorbis", Container.OGG),
        ("opus", Container.OGG),
        ("mp3", Container.MP3),
        ("mp3 constant", Container.MP3),
        ("m4a", Container.MP4),
        ("mp4", Container.MP4),
        ("aac", Container.AAC),
        ("webm", Container.WEBM),
    ],
)
def test_every_container_is_known_by_its_bytes(name: str, container: Container, encoded: dict[str, bytes]) -> None:
    assert sniff(io.BytesIO(encoded[name]), size=len(encoded[name])) is container


def test_a_tag_in_front_hides_nothing(encoded: dict[str, bytes], save: Save) -> None:
    for name, container in (("aac", Container.AAC), ("flac", Container.FLAC), ("mp3", Container.MP3)):
        data = ID3 + encoded[name]
        assert sniff(io.BytesIO(data), size=len(data)) is container
        assert read(save("tagged.bin", data), rate=None).rate == 16_000


def test_a_tag_before_a_container_that_knows_none_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    for name in ("wav", "opus", "m4a", "webm"):
        with pytest.raises(AudioError, match="not a recording that can be read"):
            read(save("tagged.bin", ID3 + encoded[name]), rate=None)


@for_each(
    ("data", "message"),
    [
        (b"version https://git-lfs.github.com/spec/v1\n", r"x\.wav: this is a Git LFS pointer .* git lfs pull"),
        (b"  <!DOCTYPE html><html>", "this is a web page"),
        (b"<html>404", "this is a web page"),
        (b"\x89PNG\r\n", "expected wav, flac, ogg, mp3, m4a, mp4, aac or webm"),
        (b"RIFF\0\0\0\0AVI ", "expected wav"),
        (b"\xff", "expected wav"),
    ],
)
def test_what_is_no_recording_is_named_where_it_is_known(data: bytes, message: str, save: Save) -> None:
    with pytest.raises(AudioError, match=message):
        read(save("x.wav", data), rate=None)


def test_random_bytes_are_no_recording() -> None:
    generator = np.random.default_rng(0)
    for _ in range(50):
        data = generator.bytes(100_000)
        assert sniff(io.BytesIO(data), size=len(data)) is None


def test_one_header_of_raw_aac_is_not_enough() -> None:
    data = bytes.fromhex("fff1604001bffc") + bytes(200)  # says 13 bytes, and no frame follows there
    assert sniff(io.BytesIO(data), size=len(data)) is None
