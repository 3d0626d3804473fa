import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aptone as package
from aptone.run import Budget, RunConfig, run_items
from aptone.run.step import Call
from aptone.types import Item, Outcome, Score, State

pytestmark = pytest.mark.slow

JUDGE = "judge:made-up"


def step(item: Item, call: Call) -> Outcome:
    return Outcome(State.DONE, scores={"aptness": Score(float(str(item.payload["score"])), range=(0.0, 5.0))})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run over 40 lines, and a table of ratings that are half of each score, and one."""
    generator = np.random.default_rng(0)
    scores = generator.uniform(0, 5, 40)
    items = [Item.make(str(number), {"score": float(score)}) for number, score in enumerate(scores)]
    config = RunConfig("score", "made-up", settings={"judge": JUDGE, "planner": "by-hand"})
    run_items(items, step, folder=tmp_path / "run", config=config, budget=Budget())
    rows = [f"{number},{1 + score / 2 + generator.normal(0, 0.1):.3f}" for number, score in enumerate(scores)]
    (tmp_path / "ratings.csv").write_text("id,rating\n" + "\n".join(rows))
    return tmp_path


def test_a_calibration_is_written_as_json_with_what_it_is_worth(aptone: Callable[..., Any], folder: Path) -> None:
    shown = aptone("calibrate", "run", "--ratings", "ratings.csv", "-o", "c.json")
    assert shown.code == 0
    assert "cross-validation prefers a straight line" in shown.out
    assert "the mean error fell from" in " ".join(shown.out.split())
    written = json.loads((folder / "c.json").read_text())
    assert (written["kind"], written["judge"], written["ratings"]) == ("affine", JUDGE, 40)
    assert written["slope"] == pytest.approx(0.5, abs=0.05)


def test_the_same_for_machines_and_in_mandarin(aptone: Callable[..., Any], folder: Path) -> None:
    shown = aptone("calibrate", "run", "--ratings", "ratings.csv", "--json").json
    assert (shown["file"], shown["gain"], shown["groups"]) == ("calibration.json", True, 0)
    assert shown["calibration"]["after"]["MAE"]["count"] == 40
    assert "交叉验证选择了直线" in aptone("calibrate", "run", "--ratings", "ratings.csv", "--language", "zh").out


def test_without_a_sure_gain_it_says_so_and_how_to_take_the_mapping_all_the_same(
    aptone: Callable[..., Any], folder: Path
) -> None:
    generator = np.random.default_rng(1)
    scores = [(entry.item.id, float(str(entry.item.payload["score"]))) for entry in package.load_run("run").entries]
    # near the line 0.4 + 0.8 score, with so much noise that 40 ratings cannot make sure that it helps
    ratings = [(name, float(np.clip(0.4 + 0.8 * score + generator.normal(0, 0.7), 0, 5))) for name, score in scores]
    (folder / "noisy.csv").write_text("id,rating\n" + "\n".join(f"{name},{rating:.3f}" for name, rating in ratings))
    shown = aptone("calibrate", "run", "--ratings", "noisy.csv")
    told = " ".join(shown.out.split())
    assert "40 ratings showed no sure gain" in told
    assert "--force writes a straight line all the same" in told
    forced = aptone("calibrate", "run", "--ratings", "noisy.csv", "--force").out
    assert "which is no sure gain" in " ".join(forced.split())
    assert "--force" not in forced


def test_too_few_ratings_are_refused_and_nothing_is_written(aptone: Callable[..., Any], folder: Path) -> None:
    (folder / "few.csv").write_text("id,rating\n1,2\n2,3\n")
    shown = aptone("calibrate", "run", "--ratings", "few.csv", "-o", "c.json")
    assert shown.code == 2
    assert "2 of the run's scored items have a rating, and a calibration needs at least 20" in shown.err
    assert not (folder / "c.json").exists()


def test_a_run_without_a_judge_or_with_a_calibrated_one_is_refused(aptone: Callable[..., Any], tmp_path: Path) -> None:
    items = [Item.make(str(number), {"score": number / 10, "human_score": 1.0}) for number in range(3)]
    run_items(items, step, folder=tmp_path / "bare", config=RunConfig("score", "made-up"))
    assert "does not say what its judge was" in aptone("calibrate", "bare").err
    calibrated = RunConfig("score", "made-up", settings={"judge": "judge:calibrated|x:1", "planner": "p"})
    run_items(items, step, folder=tmp_path / "twice", config=calibrated)
    assert "calibrated already" in aptone("calibrate", "twice").err


def test_scores_with_a_calibration_say_so_and_keep_the_raw_score(aptone: Callable[..., Any], clip: Path) -> None:
    given = ("score", clip, "--line", "Stay.", "--plan", '{"emotion": "grave", "rhythm": "heavy"}', "--json")
    raw = aptone(*given).json["outcome"]
    mapping = {"kind": "affine", "judge": raw["signature"], "intercept": 1.0, "slope": 0.5, "ratings": 30}
    Path("c.json").write_text(json.dumps(mapping))
    fitted = aptone(*given, "--calibration", "c.json").json
    value = raw["scores"]["aptness"]["value"]
    assert fitted["outcome"]["scores"]["aptness"]["value"] == pytest.approx(1.0 + 0.5 * value)
    assert fitted["outcome"]["scores"]["raw_aptness"]["value"] == value
    assert fitted["outcome"]["signature"] != raw["signature"]
    assert any("calibrated (affine) to 30 ratings" in note for note in fitted["notes"])
    same = aptone(*given, "--set", "judge.calibration=c.json").json
    assert same["outcome"]["signature"] == fitted["outcome"]["signature"]
    wrong = aptone(*given, "--calibration", "c.json", "--set", "judge.ear=permissive")
    assert wrong.code == 2
    assert "fitted on another judge" in wrong.err


def test_the_trust_card_of_a_calibrated_run_says_so(aptone: Callable[..., Any], clip: Path) -> None:
    given = ("score", clip, "--line", "Stay.", "--plan", '{"emotion": "grave"}')
    signature = aptone(*given, "--json").json["outcome"]["signature"]
    Path("c.json").write_text(json.dumps({"kind": "identity", "judge": signature, "ratings": 25}))
    shown = aptone(*given, "--calibration", "c.json", "-o", "run", "--json")
    assert any("25 ratings showed no sure gain" in note for note in shown.json["trust"]["notes"])
    (entry,) = package.load_run("run").entries
    assert entry.outcome.scores["raw_aptness"].value == entry.outcome.scores["aptness"].value
