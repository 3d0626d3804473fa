"""Pairs from every layout, and what is refused."""

import json
import math
from pathlib import Path

import pytest

from aptone.errors import RecordError, UsageError
from aptone.rooms.style.data import (
    StylePair,
    make_items,
    pairs_file,
    read_pairs,
    read_ratings,
    with_ratings,
    write_pairs,
)
from aptone.types import AudioRef, Rating, dumps, to_json
from tests.rooms.style.voices import write_tone
from tests.tables import for_each


def test_records_of_several_shapes_give_the_same_pair(tmp_path: Path) -> None:
    shapes = [
        {"audio": "a.wav", "description": "calm", "ratings": {"x": 4, "y": 5}},
        {"file": "a.wav", "caption": "calm", "annotations": [4, 5]},
        {"wav": "a.wav", "style": "calm", "ratings": [{"rater": "x", "score": 4, "confidence": "High"}, {"score": 5}]},
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, shapes)), encoding="utf-8")
    pairs = read_pairs(tmp_path)
    assert [pair.description for pair in pairs] == ["calm"] * 3
    assert [list(pair.ratings.values()) for pair in pairs] == [[4.0, 5.0]] * 3
    assert [pair.human_score for pair in pairs] == [4.5] * 3
    assert list(pairs[0].ratings) == ["x", "y"]
    assert pairs[2].confidences == {"x": "high"}
    assert {pair.audio.path for pair in pairs} == {str(tmp_path / "a.wav")}
    assert [pair.id for pair in pairs] == ["0001", "0002", "0003"]


def test_a_table_has_a_column_a_rating(tmp_path: Path) -> None:
    table = "id,file,description,language,rating_1,rating_2,rating_3\np1,a.wav,轻柔,chinese,0,2.5,\n"
    (tmp_path / "metadata.csv").write_text(table, encoding="utf-8")
    (pair,) = read_pairs(tmp_path)
    assert (pair.id, pair.language, dict(pair.ratings)) == ("p1", "zh", {"1": 0.0, "2": 2.5})


def test_ratings_beside_the_pairs_of_a_folder_are_theirs(tmp_path: Path) -> None:
    (tmp_path / "pairs.jsonl").write_text('{"id": "p", "audio": "a.wav", "description": "calm"}', encoding="utf-8")
    table = "pair,rater,score,confidence\np,anna,3,low\np,ben,5,\n"
    (tmp_path / "ratings.csv").write_text(table, encoding="utf-8")
    (pair,) = read_pairs(tmp_path)
    assert dict(pair.ratings) == {"anna": 3.0, "ben": 5.0}
    assert dict(pair.confidences) == {"anna": "low"}
    assert pair.human_score == 4.0


def test_answers_of_a_rating_task_are_ratings(tmp_path: Path) -> None:
    answer = Rating("s3bench", "p", "r1", {"fit": 2, "confidence": "medium"})
    (tmp_path / "answers.jsonl").write_text(dumps(to_json(answer)), encoding="utf-8")
    assert read_ratings(tmp_path / "answers.jsonl") == {"p": {"r1": (2.0, "medium")}}


def test_written_pairs_are_read_back(tmp_path: Path) -> None:
    pair = StylePair(
        "p", AudioRef(str(tmp_path / "clips" / "a.wav"), 0.5, 1.0), "平静", "zh", "你好", {"x": 3.0}, {"x": "high"}
    )
    write_pairs(tmp_path / "pairs.jsonl", [pair])
    assert '"clips/a.wav"' in (tmp_path / "pairs.jsonl").read_text(encoding="utf-8")  # it may be moved with its clips
    assert read_pairs(tmp_path) == [pair]


@for_each(
    ("record", "problem"),
    [
        ('{"description": "calm"}', "expected text under 'audio'"),
        ('{"audio": "a.wav"}', "expected text under 'description'"),
        ('{"audio": "a.wav", "description": " "}', "the description is empty"),
        ('{"audio": "a.wav", "description": "calm", "language": "fr"}', "the language is en or zh"),
        ('{"audio": "a.wav", "description": "calm", "ratings": [6]}', "ratings go from 0 to 5"),
        ('{"audio": "a.wav", "description": "calm", "ratings": ["many"]}', "expected a number"),
        ('{"audio": "a", "description": "calm", "ratings": [{"score": 3, "confidence": "sure"}]}', "a confidence is"),
        ("[1]", "expected an object"),
        ('{"audio": "a", "description": "calm", "ratings": 3}', "ratings are an object of raters, or a list"),
        ('{"audio": "a", "caption": "b", "ratings": [{"rater": 1, "score": 1}, {"rater": 1, "score": 2}]}', "one"),
        ('{"audio": "a", "description": "calm", "start": "soon"}', "expected a number"),
        ('{"audio": "a", "description": "calm", "human_score": 87}', "their mean cannot be 87"),
    ],
)
def test_what_is_wrong_with_a_record_is_said_with_its_place(record: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(record, encoding="utf-8")
    with pytest.raises(RecordError, match=problem) as raised:
        read_pairs(path)
    assert str(path) in str(raised.value)


def test_two_pairs_of_one_id_and_ratings_of_no_pair_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text('{"id": 1, "audio": "a", "description": "b"}\n' * 2, encoding="utf-8")
    with pytest.raises(RecordError, match=r"pairs\.jsonl, line 2: the id '1' was taken by line 1"):
        read_pairs(path)
    pair = StylePair("p", AudioRef("a.wav"), "calm")
    with pytest.raises(RecordError, match="no pair 'q'"):
        with_ratings([pair], {"q": {"r": (3.0, "")}}, source="here")
    with pytest.raises(RecordError, match="ratings go from 0 to 5"):
        with_ratings([pair], {"p": {"r": (9.0, "")}}, source="here")


def test_the_ratings_of_a_table_may_stand_in_one_cell(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text('audio,description,ratings\na.wav,calm,"[4, 5, 3]"\n', encoding="utf-8")
    (pair,) = read_pairs(tmp_path)
    assert dict(pair.ratings) == {"1": 4.0, "2": 5.0, "3": 3.0}


@for_each(
    ("rows", "problem"),
    [
        ("[1]", "expected an object with pair, rater and score"),
        ('{"pair": "p", "rater": "r"}', "expected pair, rater and a number"),
        ('{"pair": "p", "rater": "r", "score": 3, "confidence": "yes"}', "a confidence is"),
    ],
)
def test_what_is_no_rating_is_refused(rows: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "ratings.jsonl").write_text(rows, encoding="utf-8")
    with pytest.raises(RecordError, match=problem):
        read_ratings(tmp_path / "ratings.jsonl")


def test_a_set_without_pairs_and_pairs_without_names_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text("audio,description\n", encoding="utf-8")
    with pytest.raises(RecordError, match="no pair in it"):
        read_pairs(tmp_path)
    with pytest.raises(ValueError, match="id of a pair is empty"):
        StylePair("", AudioRef("a.wav"), "calm")
    with pytest.raises(ValueError, match="a confidence is"):
        StylePair("p", AudioRef("a.wav"), "calm", confidences={"r": "sure"})


def test_a_rater_who_rates_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("pair,rater,score\np,r,1\np,r,2\n", encoding="utf-8")
    with pytest.raises(RecordError, match="has rated 'p' before"):
        read_ratings(tmp_path / "ratings.csv")


def test_a_folder_without_a_list_or_with_two_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="found none"):
        pairs_file(tmp_path)
    for name in ("pairs.jsonl", "metadata.csv"):
        (tmp_path / name).touch()
    with pytest.raises(UsageError, match=r"pairs\.jsonl, metadata\.csv"):
        pairs_file(tmp_path)
    with pytest.raises(UsageError, match="no such file or folder"):
        pairs_file(tmp_path / "nowhere")


def test_an_item_changes_with_its_clip_and_description_not_with_ratings_or_place(tmp_path: Path) -> None:
    first, second = write_tone(tmp_path / "a.wav", 100.0), write_tone(tmp_path / "b" / "c.wav", 100.0)
    other = write_tone(tmp_path / "d.wav", 400.0)
    pairs = [
        StylePair("1", AudioRef(str(first)), "low", ratings={"r": 3.0}),
        StylePair("2", AudioRef(str(second)), "low"),
        StylePair("3", AudioRef(str(other)), "low"),
        StylePair("4", AudioRef(str(first)), "high"),
    ]
    hashes = [item.content_hash for item in make_items(pairs)]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_a_pair_without_ratings_has_no_score() -> None:
    assert math.isnan(StylePair("p", AudioRef("a.wav"), "calm").human_score)
