"""Clips as raters hear them."""

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.audio import read, write
from aptone.errors import AudioError
from aptone.studio.server.clips import check_sound, plain_wav, playable
from aptone.types import Audio, AudioRef


def tone(seconds: float = 0.5, *, rate: int = 16_000) -> Audio:
    return Audio((0.5 * np.sin(np.arange(round(seconds * rate)) * 0.2)).astype(np.float32), rate=rate)


def test_a_clip_is_cut_where_the_task_says(tmp_path: Path) -> None:
    write(tmp_path / "long.flac", tone(1.0))
    sent = playable(AudioRef(str(tmp_path / "long.flac"), start=0.25, end=0.5), cache=tmp_path / "cache")
    assert sent.parent == tmp_path / "cache"
    heard, whole = read(sent, rate=None), read(tmp_path / "long.flac", rate=None)
    np.testing.assert_array_equal(heard.samples, whole.samples[4000:8000])  # 0.25 s and 0.5 s at 16 kHz


def test_what_was_written_once_is_sent_again_until_the_recording_changes(tmp_path: Path) -> None:
    write(tmp_path / "a.flac", tone())
    first = playable(AudioRef(str(tmp_path / "a.flac")), cache=tmp_path / "cache")
    stamp = first.stat().st_mtime_ns
    assert playable(AudioRef(str(tmp_path / "a.flac")), cache=tmp_path / "cache").stat().st_mtime_ns == stamp
    write(tmp_path / "a.flac", tone(0.6))
    assert playable(AudioRef(str(tmp_path / "a.flac")), cache=tmp_path / "cache") != first


def test_tags_in_a_file_never_reach_a_rater(tmp_path: Path) -> None:
    path = tmp_path / "tagged.wav"
    with soundfile.SoundFile(path, "w", samplerate=16_000, channels=1, subtype="PCM_16") as file:
        file.title = "made by the secret system"
        file.write(tone().samples)
    assert b"secret system" in path.read_bytes()
    sent = playable(AudioRef(str(path)), cache=tmp_path / "cache")
    assert b"secret system" not in sent.read_bytes()
    np.testing.assert_array_equal(read(sent, rate=None).samples, read(path, rate=None).samples)


def test_a_recording_that_is_gone_is_named_without_its_folder(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=r"^gone\.wav: the recording cannot be opened"):
        playable(AudioRef(str(tmp_path / "gone.wav")), cache=tmp_path / "cache")


def test_a_sound_that_is_too_long_is_refused_before_all_of_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "long.wav", tone(0.5))
    monkeypatch.setattr("aptone.studio.server.clips.LONGEST_SECONDS", 0.25)
    with pytest.raises(AudioError, match=r"longer than 0\.25 s; cut it into clips"):
        check_sound(tmp_path / "long.wav")


def test_a_plain_wav_is_sent_as_it_is(tmp_path: Path) -> None:
    write(tmp_path / "plain.wav", tone())
    assert playable(AudioRef(str(tmp_path / "plain.wav")), cache=tmp_path / "cache") == tmp_path / "plain.wav"


def test_both_channels_are_kept_and_what_is_too_loud_is_scaled_down() -> None:
    left, right = tone(), Audio(3 * tone().samples, rate=16_000)
    samples, rate = soundfile.read(io.BytesIO(plain_wav((left, right))), always_2d=True)
    assert (samples.shape, rate) == ((8000, 2), 16_000)
    assert np.abs(samples).max() == pytest.approx(1.0, abs=1e-4)  # 1.5 at its peak before
    np.testing.assert_allclose(3 * samples[:, 0], samples[:, 1], atol=1e-4)  # three times as loud before and after


def test_what_is_no_sound_is_refused_without_naming_a_path(tmp_path: Path) -> None:
    (tmp_path / "song.wav").write_text("<script>alert(1)</script>")
    with pytest.raises(AudioError) as caught:
        check_sound(tmp_path / "song.wav")
    assert str(tmp_path) not in str(caught.value)
    write(tmp_path / "right.flac", tone())
    assert check_sound(tmp_path / "right.flac") == 0.5
