"""Marks beside a run: the last one of an item counts, others' ratings stay, a cut line is passed over."""

import math
from pathlib import Path

import pytest

from aptone.ratings.storage import read_ratings as read_numbers
from aptone.rooms.aptness.calibration import read_ratings
from aptone.rooms.style.data import read_ratings as read_style_ratings
from aptone.types import Rating, dumps, to_json
from aptone.view.trying.lines import story_parts
from aptone.view.trying.packed import unpack
from aptone.view.verdicts.marks import Mark, keep_mark, read_mark
from aptone.web.refusals import NotUnderstoodError


def test_last_mark_of_an_item_counts_and_wrong_without_a_score_takes_its_rating_away(tmp_path: Path) -> None:
    keep_mark(tmp_path, "a", Mark("right", 3.5), verb="score")
    keep_mark(tmp_path, "b", Mark("wrong", 1.0, "flat"), verb="score")
    assert read_ratings(tmp_path / "ratings.jsonl") == {"a": 3.5, "b": 1.0}
    keep_mark(tmp_path, "a", Mark("wrong"), verb="score")
    assert read_ratings(tmp_path / "ratings.jsonl") == {"b": 1.0}
    mark = read_mark(tmp_path, "a")
    assert mark is not None
    assert mark.verdict == "wrong"
    assert math.isnan(mark.score)
    assert read_mark(tmp_path, "c") is None


def test_ratings_of_others_in_the_file_are_kept(tmp_path: Path) -> None:
    theirs = Rating("ceaeval-d", "a", "swift", {"overall_score": 1.0})
    (tmp_path / "ratings.jsonl").write_text(dumps(to_json(theirs)) + "\n")
    keep_mark(tmp_path, "a", Mark("right", 3.0), verb="score")
    keep_mark(tmp_path, "a", Mark("right", 4.0), verb="score")
    assert read_ratings(tmp_path / "ratings.jsonl") == {"a": 2.5}  # (1 + 4) / 2


def test_line_that_a_kill_cut_short_is_passed_over(tmp_path: Path) -> None:
    keep_mark(tmp_path, "a", Mark("right", 3.0), verb="score")
    with (tmp_path / "verdicts.jsonl").open("a") as file:
        file.write('{"schema": "aptone/rat')
    keep_mark(tmp_path, "b", Mark("right", 4.0), verb="score")
    assert read_ratings(tmp_path / "ratings.jsonl") == {"a": 3.0, "b": 4.0}


@pytest.mark.parametrize("verb", ["caption", "dialogue", "answer"])
def test_other_rooms_and_benches_read_the_only_number(tmp_path: Path, verb: str) -> None:
    keep_mark(tmp_path, "a", Mark("wrong", 0.25), verb=verb)
    assert read_numbers(tmp_path / "ratings.jsonl", item=verb) == {"a": {"viewer": 0.25}}


def test_style_room_and_its_bench_read_marks_of_a_style_run(tmp_path: Path) -> None:
    keep_mark(tmp_path, "pair 1", Mark("wrong", 2.0), verb="style")
    ratings = read_style_ratings(tmp_path / "ratings.jsonl")
    assert "pair 1" in str(ratings)


def test_lines_that_occur_twice_are_told_apart() -> None:
    parts = story_parts("“Go!” said Tom.\nIt rained.\n“Go!” said Ann.")
    spoken = [piece for paragraph in parts.paragraphs for piece in paragraph if piece.is_speech]
    assert [(piece.text, piece.role, piece.occurrence) for piece in spoken] == [("Go!", "Tom", 1), ("Go!", "Ann", 2)]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]\n",
        b'{"fields": []}\n',
        b'{"fields": {}, "clips": [{"field": "clips", "name": "a", "size": 3}]}\nab',
        b'{"fields": {}, "clips": [{"field": "clips", "name": "a", "size": -1}]}\n',
        b'{"fields": {}, "clips": [{"field": "line", "name": "a", "size": 0}]}\n',
        b'{"fields": {}}\nleft over',
    ],
)
def test_malformed_bodies_are_refused(body: bytes) -> None:
    with pytest.raises(NotUnderstoodError):
        unpack(body)
