"""What CSER reads, and what hears with it."""

import sys
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import read
from aptone.ear import load_ear
from aptone.errors import AudioError, MissingExtraError, UsageError
from aptone.rooms.dialogue.hearing.cser import CserListener, EarFrontEnd, choose_listener, make_front_end
from aptone.rooms.dialogue.hearing.turns import EarListener
from aptone.types import Audio
from tests.models.local_speech_models import save_wavlm

CLIP = Path(__file__).resolve().parents[4] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"


def clip(seconds: float | None = None) -> Audio:
    audio = read(CLIP, rate=16_000)
    return audio if seconds is None else Audio(audio.samples[: round(seconds * 16_000)], rate=16_000, source="clip")


def test_the_vector_of_a_step_is_the_mean_of_its_frames() -> None:
    audio = clip(2.5)
    vectors = EarFrontEnd().vectors(audio, step=1.0)
    frames = load_ear("full").frames(audio)
    assert vectors.shape == (3, EarFrontEnd().size)
    # a frame has its middle 0.02 s after that of the frame before it: the first second holds the first fifty
    assert vectors[0] == pytest.approx(frames[:50].mean(axis=0), abs=0.02)
    finer = EarFrontEnd().vectors(audio, step=0.5)
    assert len(finer) == 5


def test_a_step_too_short_for_a_frame_repeats_the_one_before() -> None:
    vectors = EarFrontEnd("permissive").vectors(clip(2.001), step=1.0)
    assert len(vectors) == 3
    assert np.isfinite(vectors).all()


def test_what_is_too_short_is_refused() -> None:
    with pytest.raises(AudioError, match=r"0\.10 s of sound, need 0\.2 s"):
        EarFrontEnd().vectors(clip(0.1), step=1.0)


def test_wavlm_is_averaged_likewise(tmp_path: Path) -> None:
    front_end = make_front_end("wavlm", {"model": str(save_wavlm(tmp_path)), "device": "cpu"})
    vectors = front_end.vectors(clip(1.5), step=1.0)
    assert vectors.shape == (2, front_end.size) == (2, 16)
    assert front_end.about.extra == "local"
    assert front_end.signature != EarFrontEnd().signature


def test_unknown_features_and_options_are_refused() -> None:
    with pytest.raises(UsageError, match="no features 'nose'"):
        make_front_end("nose", {})
    with pytest.raises(UsageError, match="have no option 'stretch'"):
        make_front_end("wavlm", {"stretch": 3})
    assert make_front_end("ear", {"ear": "permissive"}).about.licence == "ear: permissive (Apache-2.0)"


def test_without_a_model_the_ear_listens() -> None:
    assert choose_listener("full", None, None) == EarListener("full", 1.0)
    assert choose_listener("full", None, 0.25).step == 0.25


def test_without_torch_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "aptone.models.local.cser", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"\[local\]"):
        CserListener(tmp_path, "full")
