import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from lxml import etree

from aptone.errors import RecordError
from aptone.rooms.aptness.delivery.book_plan import BookWindows, PlannedLine, numbered_lines
from aptone.rooms.aptness.delivery.sheet import SheetOptions, line_json, load_voices, write_sheet
from aptone.run import Call
from aptone.types import Intonation, Plan, Rhythm
from tests.rooms.aptness.delivery.books import LINES, CountedPlanner, book
from tests.rooms.aptness.delivery.test_ssml import SCHEMA


def lines() -> Iterable[PlannedLine]:
    planner = CountedPlanner()
    windows = BookWindows(book())
    for one in numbered_lines(book()):
        if one.number == 7:
            yield PlannedLine(7, one.line, None, "the reply is empty")
        elif one.line.is_judged:
            yield PlannedLine(one.number, one.line, planner.plan(windows.sample(one.number), Call()))
        else:
            yield one


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    write_sheet(tmp_path, book(), lines, SheetOptions())
    return tmp_path


def test_json_has_every_line_with_its_plan_instruction_and_prosody(sheet: Path) -> None:
    data = json.loads((sheet / "delivery.json").read_text(encoding="utf-8"))
    assert (data["source"], data["language"], data["characters"]) == ("book.txt", "en", ["Mara", "Tom"])
    assert [line["kind"] for line in data["lines"]] == [
        "heading",
        "narration",
        "speech",
        "tag",
        "heading",
        "speech",
        "speech",
    ]
    mara = data["lines"][2]
    assert (mara["character"], mara["plan"]["emotion"]) == ("Mara", "angry")
    assert mara["instruction"] == (
        "angry, strongly; weighty, every word counts; let the voice fall at the end; "
        "the story: “<storm>” (the line before)"
    )
    assert mara["prosody"]["rate"] == "88%"
    assert mara["prosody"]["style"] == "angry"
    assert data["lines"][3]["plan"] is None
    assert data["lines"][6]["reason"] == "the reply is empty"


def test_narration_is_told_with_pace_and_tone_where_no_feeling_is_asked_for() -> None:
    plan = Plan("", Rhythm.RELAXED, Intonation.FALLING, emotions={"calm": 1.0}, unsaid=0.6)
    narration = line_json(PlannedLine(2, LINES[1], plan), "en")
    assert narration["kind"] == "narration"
    assert narration["instruction"] == "told, not acted; at ease, without hurry; let the voice fall at the end"
    assert narration["prosody"] == {"rate": "98%", "contour": "(0%,+6%) (60%,+0%) (100%,-14%)"}
    speech = line_json(PlannedLine(3, LINES[2], plan), "en")
    assert (speech["instruction"], speech["prosody"]) == ("the story leaves it open", {})


def test_csv_has_a_row_for_each_line_and_runs_no_formula(sheet: Path) -> None:
    with (sheet / "delivery.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 7
    assert (rows[2]["character"], rows[2]["emotion"], rows[2]["confidence"]) == ("Mara", "angry", "0.9")
    assert rows[5]["line"] == "'=1+1"
    assert rows[6]["character"] == "(unknown speaker)"


def test_the_page_has_filters_and_escapes_the_book(sheet: Path) -> None:
    page = (sheet / "delivery.html").read_text(encoding="utf-8")
    assert "Get out, &lt;all&gt; of you!" in page
    assert "“&lt;storm&gt;” (the line before): angry" in page
    assert re.findall(r'<option value="\d">([^<]*)</option>', page) == [
        "Chapter 1",
        "Chapter 2",
        "(narration)",
        "Mara",
        "Tom",
        "(unknown speaker)",
    ]
    assert page.count('<article class="cue"') == 3
    assert "the reply is empty" in page


def test_ssml_has_a_valid_document_for_each_chapter(sheet: Path) -> None:
    names = sorted(path.name for path in (sheet / "ssml").iterdir())
    assert names == ["001-Chapter-1.ssml", "002-Chapter-2.ssml"]
    for name in names:
        SCHEMA.assertValid(etree.parse(str(sheet / "ssml" / name)))


def test_instructions_are_in_the_language_of_the_reader(tmp_path: Path) -> None:
    write_sheet(tmp_path, book(), lines, SheetOptions(formats=("csv", "html"), language="zh"))
    assert "愤怒，强烈；凝重些，字字有分量；句尾往下落" in (tmp_path / "delivery.csv").read_text(encoding="utf-8")
    assert "表演提示" in (tmp_path / "delivery.html").read_text(encoding="utf-8")
    assert not (tmp_path / "delivery.json").exists()


def test_documents_of_chapters_that_are_not_chosen_any_more_are_removed(sheet: Path) -> None:
    chosen = [one for one in lines() if one.line.chapter == "Chapter 2"]
    write_sheet(sheet, book(), lambda: chosen, SheetOptions(formats=("ssml",)))
    assert [path.name for path in (sheet / "ssml").iterdir()] == ["001-Chapter-2.ssml"]


def test_voices_are_a_json_object_of_names(tmp_path: Path) -> None:
    path = tmp_path / "voices.json"
    path.write_text('{"Mara": "Jenny"}', encoding="utf-8")
    assert load_voices(path) == {"Mara": "Jenny"}
    for wrong in ('["Jenny"]', '{"Mara": 3}', '{"Mara": ""}'):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(RecordError, match="expected a JSON object of characters and names of voices"):
            load_voices(path)
