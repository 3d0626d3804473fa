"""MP3 frames, counted."""

import io
import struct
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import read
from aptone.audio.containers.mpeg import Frame, first_frame, frame
from aptone.errors import AudioError
from tests.tables import for_each

Samples = npt.NDArray[np.float32]
Save = Callable[[str, bytes], Path]

# Decoders lag by 529 samples; a file without encoder delay in its tag loses them at the beginning.
DECODER_DELAY = 529
FRAME_SAMPLES = 576  # at 16 kHz


def frames_of(data: bytes) -> list[bytes]:
    found, position = [], 0
    while position < len(data):
        header = frame(data[position : position + 4])
        assert header is not None
        found.append(data[position : position + header.length])
        position += header.length
    return found


@for_each(
    ("header", "expected"),
    [
        ("fffb9064", Frame(417, (3, 44_100))),  # 144,000 × 128 // 44,100
        ("fffb9264", Frame(418, (3, 44_100))),  # one byte of padding
        ("fff388c4", Frame(288, (2, 16_000))),  # 72,000 × 64 // 16,000
        ("ffe318c4", Frame(72, (0, 8_000))),  # 72,000 × 8 // 8,000
        ("fff1904c", None),  # Layer 0: raw AAC
        ("fffb0064", None),  # free bit rate
        ("fffbf064", None),  # no such bit rate
        ("fffb9c64", None),  # no such sample rate
        ("ffeb9064", None),  # no such version
        ("00fb9064", None),
        ("fffb90", None),
    ],
)
def test_headers_tell_the_length_of_their_frame(header: str, expected: Frame | None) -> None:
    assert frame(bytes.fromhex(header)) == expected


@pytest.mark.parametrize("name", ["mp3 constant", "mp3 variable"])
def test_a_file_without_a_tag_has_all_the_samples_of_its_frames(
    name: str, encoded: dict[str, bytes], save: Save
) -> None:
    frames = frames_of(encoded[name])
    audio = read(save("bare.mp3", encoded[name]), rate=None)
    assert audio.samples.size == len(frames) * FRAME_SAMPLES - DECODER_DELAY


def test_a_file_that_lost_its_tag_has_the_same_sound(encoded: dict[str, bytes], save: Save) -> None:
    whole = read(save("whole.mp3", encoded["mp3"]), rate=None).samples
    bare = read(save("bare.mp3", b"".join(frames_of(encoded["mp3"])[1:])), rate=None).samples
    # The tag told the encoder's delay of 576 samples, which are now left at the beginning.
    assert np.allclose(bare[576 : 576 + whole.size], whole, atol=1e-6)


def test_a_cut_between_two_frames_shows_only_against_a_tag(encoded: dict[str, bytes], save: Save) -> None:
    tagged = frames_of(encoded["mp3"])
    with pytest.raises(AudioError, match=rf"29 of {len(tagged) - 1} frames are whole"):
        read(save("cut.mp3", b"".join(tagged[:30])), rate=None)
    bare = frames_of(encoded["mp3 constant"])
    assert read(save("bare.mp3", b"".join(bare[:30])), rate=None).samples.size == 30 * FRAME_SAMPLES - DECODER_DELAY


@for_each("missing", [1, 30, 105, 107])
def test_a_cut_inside_a_frame_is_truncated(missing: int, encoded: dict[str, bytes], save: Save) -> None:
    data = encoded["mp3 constant"]
    assert len(frames_of(data)[-1]) == 108
    with pytest.raises(AudioError, match="truncated or damaged"):
        read(save("cut.mp3", data[:-missing]), rate=None)


def test_a_tag_that_counts_itself_is_no_truncation(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["mp3"])
    place = data.index(b"Info" if b"Info" in data else b"Xing") + 8
    frames = len(frames_of(encoded["mp3"])) - 1
    assert struct.unpack(">I", data[place : place + 4])[0] == frames
    data[place : place + 4] = struct.pack(">I", frames + 1)
    size = read(save("own.mp3", bytes(data)), rate=None).samples.size
    assert size == frames * FRAME_SAMPLES - DECODER_DELAY


def test_a_tag_that_promises_two_frames_more_is_truncation(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["mp3"])
    place = data.index(b"Info" if b"Info" in data else b"Xing") + 8
    frames = len(frames_of(encoded["mp3"])) - 1
    data[place : place + 4] = struct.pack(">I", frames + 2)
    with pytest.raises(AudioError, match=rf"{frames} of {frames + 2} frames are whole"):
        read(save("more.mp3", bytes(data)), rate=None)


def test_a_tag_without_a_count_is_replaced(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["mp3"])
    place = data.index(b"Info" if b"Info" in data else b"Xing") + 4
    data[place : place + 4] = bytes(4)
    frames = len(frames_of(encoded["mp3"])) - 1
    assert read(save("own.mp3", bytes(data)), rate=None).samples.size == frames * FRAME_SAMPLES - DECODER_DELAY


def test_the_older_tag_is_not_heard_as_sound(encoded: dict[str, bytes], save: Save) -> None:
    frames = frames_of(encoded["mp3 variable"])
    tag = bytearray(frames[0][:4] + bytes(len(frames[0]) - 4))
    tag[36:40] = b"VBRI"
    plain = read(save("plain.mp3", b"".join(frames)), rate=None)
    tagged = read(save("tagged.mp3", bytes(tag) + b"".join(frames)), rate=None)
    assert np.array_equal(plain.samples, tagged.samples)


def test_two_files_glued_together_are_read_to_the_end(encoded: dict[str, bytes], save: Save) -> None:
    # libsndfile stops where the first tag says. The second tag is a frame of silence.
    glued = read(save("glued.mp3", encoded["mp3"] + encoded["mp3"]), rate=None)
    frames = len(frames_of(encoded["mp3"]))
    assert glued.samples.size == (2 * frames - 1) * FRAME_SAMPLES - DECODER_DELAY


APE = b"APETAGEX" + struct.pack("<IIII", 2000, 32, 0, 0) + bytes(8)


@for_each(
    "tail",
    [
        b"TAG" + bytes(125),
        APE,
        APE + b"TAG" + bytes(125),
        b"LYRICSBEGIN000011LYRICS200",
        b"ID3\x04\0\x10\0\x01\x10\0" + bytes(18_432) + b"3DI\x04\0\x10\0\x01\x10\0",
        bytes(500),
        b"\0\0junk without any frame",
    ],
    ids=["id3v1", "ape", "ape and id3v1", "lyrics", "id3v2", "padding", "junk"],
)
def test_tags_and_padding_behind_the_frames_are_ignored(tail: bytes, encoded: dict[str, bytes], save: Save) -> None:
    for name in ("mp3", "mp3 constant"):
        plain = read(save("plain.mp3", encoded[name]), rate=None)
        assert np.array_equal(read(save("tail.mp3", encoded[name] + tail), rate=None).samples, plain.samples)


ID3 = b"ID3\x04\0\0\0\0\x02\x00" + bytes(256)
APE_WITH_HEADER = b"APETAGEX" + struct.pack("<IIII", 2000, 32 + 60, 0, 0xA000_0000) + bytes(8 + 60) + APE[:32]


@for_each(
    "front",
    [ID3, bytes(5000), ID3 + bytes(100_000), APE_WITH_HEADER, ID3 + APE_WITH_HEADER],
    ids=["id3v2", "padding", "id3v2 and much padding", "ape", "id3v2 and ape"],
)
def test_tags_and_padding_before_the_frames_are_ignored(front: bytes, encoded: dict[str, bytes], save: Save) -> None:
    plain = read(save("plain.mp3", encoded["mp3"]), rate=None)
    assert np.array_equal(read(save("front.mp3", front + encoded["mp3"]), rate=None).samples, plain.samples)


def test_bytes_that_are_no_frame_between_frames_are_skipped(encoded: dict[str, bytes], save: Save) -> None:
    frames = frames_of(encoded["mp3 constant"])
    middle = len(frames) // 2
    halves = b"".join(frames[:middle]), b"".join(frames[middle:])
    size = read(save("gap.mp3", bytes(100).join(halves)), rate=None).samples.size
    assert size == len(frames) * FRAME_SAMPLES - DECODER_DELAY
    # What looks like a frame of another kind makes the decoder stop, which shows.
    with pytest.raises(AudioError, match=r"promises 2\.055 s, 1\.\d+ s could be decoded"):
        read(save("gap.mp3", b"\xff\xfb\x90".join(halves)), rate=None)


def test_damage_that_costs_frames_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["mp3"])
    data[1_000:4_000] = bytes(3_000)
    with pytest.raises(AudioError, match=r"hole\.mp3: the MP3 file is truncated or damaged: \d+ of \d+ frames"):
        read(save("hole.mp3", bytes(data)), rate=None)


def test_a_tag_without_frames_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    with pytest.raises(AudioError, match="no MP3 frames found"):
        read(save("tag.mp3", b"ID3\x04\0\0\0\0\0\x0a" + bytes(500)), rate=None)
    data = bytearray(frames_of(encoded["mp3"])[0])
    place = data.index(b"Info" if b"Info" in data else b"Xing") + 8
    data[place : place + 4] = bytes(4)
    with pytest.raises(AudioError, match="the MP3 file holds no samples"):
        read(save("none.mp3", bytes(data)), rate=None)


def test_frames_begin_where_several_follow_one_another() -> None:
    lone = bytes.fromhex("fffb9064")
    chain = (lone + bytes(413)) * 3
    other = bytes.fromhex("fff388c4") + bytes(284)
    for data, expected in (
        (lone + bytes(500), None),
        (bytes(7) + chain, 7),
        (chain[:417] + other, None),
        (chain[:417], 0),
        (b"a" + chain[:417], None),
    ):
        assert first_frame(io.BytesIO(data), begin=0, end=len(data)) == expected


def test_a_frame_of_the_right_kind_in_the_junk_must_be_followed_by_others(
    encoded: dict[str, bytes], save: Save
) -> None:
    frames = frames_of(encoded["mp3 constant"])
    lone = b"\0" + frames[5] + bytes(300)
    # The lone header is no place to go on from, neither in the middle nor where its frame would not fit.
    data = b"".join(frames[:20]) + lone + b"".join(frames[20:40]) + bytes(50) + frames[6][:50]
    size = read(save("junk.mp3", data), rate=None).samples.size
    assert abs(size - (40 * FRAME_SAMPLES - DECODER_DELAY)) <= FRAME_SAMPLES


@pytest.mark.parametrize("place", ["end", "middle"])
def test_zeros_for_frames_that_no_tag_promised_are_damage(place: str, encoded: dict[str, bytes], save: Save) -> None:
    frames = frames_of(encoded["mp3 constant"])
    third = len(frames) // 3
    for number in range(len(frames) - third, len(frames)) if place == "end" else range(third, 2 * third):
        frames[number] = bytes(len(frames[number]))
    with pytest.raises(AudioError, match=r"zeros\.mp3: the MP3 file is damaged: some \d+ bytes of it are no sound"):
        read(save("zeros.mp3", b"".join(frames)), rate=None)


def test_tags_between_two_files_glued_together_are_skipped(encoded: dict[str, bytes], save: Save) -> None:
    data = encoded["mp3 constant"]
    glued = read(save("glued.mp3", data + b"TAG" + bytes(125) + ID3 + APE_WITH_HEADER + data), rate=None)
    assert glued.samples.size == 2 * len(frames_of(data)) * FRAME_SAMPLES - DECODER_DELAY


@for_each("junk", [b"\xff\xfb", b"\xff\xfb\x90\x64", b"\xff\xf3\x48\xc4\0"])
def test_junk_that_looks_like_frames_is_not_searched_for_long(
    junk: bytes, encoded: dict[str, bytes], save: Save
) -> None:
    tail = b"\0" + junk * (4_000_000 // len(junk))
    began = time.process_time()
    assert read(save("tail.mp3", encoded["mp3"] + tail), rate=None).samples.size == 32_000
    with pytest.raises(AudioError, match="bytes of it are no sound"):
        read(save("tail.mp3", encoded["mp3 constant"] + tail), rate=None)
    assert time.process_time() - began < 10.0


@pytest.mark.parametrize("front", [b"", ID3])
def test_a_free_bit_rate_is_refused_by_name(front: bytes, save: Save) -> None:
    data = (bytes.fromhex("fffb0064") + bytes(300)) * 5
    with pytest.raises(AudioError, match=r"free\.mp3: an MP3 file of free bit rate, which cannot be read"):
        read(save("free.mp3", front + data), rate=None)
