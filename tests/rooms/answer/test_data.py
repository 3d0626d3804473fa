import math
from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.answer.data import AnswerSample, Dimension, Prompt, Source, make_items, read_manifest, write_manifest
from aptone.types import AudioRef
from tests.tables import for_each

QUESTION = '"content": "My sister just called.", "dimension": "emotion", "category": "happy"'


def prompt(root: Path, **changes: str) -> Prompt:
    return Prompt(
        changes.get("id", "e-1-happy"),
        "My sister just called.",
        Dimension.EMOTION,
        "happy",
        AudioRef(str(root / "audio" / "a.wav")),
        pair="e-1",
    )


def test_a_manifest_is_written_so_that_it_can_be_read_back(tmp_path: Path) -> None:
    rated = AnswerSample(
        "mine-1",
        prompt(tmp_path),
        AudioRef(str(tmp_path / "answers" / "a.wav")),
        "How lovely!",
        human_score=4.5,
        ratings={"anna": 4.0, "ben": 5.0},
        ids={"system": "mine"},
    )
    real = AnswerSample("r", Prompt("r", "Go away.", Dimension.EMOTION, "angry", source=Source.MELD))
    write_manifest(tmp_path / "manifest.jsonl", [rated, real])
    assert '"audio/a.wav"' in (tmp_path / "manifest.jsonl").read_text(encoding="utf-8")
    assert str(tmp_path) not in (tmp_path / "manifest.jsonl").read_text(encoding="utf-8")
    assert read_manifest(tmp_path / "manifest.jsonl") == [rated, real]


def test_a_record_of_plain_fields_is_understood(tmp_path: Path) -> None:
    path = tmp_path / "manifest.jsonl"
    path.write_text(
        '{"id": 7, "text": "你今天怎么样？", "dimension": "age", "style": "child", "audio": "q.wav", '
        '"response": "a.wav", "ratings": {"anna": 3, "ben": 4}, "system": "mine"}\n',
        encoding="utf-8",
    )
    (sample,) = read_manifest(path)
    assert (sample.id, sample.prompt.id, sample.prompt.category, sample.prompt.language) == ("7", "7", "child", "zh")
    assert sample.answer == AudioRef(str(tmp_path / "a.wav"))
    assert sample.human_score == 3.5  # (3 + 4) / 2
    assert sample.ids == {"system": "mine"}


def test_a_table_holds_ratings_in_columns_of_their_own(tmp_path: Path) -> None:
    table = tmp_path / "manifest.csv"
    table.write_text(
        "id,content,dimension,category,answer,rating_anna,rating_ben\n1,Hello there.,gender,male,a.wav,2,5\n",
        encoding="utf-8",
    )
    (sample,) = read_manifest(table)
    assert sample.ratings == {"anna": 2.0, "ben": 5.0}
    assert sample.human_score == 3.5  # (2 + 5) / 2


def test_several_answers_share_a_question(tmp_path: Path) -> None:
    path = tmp_path / "manifest.jsonl"
    rows = [f'{{"id": "{name}", "prompt": "q", {QUESTION}, "answer": "{name}.wav"}}' for name in ("one", "two")]
    path.write_text("\n".join(rows), encoding="utf-8")
    assert [(sample.id, sample.prompt.id) for sample in read_manifest(path)] == [("one", "q"), ("two", "q")]


@for_each(
    ("row", "message"),
    [
        ("3", "expected a JSON object"),
        (f'{{{QUESTION}, "anser": "a.wav"}}', "did you mean answer"),
        (f'{{{QUESTION}, "answer": "../a.wav"}}', "leaves the folder of the manifest"),
        (f'{{{QUESTION}, "audio": "/etc/passwd"}}', "leaves the folder of the manifest"),
        (f'{{{QUESTION}, "audio": "inner/../../a.wav"}}', "leaves the folder of the manifest"),
        (f'{{{QUESTION}, "ratings": {{"anna": 6}}}}', "from 1 to 5; anna gave 6"),
        (f'{{{QUESTION}, "ratings": {{"anna": "good"}}}}', "an object of raters"),
        (f'{{{QUESTION}, "text": "Hello."}}', "the same field"),
        (f'{{{QUESTION}, "answer": 3}}', '"answer" is text'),
        (f'{{{QUESTION}, "id": true}}', '"id" is text or a number'),
        (f'{{{QUESTION}, "start": "soon", "audio": "a.wav"}}', '"start" is a number'),
        ('{"content": "Hello.", "dimension": "mood", "category": "happy"}', "mood"),
        ('{"content": "Hello.", "dimension": "age", "category": "happy"}', "adult, child"),
        ('{"content": " ", "dimension": "age", "category": "child"}', "the words of the question under content"),
        ('{"content": "Hello.", "dimension": "emotion"}', "how the question was asked under category, style"),
        ('{"content": "Hello.", "style": "cheerful"}', "got 'cheerful'"),
        (
            '{"content": "Hello.", "dimension": "age", "category": "child", "source": "meld"}',
            "real speech has emotions",
        ),
    ],
)
def test_a_record_that_cannot_be_understood_is_named_with_its_line(tmp_path: Path, row: str, message: str) -> None:
    path = tmp_path / "manifest.jsonl"
    path.write_text(f'{{"id": "first", {QUESTION}}}\n{row}\n', encoding="utf-8")
    with pytest.raises(RecordError, match="line 2") as raised:
        read_manifest(path)
    assert message in str(raised.value)


def test_a_written_record_cannot_lead_out_of_its_folder_either(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    write_manifest(tmp_path / "manifest.jsonl", [AnswerSample("a", prompt(tmp_path))])
    moved = (tmp_path / "manifest.jsonl").read_text(encoding="utf-8").replace("audio/a.wav", "../audio/a.wav")
    (inner / "manifest.jsonl").write_text(moved, encoding="utf-8")
    with pytest.raises(RecordError, match="leaves the folder"):
        read_manifest(inner / "manifest.jsonl")
    with pytest.raises(RecordError, match="does not lie below"):
        write_manifest(inner / "other.jsonl", [AnswerSample("a", prompt(tmp_path))])


def test_two_records_with_one_id_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "manifest.jsonl"
    path.write_text(f'{{"id": "a", {QUESTION}}}\n{{"id": "a", {QUESTION}}}\n', encoding="utf-8")
    with pytest.raises(RecordError, match="'a' was taken by line 1"):
        read_manifest(path)


def test_the_hash_of_an_item_depends_on_sound_and_style_but_not_on_place_or_people(tmp_path: Path) -> None:
    def digest(sample: AnswerSample) -> str:
        (item,) = make_items([sample])
        return item.content_hash

    for name in ("here", "there"):
        (tmp_path / name / "audio").mkdir(parents=True)
        (tmp_path / name / "audio" / "a.wav").write_bytes(b"sound")
    here = AnswerSample("a", prompt(tmp_path / "here"))
    there = AnswerSample("a", prompt(tmp_path / "there"), human_score=4.0)
    assert digest(here) == digest(there)
    (tmp_path / "there" / "audio" / "a.wav").write_bytes(b"other sound")
    assert digest(here) != digest(there)
    assert math.isnan(here.human_score)
