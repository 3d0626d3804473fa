"""Clips as browsers play them."""

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.audio import read, write
from aptone.errors import AudioError
from aptone.types import Audio, AudioRef
from aptone.web.sounds import plain_wav, playable


def tone(seconds: float = 0.5, *, rate: int = 16_000) -> Audio:
    return Audio((0.5 * np.sin(np.arange(round(seconds * rate)) * 0.2)).astype(np.float32), rate=rate)


def sent(path: Path, *, start: float = 0.0, end: float | None = None) -> Path:
    """The file that is sent for a clip; its cache lies beside it."""
    return playable(AudioRef(str(path), start=start, end=end), cache=path.parent / "cache", longest=60.0)


def test_a_clip_is_cut_where_the_task_says(tmp_path: Path) -> None:
    write(tmp_path / "long.flac", tone(1.0))
    played = sent(tmp_path / "long.flac", start=0.25, end=0.5)
    assert played.parent == tmp_path / "cache"
    heard, whole = read(played, rate=None), read(tmp_path / "long.flac", rate=None)
    np.testing.assert_array_equal(heard.samples, whole.samples[4000:8000])  # 0.25 s and 0.5 s at 16 kHz


def test_what_was_written_once_is_sent_again_until_the_recording_changes(tmp_path: Path) -> None:
    write(tmp_path / "a.flac", tone())
    first = sent(tmp_path / "a.flac")
    stamp = first.stat().st_mtime_ns
    assert sent(tmp_path / "a.flac").stat().st_mtime_ns == stamp
    write(tmp_path / "a.flac", tone(0.6))
    assert sent(tmp_path / "a.flac") != first


def test_tags_in_a_file_never_reach_a_listener(tmp_path: Path) -> None:
    path = tmp_path / "tagged.wav"
    with soundfile.SoundFile(path, "w", samplerate=16_000, channels=1, subtype="PCM_16") as file:
        file.title = "made by the secret system"
        file.write(tone().samples)
    assert b"secret system" in path.read_bytes()
    played = sent(path)
    assert b"secret system" not in played.read_bytes()
    np.testing.assert_array_equal(read(played, rate=None).samples, read(path, rate=None).samples)


def test_a_recording_that_is_gone_is_named_without_its_folder(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=r"^gone\.wav: the recording cannot be opened"):
        sent(tmp_path / "gone.wav")


def test_a_plain_wav_is_sent_as_it_is(tmp_path: Path) -> None:
    write(tmp_path / "plain.wav", tone())
    assert sent(tmp_path / "plain.wav") == tmp_path / "plain.wav"


def test_both_channels_are_kept_and_what_is_too_loud_is_scaled_down() -> None:
    left, right = tone(), Audio(3 * tone().samples, rate=16_000)
    samples, rate = soundfile.read(io.BytesIO(plain_wav((left, right))), always_2d=True)
    assert (samples.shape, rate) == ((8000, 2), 16_000)
    assert np.abs(samples).max() == pytest.approx(1.0, abs=1e-4)  # 1.5 at its peak before
    np.testing.assert_allclose(3 * samples[:, 0], samples[:, 1], atol=1e-4)  # three times as loud before and after


def test_a_clip_that_lasts_too_long_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    write(tmp_path / "long.flac", tone(0.5))
    with pytest.raises(AudioError):
        playable(AudioRef(str(tmp_path / "long.flac")), cache=tmp_path / "cache", longest=0.25)
    assert list((tmp_path / "cache").iterdir()) == []
