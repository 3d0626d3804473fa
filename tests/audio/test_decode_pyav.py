"""What PyAV decodes, and what happens without it."""

import io
import struct
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import AudioInfo, from_array, probe, read, telephone_codec
from aptone.audio.decode import load_av
from aptone.errors import AudioError, MissingExtraError
from tests.tables import for_each

Save = Callable[[str, bytes], Path]


def test_without_pyav_the_message_names_the_extra(
    encoded: dict[str, bytes], save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtraError, match=r'pip install .*\[formats\]"'):
        read(save("clip.m4a", encoded["m4a"]), rate=None)
    with pytest.raises(MissingExtraError, match="The codec g722 needs the extra"):
        telephone_codec(from_array(np.zeros(800), rate=8_000), codec="g722")
    assert read(save("clip.mp3", encoded["mp3"]), rate=None).rate == 16_000


def test_pyav_is_what_is_loaded() -> None:
    assert load_av("Reading m4a") is av


def test_a_film_without_sound_is_refused(save: Save) -> None:
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="mp4") as output:
        stream = output.add_stream("mpeg4", rate=10)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = 32, 32, "yuv420p"
        frame = av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), dtype=np.uint8), format="rgb24")
        output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    with pytest.raises(AudioError, match=r"film\.mp4: no audio stream found"):
        read(save("film.mp4", buffer.getvalue()), rate=None)


def test_an_unknown_sound_coding_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    data = encoded["m4a"].replace(b"mp4a", b"zzzz").replace(b"esds", b"xxxx")
    with pytest.raises(AudioError, match=r"odd\.m4a"):
        read(save("odd.m4a", data), rate=None)


def test_a_container_that_ffmpeg_cannot_open_is_refused(save: Save) -> None:
    data = b"\x1a\x45\xdf\xa3\x80" + b"\x18\x53\x80\x67\xff" + b"\xec\x84abcd" * 100  # nothing but voids
    with pytest.raises(AudioError, match=r"empty\.webm: the webm file is damaged or truncated \("):
        read(save("empty.webm", data), rate=None)


def test_a_rate_that_changes_on_the_way_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    with pytest.raises(AudioError, match=r"after \d\.\d+ s \(rate or channels change on the way\)"):
        read(save("two.aac", encoded["aac"] + encoded["aac 8k"]), rate=None)


def test_damaged_frames_are_refused(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["aac"])
    data[len(data) // 2 : len(data) // 2 + 2_000] = bytes(2_000)
    with pytest.raises(AudioError, match=r"holes\.aac: the aac file is damaged or truncated"):
        read(save("holes.aac", bytes(data)), rate=None)


def simple_blocks(data: bytes, *, begin: int) -> list[int]:
    """Where the blocks of a cluster begin: 0xA3 and a length; before them stands its time, 0xE7."""
    found, position = [], begin
    while position < len(data) and data[position] in (0xE7, 0xA3):
        found += [position] if data[position] == 0xA3 else []
        width = 9 - data[position + 1].bit_length()
        coded = int.from_bytes(data[position + 1 : position + 1 + width], "big")
        position += 1 + width + (coded & (1 << 7 * width) - 1)
    return found


def film(
    container: str, *, sound: float, picture: float, late: float = 0.0, tracks: int = 1, codec: str = "libopus"
) -> bytes:
    """A film whose picture and sound last so many seconds, and whose sound begins late."""
    buffer = io.BytesIO()
    with av.open(buffer, "w", format=container) as output:
        video = output.add_stream("libvpx" if container == "webm" else "mpeg4", rate=10) if picture else None
        audio = [output.add_stream(codec, rate=48_000, layout="mono") for _ in range(tracks)]
        if isinstance(video, av.VideoStream):
            video.width, video.height, video.pix_fmt = 32, 32, "yuv420p"
            for number in range(round(10 * picture)):
                shown = av.VideoFrame.from_ndarray(np.full((32, 32, 3), number, dtype=np.uint8), format="rgb24")
                shown.pts, shown.time_base = number, Fraction(1, 10)
                output.mux(video.encode(shown))
            output.mux(video.encode(None))
        for stream in audio:
            assert isinstance(stream, av.AudioStream)
            resampler = av.AudioResampler(format=stream.codec_context.format, layout="mono", rate=48_000)
            for begin in range(0, round(48_000 * sound), 960):
                tone = 0.3 * np.sin(2 * np.pi * 300 * np.arange(begin, begin + 960) / 48_000)
                frame = av.AudioFrame.from_ndarray(tone[np.newaxis].astype(np.float32), format="fltp", layout="mono")
                frame.sample_rate, frame.time_base = 48_000, Fraction(1, 48_000)
                frame.pts = begin + round(48_000 * late)
                for converted in resampler.resample(frame):
                    output.mux(stream.encode(converted))
            output.mux(stream.encode(None))
    return buffer.getvalue()


@for_each("container", ["webm", "matroska"])
@for_each(("sound", "picture", "late"), [(1.0, 2.5, 0.0), (1.0, 2.5, 1.0), (1.0, 0.5, 0.0), (1.0, 0.0, 1.0)])
def test_sound_that_is_shorter_than_the_picture_or_begins_late_is_whole(
    container: str, sound: float, picture: float, late: float, save: Save
) -> None:
    data = film(container, sound=sound, picture=picture, late=late)
    assert read(save("film.mkv", data), rate=None).seconds == pytest.approx(sound, abs=0.05)


def test_two_sound_tracks_are_refused(save: Save) -> None:
    data = film("matroska", sound=0.5, picture=0.0, tracks=2)
    with pytest.raises(AudioError, match=r"two\.mka: expected one sound track, got 2; take one out"):
        read(save("two.mka", data), rate=None)


def test_flac_in_ogg_is_read(save: Save) -> None:
    data = film("ogg", sound=1.0, picture=0.0, codec="flac")
    path = save("clip.oga", data)
    tone = 0.3 * np.sin(2 * np.pi * 300 * np.arange(48_000) / 48_000)
    assert np.abs(read(path, rate=None).samples - tone).max() <= 2**-15
    assert probe(path) == AudioInfo(48_000, 48_000, 1, 1.0, "oga flac")
    with pytest.raises(AudioError, match="the Ogg file is truncated"):
        read(save("cut.oga", data[:-50]), rate=None)


def test_a_webm_file_of_unknown_length_that_ends_early_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["webm"])
    segment = data.index(b"\x18\x53\x80\x67") + 4
    width = 9 - data[segment].bit_length()
    # All ones: the length is unknown, as browsers write it. The stated duration of 2 s remains.
    data[segment : segment + width] = ((1 << 7 * width + 1) - 1).to_bytes(width, "big")
    assert read(save("whole.webm", bytes(data)), rate=None).seconds == pytest.approx(2.0, abs=0.05)
    with pytest.raises(AudioError, match=r"truncated: \d+ bytes are missing"):
        read(save("half.webm", bytes(data[: len(data) * 6 // 10])), rate=None)
    # A cut between two blocks shows in the duration, once the cluster does not tell its length either.
    cluster = data.index(b"\x1f\x43\xb6\x75") + 4
    width = 9 - data[cluster].bit_length()
    data[cluster : cluster + width] = ((1 << 7 * width + 1) - 1).to_bytes(width, "big")
    blocks = simple_blocks(bytes(data), begin=cluster + width)
    with pytest.raises(AudioError, match=r"truncated: it promises 2\.\d+ s, 1\.\d+ s could be decoded"):
        read(save("half.webm", bytes(data[: blocks[len(blocks) * 6 // 10]])), rate=None)


def test_the_delay_that_an_m4a_file_states_is_taken_out(samples: npt.NDArray[np.float32], save: Save) -> None:
    buffer = io.BytesIO()
    with av.open(buffer, "w", format="ipod") as output:
        stream = output.add_stream("aac", rate=16_000, layout="mono")
        assert isinstance(stream, av.AudioStream)
        for begin in range(0, samples.size, 1024):
            piece = np.ascontiguousarray(samples[np.newaxis, begin : begin + 1024])
            frame = av.AudioFrame.from_ndarray(piece, format="fltp", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = 16_000, begin, Fraction(1, 16_000)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    heard = read(save("clip.m4a", buffer.getvalue()), rate=None).samples
    assert 0 <= heard.size - samples.size < 1024
    # Any shift by the encoder's 1,024 samples would make this likeness vanish.
    assert np.corrcoef(heard[: samples.size], samples)[0, 1] > 0.95


@pytest.mark.parametrize("late", [0.0, 1.0])
def test_without_a_tag_the_duration_of_the_whole_file_counts_where_there_is_only_sound(late: float, save: Save) -> None:
    bare = film("matroska", sound=1.0, picture=0.0, late=late).replace(b"DURATION", b"NOTHINGS")
    assert read(save("bare.mka", bare), rate=None).seconds == pytest.approx(1.0, abs=0.05)
    # The duration of the header, a 64-bit float behind 0x4489 and its length, in milliseconds.
    place = bare.index(b"\x44\x89\x88") + 3
    longer = bare[:place] + struct.pack(">d", 1000 * (late + 2.5)) + bare[place + 8 :]
    with pytest.raises(AudioError, match=r"promises 2\.\d+ s, 1\.\d+ s could be decoded"):
        read(save("longer.mka", longer), rate=None)
    film_with_picture = film("matroska", sound=1.0, picture=2.5, late=late).replace(b"DURATION", b"NOTHINGS")
    assert read(save("film.mkv", film_with_picture), rate=None).seconds == pytest.approx(1.0, abs=0.05)
