"""An ear by a tiny model of the kind of wav2vec2-dim."""

from pathlib import Path

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.models.local.wav2vec2_dim import LICENCE, Wav2Vec2Dim
from aptone.types import Audio, Vad
from tests.models.local_speech_models import save_audio_classifier, save_dimensions

PUBLISHED = ["arousal", "dominance", "valence"]
"""Order of the published checkpoint."""


def noise(seconds: float, *, rate: int = 16_000) -> Audio:
    samples = np.random.default_rng(0).normal(0, 0.1, round(seconds * rate))
    return Audio(samples.astype(np.float32), rate=rate)


def test_numbers_from_0_to_1_become_our_scale_by_the_names_of_the_checkpoint(tmp_path: Path) -> None:
    save_dimensions(tmp_path, labels=PUBLISHED, bias=[0.75, 0.5, 0.25])
    heard = Wav2Vec2Dim(model=str(tmp_path), device="cpu").hear(noise(25.0))
    # 2 x - 1: arousal 0.5, dominance 0, valence -0.5
    assert heard.vad == Vad(valence=-0.5, arousal=0.5, dominance=0.0)
    assert not heard.labels


def test_numbers_beyond_the_scale_end_at_it(tmp_path: Path) -> None:
    save_dimensions(tmp_path, labels=PUBLISHED, bias=[1.25, -0.5, 0.5])
    heard = Wav2Vec2Dim(model=str(tmp_path), device="cpu").hear(noise(1.0, rate=8000))
    assert heard.vad == Vad(valence=0.0, arousal=1.0, dominance=-1.0)


def test_what_is_no_number_is_no_answer(tmp_path: Path) -> None:
    save_dimensions(tmp_path, labels=PUBLISHED, bias=[float("nan"), 0.5, 0.5])
    with pytest.raises(ValueError, match="gave no number"):
        Wav2Vec2Dim(model=str(tmp_path), device="cpu").hear(noise(1.0))


def test_a_model_of_another_kind_is_refused(tmp_path: Path) -> None:
    classes, other = tmp_path / "classes", tmp_path / "other"
    save_audio_classifier(classes, labels=["neu", "hap"])
    with pytest.raises(UsageError, match="gives neu, hap; expected a model with valence, arousal, dominance"):
        Wav2Vec2Dim(model=str(classes), device="cpu").hear(noise(1.0))
    save_audio_classifier(other, labels=PUBLISHED)
    with pytest.raises(UsageError, match=r"its weights lack classifier\."):
        Wav2Vec2Dim(model=str(other), device="cpu").hear(noise(1.0))


def test_the_licence_is_that_of_the_published_model_and_of_no_other() -> None:
    assert Wav2Vec2Dim().about.licence == LICENCE
    assert Wav2Vec2Dim(model="mine").about.licence == ""
    assert "model:mine" in Wav2Vec2Dim(model="mine").signature
