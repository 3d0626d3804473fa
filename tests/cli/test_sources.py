"""Verbs read sources of any kind."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aptone.run.sources.audio_cache import VARIABLE
from tests.run.sources import files
from tests.tables import for_each

Aptone = Callable[..., Any]


@pytest.fixture(autouse=True)
def audio_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def table(clip: Path, tmp_path: Path) -> Path:
    """A table with what every verb needs, and a column of nobody's."""
    for name in ("a.opus", "b.opus"):
        shutil.copy(clip, tmp_path / name)
    row = {"sentence": "Stay where you are.", "caption": "A deep male voice.", "style": "sad", "text": "Where is it?"}
    with (tmp_path / "table.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["path", *row, "answer", "answer_text", "studio"])
        writer.writeheader()
        for name in ("a.opus", "b.opus"):
            writer.writerow({"path": name, **row, "answer": name, "answer_text": "I will look.", "studio": "two"})
    return tmp_path / "table.csv"


@for_each(
    ("verb", "mapping", "said"),
    [
        ("score", "line=sentence", "audio=path, line=sentence"),
        ("style", "description=caption", "audio=path, description=caption"),
        ("caption", "caption=caption", "audio=path, caption=caption"),
        ("answer", "content=text", "audio=path, content=text, category=style, answer=answer, answer_text=answer_text"),
    ],
)
@pytest.mark.slow
def test_verbs_with_a_run_take_a_table_and_keep_its_columns_everywhere(
    aptone: Aptone, table: Path, tmp_path: Path, verb: str, mapping: str, said: str
) -> None:
    given = (verb, table, "--map", mapping, "-o", tmp_path / verb, "--export", tmp_path / f"{verb}.csv", "--json")
    shown = aptone(*given)
    assert shown.code == 0, shown.err
    assert f"read as table: {said}" in shown.err
    assert [item["meta.studio"] for item in shown.json["items"]] == ["two", "two"]
    with (tmp_path / f"{verb}.csv").open(encoding="utf-8", newline="") as file:
        assert [row["meta.studio"] for row in csv.DictReader(file)] == ["two", "two"]
    kept = [json.loads(line) for line in (tmp_path / verb / "journal.jsonl").read_text("utf-8").splitlines()]
    assert kept[-1]["item"]["payload"]["ids"]["meta.studio"] == "two"


@for_each(
    ("given", "complaint"),
    [
        (("style", "nemo.json"), "--map description=COLUMN"),  # the words of a NeMo manifest are no description
        (("caption", "nemo.json"), "nemo.json: no record has a caption; they are looked for under caption, desc"),
        (("answer", "nemo.json"), "how the question was asked under category, style"),
        (("score", "nemo.json", "--map", "line=words"), "there is no column words; the columns are "),
        (("hear", "nemo.json", "--data-root", "nowhere"), "--data-root nowhere: no such folder"),
        (("score", "empty"), "empty: "),
        (("score", "nowhere"), "nowhere: there is no such file or folder"),
    ],
)
def test_a_list_that_lacks_what_a_verb_needs_is_refused_before_the_work(
    aptone: Aptone, given: tuple[str, ...], complaint: str
) -> None:
    files.nemo(Path.cwd()).rename("nemo.json")
    Path("empty").mkdir(exist_ok=True)
    shown = aptone(*given)
    assert shown.code == 2
    assert complaint in shown.err
    assert "--line is missing" not in shown.err


def test_rank_takes_a_nemo_manifest_which_is_called_json(aptone: Aptone, clip: Path, tmp_path: Path) -> None:
    records = []
    for name in ("a.opus", "b.opus"):
        shutil.copy(clip, tmp_path / name)
        records.append({"audio_filepath": name, "duration": 2.0, "text": "Stay where you are."})
    files.write_jsonl(tmp_path / "takes.json", records)
    shown = aptone("rank", "takes.json", "-o", "ranked", "--json")
    assert (shown.code, len(shown.json["lines"])) == (0, 1)


def test_one_story_is_given_for_all_lines_of_a_list_that_has_none(aptone: Aptone, clip: Path, tmp_path: Path) -> None:
    shutil.copy(clip, tmp_path / "a.opus")
    (tmp_path / "kaldi").mkdir()
    (tmp_path / "kaldi" / "wav.scp").write_text("u1 ../a.opus\n", encoding="utf-8")
    (tmp_path / "kaldi" / "text").write_text("u1 Stay where you are.\n", encoding="utf-8")
    (tmp_path / "story.txt").write_text('The wind howled.\n"Stay where you are."\nShe hung up.\n', encoding="utf-8")
    for number, source in enumerate((("kaldi/wav.scp",), ("kaldi", "--source", "kaldi"))):
        shown = aptone("score", *source, "--story", "story.txt", "-o", f"run{number}", "--json")
        assert shown.code == 0, shown.err
        (line, *_) = (tmp_path / f"run{number}" / "journal.jsonl").read_text("utf-8").splitlines()[-1:]
        payload = json.loads(line)["item"]["payload"]
        assert [one["text"] for one in payload["context"]] == ["The wind howled."]
        assert [one["text"] for one in payload["following"]] == ["She hung up."]


def test_hear_takes_a_list_of_another_toolkit_and_keeps_its_columns(aptone: Aptone, tmp_path: Path) -> None:
    shown = aptone("hear", str(files.parquet_bytes(tmp_path)), "--json")
    rows = [json.loads(line) for line in shown.out.splitlines()]
    assert [row["id"] for row in rows] == [f"u{number}" for number in range(files.COUNT)]
    assert {row["meta.studio"] for row in rows} == {"two"}
    assert {row["meta.text"] for row in rows} == {files.line(number) for number in range(files.COUNT)}
    assert "read as Parquet: id=id, audio=audio, speaker=speaker; " in shown.err
