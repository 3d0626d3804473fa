import json
from pathlib import Path

import numpy as np
import pytest

from aptone.errors import RecordError, UsageError
from aptone.rooms.dialogue.config import PAPER, DialogueConfig, Weights, estimate_thresholds, read_config
from aptone.types import Vad, dumps, to_json
from tests.tables import for_each


def test_a_config_comes_back_from_its_file(tmp_path: Path) -> None:
    config = DialogueConfig(scale=4.0, extreme=Vad(-0.1, 0.2, 0.3), turn_weights=Weights(0.5, 0.3, 0.2))
    path = tmp_path / "config.json"
    path.write_text(dumps(to_json(config)), encoding="utf-8")
    assert read_config(path) == config
    assert read_config(path).signature == config.signature != PAPER.signature


def test_what_a_file_does_not_name_is_as_in_the_paper(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"scale": 3.0}', encoding="utf-8")
    assert read_config(path) == DialogueConfig(scale=3.0)


@for_each(
    ("data", "message"),
    [
        ({"scale": 0}, "the scale K is a positive number"),
        ({"scael": 5}, "scael"),
        ({"unsteady": -1}, "steadiness"),
        ({"extreme": {"valence": None, "arousal": 0.1, "dominance": 0.1}}, "extreme: valence, arousal and dominance"),
        ({"table": {"neutral": {"happy": 1.0}}}, "one row and one column"),
        ({"table": {"neutral": {"neutral": None}}}, "numbers only"),
        ({"turn_weights": {"contagion": -1, "balancing": 1, "stability": 1}}, "weights"),
    ],
)
def test_a_constant_that_makes_no_sense_is_refused_by_file(tmp_path: Path, data: object, message: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(RecordError, match=message) as raised:
        read_config(path)
    assert "config.json" in str(raised.value)


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read"):
        read_config(tmp_path / "none.json")


def test_a_fifth_of_the_turns_is_extreme_in_each_dimension() -> None:
    generator = np.random.default_rng(1)
    turns = [np.clip(generator.normal(0.1, 0.3, size=(8, 3)), -1, 1) for _ in range(200)]
    config = estimate_thresholds(turns)
    means = np.array([turn.mean(axis=0) for turn in turns])
    assert (means[:, 0] < config.extreme.valence).mean() == pytest.approx(0.2)
    assert (means[:, 1] > config.extreme.arousal).mean() == pytest.approx(0.2)
    assert (means[:, 2] < config.extreme.dominance).mean() == pytest.approx(0.2)


def test_the_shift_leads_from_the_threshold_to_the_mean_of_the_corpus() -> None:
    turns = [[[0.1 * n, 0.1 * n + 0.2, 0.05 * n]] for n in range(-5, 6)]
    config = estimate_thresholds(turns)
    # means: valence 0, arousal 0.2, dominance 0; thresholds at the third value from the end: -0.3, 0.5, -0.15
    assert (config.shift.valence, config.shift.arousal, config.shift.dominance) == pytest.approx((0.3, -0.3, 0.15))
    assert config.unsteady == PAPER.unsteady  # one point a turn: no change was ever seen


def test_the_limit_of_steadiness_is_the_same_percentile_of_all_changes() -> None:
    turns = [[[0.0, 0.0, 0.0], [0.01 * n, 0.01 * n, 0.01 * n]] for n in range(1, 12)]
    # changes 0.01 … 0.11, three times each: the 80th percentile is the ninth of eleven
    assert estimate_thresholds(turns).unsteady == pytest.approx(0.09)


def test_points_without_speech_are_left_out() -> None:
    turns = [[[0.1 * n, 0.0, 0.0], [np.nan, np.nan, np.nan]] for n in range(-5, 6)]
    assert estimate_thresholds(turns).extreme.valence == pytest.approx(-0.3)


def test_too_few_turns_and_no_trajectories_are_refused() -> None:
    with pytest.raises(RecordError, match="4 of 5 turns have points"):
        estimate_thresholds([[[0.0, 0.0, 0.0]]] * 4 + [[]])
    with pytest.raises(RecordError, match="turn 1: expected valence"):
        estimate_thresholds([[[0.0, 0.0, 2.0]]])
    with pytest.raises(UsageError, match="between 50 and 100"):
        estimate_thresholds([], percentile=20)
