"""Systems in order, and their differences over the lines that both have said."""

from pathlib import Path

import pytest

from aptone.types import Entry
from aptone.view import estimates
from aptone.view.leaderboard import leaderboards
from tests.run.index.test_journal_index import entry
from tests.view.test_shelf import make_run, shelf

LINES = [f"Line number {number}." for number in range(6)]


def said(system: str, values: list[float], *, first: int = 0) -> list[Entry]:
    return [
        entry(first + place, value, line=LINES[place], ids={"system": system} if system else {})
        for place, value in enumerate(values)
    ]


def test_runs_are_systems_and_are_compared_over_lines_not_ids(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "old", said("", [1.0, 2.0, 3.0, 2.0]))
    make_run(tmp_path / "runs" / "new", said("", [2.0, 3.0, 4.0, 3.0, 4.0], first=100))
    (board,) = leaderboards(shelf(tmp_path / "runs", indexes=tmp_path / "indexes").runs)
    best, other = board.standings
    assert (best.name, best.mean.value, best.difference) == ("new", 3.2, None)
    assert (other.name, other.shared, other.items) == ("old", 4, 4)
    assert other.difference is not None
    assert (other.difference.value, other.difference.low, other.difference.high) == (-1.0, -1.0, -1.0)
    assert other.is_behind
    assert (board.score, board.judges) == ("aptness", 1)


def test_systems_within_a_run_are_apart_and_takes_of_a_line_are_averaged(tmp_path: Path) -> None:
    takes = [
        *said("a", [2.0, 4.0]),
        *said("a", [4.0], first=10),  # a second take of the first line: 3.0 on average
        *said("b", [3.5, 3.5], first=20),
    ]
    make_run(tmp_path / "runs" / "mixed", takes)
    (board,) = leaderboards(shelf(tmp_path / "runs", indexes=tmp_path / "indexes").runs)
    assert [(one.name, one.label, one.items) for one in board.standings] == [("b", "b", 2), ("a", "a", 3)]
    difference = board.standings[1].difference
    assert difference is not None
    assert difference.value == pytest.approx(((3.0 - 3.5) + (4.0 - 3.5)) / 2)
    assert not board.standings[1].is_behind


def test_systems_that_share_no_line_have_no_difference_and_the_reason_is_said(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "one", said("", [5.0]))
    make_run(tmp_path / "runs" / "two", [entry(0, 1.0, line="Another story.")])
    (board,) = leaderboards(shelf(tmp_path / "runs", indexes=tmp_path / "indexes").runs)
    difference = board.standings[1].difference
    assert difference is not None
    assert not difference.is_defined
    assert difference.reason == "no items"
    assert not board.standings[1].is_behind


def test_one_system_alone_has_no_leaderboard(tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "one", said("", [5.0]))
    assert leaderboards(shelf(tmp_path / "runs", indexes=tmp_path / "indexes").runs) == []


def test_intervals_in_closed_form_are_those_of_resampling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    values = [round(5 * ((7 * number) % 101) / 101, 2) for number in range(600)]
    make_run(tmp_path / "run", [entry(number, value) for number, value in enumerate(values)])
    (run,) = shelf(tmp_path / "run", indexes=tmp_path / "indexes").runs
    resampled = run.facts().mean
    monkeypatch.setattr(estimates, "FEW", 10)
    closed = estimates.mean_estimate(run.index, "aptness")
    assert closed.method != resampled.method
    assert (closed.value, closed.low, closed.high) == pytest.approx(
        (resampled.value, resampled.low, resampled.high), abs=0.02
    )
