from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.answer.build.disjoint import TrainingSet, collisions, read_training, speaker_collision
from aptone.rooms.answer.build.records import Candidate
from aptone.rooms.answer.data import Dimension


def candidate(name: str, text: str, topic: str = "work") -> Candidate:
    return Candidate(name, text, Dimension.EMOTION, ("happy", "sad"), topic)


TEXT = "They moved our office to the fourth floor."


def test_nothing_collides_with_nothing() -> None:
    assert collisions([candidate("a", TEXT), candidate("b", "My sister called from the airport.")], TrainingSet()) == {}


def test_each_collision_names_what_it_collides_with() -> None:
    training = TrainingSet(
        texts={
            "they moved our office, to the FOURTH floor": "train.jsonl, line 3",
            "The nurse who looked after us is leaving soon.": "train.jsonl, line 4",
        },
        topics={"Religion": "train.jsonl, line 9"},
    )
    found = collisions(
        [
            candidate("same", TEXT),
            candidate("near", "The nurse who looked after us is leaving."),
            candidate("topic", "They rang the big bell at noon.", "religion"),
            candidate("free", "The pilot switched on the lights again."),
        ],
        training,
    )
    assert found["same"] == "the same words: 'they moved our office, to the FOURTH floor' (train.jsonl, line 3)"
    assert found["near"].startswith("near-duplicate, cosine 0.9")
    assert "'The nurse who looked after us is leaving soon.' (train.jsonl, line 4)" in found["near"]
    assert found["topic"] == "topic 'religion' is trained on (train.jsonl, line 9)"
    assert "free" not in found


def test_of_two_near_duplicates_in_the_benchmark_the_later_falls() -> None:
    found = collisions([candidate("first", TEXT), candidate("second", TEXT.upper())], TrainingSet())
    assert found == {"second": f"the same words: {TEXT!r} (this benchmark)"}


def test_the_threshold_decides_what_is_near() -> None:
    pair = [candidate("a", TEXT), candidate("b", "They moved our office to the second floor.")]
    assert list(collisions(pair, TrainingSet(), near=0.5)) == ["b"]
    assert collisions(pair, TrainingSet(), near=0.999) == {}


def test_speakers_are_known_with_and_without_their_collection() -> None:
    training = TrainingSet(speakers={"1089": "train.jsonl, line 2"})
    assert speaker_collision(["nnces:7", "librispeech:1089"], training).startswith("speaker 'librispeech:1089'")
    assert speaker_collision(["librispeech:26"], training) == ""


def test_a_raised_voice_is_still_the_voice_that_is_trained_on() -> None:
    assert "flite:slt+raised" in speaker_collision(["flite:slt+raised"], TrainingSet(speakers={"slt": "train.csv"}))
    assert "flite:slt+raised" in speaker_collision(["flite:slt+raised"], TrainingSet(speakers={"flite:slt": "a"}))
    assert speaker_collision(["flite:kal16"], TrainingSet(speakers={"slt": "train.csv"})) == ""


def test_speakers_that_are_numbers_and_fields_that_are_empty_hide_nothing(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(
        '{"speaker": 1089, "content": "", "text": "Hello there."}\n{"speaker": null, "speaker_id": 26}\n'
        '{"speaker": true, "topic": ["work"]}\n',
        encoding="utf-8",
    )
    read = read_training(path)
    assert (set(read.speakers), set(read.texts), set(read.topics)) == ({"1089", "26"}, {"Hello there."}, set())


def test_a_training_manifest_is_read_whatever_its_fields_are_called(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text(
        '{"transcript": "Hello there.", "reference_speaker": "26"}\n'
        '{"prompt": {"content": "Good day.", "topic": "work"}}\n',
        encoding="utf-8",
    )
    read = read_training(path)
    assert set(read.texts) == {"Hello there.", "Good day."}
    assert (set(read.topics), set(read.speakers)) == ({"work"}, {"26"})


def test_a_manifest_that_keeps_nothing_apart_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text('{"audio": "a.wav"}\n', encoding="utf-8")
    with pytest.raises(RecordError, match="no record has a text, a topic or a speaker"):
        read_training(path)
