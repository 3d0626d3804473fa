"""The index says what the journal says, grows with it, and notices when it is another one."""

import json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from aptone.errors import RunError
from aptone.messages import message, translate
from aptone.run import Journal
from aptone.run.folder import JOURNAL
from aptone.run.index import JournalIndex, RowFilter, index_file
from aptone.run.index import journal_index as module
from aptone.run.index.connections import MOST_OPEN
from aptone.types import Entry, Item, Json, Line, Outcome, Score, State, to_json


def entry(
    number: int,
    value: float = 2.5,
    *,
    line: str = "",
    ids: Mapping[str, str] | None = None,
    role: str = "",
    repeat: int = 0,
    outcome: Outcome | None = None,
) -> Entry:
    payload: dict[str, Json] = {
        "target": to_json(Line(line or f"Line {number}.", role)),
        "ids": dict(ids or {}),
        "language": "en",
    }
    done = Outcome(
        State.DONE,
        scores={"aptness": Score(value, range=(0.0, 5.0), spread=0.25), "emotion": Score(5.0 - value)},
        rationale=f"Because of {number}.",
        signature="judge",
    )
    item = Item.make(f"item-{number}", payload, position=number)
    return Entry(item, outcome or done, repeat=repeat, seconds=0.5, cost=0.25, finished="2026-01-01T00:00:00")


def write(folder: Path, entries: Iterable[Entry]) -> None:
    folder.mkdir(exist_ok=True)
    with Journal(folder / JOURNAL) as journal:
        journal.append(list(entries))


def indexed(folder: Path, entries: Iterable[Entry] = ()) -> JournalIndex:
    write(folder, entries)
    index = JournalIndex(folder, file=folder.with_suffix(".sqlite"))
    assert index.refresh()
    return index


def ids(index: JournalIndex, wanted: RowFilter | None = None, **options: object) -> list[str]:
    return [row.id for row in index.rows(wanted, **options)]  # type: ignore[arg-type]


def test_a_row_holds_what_a_list_shows_and_its_number_leads_to_the_whole_entry(tmp_path: Path) -> None:
    given = entry(7, 3.5, line="“Get out!”", role="Mara", ids={"chapter": "2"})
    index = indexed(tmp_path / "run", [entry(8), given])
    first, second = index.rows()
    assert (first.id, first.position, first.line, first.state) == ("item-7", 7, "“Get out!”", "done")
    assert first.scores == {"aptness": 3.5, "emotion": 1.5}
    assert (first.main_score, first.spread) == ("aptness", 0.25)
    assert first.labels == {"chapter": "2", "language": "en", "role": "Mara"}
    assert index.entry(first.number) == given
    assert index.find("item-7") == first.number != second.number
    assert index.find("item-9") is None
    with pytest.raises(KeyError):
        index.entry(99)


def test_a_journal_that_grows_is_read_on_and_a_torn_line_waits(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    index = indexed(folder, [entry(0)])
    revision = index.revision
    assert index.refresh()
    assert index.revision == revision  # nothing came
    whole = folder.with_name("whole")
    write(whole, [entry(0), entry(1)])
    line = (whole / JOURNAL).read_bytes().splitlines(keepends=True)[1]
    with (folder / JOURNAL).open("ab") as journal:
        journal.write(line[:40])
        journal.flush()
        assert index.refresh()
        assert index.count() == 1
        journal.write(line[40:])
    assert index.refresh()
    assert ids(index) == ["item-0", "item-1"]
    assert index.revision > revision


def test_an_item_that_was_done_again_keeps_its_number_and_has_its_last_outcome(tmp_path: Path) -> None:
    failed = entry(0, outcome=Outcome.failed("timed out"), ids={"chapter": "1"})
    index = indexed(tmp_path / "run", [failed, entry(1)])
    number = index.find("item-0")
    write(tmp_path / "run", [entry(0, 4.0, ids={"chapter": "9"})])
    assert index.refresh()
    (row, _) = index.rows()
    assert (row.number, row.state, row.scores["aptness"]) == (number, "done", 4.0)
    assert index.label_values()["chapter"] == {"9": 1}
    assert index.states() == {"done": 2}
    assert index.entry(row.number).outcome.state is State.DONE


def test_repeats_are_found_and_stay_out_of_lists_and_sums(tmp_path: Path) -> None:
    index = indexed(tmp_path / "run", [entry(0, 1.0), entry(0, 3.0, repeat=1)])
    assert ids(index) == ["item-0"]
    assert index.summary("aptness").mean == 1.0
    assert index.find("item-0", repeat=1) not in (None, index.find("item-0"))
    assert index.totals() == (0.5, 1.0, "2026-01-01T00:00:00")  # they cost as much


def test_another_journal_in_the_same_place_is_indexed_from_its_beginning(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    index = indexed(folder, [entry(number) for number in range(5)])
    revision = index.revision
    (folder / JOURNAL).unlink()
    write(folder, [entry(number, line="Quite another one.") for number in range(10, 18)])
    assert index.refresh()
    assert ids(index) == [f"item-{number}" for number in range(10, 18)]
    assert index.revision > revision


def test_a_line_that_was_deleted_in_the_middle_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    index = indexed(folder, [entry(number) for number in range(6)])
    lines = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    (folder / JOURNAL).write_bytes(b"".join(lines[:2] + lines[3:]))
    write(folder, [entry(number, line="long " * 100) for number in (8, 9)])  # longer again than it was
    assert index.refresh()
    assert ids(index) == [f"item-{number}" for number in (0, 1, 4, 5, 8, 9)]  # 3 does not fit 1
    assert index.damaged_lines() == (1, 3)


def test_a_score_that_was_changed_by_hand_is_counted_as_damaged(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write(folder, [entry(number) for number in range(3)])
    lines = (folder / JOURNAL).read_bytes().splitlines(keepends=True)
    (folder / JOURNAL).write_bytes(b"".join([lines[0], lines[1].replace(b'"value":2.5', b'"value":4.5'), lines[2]]))
    index = indexed(folder)
    assert (ids(index), index.damaged_lines()) == (["item-0", "item-2"], (1, 2))


def test_a_damaged_line_is_counted_and_the_others_are_there(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write(folder, [entry(0)])
    with (folder / JOURNAL).open("ab") as journal:
        journal.write(b'{"item": 3}\nno json\n')
    write(folder, [entry(1)])
    index = indexed(folder)
    assert ids(index) == ["item-0", "item-1"]
    assert index.damaged_lines() == (2, 2)


def test_an_entry_whose_line_was_damaged_after_it_was_indexed_raises_with_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    index = indexed(folder, [entry(0), entry(1)])
    data = (folder / JOURNAL).read_bytes()
    (folder / JOURNAL).write_bytes(data.replace(b'"value":2.5', b'"value":2.x'))
    with pytest.raises(RunError, match=r"journal\.jsonl, byte 0: damaged"):
        index.entry(1)


def test_time_is_given_back_between_lines_and_the_next_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PER_COMMIT", 2)
    folder = tmp_path / "run"
    write(folder, [entry(number) for number in range(7)])
    index = JournalIndex(folder, file=tmp_path / "index.sqlite")
    seen = []
    while not index.refresh(seconds=0.0):
        seen.append(index.count())
    assert seen == [1, 2, 3, 4, 5, 6, 7]  # a line a call, and one more to see that it was the last
    assert index.progress() == 1.0


def test_reasons_keep_their_messages_so_that_they_can_be_read_in_mandarin(tmp_path: Path) -> None:
    why = message("ear.speech-too-short", count=0.25, needed=0.4)
    plain = Outcome.unscored("a stranger's words")
    index = indexed(tmp_path / "run", [entry(0, outcome=Outcome.unscored(why)), entry(1, outcome=plain)])
    known, strange = index.rows()
    assert translate(known.reason, "zh") == translate(why, "zh") != why
    assert strange.reason == "a stranger's words"


def test_states_are_those_of_reports(tmp_path: Path) -> None:
    undefined = Outcome(State.DONE, scores={"aptness": Score(math.nan, reason="too short"), "emotion": Score(1.0)})
    unneeded = Outcome(State.DONE, scores={"aptness": Score(math.nan, reason="nothing to balance", needed=False)})
    index = indexed(
        tmp_path / "run",
        [
            entry(0),
            entry(1, outcome=undefined),
            entry(2, outcome=unneeded),
            entry(3, outcome=Outcome.failed("no reply")),
        ],
    )
    assert [(row.state, row.reason) for row in index.rows()] == [
        ("done", ""),
        ("unscored", "too short"),
        ("not-needed", "nothing to balance"),
        ("failed", "no reply"),
    ]


def test_lone_surrogates_do_not_stop_the_index(tmp_path: Path) -> None:
    index = indexed(tmp_path / "run", [entry(0, line="half \ud83d of a character"), entry(1)])
    assert index.damaged_lines() == (0, 0)
    assert index.rows()[0].line == "half ? of a character"


def test_a_file_that_is_no_index_of_this_version_is_made_again(tmp_path: Path) -> None:
    file = tmp_path / "index.sqlite"
    file.write_bytes(b"something else entirely, of some length" * 100)
    write(tmp_path / "run", [entry(0)])
    index = JournalIndex(tmp_path / "run", file=file)
    assert index.refresh()
    assert index.count() == 1
    index.connection.execute("UPDATE about SET value = '0' WHERE name = 'version'")
    index.close()
    again = JournalIndex(tmp_path / "run", file=file)
    assert again.count() == 0
    assert again.refresh()
    assert again.count() == 1


def test_two_indexes_of_one_file_share_what_either_has_read(tmp_path: Path) -> None:
    one = indexed(tmp_path / "run", [entry(0)])
    other = JournalIndex(tmp_path / "run", file=one.file)
    write(tmp_path / "run", [entry(1)])
    assert other.refresh()
    assert one.count() == 2
    assert one.refresh()
    assert one.count() == 2


def test_an_index_lies_in_the_cache_of_the_user_and_old_ones_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "user_cache_path", lambda name: tmp_path / "cache" / name)
    old = tmp_path / "cache" / "aptone" / "indexes" / "old.sqlite"
    old.parent.mkdir(parents=True)
    old.write_bytes(b"")
    os.utime(old, (0, 0))
    write(tmp_path / "run", [entry(0)])
    index = JournalIndex(tmp_path / "run")
    assert index.file == index_file(tmp_path / "run")
    assert index.file.is_relative_to(tmp_path / "cache")
    assert not old.exists()


def test_an_index_that_cannot_be_written_says_where(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(RunError, match="file"):
        JournalIndex(tmp_path / "run", file=tmp_path / "file" / "index.sqlite")


def test_a_folder_without_a_journal_is_an_empty_run(tmp_path: Path) -> None:
    index = indexed(tmp_path / "run")
    (tmp_path / "run" / JOURNAL).unlink()
    assert index.refresh()
    assert (index.count(), index.rows(), index.main_score(), index.progress()) == (0, [], "", 1.0)
    assert index.summary("aptness").count == 0


def test_the_first_line_alone_identifies_no_journal(tmp_path: Path) -> None:
    """A run that was begun anew has the same first item: its later lines tell it apart."""
    folder = tmp_path / "run"
    index = indexed(folder, [entry(0), entry(1), entry(2)])
    first = (folder / JOURNAL).read_bytes().splitlines(keepends=True)[0]
    (folder / JOURNAL).write_bytes(first)
    write(folder, [entry(5, line="x" * 400), entry(6, line="y" * 400)])
    assert index.refresh()
    assert ids(index) == ["item-0", "item-5", "item-6"]


def test_what_the_index_keeps_is_valid_json_for_messages(tmp_path: Path) -> None:
    why = message("ear.no-speech")
    index = indexed(tmp_path / "run", [entry(0, outcome=Outcome.unscored(why))])
    (stored,) = index.connection.execute("SELECT message FROM entries").fetchone()
    assert json.loads(stored) == {why.text: {"id": "ear.no-speech", "values": {}}}


def test_more_indexes_than_a_thread_keeps_open_are_read_in_turns(tmp_path: Path) -> None:
    many = [indexed(tmp_path / f"run-{number}", [entry(number)]) for number in range(2 * MOST_OPEN)]
    assert [ids(index) for index in many] == [[f"item-{number}"] for number in range(2 * MOST_OPEN)]


def test_numbers_that_no_table_holds_make_a_line_damaged(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    write(folder, [entry(0), entry(1)])
    text = (folder / JOURNAL).read_text()
    broken = text.replace('"position":1', f'"position":{10**30}').replace('"cost":0.25', '"cost":NaN', 1)
    (folder / JOURNAL).write_text(broken + "[" * 100_000 + "\n")
    write(folder, [entry(2)])
    index = indexed(folder)
    assert ids(index) == ["item-2"]
    assert index.damaged_lines() == (3, 1)


def test_an_index_that_is_made_again_shares_nothing_with_the_one_before(tmp_path: Path) -> None:
    first = indexed(tmp_path / "run", [entry(0), entry(1)])
    assert first.count() == 2
    first.close()
    first.file.unlink()
    (tmp_path / "run" / JOURNAL).unlink()
    assert ids(indexed(tmp_path / "run", [entry(7)])) == ["item-7"]
