from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.rooms.aptness.books.formats.book_files import PARTS, write_zip


def test_read_shows_chapters_speakers_and_what_was_left_out(aptone: Callable[..., Any], tmp_path: Path) -> None:
    shown = aptone("read", str(write_zip(tmp_path / "book.epub", PARTS)), "--lines")
    assert shown.code == 0
    for words in ("Rain (en)", "Tom", "copyright page", "narration", "It rained all day."):
        assert words in shown.out


def test_read_gives_json_and_a_story_file_that_plan_takes(aptone: Callable[..., Any], tmp_path: Path) -> None:
    book, story = write_zip(tmp_path / "book.epub", PARTS), tmp_path / "story.json"
    shown = aptone("read", str(book), "-o", str(story), "--json")
    assert shown.json["lines"] == {"speech": 2, "narration": 1, "tag": 2, "heading": 2}
    assert shown.json["speakers"] == [{"name": "Tom", "lines": 1}, {"name": "Ann", "lines": 1}]
    story.write_text(story.read_text(encoding="utf-8").replace('"role":"Ann"', '"role":"Eve"'), encoding="utf-8")
    again = aptone("read", str(story), "--json")
    assert [one["name"] for one in again.json["speakers"]] == ["Tom", "Eve"]
    planned = aptone("plan", str(story), "--line", "No!", "--json")
    assert planned.code == 0
    assert planned.json["line"]["role"] == "Eve" if "line" in planned.json else "Eve" in planned.out


def test_read_refuses_what_is_no_book_with_the_way_out(aptone: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "book.mobi").write_bytes(b"BOOKMOBI")
    shown = aptone("read", str(tmp_path / "book.mobi"))
    assert shown.code == 2
    assert "book.mobi: Kindle books are not read" in shown.err


def test_read_speaks_mandarin(aptone: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("张三说：“走吧。”\n雨下了一整夜。\n", encoding="utf-8")
    assert "说话人" in aptone("read", str(tmp_path / "book.txt")).out
