import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import json
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from aptone.errors import RecordError, UsageError
from recipes.ear.calibrate import (
    answered_temperatures,
    calibrate,
    event_thresholds,
    fitted_temperature,
    made_temperatures,
    matched_temperature,
)
from recipes.ear.config import Recipe, recipe_named
from recipes.ear.data import Clip
from recipes.ear.labels import EMOTION_ORDER
from recipes.ear.train import train_together
from tests.recipes.ear.test_losses import batch_of, silence
from tests.recipes.ear.tiny_corpus import CPU, Tiny

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Log = Callable[[str], None]


def drawn(temperature: float, *, seed: int = 3) -> tuple[Floats, Integers]:
    """20,000 cases of three choices whose truth is drawn from the logits divided by a temperature."""
    random = np.random.default_rng(seed)
    logits = random.normal(scale=2.0, size=(20_000, 3))
    shares = np.exp(logits / temperature)
    shares /= shares.sum(axis=1, keepdims=True)
    truth = (random.random((len(logits), 1)) > shares.cumsum(axis=1)).sum(axis=1)
    return logits, truth


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_the_temperature_that_the_truth_was_drawn_with_is_found(temperature: float) -> None:
    logits, truth = drawn(temperature)
    assert fitted_temperature(logits, truth) == pytest.approx(temperature, rel=0.04)
    assert matched_temperature(logits, truth, np.ones(len(truth))) == pytest.approx(temperature, rel=0.04)


def test_a_case_counts_as_much_as_its_weight() -> None:
    (sure, right), (unsure, wrong) = drawn(0.5), drawn(2.5, seed=4)
    logits, truth = np.concatenate([sure, unsure]), np.concatenate([right, wrong])
    weights = np.repeat([1.0, 0.0], len(right))
    assert fitted_temperature(logits, truth, weights) == fitted_temperature(sure, right)
    assert matched_temperature(logits, truth, weights) == matched_temperature(sure, right, np.ones(len(right)))


def test_what_is_always_right_gets_the_lowest_temperature_and_what_never_is_the_highest() -> None:
    logits = np.tile([2.0, 0.0], (50, 1))
    assert fitted_temperature(logits, np.zeros(50, dtype=np.int64)) == pytest.approx(0.2, rel=0.01)
    assert fitted_temperature(logits, np.ones(50, dtype=np.int64)) == pytest.approx(5.0, rel=0.01)


def answer_file(path: Path, clips: list[Clip], *, right: float, sets: tuple[str, ...]) -> Path:
    """Answers that give the true label a logit of 2 in a share of the clips, and in the others that of a wrong one."""
    logits = np.zeros((len(clips), len(EMOTION_ORDER)))
    for row, clip in enumerate(clips):
        others = sorted({other.label for other in clips if other.set == clip.set} - {clip.label})
        named = clip.label if row % 10 < right * 10 else others[0]
        logits[row, [emotion.value for emotion in EMOTION_ORDER].index(named)] = 2.0
    np.savez(
        path,
        name=np.array([clip.name for clip in clips]),
        emotion_logits=logits,
        sex_logit=np.array([4.0 if clip.sex == "female" else -4.0 for clip in clips]),
        intensity=np.zeros(len(clips)),
    )
    record = {"recipe": asdict(replace(Recipe(), sets=sets)), "sounds": [], "trained_sounds": []}
    path.with_suffix(".json").write_text(json.dumps(record), encoding="utf-8")
    return path


def clips_of(name: str, *, split: str = "dev", count: int = 200) -> list[Clip]:
    sexes, labels, strengths = ("female", "male"), ("happy", "sad"), ("normal", "strong")
    return [
        Clip(
            Path(f"{split}-{number}.ogg"),
            name,
            "someone",
            sexes[number % 2],
            "",
            "",
            labels[number % 3 == 0],
            strengths[number % 2] if name == "ravdess" else "",
            split,
            (),
        )
        for number in range(count)
    ]


def test_the_emotion_is_as_sure_as_it_is_right(tmp_path: Path) -> None:
    clips = clips_of("ravdess")
    path = answer_file(tmp_path / "a.npz", clips, right=0.7, sets=("ravdess",))
    found = answered_temperatures([path], clips, intensity=True)
    # two labels in the set, 2 / T apart: 70 % where 1 / (1 + exp(-2 / T)) = 0.7
    assert found["emotion"] == pytest.approx(2 / math.log(0.7 / 0.3), rel=0.01)
    assert found["sex"] == pytest.approx(0.2, rel=0.01)  # never wrong: as sure as may be


def test_clips_of_a_test_part_are_never_used(tmp_path: Path) -> None:
    dev, test = clips_of("nemo"), clips_of("nemo", split="test", count=800)
    mixed = answer_file(tmp_path / "a.npz", dev, right=0.8, sets=("nemo",))
    wrong = answer_file(tmp_path / "b.npz", test, right=0.0, sets=("nemo",))
    alone = answered_temperatures([mixed], dev, intensity=False)
    assert answered_temperatures([mixed, wrong], [*dev, *test], intensity=False) == alone


def test_a_large_set_counts_no_more_than_a_small_one(tmp_path: Path) -> None:
    small, large = clips_of("emodb", count=100), clips_of("nemo", count=1000)
    one = answer_file(tmp_path / "one.npz", small, right=0.9, sets=("emodb",))
    other = answer_file(tmp_path / "other.npz", large, right=0.7, sets=("nemo",))
    found = answered_temperatures([one, other], [*small, *large], intensity=False)
    assert found["emotion"] == pytest.approx(2 / math.log(0.8 / 0.2), rel=0.01)  # right in 80 % of equal halves


def test_intensity_counts_only_where_the_run_was_taught_it(tmp_path: Path) -> None:
    clips = clips_of("ravdess")
    stranger = answer_file(tmp_path / "without-ravdess.npz", clips, right=0.7, sets=("nemo",))
    assert "intensity" not in answered_temperatures([stranger], clips, intensity=False)
    with pytest.raises(UsageError, match="nothing to calibrate intensity with; name more runs with --answers"):
        answered_temperatures([stranger], clips, intensity=True)


def test_a_file_without_answers_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "odd.npz", something=np.zeros(3))
    with pytest.raises(RecordError, match=r"odd\.npz: no answers of a run"):
        answered_temperatures([tmp_path / "odd.npz"], clips_of("nemo"), intensity=False)


def test_what_is_made_is_calibrated_by_what_was_done_to_it(tiny: Tiny) -> None:
    rows = tiny.rows
    knowing = silence(batch_of(tiny, list(range(len(rows.first)))))._replace(
        condition=5.0 * torch.nn.functional.one_hot(rows.condition, 5).float(),
        music=torch.where(rows.music > 0, 5.0, -5.0),
        adult=torch.where((rows.adult > 0) & (tiny.labels.child[rows.first] == 0), -5.0, 5.0),
    )
    found = made_temperatures(knowing, rows, tiny.labels, sounds=False)
    assert found == {"condition": pytest.approx(0.2, rel=0.01), "music": pytest.approx(0.2, rel=0.01)} | {
        "adult": pytest.approx(5.0, rel=0.01)
    }
    assert "events" in made_temperatures(knowing, rows, tiny.labels, sounds=True)


def test_an_ear_that_knows_children_is_calibrated_as_right(tiny: Tiny) -> None:
    children = [place for place, clip in enumerate(tiny.corpus.clips) if clip.age in {"7", "9"}]
    grown_up = [place for place, clip in enumerate(tiny.corpus.clips) if clip.age == "30"]
    count = len(tiny.rows.first)
    first = torch.tensor([(children + grown_up)[row % (len(children) + len(grown_up))] for row in range(count)])
    rows = replace(tiny.rows, first=first, adult=torch.ones(count))
    logits = torch.where(tiny.labels.child[first] > 0, -5.0, 5.0)
    heard = silence(batch_of(tiny, list(range(count))))._replace(adult=logits)
    assert made_temperatures(heard, rows, tiny.labels, sounds=False)["adult"] == pytest.approx(0.2, rel=0.01)
    unclear = replace(tiny.labels, has_age=torch.zeros_like(tiny.labels.has_age))
    unclear.has_age[grown_up] = 1.0  # children of whom nobody knows the age do not count, however wrong
    wrong = heard._replace(adult=torch.full((count,), 5.0))
    assert made_temperatures(wrong, rows, unclear, sounds=False)["adult"] == pytest.approx(0.2, rel=0.01)


def test_a_threshold_lies_where_few_rows_without_the_event_would_be_reported() -> None:
    # 1,000 rows of 20 frames; in row r the event is r / 1000 likely for 10 frames (0.2 s), and surer for one frame
    likely = np.zeros((1000, 20, 2))
    likely[:, 5:15, 0] = np.arange(1000)[:, None] / 1000
    likely[:, 18, 0] = 1.0
    sounds = np.full((1000, 20), -1)
    found = event_thresholds(likely, sounds, ("crying_baby", "rain"))
    assert found == {"crying baby": 0.95, "rain": 0.02}  # 0.994 and 0.0, within what is allowed
    sounds[400:, 3] = 0  # where the event is, it may be heard: 400 rows are left, of which 0.5 % lie above 0.397
    assert event_thresholds(likely, sounds, ("crying_baby", "rain"))["crying baby"] == pytest.approx(0.397, abs=0.001)
    sounds[200:, 3] = 1  # 800 rows with rain, of which 5 % may be taken for a crying baby: 0.2 + 0.95 · 0.8
    assert event_thresholds(likely, sounds, ("crying_baby", "rain"))["crying baby"] == pytest.approx(0.95, abs=0.01)
    sounds[600:, 3] = 0  # 400 rows with rain and up to 0.6: 0.2 + 0.95 · 0.4
    assert event_thresholds(likely, sounds, ("crying_baby", "rain"))["crying baby"] == pytest.approx(0.58, abs=0.002)


def test_an_ear_is_calibrated_from_what_its_runs_left(tiny: Tiny, out: Path, log: Log) -> None:
    recipes = [
        replace(recipe_named(name, seed=1), steps=2, batch_size=6, trunk_lr_ratio=0.0) for name in ("all", "train-only")
    ]
    train_together(recipes, tiny.corpus, tiny.rows, tiny.start, out, device=CPU, log=log)
    found = calibrate(
        [out / "all-seed1.safetensors"],
        tiny.start,
        tiny.pack,
        [out / "train-only-seed1.npz"],
        rows=12,
        device=CPU,
        workers=1,
        log=log,
    )
    assert set(found.temperatures) == {"emotion", "sex", "intensity", "condition", "music", "adult", "events"}
    assert all(0.19 < value < 5.01 for value in found.temperatures.values())
    assert set(found.events) == {"coughing", "laughing", "rain", "sighing"}
