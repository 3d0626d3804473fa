"""Two runs on the same items, with numbers worked out by hand."""

import math
from pathlib import Path

import pytest

from aptone.errors import RunError, UsageError
from aptone.run import Run, RunFolder, load_run
from aptone.run.compare import compare
from aptone.types import Entry, Item, Json, Outcome, Score, State
from tests.run.run_steps import CONFIG


def _run(
    folder: Path,
    scores: dict[str, float],
    *,
    signature: str = "judge|1",
    take: str = "1",
    name: str = "aptness",
    answer: str = "",
) -> Run:
    with RunFolder(folder, CONFIG) as opened:
        for position, (identity, value) in enumerate(scores.items()):
            score = Score(value, reason="no voice" if math.isnan(value) else "", higher_is_better=False)
            evidence: dict[str, Json] = {"answers": [{"path": "a.wav", "sha256": answer}]} if answer else {}
            outcome = Outcome(State.DONE, scores={name: score}, signature=signature, evidence=evidence)
            item = Item.make(identity, {"take": take}, position=position)
            opened.journal.append([Entry(item=item, outcome=outcome), Entry(item=item, outcome=outcome, repeat=1)])
        opened.journal.append([Entry(item=Item.make("broken", {}), outcome=Outcome.failed("down"))])
    return load_run(folder)


def test_runs_are_compared_over_the_items_that_both_scored(tmp_path: Path) -> None:
    first = _run(tmp_path / "a", {"x": 1.0, "y": 2.0, "z": 3.0, "gone": 9.0, "mute": math.nan})
    second = _run(tmp_path / "b", {"x": 2.0, "y": 2.5, "z": 5.0, "new": 9.0, "mute": 1.0}, take="2")
    found = compare(first, second)
    assert found.score == "aptness"
    assert found.difference.value == pytest.approx((1.0 + 0.5 + 2.0) / 3)
    assert found.difference.count == 3
    assert found.difference.low <= found.difference.value <= found.difference.high
    assert found.p_value == 0.25  # of the 8 ways to swap, only +++ and --- lie as far from 0
    assert found.mean_first == 2.0
    assert found.mean_second == pytest.approx(9.5 / 3)
    assert [(change.id, change.difference) for change in found.changes] == [("z", 2.0), ("x", 1.0), ("y", 0.5)]
    assert (found.only_first, found.only_second) == (("gone",), ("mute", "new"))
    assert found.warnings == ()
    assert found.higher_is_better is False


def test_runs_are_also_compared_by_their_folders(tmp_path: Path) -> None:
    first, second = _run(tmp_path / "a", {"x": 1.0, "y": 2.0}), _run(tmp_path / "b", {"x": 2.0, "y": 3.0}, take="2")
    assert compare(tmp_path / "a", str(tmp_path / "b")) == compare(first, second)
    with pytest.raises(RunError, match="not a run folder"):
        compare(first, tmp_path)


def test_the_same_seed_gives_the_same_interval(tmp_path: Path) -> None:
    first = _run(tmp_path / "a", {f"i{n}": float(n % 3) for n in range(20)})
    second = _run(tmp_path / "b", {f"i{n}": float(n % 5) for n in range(20)})
    assert compare(first, second, seed=4) == compare(first, second, seed=4)


def test_two_judges_make_a_comparison_doubtful(tmp_path: Path) -> None:
    first = _run(tmp_path / "a", {"x": 1.0, "y": 2.0})
    second = _run(tmp_path / "b", {"x": 2.0, "y": 2.5}, signature="judge|2", take="2")
    assert compare(first, second).warnings == ("the scores were not all made by the same judge: judge|1; judge|2",)


def test_the_very_same_recordings_with_the_same_judge_are_remarked_on(tmp_path: Path) -> None:
    first, second = _run(tmp_path / "a", {"x": 1.0, "y": 2.0}), _run(tmp_path / "b", {"x": 1.0, "y": 2.0})
    found = compare(first, second)
    assert found.warnings == ("both runs judged the very same recordings with the same judge",)
    assert found.difference.value == 0.0


def test_other_answers_of_a_system_are_other_recordings(tmp_path: Path) -> None:
    first, second, third = (_run(tmp_path / name, {"x": 1.0}, answer=name[0]) for name in ("old", "new", "older"))
    assert compare(first, second).warnings == ()
    assert compare(first, third).warnings == ("both runs judged the very same recordings with the same judge",)


def test_runs_whose_ids_all_differ_are_refused_and_ids_of_both_are_named(tmp_path: Path) -> None:
    first, second = _run(tmp_path / "a", {"x": 1.0}), _run(tmp_path / "b", {"y": 2.0})
    with pytest.raises(UsageError, match=r"the ids differ \('x' in the first, 'y' in the second\)"):
        compare(first, second)


def test_runs_without_a_common_score_are_refused_and_their_scores_named(tmp_path: Path) -> None:
    first, second = _run(tmp_path / "a", {"x": 1.0}), _run(tmp_path / "b", {"x": 2.0}, name="pace")
    with pytest.raises(
        UsageError, match=r"no item that both scored with 'aptness'\. Scores in these runs: aptness, pace"
    ):
        compare(first, second)
    with pytest.raises(UsageError, match=r"with 'mood'"):
        compare(first, first, score="mood")
    empty = _run(tmp_path / "c", {})
    with pytest.raises(UsageError, match=r"Scores in these runs: none"):
        compare(empty, empty)
