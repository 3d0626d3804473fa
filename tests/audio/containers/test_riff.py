"""WAV headers, right and wrong."""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import read
from aptone.errors import AudioError

Samples = npt.NDArray[np.float32]
Save = Callable[[str, bytes], Path]


def with_sizes(data: bytes, *, riff: int | None = None, body: int | None = None) -> bytes:
    """The plain 44-byte header has the length of the file at byte 4 and that of the samples at byte 40."""
    changed = bytearray(data)
    if riff is not None:
        changed[4:8] = struct.pack("<I", riff)
    if body is not None:
        changed[40:44] = struct.pack("<I", body)
    return bytes(changed)


@pytest.mark.parametrize("body", [0xFFFF_FFFF, 0xFFFF_FFFF - 36, 0x7FFF_FFFF, 0x8000_0000, 0x7FFF_F000])
def test_a_placeholder_of_a_streaming_encoder_means_up_to_the_end(
    body: int, encoded: dict[str, bytes], save: Save, samples: Samples
) -> None:
    path = save("stream.wav", with_sizes(encoded["wav"], riff=0xFFFF_FFFF, body=body))
    assert np.array_equal(read(path, rate=None).samples, samples)


@pytest.mark.parametrize("riff", [0, 36, 0xFFFF_FFFF])
def test_a_length_of_zero_in_an_unfinished_header_means_up_to_the_end(
    riff: int, encoded: dict[str, bytes], save: Save, samples: Samples
) -> None:
    path = save("unfinished.wav", with_sizes(encoded["wav"], riff=riff, body=0))
    assert np.array_equal(read(path, rate=None).samples, samples)


def test_a_length_of_zero_in_a_finished_header_means_no_samples(encoded: dict[str, bytes], save: Save) -> None:
    header = with_sizes(encoded["wav"][:44], riff=36 + 12, body=0)
    with pytest.raises(AudioError, match=r"none\.wav: the WAV file holds no samples"):
        read(save("none.wav", header + b"LIST\x04\0\0\0abcd"), rate=None)
    with pytest.raises(AudioError, match="holds no samples"):
        read(save("none.wav", with_sizes(encoded["wav"][:44], body=0xFFFF_FFFF)), rate=None)


def test_more_samples_promised_than_there_are_is_truncated(encoded: dict[str, bytes], save: Save) -> None:
    with pytest.raises(AudioError, match="promises 64002 bytes of samples, 64000 are there"):
        read(save("short.wav", with_sizes(encoded["wav"], body=64_002)), rate=None)


@pytest.mark.parametrize("behind", [b"junk", b"LIST\x04\0\0\0abcd", bytes(1000)])
def test_what_stands_behind_the_samples_is_ignored(
    behind: bytes, encoded: dict[str, bytes], save: Save, samples: Samples
) -> None:
    assert np.array_equal(read(save("tail.wav", encoded["wav"] + behind), rate=None).samples, samples)


def test_chunks_before_the_samples_are_skipped(encoded: dict[str, bytes], save: Save, samples: Samples) -> None:
    data = encoded["wav"]
    odd = data[:36] + b"note\x03\0\0\0abc\0" + data[36:]  # an odd chunk is followed by one byte of padding
    assert np.array_equal(read(save("odd.wav", with_riff(odd)), rate=None).samples, samples)


def with_riff(data: bytes) -> bytes:
    return with_sizes(data, riff=len(data) - 8)


def test_a_file_without_a_data_chunk_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    with pytest.raises(AudioError, match="no data chunk"):
        read(save("head.wav", encoded["wav"][:36]), rate=None)


def test_chunks_without_end_are_not_walked_forever(encoded: dict[str, bytes], save: Save) -> None:
    with pytest.raises(AudioError, match="no data chunk"):
        read(save("many.wav", encoded["wav"][:12] + b"junk\0\0\0\0" * 20_000), rate=None)


def test_a_long_wav_takes_its_length_from_ds64(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["rf64"])
    place = data.index(b"ds64") + 8 + 8
    assert int.from_bytes(data[place : place + 8], "little") == 64_000
    data[place : place + 8] = (1 << 40).to_bytes(8, "little")
    with pytest.raises(AudioError, match="promises 1099511627776 bytes"):
        read(save("long.wav", bytes(data)), rate=None)


def test_a_ds64_chunk_that_is_cut_off_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    with pytest.raises(AudioError, match="no data chunk"):
        read(save("cut.wav", encoded["rf64"][:24]), rate=None)
