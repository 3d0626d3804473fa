import json
from pathlib import Path

import pytest

from aptone.errors import RecordError
from aptone.rooms.aptness.books.works import Work, read_works
from tests.tables import for_each

PLAIN = {"work": "island", "recordings": ["a.wav", "b.wav"], "text": "island.txt"}


def written(tmp_path: Path, *works: object) -> Path:
    path = tmp_path / "works.jsonl"
    path.write_text("".join(json.dumps(work) + "\n" for work in works), encoding="utf-8")
    return path


def test_works_are_read_with_whose_they_are_and_paths_beside_their_file(tmp_path: Path) -> None:
    whole = {**PLAIN, "transcripts": ["a.srt", "b.srt"], "language": "zh", "story": "sea", "licence": "CC0",
             "source": "us", "speech": "synthetic"}  # fmt: skip
    (work,) = read_works(written(tmp_path, whole))
    assert work == Work(
        "island", (tmp_path / "a.wav", tmp_path / "b.wav"), tmp_path / "island.txt",
        (tmp_path / "a.srt", tmp_path / "b.srt"), "zh", "sea", "CC0", "us", "synthetic",
    )  # fmt: skip
    assert work.world == "sea"


def test_a_table_names_a_folder_of_recordings(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    for name in ("10.mp3", "2.mp3"):
        (tmp_path / "book" / name).touch()
    (tmp_path / "works.csv").write_text("work,recordings,text\nisland,book,island.txt\n")
    (work,) = read_works(tmp_path / "works.csv")
    assert [path.name for path in work.recordings] == ["2.mp3", "10.mp3"]
    assert work.world == "island"


@for_each(
    ("change", "message"),
    [
        ({"work": " "}, "a work needs a name"),
        ({"recordings": []}, "there is no recording"),
        ({"recordings": [3]}, "a path or a list of paths"),
        ({"text": ""}, 'the story under "text"'),
        ({"transcripts": ["a.srt"]}, "2 recordings, but 1 transcripts"),
        ({"text": "film.srt"}, "belong to one recording"),
        ({"language": "de"}, "en or zh, got 'de'"),
        ({"speech": "robot"}, "human or synthetic, got 'robot'"),
        ({"license": "CC0"}, "unknown field 'license'; did you mean licence"),
        ({"licence": 4}, '"licence" is text'),
    ],
)
def test_what_is_no_work_is_refused_with_its_line(tmp_path: Path, change: dict[str, object], message: str) -> None:
    with pytest.raises(RecordError, match=message) as refused:
        read_works(written(tmp_path, PLAIN | change))
    assert "line 1" in str(refused.value)


def test_two_works_cannot_have_one_name(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="two works are named 'island'"):
        read_works(written(tmp_path, PLAIN, PLAIN))


def test_keys_are_safe_for_files_and_differ_where_names_do() -> None:
    names = ["灯塔", "灯 塔", "The Island", "the island", "../../etc", "a" * 300, "a" * 301, "CON"]
    keys = [Work(name, (Path("a.wav"),), Path("a.txt")).key for name in names]
    assert len(set(keys)) == len(names)
    assert all(set(key) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") and len(key) <= 47 for key in keys)
