import json
from pathlib import Path

import pytest

from aptone.errors import RecordError, UsageError
from recipes.ear.data import FOLDS, PERMISSIVE_SETS, SPEECH_SETS, read_pack

ROW: dict[str, object] = {
    "file": "a.wav",
    "set": "nemo",
    "speaker": "s",
    "sex": "male",
    "age": "41",
    "language": "pl",
    "emotion": "sad",
    "intensity": "",
    "split": "train",
    "speech": [[0.1, 0.5], [0.7, 0.9]],
}


def write(pack: Path, *rows: dict[str, object], data: str | None = None) -> Path:
    pack.mkdir()
    (pack / "index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    if data is not None:
        (pack / "pack.json").write_text(data, encoding="utf-8")
    return pack


def test_the_clips_lie_where_the_pack_says_or_in_the_pack(tmp_path: Path) -> None:
    (inside,) = read_pack(write(tmp_path / "one", ROW))
    assert inside.path == tmp_path / "one" / "nemo" / "a.wav"
    (outside,) = read_pack(write(tmp_path / "two", ROW, data='{"data": "/elsewhere"}'))
    assert outside.path == Path("/elsewhere/nemo/a.wav")
    assert (outside.name, outside.label, outside.speech) == ("nemo/a.wav", "sad", ((0.1, 0.5), (0.7, 0.9)))
    assert (outside.sex, outside.age) == ("male", "41")


def test_a_folder_without_an_index_is_no_pack(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"index\.jsonl: no such file; make .* with `python -m recipes\.ear prepare`"):
        read_pack(tmp_path)


def test_a_line_that_lacks_something_is_named(tmp_path: Path) -> None:
    short = {key: value for key, value in ROW.items() if key != "split"}
    with pytest.raises(RecordError, match=r"index\.jsonl, line 2: 'split' is missing"):
        read_pack(write(tmp_path / "short", ROW, short))
    with pytest.raises(RecordError, match="line 1: cannot be read"):
        read_pack(write(tmp_path / "odd", ROW | {"speech": [[1]]}))
    with pytest.raises(RecordError, match="line 1: cannot be read"):
        read_pack(write(tmp_path / "numberless", ROW | {"set": "emogator"}))
    with pytest.raises(RecordError, match=r"pack\.json: names no data folder"):
        read_pack(write(tmp_path / "nowhere", ROW, data="[]"))


def test_nobody_is_in_two_folds_and_free_sets_are_sets() -> None:
    for folds in FOLDS.values():
        speakers = [speaker for fold in folds for speaker in fold]
        assert len(speakers) == len(set(speakers))
    assert set(PERMISSIVE_SETS) <= set(SPEECH_SETS)


def test_a_burst_is_labelled_by_the_number_of_its_category_and_not_by_the_emotion_in_the_table(tmp_path: Path) -> None:
    categories = ("02", "22", "24", "27", "28", "01")
    rows = [ROW | {"set": "emogator", "file": f"000004-{number}-1.ogg", "emotion": "happy"} for number in categories]
    labels = [clip.label for clip in read_pack(write(tmp_path / "bursts", *rows))]
    assert labels == ["laughing", "sighing", "crying", "gasping", "gasping", ""]


def test_calm_means_neutral_in_everyday_calls_only(tmp_path: Path) -> None:
    rows = [ROW | {"set": name, "emotion": "calm"} for name in ("emospeech", "ravdess")]
    assert [clip.label for clip in read_pack(write(tmp_path / "calm", *rows))] == ["neutral", "calm"]
