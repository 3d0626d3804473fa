"""What PyAV decodes, and what happens without it."""

import io
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import read
from aptone.audio.formats import load_av
from aptone.errors import AudioError, MissingExtraError

Save = Callable[[str, bytes], Path]


def test_without_pyav_the_message_names_the_extra(
    encoded: dict[str, bytes], save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(MissingExtraError, match=r'pip install "aptone\[formats\]"'):
        read(save("clip.m4a", encoded["m4a"]), rate=None)
    assert read(save("clip.mp3", encoded["mp3"]), rate=None).rate == 16_000


def test_pyav_is_what_is_loaded() -> None:
    assert load_av() is av


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
    data = b"\x1a\x45\xdf\xa3\x80" + b"\x18\x53\x80\x67\xff" + bytes(500)
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


def test_a_webm_file_of_unknown_length_that_ends_early_is_refused(encoded: dict[str, bytes], save: Save) -> None:
    data = bytearray(encoded["webm"])
    segment = data.index(b"\x18\x53\x80\x67") + 4
    width = 9 - data[segment].bit_length()
    # All ones: the length is unknown, as browsers write it. The stated duration of 2 s remains.
    data[segment : segment + width] = ((1 << 7 * width + 1) - 1).to_bytes(width, "big")
    assert read(save("whole.webm", bytes(data)), rate=None).seconds == pytest.approx(2.0, abs=0.05)
    with pytest.raises(AudioError, match=r"truncated: it promises 2\.\d+ s, 1\.\d+ s could be decoded"):
        read(save("half.webm", bytes(data[: len(data) * 6 // 10])), rate=None)


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
