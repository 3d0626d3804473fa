"""Entries of long journals stay on the disk, and are what a short journal would give."""

from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pytest

from aptone.errors import RunError
from aptone.report.run_report import finish_run, run_card
from aptone.run import Journal, Run, load_run, run_items
from aptone.run import entries as module
from aptone.run.entries import JournalEntries, entries_naming, load_entries
from aptone.run.journal import read_entry_at
from aptone.run.known import KnownItems
from aptone.run.usage import Usage, total_usage
from aptone.types import Entry, Item, Outcome, Score, State
from tests.run.run_steps import CONFIG, items, score_number


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    run_items(items(40), score_number, folder=tmp_path, config=CONFIG, repeats=2)
    return tmp_path


def on_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(module, "HELD_BYTES", 0)
    run = load_run(folder)
    assert isinstance(run.entries, JournalEntries)
    return run


def test_entries_on_the_disk_are_those_that_are_held(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = load_run(folder)
    lazy = on_disk(folder, monkeypatch)
    assert isinstance(held.entries, tuple)
    assert lazy.entries == held.entries
    assert len(lazy.entries) == 80
    assert lazy.entries[-1] == held.entries[-1]
    assert lazy.entries[3:9] == held.entries[3:9]
    assert lazy.states == held.states == {State.DONE: 80}


def test_the_last_line_of_an_item_counts_and_items_at_one_place_come_by_id(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    made = [Entry(Item.make(name, {}, position=0), Outcome.failed("down"), repeat=n) for name in "cab" for n in (1, 0)]
    with Journal(path) as journal:
        journal.append(made)
        journal.append([replace(made[0], outcome=Outcome.unscored("no tag"))])
    held = load_entries(path)
    monkeypatch.setattr(module, "HELD_BYTES", 0)
    lazy = load_entries(path)
    assert lazy == held
    assert [(entry.item.id, entry.repeat) for entry in lazy] == [(name, n) for name in "abc" for n in (0, 1)]
    assert lazy[-1].outcome.state is State.UNSCORED


def test_card_and_report_are_the_same_from_the_disk(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = load_run(folder)
    card, page = run_card(held), finish_run(held).report.read_text(encoding="utf-8")
    lazy = on_disk(folder, monkeypatch)
    assert run_card(lazy) == card
    assert finish_run(lazy).report.read_text(encoding="utf-8") == page


def test_a_report_lists_a_bounded_number_of_items_and_says_how_to_see_the_others(folder: Path) -> None:
    page = finish_run(load_run(folder), most_rows=9).report.read_text(encoding="utf-8")
    assert page.count('<td class="name">') == 9
    assert "9 items are listed" in page
    assert "31 more are not" in page
    assert f"aptone view {folder}" in page
    assert "are listed: the worst" not in finish_run(load_run(folder)).report.read_text(encoding="utf-8")


def test_a_damaged_line_of_a_long_journal_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = folder / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:5], b'{"item": 3}\n', *lines[5:]]))
    monkeypatch.setattr(module, "HELD_BYTES", 0)
    with pytest.raises(RunError, match="line 6: damaged"):
        load_run(folder)
    with pytest.raises(RunError, match="line 6: damaged"):
        KnownItems(path)


def test_known_items_tell_done_failed_and_changed_apart(tmp_path: Path) -> None:
    first, second = items(2)
    with Journal(tmp_path / "j") as journal:
        journal.append(
            [Entry(first, Outcome(State.DONE, {"number": Score(1.0)}), cost=0.5), Entry(second, Outcome.failed("down"))]
        )
    known = KnownItems(tmp_path / "j")
    assert (len(known), known.done, known.cost, known.paid) == (2, 1, 0.5, 1)
    assert known.is_done(first.id, 0)
    assert not known.is_done(second.id, 0)
    row = known.find(first.id, 0)
    assert row is not None
    assert known.is_same(row, first)
    assert not known.is_same(row, replace(first, position=99))
    assert known.has_content(row, replace(first, position=99))
    assert not known.has_content(row, replace(first, content_hash="other"))
    known.mark_seen(first.id)
    assert list(known.unseen()) == [second.id]


def test_entries_that_name_a_key_are_found_without_parsing_the_others(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal(folder / "journal.jsonl") as journal:
        item = Item.make("spent", {"number": 1}, position=99)
        outcome = Outcome(State.DONE, {"number": Score(1.0)}, evidence={"usage": {"calls": 3, "input_tokens": 5}})
        journal.append([Entry(item, outcome)])
    held, run = load_run(folder), on_disk(folder, monkeypatch)
    assert total_usage(run.entries) == total_usage(held.entries) == Usage(calls=3, input_tokens=5)
    parsed: list[int] = []

    def read(file: BinaryIO, start: int, *, path: Path) -> Entry:
        parsed.append(start)
        return read_entry_at(file, start, path=path)

    monkeypatch.setattr(module, "read_entry_at", read)
    assert [entry.item.id for entry in entries_naming(run.entries, "usage")] == ["spent"]
    assert len(parsed) == 1
    assert list(entries_naming(held.entries, "usage")) == list(held.entries)
