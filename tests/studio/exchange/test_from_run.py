"""From a run to raters, closest calls first and blind, and what they said back to the run, whose scores stay."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.ratings.people import Vote, read_people
from aptone.report.listeners import ORDER, order_agreement
from aptone.report.run_report import finish_run
from aptone.run import RunConfig, RunFolder, load_run, read_trust
from aptone.studio.exchange.apply_ratings import people_ratings
from aptone.studio.exchange.from_run import UNSURE, task_from_run
from aptone.studio.runs import CALIBRATION, apply_ratings, note_runs, runs_of
from aptone.types import (
    Control,
    Entry,
    Item,
    Json,
    Line,
    Outcome,
    Rating,
    RatingTask,
    Sample,
    Score,
    Shown,
    State,
    to_json,
)
from tests.studio.exchange.test_imports import clip, clips, project

__all__ = ["clips"]


def run_of(folder: Path, scores: Mapping[str, float | None], clips: Path, *, spread: float = 0.1) -> Path:
    """A run with an item for each name, ``LINE-TAKE``, and the score of each; none where it failed."""
    with RunFolder(folder, RunConfig("score", "built-in", settings={"judge": "judge:test", "planner": "p"})) as opened:
        for place, (name, score) in enumerate(scores.items()):
            line, _, take = name.partition("-")
            ids = {"take": take or name, "story": line}
            audio = clip(clips, place % 5)
            sample = Sample(name, audio, Line(f"Line {line}.", "Mara"), context=(Line("Night fell."),), ids=ids)
            outcome = Outcome.failed("no reply")
            if score is not None:
                outcome = Outcome(State.DONE, {"main": Score(score, range=(0.0, 5.0), spread=spread)})
            opened.journal.append([Entry(Item.make(name, to_json(sample), position=place), outcome)])
    return folder


TAKES = {"a-1": 4.0, "a-2": 1.0, "b-1": 3.0, "b-2": 3.1, "b-3": 0.5, "c-1": 2.0, "c-2": None, "d-1": 3.0, "d-2": 3.4}


def test_takes_come_by_how_close_the_call_is_and_lines_without_two_scores_are_left_out(
    tmp_path: Path, clips: Path
) -> None:
    run = run_of(tmp_path / "ranked", TAKES, clips)
    task = task_from_run([run], folder=project(tmp_path), takes=True)
    assert [item.id for item in task.items] == ["b-2", "d-2", "a-1"]  # leads of 0.1, 0.4 and 3
    assert not task.shuffled
    first = task.items[0]
    assert first.hidden["run_items"] == {"first": "b-2", "second": "b-1"}
    assert (first.hidden["judge_choice"], first.hidden["run"]) == ("first", "ranked")
    unsure = [float(str(item.hidden[UNSURE])) for item in task.items]
    assert unsure == sorted(unsure, reverse=True)
    assert unsure[-1] < 1e-6 < unsure[0]
    assert len(task_from_run([run], folder=project(tmp_path), takes=True, count=1).items) == 1


def test_nothing_of_the_judge_is_in_what_raters_get(tmp_path: Path, clips: Path) -> None:
    task = task_from_run([run_of(tmp_path / "ranked", TAKES, clips)], folder=project(tmp_path), takes=True)
    for item in task.items:
        seen = json.dumps([to_json(one) for one in item.audio.values()]) + json.dumps(dict(item.fields))
        assert "judge" not in seen
        assert "take" not in seen.replace("takes", "")
        assert "3.1" not in seen


def test_a_task_with_sets_gets_all_takes_of_a_line(tmp_path: Path, clips: Path) -> None:
    asked = Control("aptness", "ratings", {"en": "?"}, low=0, high=5, step=0.1, prefill="takes")
    template = RatingTask(
        "sets", {"en": "t"}, {}, (Shown("story", "story"), Shown("takes", "set")), (asked,), (), raters_per_item=2
    )
    path = tmp_path / "sets.json"
    path.write_text(json.dumps(to_json(template)), encoding="utf-8")
    run = run_of(tmp_path / "ranked", TAKES, clips)
    task = task_from_run([run], folder=project(tmp_path), takes=True, template=str(path))
    assert task.items[0].fields["takes"] == ["take1", "take2", "take3"]
    assert task.items[0].hidden["run_items"] == {"take1": "b-1", "take2": "b-2", "take3": "b-3"}


def test_items_of_a_run_come_by_the_width_of_their_intervals(tmp_path: Path, clips: Path) -> None:
    with RunFolder(tmp_path / "run", RunConfig("score", "built-in")) as opened:
        for place, spread in enumerate((0.1, 0.9, 0.4)):
            sample = Sample(f"l{place}", clip(clips, place), Line("Go!"), ids={"story": "s"})
            score = Score(3.0, range=(0.0, 5.0), spread=spread)
            item = Item.make(sample.id, to_json(sample), position=place)
            opened.journal.append([Entry(item, Outcome(State.DONE, {"main": score}))])
    task = task_from_run([tmp_path / "run"], folder=project(tmp_path))
    assert (task.name, [item.id for item in task.items]) == ("ceaeval-d", ["l1", "l2", "l0"])
    assert task.items[0].hidden["run_items"] == {"audio": "l1"}


def test_two_runs_are_compared_line_by_line_by_the_names_of_their_systems(tmp_path: Path, clips: Path) -> None:
    one = run_of(tmp_path / "old", {"x": 3.0, "y": 1.0, "only": 2.0}, clips)
    two = run_of(tmp_path / "new", {"x": 3.2, "y": 4.0}, clips)
    task = task_from_run([one, two], folder=project(tmp_path), systems=("A", "B"))
    assert [item.id for item in task.items] == ["x", "y"]
    assert task.items[0].hidden["systems"] == {"first": "A", "second": "B"}
    assert task.items[0].hidden["run"] == {"first": "old", "second": "new"}


@pytest.mark.parametrize("scores", [{"a-1": 1.0, "b-1": 2.0}, {"a-1": None, "a-2": 3.0}])
def test_a_run_without_two_takes_of_a_line_is_refused(
    tmp_path: Path, clips: Path, scores: dict[str, float | None]
) -> None:
    with pytest.raises(UsageError, match="nothing to compare"):
        task_from_run([run_of(tmp_path / "run", scores, clips)], folder=project(tmp_path), takes=True)


def test_a_task_that_compares_nothing_is_refused_for_takes(tmp_path: Path, clips: Path) -> None:
    run = run_of(tmp_path / "run", TAKES, clips)
    with pytest.raises(UsageError, match="no pair or set"):
        task_from_run([run], folder=project(tmp_path), takes=True, template="s3bench")


def rating(item: str, rater: str, **answers: Json) -> Rating:
    return Rating("t", item, rater, answers)


def test_choices_between_takes_reach_the_trust_card_beside_the_ceiling_and_no_score_changes(
    tmp_path: Path, clips: Path
) -> None:
    run = run_of(tmp_path / "ranked", TAKES, clips)
    journal = (run / "journal.jsonl").read_bytes()
    task = task_from_run([run], folder=project(tmp_path), takes=True, name="t")
    # b-2 is the judge's choice, d-2, a-1: people agree with it on a (3 of 3) and d (2 of 3), and not on b (1 of 3).
    votes = {"b-2": ("first", "second", "second"), "d-2": ("first", "first", "second"), "a-1": ("first",) * 3}
    better = task.controls[0].name
    ratings = [rating(item, f"R{n}", **{better: vote}) for item, own in votes.items() for n, vote in enumerate(own)]
    note_runs(project(tmp_path), [run])
    (applied,) = apply_ratings(task, ratings, runs_of(project(tmp_path), task))
    assert (applied.ratings, applied.people) == (9, 3)
    card = read_trust(run)
    assert card.agreement[ORDER].value == pytest.approx(6 / 9)
    # Each vote against the other two: b: first meets two seconds 0, the others a tie ½ each; d: ½ + ½ + 0; a: 3.
    assert card.ceiling[ORDER].value == pytest.approx((1 + 1 + 3) / 9)
    assert card.agreement[ORDER].low < card.agreement[ORDER].value < card.agreement[ORDER].high
    assert (run / "journal.jsonl").read_bytes() == journal
    assert applied.calibration is None
    assert "no numbers" in applied.why


def test_choices_between_two_runs_count_for_both_by_the_scores_of_the_same_judge(tmp_path: Path, clips: Path) -> None:
    one = run_of(tmp_path / "old", {"x": 3.0, "y": 1.0}, clips)
    two = run_of(tmp_path / "new", {"x": 3.5, "y": 4.0}, clips)
    task = task_from_run([one, two], folder=project(tmp_path), name="t")
    better = task.controls[0].name
    ratings = [rating("x", "R1", **{better: "first"}), rating("y", "R1", **{better: "second"})]
    applied = apply_ratings(task, ratings, {"old": one, "new": two})
    assert [card.card.agreement[ORDER].value for card in applied] == [0.5, 0.5]  # right about y, wrong about x
    assert Vote("R1", "x", "new/x", scores={"new/x": 3.5}) in read_people(one).votes
    assert Vote("R1", "old/x", "x", scores={"old/x": 3.0}) in read_people(two).votes


def test_numbers_reach_agreement_ceiling_and_calibration_and_stay_when_the_report_is_made_again(
    tmp_path: Path, clips: Path
) -> None:
    scores: dict[str, float | None] = {f"l{number}": number % 11 * 0.4 for number in range(30)}
    run = run_of(tmp_path / "run", scores, clips)
    task = task_from_run([run], folder=project(tmp_path), name="t")
    ratings = [
        rating(name, rater, overall_score=min(5.0, 1.0 + 0.6 * float(score or 0) + shift))
        for name, score in scores.items()
        for rater, shift in (("R1", 0.0), ("R2", 0.2))
    ]
    (applied,) = apply_ratings(task, ratings, {"run": run}, control="overall_score")
    assert applied.card.agreement["LCC"].value == pytest.approx(1.0)
    assert applied.card.agreement["LCC"].count == 30
    assert applied.card.ceiling["ACC"].value == 1.0
    assert applied.calibration is not None
    assert (run / CALIBRATION).is_file()
    assert applied.calibration.kind != "identity"
    again = finish_run(load_run(run))
    assert again.card.agreement == applied.card.agreement


def test_a_scale_of_a_question_is_mapped_to_that_of_the_score(tmp_path: Path, clips: Path) -> None:
    run = run_of(tmp_path / "run", {"x": 3.0}, clips)
    task = task_from_run([run], folder=project(tmp_path), name="t", template="ceaeval-d")
    asked = Control("fit", "scale", {"en": "?"}, low=1, high=5, step=1)
    mapped = people_ratings(
        replace(task, controls=(asked, *task.controls)),
        [rating("x", "R1", fit=3)],
        ranges={"run": (0.0, 5.0)},
        control="fit",
    )
    assert [one.answers for one in mapped["run"]] == [{"score": 2.5}]  # the middle of 1 to 5 is that of 0 to 5


def test_a_task_that_came_from_no_run_and_a_run_that_is_gone_are_refused(tmp_path: Path, clips: Path) -> None:
    task = RatingTask("t", {}, {}, (), (), ())
    with pytest.raises(UsageError, match="came from no run"):
        people_ratings(task, [], ranges={})
    made = task_from_run([run_of(tmp_path / "run", TAKES, clips)], folder=project(tmp_path), takes=True)
    with pytest.raises(UsageError, match="not where it was"):
        runs_of(project(tmp_path), made)


def test_order_agreement_counts_ties_half_and_leaves_out_what_has_no_score() -> None:
    votes = [Vote("R1", "a", "b"), Vote("R2", "b", "a", tie=True), Vote("R1", "a", "unscored")]
    judge, people = order_agreement({"a": 4.0, "b": 1.0}, votes)
    assert (judge.value, judge.count) == (0.75, 2)
    assert people.value == 0.5


def test_audio_refs_of_takes_are_copied_under_names_that_say_nothing(tmp_path: Path, clips: Path) -> None:
    task = task_from_run([run_of(tmp_path / "ranked", TAKES, clips)], folder=project(tmp_path), takes=True)
    assert all(
        audio.path.startswith("clips/") and "angry" not in audio.path
        for item in task.items
        for audio in item.audio.values()
    )
