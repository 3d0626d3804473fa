"""Ratings of people in a file: by item and rater, with what is wrong named."""

from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.ratings.storage import rating_number, read_ratings, studio_rating
from aptone.types import Rating
from aptone.types.codec import dumps_record
from tests.tables import for_each


def test_ratings_are_read_from_csv_and_json_lines(tmp_path: Path) -> None:
    table = tmp_path / "ratings.csv"
    table.write_text("Dialogue,Rating,Rater\na,4,r1\na,2,r2\nb,3.5,r1\n", encoding="utf-8")
    lines = tmp_path / "ratings.jsonl"
    lines.write_text('{"dialogue": "a", "rating": 4}\n{"dialogue": 5, "rating": 1}\n', encoding="utf-8")
    assert read_ratings(table, item="dialogue") == {"a": {"r1": 4.0, "r2": 2.0}, "b": {"r1": 3.5}}
    assert read_ratings(lines, item="dialogue") == {"a": {"": 4.0}, "5": {"": 1.0}}


@for_each(
    ("name", "text", "message"),
    [
        ("r.csv", "dialogue,score\na,1\n", "no column 'rating'"),
        ("r.csv", "dialogue,rating\na,good\n", "line 2: expected"),
        ("r.csv", "dialogue,rating\na,nan\n", "line 2: expected"),
        ("r.csv", "dialogue,rating\na,1\na,2\n", "somebody without a name has rated 'a' before"),
        ("r.jsonl", "[1]\n", "expected a JSON object"),
        ("r.jsonl", '{"rating": 1}\n', "expected"),
    ],
)
def test_bad_ratings_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(RecordError, match=message):
        read_ratings(path, item="dialogue")


def test_ratings_of_the_studio_are_read_by_their_only_number_or_by_name(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    one = Rating("s3bench", "pair-1", "swift", {"fit": 4, "confidence": "high", "ends": [0, 1]})
    two = Rating("ceaeval-d", "line-1", "robin", {"overall_score": 3.5, "tts_difficulty": 2})
    path.write_text(dumps_record(one) + "\n", encoding="utf-8")
    assert read_ratings(path, item="pair") == {"pair-1": {"swift": 4.0}}
    path.write_text(dumps_record(two) + "\n", encoding="utf-8")
    assert read_ratings(path, item="line", control="overall_score") == {"line-1": {"robin": 3.5}}
    with pytest.raises(RecordError, match=r"line 1: expected one number .* there are overall_score, tts_difficulty"):
        read_ratings(path, item="line")


@for_each(
    ("answers", "control", "message"),
    [({"fit": "4"}, "", "there are none"), ({"fit": True}, "fit", "no number under 'fit'"), ({}, "", "there are none")],
)
def test_an_answer_that_is_no_number_is_no_rating(answers: dict[str, str | bool], control: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        rating_number(Rating("t", "i", "r", answers), control=control)


def test_a_record_that_only_says_that_it_is_a_rating_is_refused() -> None:
    assert studio_rating({"item": "a", "rating": 3}) is None
    with pytest.raises(RecordError, match="Rating"):
        studio_rating({"schema": "aptone.Rating/1", "item": "a"})
