import json
from pathlib import Path

import pytest

import aptone
from aptone.errors import UsageError
from tests.rooms.aptness.delivery.books import book, write_book


def test_a_book_is_planned_line_by_line_as_it_is_asked_for(tmp_path: Path) -> None:
    path = write_book(tmp_path / "book.txt")
    lines = list(aptone.plan_book(path, characters=["Mara", "Tom"]))
    plans = {one.line.line.text: one.plan.emotion for one in lines if one.plan is not None}
    assert plans == {"Get out!": "fear", "We will build it again,": "calm"}
    first = next(aptone.plan_book(str(path), chapters=["Chapter 2"]))
    assert (first.line.kind, first.plan) == ("heading", None)


def test_the_plan_of_a_line_is_that_which_scoring_uses(tmp_path: Path) -> None:
    path = write_book(tmp_path / "book.txt")
    planned = next(one for one in aptone.plan_book(path, characters=["Tom"]) if one.plan is not None)
    alone = aptone.plan(path, line="We will build it again")
    assert planned.plan is not None
    assert (planned.plan.emotion, planned.plan.rhythm) == (alone.emotion, alone.rhythm)


def test_names_that_the_book_does_not_have_are_refused_before_anything_is_planned() -> None:
    with pytest.raises(UsageError, match="no character is called 'Bob'; this book has: narration, Mara, Tom, unknown"):
        aptone.plan_book(book(), characters=["Bob"])
    with pytest.raises(UsageError, match="no chapter is called 'X'; this book has: Chapter 1, Chapter 2"):
        aptone.plan_book(book(), chapters=["X"])
    with pytest.raises(UsageError, match="no line is left to plan"):
        aptone.plan_book(book(), chapters=["Chapter 2"], characters=["narration"])


def test_a_line_that_cannot_be_planned_brings_the_reason(tmp_path: Path) -> None:
    german = "„Geh sofort weg von mir, du verdammter Hund!“ sagte er und zitterte am ganzen Körper vor großer Angst.\n"
    path = tmp_path / "buch.txt"
    path.write_text(german * 3, encoding="utf-8")
    (one, *_) = [one for one in aptone.plan_book(path) if one.reason]
    assert one.plan is None
    assert "German" in one.reason


def test_a_manifest_has_no_book(tmp_path: Path) -> None:
    path = tmp_path / "manifest.jsonl"
    path.write_text(json.dumps({"line": "Go!", "audio": "a.wav"}) + "\n", encoding="utf-8")
    with pytest.raises(UsageError, match="this is a manifest"):
        aptone.plan_book(path)
