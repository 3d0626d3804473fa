"""Clips as browsers play them."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.audio import read, write
from aptone.errors import AudioError
from aptone.types import Audio, AudioRef
from aptone.web.sounds import MEMORY_BYTES, playable


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


def test_both_channels_are_kept_and_what_is_too_loud_is_scaled_down(tmp_path: Path) -> None:
    both = np.stack([tone().samples, 3 * tone().samples], axis=1)
    soundfile.write(tmp_path / "loud.wav", both, 16_000, subtype="FLOAT")
    samples, rate = soundfile.read(sent(tmp_path / "loud.wav"), always_2d=True)
    assert (samples.shape, rate) == ((8000, 2), 16_000)
    assert np.abs(samples).max() == pytest.approx(1.0, abs=1e-4)  # 1.5 at its peak before
    np.testing.assert_allclose(3 * samples[:, 0], samples[:, 1], atol=1e-4)  # three times as loud before and after


def test_a_clip_that_lasts_too_long_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    write(tmp_path / "long.flac", tone(0.5))
    with pytest.raises(AudioError):
        playable(AudioRef(str(tmp_path / "long.flac")), cache=tmp_path / "cache", longest=0.25)
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_clip_of_many_blocks_holds_the_very_samples_of_its_recording(tmp_path: Path) -> None:
    frames = 3 * (1 << 18) // 2 + 5  # two channels: three blocks, and a few frames more
    wave = np.random.default_rng(0).integers(-32768, 32768, size=(frames, 2), dtype=np.int16)
    soundfile.write(tmp_path / "noise.flac", wave, 48_000)
    samples, rate = soundfile.read(sent(tmp_path / "noise.flac"), dtype="int16", always_2d=True)
    assert rate == 48_000
    np.testing.assert_array_equal(samples, wave)


def test_the_memory_of_a_conversion_does_not_grow_with_the_clip(tmp_path: Path) -> None:
    peaks = []
    for seconds in (20, 60):
        path = tmp_path / f"silence{seconds}.flac"
        soundfile.write(path, np.zeros((seconds * 48_000, 8), dtype=np.int16), 48_000)
        tracemalloc.start()
        sent(path)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert max(peaks) < MEMORY_BYTES < 60 * 48_000 * 8 * 2  # the file that is written is larger
    assert peaks[1] < 1.1 * peaks[0]


@pytest.mark.parametrize(("channels", "name"), [(9, "9 channels, and at most 8"), (8, "more than 0 MiB")])
def test_too_many_channels_and_too_many_bytes_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, channels: int, name: str
) -> None:
    soundfile.write(tmp_path / "wide.wav", np.zeros((8000, channels), dtype=np.int16), 16_000, format="WAVEX")
    if channels == 8:
        sent(tmp_path / "wide.wav").unlink()
        monkeypatch.setattr("aptone.web.sounds.MOST_BYTES", 44 + 8000 * 8 * 2 - 1)
    with pytest.raises(AudioError, match=name):
        sent(tmp_path / "wide.wav")
    assert list((tmp_path / "cache").iterdir()) == []
