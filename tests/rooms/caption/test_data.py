import math
from pathlib import Path

import pytest

from aptone.errors import RecordError, UsageError
from aptone.rooms.caption.data import (
    CaptionSample,
    Unit,
    attribute_named,
    checked_units,
    make_items,
    read_manifest,
    write_manifest,
)
from aptone.types import AudioRef, from_json, to_json
from tests.rooms.caption.caption_parts import TONE
from tests.tables import for_each


def test_a_unit_takes_the_spellings_of_its_closed_set() -> None:
    assert Unit("He is a man.", "sex", "M", "He", 0, 2).value == "male"
    assert Unit("音调低。", "pitch", "较低", "低", 0, 1).value == "low"


def test_a_value_in_other_words_stays_and_cannot_be_checked() -> None:
    unit = Unit("The speaker is confident.", "emotion", "confident", "confident", 0, 9)
    assert unit.value == "confident"
    assert unit.known is None
    assert unit.claim is None


@for_each("fields", [("", "low", "deep"), ("A fact.", " ", "deep"), ("A fact.", "low", "")])
def test_a_unit_without_its_parts_is_refused(fields: tuple[str, str, str]) -> None:
    fact, value, evidence = fields
    with pytest.raises(ValueError, match="a unit has"):
        Unit(fact, "pitch", value, evidence, 0, len(evidence))


def test_units_whose_evidence_is_not_in_the_caption_are_dropped_and_counted() -> None:
    there = Unit("The pitch is low.", "pitch", "low", "deep", 2, 6)
    elsewhere = Unit("The voice is loud.", "volume", "loud", "loud", 2, 6)
    assert checked_units("A deep voice", [elsewhere, there]) == ((there,), 1)


def test_a_claim_that_is_made_twice_counts_once() -> None:
    first = Unit("The pitch is low.", "pitch", "low", "deep", 2, 6)
    second = Unit("The pitch is low.", "pitch", "low", "low", 9, 12)
    denied = Unit("The pitch is not low.", "pitch", "low", "low", 9, 12, is_denied=True)
    kept, dropped = checked_units("A deep   low voice", [first, second, denied])
    assert (kept, dropped) == ((first, denied), 0)


def test_attributes_are_known_by_the_names_that_people_use() -> None:
    assert attribute_named("Vocal Event") == "events"
    with pytest.raises(UsageError, match="not an attribute"):
        attribute_named("colour")


def test_a_manifest_is_written_so_that_it_can_be_read_back(tmp_path: Path) -> None:
    sample = CaptionSample(
        "a",
        AudioRef(str(tmp_path / "a.wav"), 0.5, 2.0),
        "Her voice is soft.",
        "A soft voice.",
        spoken="de",
        human_score=3.5,
        ids={"system": "mine"},
    )
    write_manifest(tmp_path / "captions.jsonl", [sample])
    assert '"a.wav"' in (tmp_path / "captions.jsonl").read_text(encoding="utf-8")
    assert read_manifest(tmp_path / "captions.jsonl") == [sample]


def test_a_table_is_a_manifest_too(tmp_path: Path) -> None:
    table = tmp_path / "captions.csv"
    table.write_text('audio,caption,human_score\na.wav,"A deep, slow voice",4\nb.wav,语速很快,\n', encoding="utf-8")
    first, second = read_manifest(table)
    assert (first.id, first.human_score, first.language) == ("1", 4.0, "en")
    assert (second.id, second.caption, second.language) == ("2", "语速很快", "zh")
    assert isinstance(first.audio, AudioRef)
    assert first.audio.path == str(tmp_path / "a.wav")


@for_each(
    ("line", "complaint"),
    [
        ('{"audio": "a.wav", "captoin": "x"}', "did you mean caption"),
        ('{"audio": "a.wav", "caption": 3}', "is text"),
        ('{"caption": "x"}', "AudioRef.path"),
        ('{"audio": "a.wav", "caption": "x", "language": "de"}', "language"),
        ('{"audio": "a.wav", "ratings": {"x": "high"}}', "ratings"),
        ('{"audio": "a.wav", "ratings": {"x": 1' + "0" * 400 + "}}", "ratings"),
        ("[1]", "JSON object"),
        ("[]", "no record"),
    ],
)
def test_a_record_that_cannot_be_understood_is_named(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "captions.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(RecordError, match=complaint) as refused:
        read_manifest(path)
    assert "captions.jsonl" in str(refused.value)


def test_two_captions_with_one_id_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "captions.jsonl"
    path.write_text('{"id": "a", "audio": "a.wav"}\n{"id": "a", "audio": "b.wav"}\n', encoding="utf-8")
    with pytest.raises(RecordError, match="line 2: the id 'a' was taken by line 1"):
        read_manifest(path)


def test_the_mean_of_the_ratings_is_the_human_score(tmp_path: Path) -> None:
    path = tmp_path / "captions.jsonl"
    path.write_text('{"audio": "a.wav", "ratings": {"x": 2, "y": 5}}\n', encoding="utf-8")
    assert read_manifest(path)[0].human_score == 3.5  # (2 + 5) / 2


def test_an_item_has_the_same_hash_wherever_its_recording_lies(tmp_path: Path) -> None:
    hashes: list[str] = []
    for name in ("a.wav", "b.wav"):
        (tmp_path / name).write_bytes(b"sound")
        (item,) = make_items([CaptionSample("a", AudioRef(str(tmp_path / name)), "Deep.", human_score=len(hashes))])
        assert from_json(CaptionSample, item.payload).caption == "Deep."
        hashes.append(item.content_hash)
    (other,) = make_items([CaptionSample("a", AudioRef(str(tmp_path / "a.wav")), "Loud.")])
    assert hashes[0] == hashes[1] != other.content_hash


def test_a_unit_survives_its_way_through_json() -> None:
    unit = Unit("The pitch is not low.", "pitch", "low", "deep", 2, 6, is_denied=True, is_hedged=True)
    assert from_json(Unit, to_json(unit)) == unit


@pytest.mark.parametrize(("row", "complaint"), [("a.wav,Deep.,high", "human_score"), ("a.wav,Deep.,", "")])
def test_numbers_in_a_table_are_numbers(tmp_path: Path, row: str, complaint: str) -> None:
    table = tmp_path / "captions.csv"
    table.write_text(f"audio,caption,human_score\n{row}\n", encoding="utf-8")
    if complaint:
        with pytest.raises(RecordError, match=complaint):
            read_manifest(table)
    else:
        assert math.isnan(read_manifest(table)[0].human_score)


@for_each(
    ("fields", "complaint"), [('"id": ""', "id"), ('"id": true', "id"), ('"system": 3', "system"), ('"ids": []', "ids")]
)
def test_what_identifies_a_caption_is_text(tmp_path: Path, fields: str, complaint: str) -> None:
    path = tmp_path / "captions.jsonl"
    path.write_text(f'{{"audio": "a.wav", {fields}}}', encoding="utf-8")
    with pytest.raises(RecordError, match=complaint):
        read_manifest(path)


def test_recordings_that_were_read_and_empty_ids_are_told_apart(tmp_path: Path) -> None:
    sample = CaptionSample("a", TONE, "Deep.", ids={"system": "mine"})
    write_manifest(tmp_path / "captions.jsonl", [sample])
    assert read_manifest(tmp_path / "captions.jsonl") == [sample]
    with pytest.raises(ValueError, match="id"):
        CaptionSample("", TONE, "Deep.")
    with pytest.raises(ValueError, match="cannot stand"):
        Unit("A fact.", "pitch", "low", "deep", 2, 5)
