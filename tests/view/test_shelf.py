"""Runs are found where they lie, read as they grow, and summed up as their journals say."""

import time
from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.report import trust_card
from aptone.run import RunConfig, RunFolder, write_trust
from aptone.types import Entry, Outcome
from aptone.view.shelf import Shelf, found_runs
from tests.run.index.test_journal_index import entry

PATIENCE = 120.0


def make_run(folder: Path, entries: list[Entry], *, expected: int = 0, verb: str = "score") -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with RunFolder(folder, RunConfig(verb=verb, engine="built-in", expected=expected)) as made:
        made.journal.append(entries)
    return folder


def shelf(*folders: Path, indexes: Path) -> Shelf:
    indexes.mkdir(exist_ok=True)
    made = Shelf(folders, indexes=indexes)
    made.refresh()
    return made


def test_runs_are_found_in_and_below_the_given_folders_and_nothing_inside_a_run(tmp_path: Path) -> None:
    one = make_run(tmp_path / "a" / "one", [entry(0)])
    make_run(one / "inner", [entry(0)])
    two = make_run(tmp_path / "a" / "deep" / "two", [entry(0)])
    make_run(tmp_path / "a" / ".hidden" / "three", [entry(0)])
    make_run(tmp_path / "a" / "b" / "c" / "d" / "too deep", [entry(0)])
    assert list(found_runs([tmp_path / "a"])) == [two.resolve(), one.resolve()]
    assert list(found_runs([one])) == [one.resolve()]


def test_two_folders_of_one_name_have_addresses_of_their_own(tmp_path: Path) -> None:
    make_run(tmp_path / "x" / "my run", [entry(0)])
    make_run(tmp_path / "y" / "my run", [entry(0)])
    found = shelf(tmp_path, indexes=tmp_path / "indexes")
    assert [run.key for run in found.runs] == ["my-run", "my-run-2"]
    assert found.run("my-run-2").folder == tmp_path / "y" / "my run"
    with pytest.raises(KeyError):
        found.run("other")


def test_facts_are_those_of_the_journal(tmp_path: Path) -> None:
    entries = [entry(0, 1.0), entry(1, 3.0), entry(2, outcome=Outcome.failed("gone"))]
    folder = make_run(tmp_path / "run", entries, expected=5)
    (run,) = shelf(folder, indexes=tmp_path / "indexes").runs
    facts = run.facts()
    assert (facts.score, facts.items, facts.pending, facts.states) == ("aptness", 3, 2, {"done": 2, "failed": 1})
    assert facts.mean.value == 2.0
    assert (facts.mean.low, facts.mean.high) == (1.0, 3.0)  # the resamples of two items
    assert (facts.cost, facts.seconds) == (0.75, 1.5)
    assert facts.trust is None
    write_trust(folder, card := trust_card(entries, version="1"))
    assert run.facts().trust == card


def test_what_is_appended_is_seen_without_asking(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "runs" / "one", [entry(0, 1.0)])
    (tmp_path / "indexes").mkdir()
    with Shelf([tmp_path / "runs"], indexes=tmp_path / "indexes") as live:
        _wait(lambda: live.run("one").facts().items == 1)
        with RunFolder(folder, RunConfig(verb="score", engine="built-in")) as made:
            made.journal.append([entry(1, 2.0)])
        _wait(lambda: live.run("one").facts().mean.value == 1.5)
        make_run(tmp_path / "runs" / "two", [entry(0)])
        _wait(lambda: len(live.runs) == 2)


def _wait(condition: object) -> None:
    assert callable(condition)
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_folder_that_does_not_exist_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere: there is no such folder"):
        Shelf([tmp_path / "nowhere"])
