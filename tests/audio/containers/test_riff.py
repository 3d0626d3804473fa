"""WAV headers, right and wrong."""

import io
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from aptone.audio import read
from aptone.audio.containers.riff import _header
from aptone.errors import AudioError
from tests.tables import for_each

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


@for_each("body", [0xFFFF_FFFF, 0xFFFF_FFFF - 36, 0x7FFF_FFFF, 0x8000_0000, 0x7FFF_F000])
def test_a_placeholder_of_a_streaming_encoder_means_up_to_the_end(
    body: int, encoded: dict[str, bytes], save: Save, samples: Samples
) -> None:
    path = save("stream.wav", with_sizes(encoded["wav"], riff=0xFFFF_FFFF, body=body))
    assert np.array_equal(read(path, rate=None).samples, samples)


@for_each("riff", [0, 36, 0xFFFF_FFFF])
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


@for_each("behind", [b"junk", b"LIST\x04\0\0\0abcd", b"\0LIST\x04\0\0\0abcd", bytes(1000), b"TAG" + b"\xff" * 125])
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


@pytest.mark.parametrize("quiet", [0, 100])
def test_samples_that_the_header_does_not_know_of_are_refused(
    quiet: int, encoded: dict[str, bytes], save: Save, samples: Samples
) -> None:
    # The header as it was when half of the file was written, whether or not the other half begins in silence.
    data = with_sizes(encoded["wav"], riff=36 + 32_000, body=32_000)
    data = data[: 44 + 32_000] + bytes(quiet) + data[44 + 32_000 + quiet :]
    with pytest.raises(AudioError, match=r"stale\.wav: .* goes on for 32000 bytes behind the end .* -ignore_length 1"):
        read(save("stale.wav", data), rate=None)
    # With the true length of the file in front, the header is not stale, and what follows is for others to read.
    assert read(save("half.wav", with_sizes(data, riff=len(data) - 8)), rate=None).samples.size == 16_000


@pytest.mark.parametrize("body", [0, 0xFFFF_FFFF])
def test_a_streamed_file_that_ends_inside_a_sample_is_truncated(
    body: int, encoded: dict[str, bytes], save: Save
) -> None:
    data = with_sizes(encoded["wav"], riff=0xFFFF_FFFF, body=body)
    with pytest.raises(
        AudioError, match=r"cut\.wav: the WAV file is truncated: it ends inside a sample, 1 bytes short"
    ):
        read(save("cut.wav", data[:-1]), rate=None)


def test_the_padding_of_a_streamed_file_is_no_sample(save: Save) -> None:
    # 24 bits, three samples: nine bytes and one that makes their number even
    buffer = io.BytesIO()
    soundfile.write(buffer, np.array([0.5, 0.25, -0.5]), 16_000, format="WAV", subtype="PCM_24")
    data = buffer.getvalue()
    place = data.index(b"data") + 4
    streamed = data[:place] + b"\xff\xff\xff\xff" + data[place + 4 : place + 13]
    for tail in (b"", b"\0"):
        assert read(save("odd.wav", streamed + tail), rate=None).samples.tolist() == [0.5, 0.25, -0.5]
    with pytest.raises(AudioError, match="2 bytes short"):
        read(save("odd.wav", streamed + b"\x01"), rate=None)


def test_a_long_wav_from_a_pipe_runs_to_its_end(encoded: dict[str, bytes], save: Save, samples: Samples) -> None:
    data = bytearray(encoded["rf64"])
    place = data.index(b"ds64") + 8
    data[place : place + 24] = bytes(24)
    place = data.index(b"data") + 4
    data[place : place + 4] = b"\xff\xff\xff\xff"
    assert np.array_equal(read(save("pipe.wav", bytes(data)), rate=None).samples, samples)


def test_a_streamed_file_beyond_four_gigabytes_gets_a_header_of_the_long_kind() -> None:
    header = _header(b"fmt \x02\0\0\0ab", length=1 << 33)
    assert header[:4] + header[8:16] == b"RF64WAVEds64"
    # ds64: its length, then that of the file without 8 bytes, then that of the samples
    assert struct.unpack("<IQQ", header[16:36]) == (28, len(header) - 8 + (1 << 33), 1 << 33)


def test_a_chunk_without_its_padding_is_stepped_over(encoded: dict[str, bytes], save: Save, samples: Samples) -> None:
    data = encoded["wav"]
    odd = data[:36] + b"note\x03\0\0\0abc" + data[36:]
    assert np.array_equal(read(save("odd.wav", with_riff(odd)), rate=None).samples, samples)


def test_mp3_in_wav_is_refused_by_name(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["wav"])
    data[20:22] = b"\x55\0"
    with pytest.raises(AudioError, match=r"mp3\.wav: the WAV file holds MP3, .* -c copy OUT\.mp3"):
        read(save("mp3.wav", bytes(data)), rate=None)
