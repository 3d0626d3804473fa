"""Fitting the calibration of evidence: blocks of answers, false claims kept low, the point of denials."""

import json
from pathlib import Path

import numpy as np
import pytest

from aptone.ear import load_ear
from aptone.ear.claims.limits import EVIDENCE
from aptone.ear.describe import Rate
from aptone.errors import UsageError
from aptone.rooms.style.evidence.odds import SHIPPED
from aptone.types import ClosedSet, Emotion
from recipes.style.calibrate import (
    FALSE,
    SHARES,
    Answer,
    Floats,
    calibrate,
    emotion_claims,
    equal_odds,
    fit_emotion,
    fit_scales,
    fitted,
    mean_probability,
    read_answers,
    scale_claims,
    sex_claims,
)

HEAD = "file,speaker,sex,age,language,emotion,intensity,text,split"
EMOTIONS = [Emotion.parse(name) for name in load_ear("full").meaning.emotions]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Four sets of labels, without recordings."""
    for name in ("ravdess", "nemo", "emodb", "csemotions"):
        (tmp_path / name).mkdir()
        rows = [
            f"{emotion}{n}.ogg,s{n},{'female' if n % 2 else 'male'},,en,{emotion},,,{split}"
            for n in range(6)
            for emotion in ("angry", "calm", "happy")
            for split in [("train", "dev", "test")[n % 3]]
        ]
        (tmp_path / name / "labels.csv").write_text("\n".join([HEAD, *rows]), encoding="utf-8")
    return tmp_path


def write_answers(folder: Path, recipe: str, of_set: str, *, sure: float) -> None:
    folder.mkdir(exist_ok=True)
    names = [f"{of_set}/{emotion}{n}.ogg" for n in range(6) for emotion in ("angry", "calm", "happy")]
    logits = np.zeros((len(names), len(EMOTIONS)))
    for row, name in enumerate(names):
        own = next(emotion for emotion in EMOTIONS if str(emotion) in name)
        logits[row, EMOTIONS.index(own)] = sure
    sex = [3.0 if int(name[-5]) % 2 else -3.0 for name in names]
    np.savez(
        folder / f"{recipe}-seed1.npz",
        name=names,
        emotion_logits=logits,
        valence=np.zeros(len(names)),
        arousal=np.zeros(len(names)),
        sex_logit=sex,
    )


def test_answers_of_ears_that_know_the_speaker_or_about_test_clips_do_not_count(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = tmp_path / "runs"
    write_answers(runs, "all", "ravdess", sure=9.0)
    with pytest.raises(UsageError, match="no answers"):
        read_answers(data, runs)
    write_answers(runs, "train-only", "ravdess", sure=2.0)
    write_answers(runs, "without-nemo", "nemo", sure=2.0)
    write_answers(runs, "emodb-fold0", "emodb", sure=2.0)
    write_answers(runs, "style-fold0", "csemotions", sure=2.0)
    monkeypatch.setattr("recipes.style.calibrate.STYLE_FOLDS", (("s0", "s2"),))
    blocks = read_answers(data, runs)
    # dev: two speakers with three emotions; whole sets: train and dev, four speakers; a fold: s0, for s2 is of test
    assert {name: len(block) for name, block in blocks.items()} == {
        "ravdess": 6,
        "without-nemo": 12,
        "emodb": 12,
        "csemotions": 3,
    }


def answers(count: int, *, right: float, seed: int = 1) -> list[Answer]:
    dice = np.random.default_rng(seed)
    made = []
    for number in range(count):
        truth = (Emotion.ANGRY, Emotion.CALM, Emotion.SAD)[number % 3]
        heard = truth if dice.random() < right else (Emotion.ANGRY, Emotion.CALM, Emotion.SAD)[(number + 1) % 3]
        shares = {one: 0.8 if one is heard else 0.2 / (len(EMOTIONS) - 1) for one in EMOTIONS}
        made.append(Answer(truth, "female" if number % 2 else "male", shares, (0.0, 0.0), 0.9 if number % 2 else 0.1))
    return made


def test_false_emotions_stay_low_and_true_ones_are_above() -> None:
    blocks = {"a": answers(90, right=0.8), "without-b": answers(90, right=0.6, seed=2)}
    weights, equal, share = fit_emotion(blocks)
    row = np.array([weights[name] for name in (*EVIDENCE, "bias")])
    claims = [emotion_claims(block) for block in blocks.values()]
    false, true = (mean_probability([getattr(one, kind) for one in claims], row) for kind in ("false", "true"))
    assert false <= FALSE
    assert true > 2.0 * false
    assert equal <= 0.0
    larger = fitted(claims, share=SHARES[SHARES.index(share) - 1])  # the share that was supposed is the largest
    assert SHARES[-1] < share < SHARES[0]
    assert mean_probability([one.false for one in claims], larger) > FALSE


def test_a_claim_of_a_sex_is_false_of_the_other() -> None:
    claims = sex_claims(answers(4, right=1.0))
    assert claims.true[:, 0] == pytest.approx([np.log(9.0)] * 4)
    assert claims.false[:, 0] == pytest.approx([-np.log(9.0)] * 4)


def test_slow_holds_of_what_is_very_slow_and_very_slow_not_of_what_is_slow() -> None:
    places = {Rate.VERY_SLOW: -2.0, Rate.SLOW: -1.0, Rate.MODERATE: 0.0, Rate.FAST: 1.0, Rate.VERY_FAST: 2.0}
    known: dict[ClosedSet, list[Floats]] = {value: [np.array([place])] for value, place in places.items()}
    (slow,) = scale_claims("rate", Rate.SLOW, known)
    assert sorted(slow.true[:, 0].tolist()) == [-2.0, -1.0]
    (slowest,) = scale_claims("rate", Rate.VERY_SLOW, known)
    assert slowest.true[:, 0].tolist() == [-2.0]
    (middle,) = scale_claims("rate", Rate.MODERATE, known)
    assert sorted(middle.false[:, 0].tolist()) == [1.0, 1.0, 2.0, 2.0]
    dice = np.random.default_rng(3)
    many: dict[ClosedSet, list[Floats]] = {value: [dice.normal(place, 0.3, 40)] for value, place in places.items()}
    scales, denied = fit_scales({"rate": many})
    assert scales["rate"]["slow"][0] < 0.0 < scales["rate"]["fast"][0]
    assert -1.0 < scales["rate"]["slow"][1] < 0.0 < scales["rate"]["fast"][1] < 1.0
    assert set(denied) == {f"rate: {value}" for value in places}
    assert max(denied.values()) <= 0.0


def test_the_point_of_denials_goes_by_the_worst_group_and_is_never_above_even() -> None:
    # 4 % of -3 … 1 lie below -3 + 0.04 · 4
    assert equal_odds([np.linspace(-1.0, 3.0, 101), np.linspace(-3.0, 1.0, 101)]) == pytest.approx(-2.84)
    assert equal_odds([np.full(10, 2.0)]) == 0.0


def test_a_fit_keeps_the_scales_of_an_earlier_one(data: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for recipe, of_set in (("train-only", "ravdess"), ("without-nemo", "nemo")):
        write_answers(runs, recipe, of_set, sure=3.0)
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    found = calibrate(data, runs, cache=tmp_path / "cache", kept=shipped)
    assert found["scales"] == shipped["scales"]
    assert found["ear"] == load_ear("full").signature
    assert set(found) == set(shipped)
