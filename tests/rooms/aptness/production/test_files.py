import csv
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.errors import UsageError
from aptone.rooms.aptness.production.files import (
    FOLDER,
    checked_filter,
    production_of,
    require_production,
    retakes_csv,
    voices_csv,
    write_markers,
    write_production_files,
)
from aptone.rooms.aptness.production.retakes import RetakeFilter
from aptone.run import Run, RunConfig
from aptone.types import Entry, Item, Outcome
from tests.rooms.aptness.production.books import UNSURE, book_run, entry


@pytest.fixture
def run(tmp_path: Path) -> Run:
    entries = [
        entry(1, 1.0, text="=cmd()", role="Ann"),
        entry(2, 2.0, text="Stop, <b>now</b>", chapter="Chapter 2", recording="two.wav"),
        entry(3, 0.5, plan=UNSURE),
        entry(4, None),
        *(entry(number, 4.0) for number in range(5, 12)),
    ]
    (tmp_path / "run").mkdir()
    return book_run(tmp_path / "run", entries, inputs=["book/one.wav", "book.txt"])


def test_the_table_has_retakes_by_gain_and_behind_them_the_lines_apart(run: Run) -> None:
    production = require_production(run)
    rows = list(csv.DictReader(retakes_csv(production.retakes, language="en").splitlines()))
    assert [(row["list"], row["rank"], row["id"]) for row in rows] == [
        ("retake", "1", "000001"),
        ("retake", "2", "000002"),
        ("apart", "", "000003"),
        ("apart", "", "000004"),
    ]
    first, second, unsure, lost = rows
    assert first["line"] == "'=cmd()"  # a spreadsheet shows it and runs nothing
    assert (first["character"], first["kind"], first["recording"]) == ("Ann", "speech", "one.wav")
    assert (float(first["start"]), float(first["end"]), float(first["aptness"])) == (10.0, 12.0, 1.0)
    assert float(first["gain"]) == 3.0
    assert first["direction"].startswith("the feeling is angry")
    assert first["evidence"] == "“<she> hissed” (its tag): angry"
    assert second["chapter"] == "Chapter 2"
    assert unsure["reason"] == "the plan is not sure: its likeliest feeling has 35 %"
    assert (lost["aptness"], lost["reason"]) == ("", "not found in the recording: nobody seems to read it")


def test_a_choice_of_retakes_leaves_out_the_lines_apart(run: Run) -> None:
    production = require_production(run)
    chosen = RetakeFilter(characters=frozenset({"Ann"})).apply(production.retakes.retakes)
    rows = list(csv.DictReader(retakes_csv(production.retakes, language="zh", chosen=chosen).splitlines()))
    assert [row["id"] for row in rows] == ["000001"]
    assert "愤怒" in rows[0]["direction"]
    assert retakes_csv(production.retakes, language="en", chosen=[]).count("\n") == 1


def test_every_recording_gets_markers_for_every_editor_in_its_own_clock(run: Run) -> None:
    (run.folder.parent / "book").mkdir()
    soundfile.write(run.folder.parent / "book" / "one.wav", np.zeros(8000 * 30), 8000)
    production = require_production(run)
    write_production_files(run, production, language="en")
    names = {path.name for path in (run.folder / FOLDER).iterdir()}
    endings = (".rpp", ".regions.csv", ".labels.txt", ".markers.csv", ".cue")
    expected = {f"{recording}{ending}" for recording in ("one.wav", "two.wav") for ending in endings}
    assert names == {"retakes.csv", "voices.csv", *expected}
    labels = (run.folder / FOLDER / "two.wav.labels.txt").read_text(encoding="utf-8")
    assert labels == "20.000000\t22.000000\t2. +2.0 Tom: Stop, <b>now</b>\n"
    project = (run.folder / FOLDER / "one.wav.rpp").read_text(encoding="utf-8")
    assert 'FILE "../../book/one.wav"' in project  # the way from the folder of the markers
    assert "LENGTH 30.000000" in project
    assert 'FILE "two.wav"' in (run.folder / FOLDER / "two.wav.rpp").read_text(encoding="utf-8")  # not found: its name


def test_markers_of_a_choice_replace_those_that_were_there(run: Run) -> None:
    production = require_production(run)
    write_production_files(run, production, language="en")
    chosen = RetakeFilter(characters=frozenset({"Ann"})).apply(production.retakes.retakes)
    written = write_markers(run, production, chosen, editors=["cue"], language="en")
    assert [path.name for path in written] == ["one.wav.cue"]
    assert not (run.folder / FOLDER / "two.wav.cue").exists()
    assert (run.folder / FOLDER / "two.wav.rpp").exists()


def test_names_that_the_book_does_not_have_are_refused_with_those_that_it_has(run: Run) -> None:
    production = require_production(run)
    with pytest.raises(UsageError, match="no character is called 'Bob'; this book has: Ann, Tom"):
        checked_filter(production, RetakeFilter(characters=frozenset({"Bob"})))
    with pytest.raises(UsageError, match="no chapter is called 'X'; this book has: Chapter 1, Chapter 2"):
        checked_filter(production, RetakeFilter(chapters=frozenset({"X"})))


def test_a_run_over_something_else_has_no_production_report(tmp_path: Path) -> None:
    other = Run(tmp_path, RunConfig("score", "built-in"), (Entry(Item.make("a", {}), Outcome.unscored("silence")),))
    assert production_of(other) is None
    with pytest.raises(UsageError, match="this run is not over a book"):
        require_production(other)


def test_voices_are_listed_as_usual_by_chapter_and_by_line(tmp_path: Path) -> None:
    usual = {"loudness": -20.0}
    entries = [entry(number, 3.0, measures=usual) for number in range(8)]
    entries += [entry(9, 3.0, text="Quiet!", measures={"loudness": -30.0})]
    entries += [entry(number, 3.0, chapter="Chapter 2", measures={"loudness": -24.0}) for number in range(10, 14)]
    production = require_production(book_run(tmp_path, entries))
    rows = list(csv.DictReader(voices_csv(production.voices, language="en").splitlines()))
    assert [(row["list"], row["character"], row["difference"], row["chapter"]) for row in rows] == [
        ("usual", "Tom", "", ""),
        ("chapter", "Tom", "-4.0", "Chapter 2"),
        ("line", "Tom", "-10.0", "Chapter 1"),
    ]
    assert (rows[2]["line"], rows[2]["start"], rows[2]["unit"]) == ("Quiet!", "90.0", "dB")
