import json
import math
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import MissingExtraError, RecordError, UsageError
from aptone.rooms.aptness.rated_lines import RatedLine, read_rated, with_ratings
from aptone.run.sources import manifest as frames
from aptone.types import DIMENSIONS, AudioRef, Intonation, Line, Rhythm, Segment, Sex, to_json
from tests.tables import for_each

RELEASED = {
    "audio_path": "wav/a.wav",
    "novel_context": ["天黑了。", "李四站在门口。"],
    "target_line": "张三说：“你走吧。”",
    "lang": "zh",
    "ideal_zh": {"emotion": "平静", "rhythm": "低沉型", "intonation": "下降调", "sound_effects": "正常说话"},
    "overall_expressive_score": 3.5,
    "tts_difficulty": 2.0,
    "emotion": "压抑的愤怒",
    "rhythm": "凝重型",
    "intonation": "下降调",
    "paralinguistic_vocalizations": ["吸气", "叹气"],
    "role_name": "张三",
    "gender": "男",
    "age": "中年",
    "recording_conditions": "正常说话",
    "bgm": "无",
    "sound_events": "关门声",
    "start_time": 1.0,
    "end_time": 2.5,
    "book": "门",
}


def written(path: Path, *records: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(record, ensure_ascii=False) for record in records), encoding="utf-8")
    return path


def one(path: Path) -> RatedLine:
    (line,) = read_rated(path).lines
    return line


def test_a_record_of_the_release_is_read_with_all_fifteen_dimensions(tmp_path: Path) -> None:
    line = one(written(tmp_path / "test.jsonl", RELEASED))
    assert (line.sample.language, line.sample.human_score) == ("zh", 3.5)
    assert line.sample.plan is not None
    assert line.sample.plan.rhythm is Rhythm.LOW_PACED  # the ideal, which is not what was heard
    assert line.sample.ids == {"book": "门"}
    said = line.annotation
    assert said.unanswered == ()
    assert len(DIMENSIONS) == 15
    assert (said.rhythm, said.intonation, said.gender) == (Rhythm.HEAVY, Intonation.FALLING, Sex.MALE)
    assert (said.vocalisations, said.background_music) == ("吸气, 叹气", False)
    assert said.boundaries == Segment(1.0, 2.5)


def test_mandarin_names_of_the_dimensions_are_known(tmp_path: Path) -> None:
    record = {"audio": "a.wav", "line": "走吧", "整体表现力评分": 4, "节奏": "轻快型", "情感": "高兴"}
    line = one(written(tmp_path / "a.jsonl", record))
    assert (line.sample.human_score, line.annotation.rhythm, line.annotation.emotion) == (4.0, Rhythm.BRISK, "高兴")


def test_our_own_manifests_are_read_as_they_are(tmp_path: Path) -> None:
    record = {"id": "x", "audio": "a.wav", "line": "Go.", "ratings": {"a": 2, "b": 4}, "ids": {"take": "1"}}
    line = one(written(tmp_path / "a.jsonl", record))
    assert (line.sample.id, line.sample.human_score, dict(line.sample.ratings)) == ("x", 3.0, {"a": 2.0, "b": 4.0})
    again = one(written(tmp_path / "b.jsonl", to_json(line.sample)))
    assert again.sample == line.sample


def test_several_annotators_give_ratings_and_what_most_of_them_say(tmp_path: Path) -> None:
    answers = [
        {"annotator": "a", "score": 2, "rhythm": "tense"},
        {"annotator": "b", "score": 3, "rhythm": "heavy"},
        {"annotator": "c", "score": 4, "rhythm": "heavy"},
    ]
    line = one(written(tmp_path / "a.jsonl", {"audio": "a.wav", "line": "Go.", "annotations": answers}))
    assert dict(line.sample.ratings) == {"a": 2.0, "b": 3.0, "c": 4.0}
    assert line.sample.human_score == 3.0  # (2 + 3 + 4) / 3
    assert line.annotation.rhythm is Rhythm.HEAVY


@for_each(
    ("change", "complaint"),
    [
        ({"score": 1.0}, "overall_expressive_score and score differ"),
        ({"overall_expressive_score": "good"}, "overall_expressive_score is a number, got 'good'"),
        ({"overall_expressive_score": 7}, "lies between 0 and 5"),
        ({"audio_path": None}, "expected the path of a recording"),
        ({"annotations": [{"annotator": "a"}, {"annotator": "a"}]}, "two of the .annotations. are by one annotator"),
        ({"start_time": 3.0}, "cannot end at 2.5 s"),
    ],
)
def test_a_record_that_cannot_be_understood_is_named(tmp_path: Path, change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(RecordError, match=rf"test\.jsonl, line 2: .*{complaint}"):
        read_rated(written(tmp_path / "test.jsonl", {**RELEASED, "id": "a"}, {**RELEASED, **change}))


def test_what_a_record_says_itself_goes_before_its_annotators_and_corrected_text_before_what_was_corrected(
    tmp_path: Path,
) -> None:
    record = {
        "audio": "a.wav",
        "line": "Get ou!",
        "refined_content": "Get out!",
        "context": ["Nigth fell."],
        "refined_context": ["Night fell."],
        "rhythm": "brisk",
        "boundaries": [0.5, 2.0],
        "annotations": [{"annotator": name, "rhythm": "tense", "overall_score": 3} for name in ("a", "b")],
    }
    (tmp_path / "set.jsonl").write_text(json.dumps(record))
    (line,) = read_rated(tmp_path / "set.jsonl").lines
    assert line.annotation.rhythm is Rhythm.BRISK
    assert line.sample.target.text == "Get out!"
    assert line.sample.context == (Line("Night fell."),)
    assert line.annotation.boundaries == Segment(0.5, 2.0)
    assert isinstance(line.sample.audio, AudioRef)
    assert (line.sample.audio.start, line.sample.audio.end) == (0.5, 2.0)


def test_what_is_not_understood_is_passed_over_and_counted(tmp_path: Path) -> None:
    odd = {**RELEASED, "mood_board": 1, "rhythm": "hurried"}
    rated = read_rated(written(tmp_path / "a.jsonl", {**odd, "id": 1}, {**odd, "id": 2}))
    assert rated.passed_over == {"field 'mood_board'": 2, "rhythm 'hurried'": 2}
    assert rated.lines[0].annotation.rhythm is None


def test_a_line_that_nobody_rated_has_no_score(tmp_path: Path) -> None:
    rated = read_rated(written(tmp_path / "a.jsonl", {"audio": "a.wav", "line": "Go."}))
    assert math.isnan(rated.lines[0].score(proxy=False))
    assert (rated.rated_lines, rated.is_proxy) == ((), False)


def test_a_proxy_score_counts_only_where_nobody_rated_any_line(tmp_path: Path) -> None:
    proxy = {"audio": "a.wav", "line": "Go.", "proxy_score": 2.0}
    rated = read_rated(written(tmp_path / "a.jsonl", {**proxy, "id": "a"}, {**proxy, "id": "b"}))
    assert [line.score(proxy=rated.is_proxy) for line in rated.rated_lines] == [2.0, 2.0]
    mixed = read_rated(written(tmp_path / "b.jsonl", {**proxy, "id": "a", "human_score": 4}, {**proxy, "id": "b"}))
    assert [line.score(proxy=mixed.is_proxy) for line in mixed.rated_lines] == [4.0]


def test_of_a_folder_the_split_is_read_and_files_of_another_kind_are_passed_over(tmp_path: Path) -> None:
    written(tmp_path / "data" / "test.jsonl", {**RELEASED, "id": "t"})
    written(tmp_path / "data" / "train.jsonl", {**RELEASED, "id": "r"})
    written(tmp_path / "test_settings.json", {"batch": 4})
    written(tmp_path / ".cache" / "test.jsonl", {**RELEASED, "id": "hidden"})
    (tmp_path / "wav").mkdir()
    (tmp_path / "wav" / "a.wav").write_bytes(b"")
    (line,) = read_rated(tmp_path).lines
    assert line.sample.id == "t"
    # the path is not beside the file, but it is in the folder of the set
    assert to_json(line.sample)["audio"] == to_json(line.sample.audio)
    assert str(tmp_path / "wav" / "a.wav") in json.dumps(to_json(line.sample))
    assert [line.sample.id for line in read_rated(tmp_path, split="train").lines] == ["r"]
    with pytest.raises(UsageError, match="no file is of the split 'validation'; there are test, train"):
        read_rated(tmp_path, split="validation")


def test_a_split_can_be_a_field(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", *({**RELEASED, "id": split, "split": split} for split in ("train", "test")))
    assert [line.sample.id for line in read_rated(path).lines] == ["test"]
    with pytest.raises(UsageError, match="there are test, train"):
        read_rated(path, split="validation")


@for_each("whole", [[RELEASED], {"data": [RELEASED]}, {"1": {**RELEASED}}, RELEASED])
def test_json_may_hold_records_in_several_ways(tmp_path: Path, whole: Any) -> None:
    line = one(written(tmp_path / "a.json", whole))
    assert (line.sample.id, line.sample.human_score) == ("1", 3.5)


def test_a_table_with_commas_is_read_and_its_numbers_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "metadata.csv"
    path.write_text('file_name,text,score,emotion\na.wav,"Go, now.",2.5,calm\n', encoding="utf-8")
    line = one(path)
    assert (line.sample.target.text, line.sample.human_score, line.annotation.emotion) == ("Go, now.", 2.5, "calm")
    path.write_text("file_name,text\na.wav,Go,now\n", encoding="utf-8")
    with pytest.raises(RecordError, match="row 1: it has more cells than there are columns"):
        read_rated(path)


def test_recordings_inside_a_parquet_file_are_unpacked(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars")
    row = {"audio": {"bytes": b"sound", "path": "x/../Y.WAV"}, "text": "你走吧", "score": 4.0}
    polars.DataFrame([row]).write_parquet(tmp_path / "test.parquet")
    with pytest.raises(RecordError, match="say where it may be unpacked"):
        read_rated(tmp_path / "test.parquet")
    (line,) = read_rated(tmp_path / "test.parquet", unpack_to=tmp_path / "clips").lines
    (clip,) = (tmp_path / "clips").iterdir()
    assert (clip.read_bytes(), clip.suffix) == (b"sound", ".wav")
    assert str(clip) in json.dumps(to_json(line.sample))


def test_a_parquet_file_that_is_none_or_cannot_be_read_here_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "test.parquet"
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(RecordError, match="not a Parquet file that can be read"):
        read_rated(path)
    monkeypatch.setattr(frames, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"\[frames\]"):
        read_rated(path)


def test_two_records_with_one_id_are_refused_across_files(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", {**RELEASED, "id": "x"})
    written(tmp_path / "b.jsonl", {**RELEASED, "id": "x"})
    with pytest.raises(RecordError, match=r"b\.jsonl, line 1: the id 'x' was taken by .*a\.jsonl, line 1"):
        read_rated(tmp_path)


def test_a_place_without_data_says_what_was_expected(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no file in it ends in \.jsonl"):
        read_rated(tmp_path)
    (tmp_path / "x.txt").write_text("x")
    with pytest.raises(UsageError, match="expected a folder, or a file that ends in"):
        read_rated(tmp_path / "x.txt")
    with pytest.raises(UsageError, match=r"--data-root .*nowhere: no such folder"):
        read_rated(tmp_path, data_root=tmp_path / "nowhere")
    (tmp_path / "x.jsonl").write_text("[1]")
    with pytest.raises(RecordError, match="expected a JSON object, got int"):
        read_rated(tmp_path / "x.jsonl")
    with pytest.raises(RecordError, match="there are no records in it"):
        read_rated(tmp_path)


def test_ratings_by_id_take_the_place_of_the_scores_of_a_set(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", {**RELEASED, "id": "x"}, {**RELEASED, "id": "y"})
    rated = with_ratings(read_rated(tmp_path), {"x": 1.5, "elsewhere": 2.0})
    assert rated.lines[0].sample.human_score == 1.5
    assert math.isnan(rated.lines[1].sample.human_score)
    with pytest.raises(UsageError, match="none of the 1 ratings is of a line of"):
        with_ratings(rated, {"elsewhere": 2.0})
