import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.rooms.aptness.spoken_books import KnowingTranscriber, stitch

pytestmark = pytest.mark.slow

BOOK = """Chapter 1

“Get out! The water is over the wall!” Mara shouted in terror.

Chapter 2

“Sleep now. The wind is going home,” said Ann softly.
Nobody ever read this line aloud in any room.
“Is anybody there?” asked Mara, trembling with fear.
“Stay where you are. We will not come tonight,” said Tom calmly.
"""
SPOKEN = {
    "one.wav": [("wall-flat", "Get out! The water is over the wall")],
    "two.wav": [
        ("sleep-apt", "Sleep now. The wind is going home"),
        ("anybody-flat", "Is anybody there"),
        ("keeper-apt", "Stay where you are. We will not come tonight"),
    ],
}


@pytest.fixture
def run(aptone: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A scored book of two recordings; what the command said."""
    knowing = KnowingTranscriber()
    for name, lines in SPOKEN.items():
        stitch(tmp_path / name, lines, knowing)
    (tmp_path / "book.txt").write_text(BOOK, encoding="utf-8")
    monkeypatch.setattr("aptone.cli.score_book.choose_transcriber", lambda name, *, language, settings: knowing)
    return aptone("score", ".", "--story", "book.txt", "-o", "run", "--json")


def rows(path: str) -> list[dict[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_scored_book_has_its_retakes_and_markers_beside_the_report(run: Any) -> None:
    assert run.json["production"] == "run/production.html"
    assert "<audio" in Path("run/production.html").read_text(encoding="utf-8")
    listed = rows("run/production/retakes.csv")
    assert listed[0]["character"] == "Mara"  # both of hers are read flat
    assert "“" in listed[0]["direction"]
    assert {row["list"] for row in listed} == {"retake", "apart"}
    marked = Path("run/production/one.wav.labels.txt").read_text(encoding="utf-8").split("\t")
    assert next(row["start"] for row in listed if row["recording"] == "one.wav") == f"{float(marked[0]):g}"


def test_a_report_writes_the_retakes_of_a_character_where_it_is_asked_to(run: Any, aptone: Callable[..., Any]) -> None:
    options = ("--character", "Mara", "--retakes", "mara.csv", "--markers", "reaper", "--markers", "cue")
    shown = aptone("report", "run", *options, "--json")
    assert shown.code == 0
    assert {row["character"] for row in rows("mara.csv")} == {"Mara"}
    assert shown.json["written"][0] == "mara.csv"
    assert {Path(path).suffix for path in shown.json["written"][1:]} == {".rpp", ".csv", ".cue"}
    aptone("report", "run", "--worst", "1", "--retakes", "one.csv", "--lang", "zh")
    (first,) = rows("one.csv")
    assert "故事里" in first["direction"]


def test_filters_without_a_list_and_names_that_are_not_there_are_refused(run: Any, aptone: Callable[..., Any]) -> None:
    alone = aptone("report", "run", "--below", "2")
    assert (alone.code, "add --markers or --retakes" in alone.err) == (2, True)
    unknown = aptone("report", "run", "--markers", "cue", "--character", "Bob")
    assert unknown.code == 2
    assert "no character is called 'Bob'; this book has: Ann, Mara" in unknown.err
