"""One clip and its descriptions."""

from pathlib import Path

import numpy as np
import pytest

import aptone
from aptone.errors import AudioError, UsageError
from aptone.rooms.style.api import style_all
from aptone.rooms.style.report import ranked
from aptone.rooms.style.step import StyleStep, fit_by
from aptone.types import Audio, AudioRef, State
from tests.rooms.style.voices import RATE, ToneEmbedder, tone, write_tone


def test_a_voice_that_fits_has_a_higher_cosine(tmp_path: Path) -> None:
    path = write_tone(tmp_path / "low.wav", 100.0)
    fits, fits_not = (aptone.style(path, text, model=ToneEmbedder()) for text in ("a low voice", "a high voice"))
    assert fits.scores["cosine"].value == pytest.approx(1.0)
    assert fits_not.scores["cosine"].value == pytest.approx(0.0, abs=1e-6)
    assert fits.main_score == "cosine"
    assert fits.signature == "tones"


def test_a_calibrated_embedder_gives_a_fit_first() -> None:
    step = StyleStep(ToneEmbedder(), fit_by([[0.0, 0.0], [1.0, 5.0]], signature="tones"))
    (outcome,) = step.judge([tone(400.0)], ["a low voice"])
    assert outcome.main_score == "fit"
    assert outcome.scores["fit"].value == pytest.approx(5.0 * np.cos(np.pi / 4), abs=1e-2)


def test_a_fit_stays_on_its_scale() -> None:
    fit = fit_by([[0.1, 0.5], [0.6, 4.5]], signature="mine")
    assert (fit(-1.0).value, fit(1.0).value) == (0.5, 4.5)


def test_several_descriptions_are_ranked() -> None:
    judged = style_all(tone(100.0), ["high", "low", "middle"], model=ToneEmbedder())
    assert [one.description for one in judged] == ["high", "low", "middle"]
    assert [one.description for one in ranked(judged)] == ["low", "middle", "high"]


def test_silence_is_unscored_with_a_reason_and_ranks_nowhere() -> None:
    silent = Audio(np.zeros(RATE, dtype=np.float32), RATE)
    outcome = aptone.style(silent, "low", model=ToneEmbedder())
    assert outcome.state is State.UNSCORED
    assert outcome.reason == "no voice can be heard in the clip"
    assert len(ranked(style_all(silent, ["low", "high"], model=ToneEmbedder()))) == 2


def test_a_part_of_a_recording_is_heard_alone(tmp_path: Path) -> None:
    path = write_tone(tmp_path / "low.wav", 100.0, seconds=2.0)
    part = AudioRef(str(path), 0.5, 1.0)
    assert aptone.style(part, "low", model=ToneEmbedder()).scores["cosine"].value == pytest.approx(1.0)


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AudioError):
        aptone.style(tmp_path / "nowhere.wav", "low", model=ToneEmbedder())
    with pytest.raises(UsageError, match="none of them empty"):
        style_all(tone(100.0), [], model=ToneEmbedder())
    with pytest.raises(UsageError, match="none of them empty"):
        aptone.style(tone(100.0), " ", model=ToneEmbedder())
    with pytest.raises(UsageError, match="made already"):
        aptone.style(tone(100.0), "low", model=ToneEmbedder(), device="cpu")


def test_a_clip_longer_than_two_minutes_is_refused(tmp_path: Path) -> None:
    path = write_tone(tmp_path / "long.wav", 100.0, seconds=121.0)
    with pytest.raises(AudioError, match="longer than 120 s"):
        aptone.style(path, "low", model=ToneEmbedder())
