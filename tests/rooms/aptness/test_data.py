import json
import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.errors import RecordError, UsageError
from aptone.rooms.aptness.data import make_items, read_manifest, read_plan, read_record, read_story
from aptone.types import Audio, AudioRef, Intonation, Line, Rhythm, Sample, from_json, to_json
from tests.tables import for_each


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
    assert sample.audio == AudioRef(str(Path("data/clips/wall.opus").absolute()), start=1.5, end=3)
    assert sample.target == Line("Get out!", "Mara")
    assert sample.context == (Line("It rained."), Line("Hush.", "Tom"))
    assert sample.following == (Line("One."), Line("Two."))
    assert sample.plan is not None
    assert (sample.plan.rhythm, sample.plan.intonation) == (Rhythm.TENSE, Intonation.FALLING)
    assert (sample.human_score, sample.ratings["r2"]) == (4.0, 4.5)


@for_each("context", [["一", "二"], "一\n二"])
@for_each("key", ["novel_context", "novel_context_lines", "novel_context_text"])
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
    again = read(to_json(sample))
    assert again.audio == AudioRef(str(Path("data/x.wav").absolute()))
    assert to_json(replace(again, audio=sample.audio)) == to_json(sample)


def test_the_human_score_is_the_mean_of_the_ratings_unless_given() -> None:
    ratings = {"r1": 2, "r2": 3.5}
    assert read({"audio": "a", "line": "x", "ratings": ratings}).human_score == 2.75
    assert read({"audio": "a", "line": "x", "ratings": ratings, "human_score": 3}).human_score == 3.0


def test_without_people_there_is_no_human_score() -> None:
    assert math.isnan(read({"audio": "a", "line": "x"}).human_score)


@for_each(
    ("data", "message"),
    [
        ([], "here: expected a JSON object, got list"),
        ({"line": "x"}, 'expected the path of a recording under "audio"'),
        ({"audio": "a", "line": "  "}, 'expected the spoken words under "line"'),
        ({"audio": "a", "line": "x", "rolle": 1}, "unknown field 'rolle'; did you mean role?"),
        ({"audio": "a", "line": "x", "zzz": 1}, "unknown field 'zzz'; known are audio, context, end"),
        ({"audio": "a", "line": "x", "id": ""}, '"id" is text or a number'),
        ({"audio": "a", "line": "x", "id": None}, '"id" is text or a number'),
        ({"audio": "a", "line": "x", "human_score": 9}, '"human_score" lies between 0 and 5, got 9'),
        ({"audio": "a", "line": "x", "ratings": {"r": 6}}, '"ratings" is an object of raters'),
        ({"audio": "a", "line": "x", "ratings": [3]}, '"ratings" is an object of raters'),
        ({"audio": "a", "line": "x", "context": [3]}, "here: Line: expected an object, got 3"),
        ({"audio": "a", "audio_path": "b", "line": "x"}, "audio and audio_path differ"),
        ({"audio": "a", "line": "x", "language": "fr"}, "the language is en or zh, got 'fr'"),
        ({"audio": "a", "line": "x", "context": 3}, "context lines are a list or one text"),
        ({"audio": "a", "line": "x", "human_score": "good"}, '"human_score" lies between 0 and 5'),
        ({"audio": "a", "line": "x", "ids": {"take": 3}}, "here: Sample.ids.take: expected str"),
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
    assert (plan.rhythm, plan.intonation, plan.recording_condition) == (None, None, "")
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


@for_each(
    ("text", "message"),
    [
        ("", "the manifest is empty"),
        ('{"audio": "a", "line": "x"}\n{', "m.jsonl, line 2: not valid JSON"),
        ("[1]", "m.jsonl, record 1: expected a JSON object"),
        ('{"id": "a", "audio": "a", "line": "x"}\n' * 2, "line 2: the id 'a' was taken by line 1"),
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


def test_one_object_over_several_lines_is_one_record(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(json.dumps({"id": "a", "audio": "a.wav", "line": "x"}, indent=2))
    assert [sample.id for sample in read_manifest(path)] == ["a"]


def test_a_data_root_that_is_not_there_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"audio": "a", "line": "x"}')
    with pytest.raises(UsageError, match="no such folder"):
        read_manifest(path, data_root=tmp_path / "nowhere")


def test_a_story_is_cut_at_the_line(tmp_path: Path) -> None:
    path = tmp_path / "story.txt"
    path.write_text("One.\n\n  “Go.”  \nThree.\n", encoding="utf-8")
    found = read_story(path, line="Go.")
    assert found == ((Line("One."),), Line("Go.", speech=True), (Line("Three."),))
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


def test_what_people_said_of_a_clip_does_not_make_it_another_item() -> None:
    sample = sample_at(Path("gone.wav"))
    rated = replace(sample, human_score=3.0, ratings={"r": 3.0}, ids={"take": "2"})
    assert next(make_items([rated])).content_hash == next(make_items([sample])).content_hash


def test_a_long_file_with_many_lines_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "book.wav"
    path.write_bytes(b"sound")
    read_files: list[Path] = []

    def hashed(path: Path) -> str:
        read_files.append(path)
        return "hash"

    monkeypatch.setattr("aptone.rooms.aptness.data.file_hash", hashed)
    lines = [Sample(str(n), AudioRef(str(path), start=float(n), end=n + 1.0), Line("x")) for n in range(5)]
    assert len({item.content_hash for item in make_items(lines)}) == 5
    assert read_files == [path]


def test_a_pipe_in_a_manifest_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    (item,) = make_items([sample_at(tmp_path / "pipe.wav")])
    assert item.payload["audio"]["sha256"] == ""  # type: ignore[index,call-overload]


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
