"""An ear by emotion2vec, with a module in the place of FunASR that has its documented interface."""

import sys
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

from aptone.errors import MissingExtraError, UsageError
from aptone.models.local import emotion2vec as module
from aptone.models.local.emotion2vec import Emotion2Vec
from aptone.types import Audio

LABELS = ["生气/angry", "开心/happy", "其他/other", "<unk>"]


class AutoModel:
    """Hears the mean of the samples: at 1, the first class; at 0, the second. Keeps how it was made and asked."""

    made: ClassVar[list[dict[str, Any]]] = []
    asked: ClassVar[list[dict[str, Any]]] = []
    classes: ClassVar[list[str]] = LABELS

    def __init__(self, **options: Any) -> None:
        if options["model"] == "broken":
            raise AssertionError("broken is not registered")
        AutoModel.made.append(options)

    def generate(self, input: Any, **options: Any) -> list[dict[str, Any]]:
        AutoModel.asked.append({"samples": len(input), **options})
        first = float(np.mean(input))
        scores = [first, 1.0 - first, 0.0, 0.0] if self.classes else []
        return [{"key": "rand_key_1", "labels": self.classes, "scores": scores}]


@pytest.fixture
def funasr(monkeypatch: pytest.MonkeyPatch) -> type[AutoModel]:
    library = ModuleType("funasr")
    library.AutoModel = AutoModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "funasr", library)
    monkeypatch.setattr(AutoModel, "made", [])
    monkeypatch.setattr(AutoModel, "asked", [])
    module._loaded.cache_clear()
    return AutoModel


def test_classes_get_the_mean_of_their_probabilities_over_stretches(funasr: type[AutoModel]) -> None:
    samples = np.concatenate([np.ones(160_000), np.zeros(160_000)]).astype(np.float32)
    heard = Emotion2Vec().hear(Audio(samples, rate=16_000))
    assert heard.labels == {"生气/angry": 0.5, "开心/happy": 0.5, "其他/other": 0.0, "<unk>": 0.0}
    asked = {"samples": 160_000, "fs": 16_000, "granularity": "utterance", "extract_embedding": False}
    assert funasr.asked == [asked, asked]
    assert funasr.made == [
        {
            "model": "iic/emotion2vec_plus_large",
            "hub": "ms",
            "disable_update": True,
            "disable_pbar": True,
            "disable_log": True,
            "trust_remote_code": False,
        }
    ]


def test_options_reach_funasr_and_the_signature(funasr: type[AutoModel]) -> None:
    ear = Emotion2Vec(model="m", revision="v2", device="cpu", hub="hf")
    ear.hear(Audio(np.zeros(8000, dtype=np.float32), rate=8000))
    (made,) = funasr.made
    assert (made["model"], made["model_revision"], made["device"], made["hub"]) == ("m", "v2", "cpu", "hf")
    assert funasr.asked[0]["samples"] == 16_000
    assert ear.signature == "emotion2vec|hub:hf|model:m|revision:v2|stretch:10.0"


def test_a_model_without_classes_is_refused(funasr: type[AutoModel], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AutoModel, "classes", [])
    with pytest.raises(UsageError, match="iic/emotion2vec_base: gives no classes; name a model that was fine-tuned"):
        Emotion2Vec(model="iic/emotion2vec_base").hear(Audio(np.zeros(8000, dtype=np.float32), rate=16_000))


def test_a_model_that_cannot_be_loaded_is_named(funasr: type[AutoModel]) -> None:
    with pytest.raises(UsageError, match=r"broken: cannot be loaded \(broken is not registered\)"):
        Emotion2Vec(model="broken").hear(Audio(np.zeros(8000, dtype=np.float32), rate=16_000))


def test_without_funasr_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "funasr", None)
    module._loaded.cache_clear()
    with pytest.raises(MissingExtraError, match=r'pip install .*\[emotion2vec\]"'):
        Emotion2Vec().hear(Audio(np.zeros(8000, dtype=np.float32), rate=16_000))


def test_options_of_another_kind_are_refused() -> None:
    with pytest.raises(UsageError, match="the ear's option hub is ms or hf, got 'disk'"):
        Emotion2Vec(hub="disk")
    with pytest.raises(UsageError, match="the ear's option model is a folder, or a name on a hub, got 3"):
        Emotion2Vec(model=3)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="which model runs here"):
        Emotion2Vec(model="")
