"""An ear by a tiny audio classifier with random weights."""

from pathlib import Path

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.models.local.audio_classifier import AudioClassifier
from aptone.models.local.placement import STRETCH
from aptone.types import Audio
from tests.models.local_speech_models import save_audio_classifier

LABELS = ["neu", "hap", "ang", "sad"]


def noise(seconds: float, *, rate: int = 16_000, seed: int = 0) -> Audio:
    samples = np.random.default_rng(seed).normal(0, 0.1, round(seconds * rate))
    return Audio(samples.astype(np.float32), rate=rate)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_audio_classifier(tmp_path_factory.mktemp("classifier"), labels=LABELS)


def test_classes_of_the_checkpoint_get_their_probabilities(checkpoint: Path) -> None:
    import torch
    import transformers

    audio = noise(1.0)
    heard = AudioClassifier(model=str(checkpoint), device="cpu").hear(audio)
    assert list(heard.labels) == LABELS
    assert sum(heard.labels.values()) == pytest.approx(1.0)
    assert heard.vad is None
    assert np.isnan(heard.intensity)
    # the same by transformers alone: the samples at mean 0 and variance 1, then softmax
    model = transformers.AutoModelForAudioClassification.from_pretrained(checkpoint).eval()
    given = (audio.samples - audio.samples.mean()) / np.sqrt(audio.samples.var() + 1e-7)
    with torch.inference_mode():
        wanted = model(torch.tensor(given)[None]).logits[0].softmax(dim=-1).tolist()
    assert list(heard.labels.values()) == pytest.approx(wanted, abs=1e-5)


def test_a_recording_at_another_rate_is_resampled(checkpoint: Path) -> None:
    ear = AudioClassifier(model=str(checkpoint), device="cpu")
    assert list(ear.hear(noise(1.0, rate=44_100)).labels) == LABELS


def test_a_long_recording_is_the_mean_of_its_stretches(checkpoint: Path) -> None:
    ear = AudioClassifier(model=str(checkpoint), device="cpu")
    first, second = noise(STRETCH, seed=1), noise(STRETCH, seed=2)
    both = Audio(np.concatenate([first.samples, second.samples]), rate=16_000)
    parts = [ear.hear(one).labels for one in (first, second)]
    whole = ear.hear(both).labels
    assert whole == pytest.approx({name: (parts[0][name] + parts[1][name]) / 2 for name in LABELS}, abs=1e-6)


def test_classes_that_do_not_exclude_each_other_are_kept_as_they_are(tmp_path: Path) -> None:
    save_audio_classifier(tmp_path, labels=LABELS, problem_type="multi_label_classification")
    shares = AudioClassifier(model=str(tmp_path), device="cpu").hear(noise(1.0)).labels.values()
    assert all(0.0 < share < 1.0 for share in shares)
    assert sum(shares) != pytest.approx(1.0, abs=1e-3)


def test_an_encoder_without_a_classifier_is_refused_and_not_started_at_random(tmp_path: Path) -> None:
    save_audio_classifier(tmp_path, labels=LABELS, head=False)
    with pytest.raises(UsageError, match=r"is no audio classifier \(its weights lack classifier\.bias\).*wav2vec2-dim"):
        AudioClassifier(model=str(tmp_path), device="cpu").hear(noise(1.0))


def test_a_model_that_gives_numbers_is_refused(tmp_path: Path) -> None:
    save_audio_classifier(tmp_path, labels=["a", "b"], problem_type="regression")
    with pytest.raises(UsageError, match="it gives numbers and no classes"):
        AudioClassifier(model=str(tmp_path), device="cpu").hear(noise(1.0))


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be loaded"):
        AudioClassifier(model=str(tmp_path), device="cpu").hear(noise(1.0))


def test_the_signature_names_the_weights_and_nothing_leaves_the_machine() -> None:
    ear = AudioClassifier(model="m", revision="abc")
    assert ear.signature == "audio-classifier|model:m|precision:auto|revision:abc|stretch:10.0"
    assert (ear.about.extra, ear.about.sends_audio_to, ear.about.licence) == ("local", (), "")
