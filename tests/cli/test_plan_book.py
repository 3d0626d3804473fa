import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.rooms.aptness.delivery.books import write_book
from tests.rooms.aptness.delivery.test_ssml import SCHEMA

pytestmark = pytest.mark.slow


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return write_book(tmp_path / "book.txt")


def test_a_book_without_a_line_is_planned_whole(aptone: Callable[..., Any], story: Path) -> None:
    shown = aptone("plan", "book.txt", "--json")
    assert shown.code == 0
    assert (shown.json["folder"], shown.json["planned"]) == ("book-plan", shown.json["lines"] - 2 - tags("book-plan"))
    assert {Path(name).suffix for name in shown.json["files"]} == {".json", ".csv", ".html", ".ssml"}
    for path in Path("book-plan/ssml").iterdir():
        SCHEMA.assertValid(etree.parse(str(path)))
    lines = json.loads(Path("book-plan/delivery.json").read_text(encoding="utf-8"))["lines"]
    said = {line["text"]: line for line in lines}
    assert said["Get out!"]["plan"]["emotion"] == "fear"
    assert said["Get out!"]["prosody"]["volume"].startswith("+")


def tags(folder: str) -> int:
    lines = json.loads(Path(folder, "delivery.json").read_text(encoding="utf-8"))["lines"]
    return sum(line["kind"] == "tag" for line in lines)


def test_a_second_command_goes_on_with_what_is_there(aptone: Callable[..., Any], story: Path) -> None:
    first = aptone("plan", "book.txt", "-o", "sheet", "--role", "Mara", "--json")
    assert first.json["planned"] == 1
    before = Path("sheet/journal.jsonl").read_text(encoding="utf-8").splitlines()
    aptone("plan", "book.txt", "-o", "sheet", "--format", "csv")
    after = Path("sheet/journal.jsonl").read_text(encoding="utf-8").splitlines()
    assert after[: len(before)] == before
    assert sum('"id":"000003"' in line for line in after) == 1


def test_azure_needs_voices_and_gets_its_styles(aptone: Callable[..., Any], story: Path) -> None:
    refused = aptone("plan", "book.txt", "--ssml", "azure")
    assert refused.code == 2
    assert "name it in --voices" in refused.err
    Path("voices.json").write_text('{"*": "en-US-GuyNeural", "Mara": "en-US-JennyNeural"}', encoding="utf-8")
    shown = aptone("plan", "book.txt", "--ssml", "azure", "--voices", "voices.json", "--format", "ssml")
    assert shown.code == 0
    text = Path("book-plan/ssml/001-Chapter-1.ssml").read_text(encoding="utf-8")
    assert 'mstts:express-as style="fearful"' in text


def test_the_words_are_mandarin_for_a_reader_of_mandarin(aptone: Callable[..., Any], story: Path) -> None:
    shown = aptone("plan", "book.txt", "--lang", "zh", "--format", "csv")
    assert "句有计划" in shown.out
    assert "恐惧" in Path("book-plan/delivery.csv").read_text(encoding="utf-8")


def test_options_of_a_line_and_of_a_book_do_not_mix(aptone: Callable[..., Any], story: Path) -> None:
    for options, said in (
        (("--occurrence", "2"), "--occurrence counts the lines"),
        (("--line", "Get out!", "--chapter", "Chapter 1"), "--chapter belongs to a sheet of a whole book"),
        (("--line", "Get out!", "--no-narration"), "--no-narration belongs to a sheet"),
        (("--line", "Get out!", "--role", "A", "--role", "B"), "one line has one speaker"),
        (("--role", "Bob"), "no character is called 'Bob'"),
    ):
        shown = aptone("plan", "book.txt", *options)
        assert shown.code == 2
        assert said in shown.err
