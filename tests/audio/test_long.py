from pathlib import Path

import numpy as np
import pytest

import aptone.audio.pieces as module
from aptone.audio import cut_many, find_speech, read, read_blocks, speech_pieces, speech_seconds, write, write_lossless
from aptone.errors import AudioError
from aptone.types import Audio, Segment

CLIP = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"
RATE = 16_000


@pytest.fixture(scope="module")
def reading() -> Audio:
    """Twenty sentences with a second of silence behind each: more than a minute."""
    sentence = read(CLIP, rate=RATE, channel="mix").samples
    silence = np.zeros(RATE, dtype=np.float32)
    return Audio(np.concatenate([part for _ in range(20) for part in (sentence, silence)]), rate=RATE)


@pytest.fixture
def file(reading: Audio, tmp_path: Path) -> Path:
    write(tmp_path / "long.wav", reading)
    return tmp_path / "long.wav"


def test_blocks_are_the_recording(file: Path) -> None:
    blocks = list(read_blocks(file, rate=RATE))
    assert np.array_equal(np.concatenate(blocks), read(file, rate=RATE).samples)


def test_blocks_at_another_rate_are_what_is_read_at_that_rate(file: Path) -> None:
    blocks = np.concatenate(list(read_blocks(file, rate=8_000)))
    np.testing.assert_allclose(blocks, read(file, rate=8_000).samples, atol=1e-6)


def test_the_pieces_hold_all_speech_whatever_the_window(
    file: Path, reading: Audio, monkeypatch: pytest.MonkeyPatch
) -> None:
    speech = speech_seconds(find_speech(reading))
    for window in (20.0, 45.0, 300.0):
        monkeypatch.setattr(module, "WINDOW_SECONDS", window)
        pieces = list(speech_pieces(file, rate=RATE, max_seconds=10.0))
        assert all(piece.audio.seconds <= 10.0 + 1e-6 for piece in pieces)
        starts = [piece.start for piece in pieces]
        assert starts == sorted(starts)
        found = [segment for piece in pieces for segment in piece.speech]
        # a detector that begins anew at a window hears the first tenths of a second a little differently
        assert speech_seconds(found) == pytest.approx(speech, rel=0.02)


def test_a_piece_is_the_sound_at_its_place(file: Path, reading: Audio) -> None:
    for piece in speech_pieces(file, rate=RATE, max_seconds=10.0):
        first = round(piece.start * RATE)
        whole = read(file, rate=RATE).samples[first : first + piece.audio.samples.size]
        assert np.array_equal(piece.audio.samples, whole)


def test_silence_has_no_pieces(tmp_path: Path) -> None:
    write(tmp_path / "still.wav", Audio(np.zeros(RATE, dtype=np.float32), rate=RATE))
    assert list(speech_pieces(tmp_path / "still.wav", rate=RATE, max_seconds=10.0)) == []


def test_many_clips_are_cut_in_one_pass_also_where_they_overlap(file: Path) -> None:
    whole = read(file, rate=RATE).samples
    segments = [Segment(0.0, 1.0), Segment(0.5, 40.0), Segment(39.0, 39.25), Segment(55.0, 60.0)]
    clips = list(cut_many(file, segments, rate=RATE))
    for clip, segment in zip(clips, segments, strict=True):
        assert np.array_equal(clip.samples, whole[round(segment.start * RATE) : round(segment.end * RATE)])


def test_clips_out_of_order_or_beyond_the_end_are_refused(file: Path) -> None:
    with pytest.raises(ValueError, match="in the order of their starts"):
        list(cut_many(file, [Segment(2.0, 3.0), Segment(1.0, 2.0)], rate=RATE))
    with pytest.raises(AudioError, match="but the recording lasts"):
        list(cut_many(file, [Segment(0.0, 1.0), Segment(1.0, 1e4)], rate=RATE))
    with pytest.raises(AudioError, match="there is no sample"):
        list(cut_many(file, [Segment(1.0, 1.0)], rate=RATE))


def test_a_clip_for_later_work_is_flac_or_floats_where_flac_would_clip_it(tmp_path: Path) -> None:
    quiet = Audio(np.full(100, 0.5, dtype=np.float32), rate=RATE)
    loud = Audio(np.full(100, 1.5, dtype=np.float32), rate=RATE)
    assert write_lossless(tmp_path / "quiet", quiet).name == "quiet.flac"
    path = write_lossless(tmp_path / "loud", loud)
    assert path.name == "loud.wav"
    assert np.array_equal(read(path, rate=None).samples, loud.samples)
