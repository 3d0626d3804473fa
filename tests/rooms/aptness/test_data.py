import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.errors import RecordError, UsageError
from aptone.rooms.aptness.data import make_items, read_manifest, read_plan, read_record, read_story
from aptone.types import Audio, AudioRef, Intonation, Line, Rhythm, Sample, from_json, to_json


def read(data: Any, root: Path = Path("data")) -> Sample:
    return read_record(data, where="here", number=7, root=root)


def test_our_own_record_becomes_a_sample() -> None:
    sample = read(
        {
            "id": "wall",
            "audio": "clips/wall.opus",
            "line": "Get out!",
            "role": "Mara",
            "context": ["It rained.", {"role": "Tom", "text": "Hush."}],
            "following": "One.\n\nTwo.",
            "language": "en",
            "plan": {
                "emotion": "fear",
                "rhythm": "Tense",
                "intonation": "falling tone",
                "recording_condition": "phone",
            },
            "human_score": 4,
            "ratings": {"r1": 4, "r2": 4.5},
            "start": 1.5,
            "end": 3,
            "ids": {"story": "lighthouse"},
        }
    )
    assert sample.audio == AudioRef("data/clips/wall.opus", start=1.5, end=3)
    assert sample.target == Line("Get out!", "Mara")
    assert sample.context == (Line("It rained."), Line("Hush.", "Tom"))
    assert sample.following == (Line("One."), Line("Two."))
    assert sample.plan is not None
    assert (sample.plan.rhythm, sample.plan.intonation) == (Rhythm.TENSE, Intonation.FALLING)
    assert (sample.human_score, sample.ratings["r2"]) == (4.0, 4.5)


@pytest.mark.parametrize("context", [["一", "二"], "一\n二"])
@pytest.mark.parametrize("key", ["novel_context", "novel_context_lines", "novel_context_text"])
def test_a_record_of_the_public_release_is_taken_as_it_is(key: str, context: Any) -> None:
    sample = read(
        {
            "audio_path": "/a/b.m4a",
            key: context,
            "target_line": "张三说：你走吧。",
            "lang": "zh",
            "ideal_zh": {"emotion": "悲伤", "rhythm": "低沉型", "intonation": "下降调", "sound_effects": "正常说话"},
        }
    )
    assert (sample.id, sample.language) == ("7", "zh")
    assert sample.audio == AudioRef("/a/b.m4a")
    assert sample.context == (Line("一"), Line("二"))
    assert sample.plan is not None
    assert sample.plan.rhythm is Rhythm.LOW_PACED
    assert sample.plan.recording_condition == "正常说话"


def test_the_plan_in_the_language_of_the_story_comes_first() -> None:
    both = {"ideal_en": {"emotion": "sad"}, "ideal_zh": {"emotion": "悲伤"}, "audio": "a", "line": "x"}
    english, mandarin = read(both).plan, read({**both, "lang": "zh"}).plan
    assert english is not None
    assert mandarin is not None
    assert (english.emotion, mandarin.emotion) == ("sad", "悲伤")


def test_a_sample_written_by_us_is_read_back() -> None:
    sample = Sample("a", AudioRef("x.wav"), Line("Go."))
    assert to_json(read(to_json(sample))) == to_json(sample)


def test_without_people_there_is_no_human_score() -> None:
    assert math.isnan(read({"audio": "a", "line": "x"}).human_score)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "here: expected a JSON object, got list"),
        ({"line": "x"}, 'expected the path of a recording under "audio"'),
        ({"audio": "a", "line": "  "}, 'expected the spoken words under "line"'),
        ({"audio": "a", "line": "x", "lnie": 1}, "unknown field 'lnie'"),
        ({"audio": "a", "audio_path": "b", "line": "x"}, "audio and audio_path differ"),
        ({"audio": "a", "line": "x", "language": "fr"}, "the language is en or zh, got 'fr'"),
        ({"audio": "a", "line": "x", "context": 3}, "context lines are a list or one text"),
        ({"audio": "a", "line": "x", "human_score": "good"}, "here: Sample.human_score: expected a number"),
        ({"audio": "a", "line": "x", "start": 3, "end": 2}, "cannot end at 2"),
        ({"audio": "a", "line": "x", "plan": {"rhythm": "wobbly"}}, "'wobbly' is not a known rhythm"),
        ({"audio": "a", "line": "x", "plan": {"rythm": "tense"}}, "unknown field 'rythm' in the plan"),
        ({"audio": "a", "line": "x", "plan": {"emotion": 3}}, "the fields of a plan are text"),
        ({"audio": "a", "line": "x", "plan": "sad"}, "a plan is an object"),
        ({"schema": "aptone.Sample/1", "id": "a"}, "here: Sample.audio: missing"),
    ],
)
def test_a_record_that_cannot_be_understood_is_refused_by_name(data: Any, message: str) -> None:
    with pytest.raises(RecordError) as refused:
        read(data)
    assert message in str(refused.value)


def test_a_plan_may_leave_things_open() -> None:
    plan = read_plan({"emotion": "calm", "rhythm": " ", "intonation": None}, where="plan")
    assert (plan.rhythm, plan.intonation, plan.recording_condition) == (None, None, "normal")
    assert read_plan(to_json(plan), where="plan") == plan


@pytest.mark.parametrize("form", ["lines", "array"])
def test_a_manifest_has_one_object_a_line_or_is_one_array(tmp_path: Path, form: str) -> None:
    records = [{"id": str(n), "audio": "a.wav", "line": "Go.\u2028Now."} for n in range(3)]
    text = "\n\n".join(map(json.dumps, records)) if form == "lines" else json.dumps(records, ensure_ascii=False)
    path = tmp_path / "m.jsonl"
    path.write_text("\ufeff" + text, encoding="utf-8")
    samples = read_manifest(path)
    assert [sample.id for sample in samples] == ["0", "1", "2"]
    assert samples[0].audio == AudioRef(str(tmp_path / "a.wav"))
    assert read_manifest(path, data_root=Path("/root"))[0].audio == AudioRef("/root/a.wav")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the manifest is empty"),
        ('{"audio": "a", "line": "x"}\n{', "m.jsonl, line 2: not valid JSON"),
        ("[1]", "m.jsonl, record 1: expected a JSON object"),
        ('{"id": "a", "audio": "a", "line": "x"}\n' * 2, "two records have the id 'a'"),
        ('{"audio": "a", "line": "x", "human_score": NaN}', "line 1: NaN is not JSON"),
    ],
)
def test_a_broken_manifest_is_refused_and_the_line_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(text)
    with pytest.raises(RecordError) as refused:
        read_manifest(path)
    assert message in str(refused.value)


def test_a_manifest_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(RecordError, match="cannot be read as a manifest"):
        read_manifest(path)


def test_a_story_is_cut_at_the_line(tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text("One.\n\n  “Go.”  \nThree.\n", encoding="utf-8")
    assert read_story(path, line="Go.") == ((Line("One."),), (Line("Three."),))
    with pytest.raises(UsageError, match=r"no line holds 'Stop\.'"):
        read_story(path, line="Stop.")


def sample_at(path: Path) -> Sample:
    return Sample("a", AudioRef(str(path)), Line("Go."))


def test_an_item_follows_its_recording_and_its_text_but_not_its_place(tmp_path: Path) -> None:
    here, there = tmp_path / "here.wav", tmp_path / "there.wav"
    here.write_bytes(b"sound")
    there.write_bytes(b"sound")
    first, moved = (next(make_items([sample_at(path)])) for path in (here, there))
    assert first.content_hash == moved.content_hash
    there.write_bytes(b"another sound")
    assert next(make_items([sample_at(there)])).content_hash != first.content_hash
    other_words = Sample("a", AudioRef(str(here)), Line("Stop."))
    assert next(make_items([other_words])).content_hash != first.content_hash


def test_the_payload_of_an_item_is_the_sample_with_the_hash_of_its_recording(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(b"sound")
    sample = from_json(Sample, next(make_items([sample_at(path)])).payload)
    assert isinstance(sample.audio, AudioRef)
    # printf sound | sha256sum
    assert sample.audio.sha256 == "dd29442deca69f52c50006b831cb216edf78a7da33748f0a80ff19f2ebe57ecd"


def test_a_recording_that_is_not_there_makes_an_item_all_the_same(tmp_path: Path) -> None:
    (item,) = make_items([sample_at(tmp_path / "gone.wav")])
    sample = from_json(Sample, item.payload)
    assert isinstance(sample.audio, AudioRef)
    assert sample.audio.sha256 == ""


def test_sound_in_memory_makes_an_item_too() -> None:
    audio = Audio(np.ones(4, dtype=np.float32), 8000)
    (item,) = make_items([Sample("a", audio, Line("Go."))])
    assert from_json(Sample, item.payload).audio == audio
