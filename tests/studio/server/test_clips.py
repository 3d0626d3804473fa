"""Clips that an admin sends."""

from pathlib import Path

import numpy as np
import pytest

from aptone.audio import write
from aptone.errors import AudioError
from aptone.studio.server.clips import check_sound
from aptone.types import Audio


def tone(seconds: float = 0.5, *, rate: int = 16_000) -> Audio:
    return Audio((0.5 * np.sin(np.arange(round(seconds * rate)) * 0.2)).astype(np.float32), rate=rate)


def test_a_sound_that_is_too_long_is_refused_before_all_of_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "long.wav", tone(0.5))
    monkeypatch.setattr("aptone.studio.server.clips.LONGEST_SECONDS", 0.25)
    with pytest.raises(AudioError, match=r"longer than 0\.25 s; cut it into clips"):
        check_sound(tmp_path / "long.wav")


def test_what_is_no_sound_is_refused_without_naming_a_path(tmp_path: Path) -> None:
    (tmp_path / "song.wav").write_text("<script>alert(1)</script>")
    with pytest.raises(AudioError) as caught:
        check_sound(tmp_path / "song.wav")
    assert str(tmp_path) not in str(caught.value)
    write(tmp_path / "right.flac", tone())
    assert check_sound(tmp_path / "right.flac") == 0.5
