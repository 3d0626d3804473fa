"""Ratings of people in a file: by item and rater, with what is wrong named."""

from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.run.ratings import read_ratings


def test_ratings_are_read_from_csv_and_json_lines(tmp_path: Path) -> None:
    table = tmp_path / "ratings.csv"
    table.write_text("Dialogue,Rating,Rater\na,4,r1\na,2,r2\nb,3.5,r1\n", encoding="utf-8")
    lines = tmp_path / "ratings.jsonl"
    lines.write_text('{"dialogue": "a", "rating": 4}\n{"dialogue": 5, "rating": 1}\n', encoding="utf-8")
    assert read_ratings(table, item="dialogue") == {"a": {"r1": 4.0, "r2": 2.0}, "b": {"r1": 3.5}}
    assert read_ratings(lines, item="dialogue") == {"a": {"": 4.0}, "5": {"": 1.0}}


@pytest.mark.parametrize(
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
