"""Exports: rows as they were given, aggregates with the adjudicator's word first, and a data set others can read."""

import csv
import io
import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.audio import read_bytes, write
from aptone.errors import AudioError, MissingExtraError, UsageError
from aptone.ratings.storage import read_ratings
from aptone.ratings.tasks import task_template, with_items
from aptone.rooms.aptness.rated_lines import read_rated
from aptone.rooms.aptness.rating_items import rating_items
from aptone.run.sources.manifest import read_parquet
from aptone.studio.agreement.items import aggregate, combined_answer
from aptone.studio.exchange.exports import EXPORTS, export_csv, export_dataset, export_jsonl, export_parquet
from aptone.studio.exchange.rows import story_split
from aptone.types import (
    Audio,
    AudioRef,
    Choice,
    Control,
    Intonation,
    Json,
    Line,
    Qualification,
    Rating,
    RatingItem,
    RatingTask,
    Rhythm,
    Sample,
    Segment,
    from_json,
)
from tests.tables import for_each

LABEL = {"en": "?", "zh": "？"}


def answers_of(item: RatingItem, score: float, **others: Json) -> dict[str, Json]:
    """A whole annotation of a line."""
    return {
        "overall_score": score,
        "tts_difficulty": 2.0,
        "intonation": "falling",
        "rhythm": "tense",
        "emotion": "angry",
        "vocalisations": "none",
        "refined_context": item.fields["context"],
        "refined_content": item.fields["line"],
        "boundaries": [0.25, 0.75],
        "role": "Mara",
        "age": "young adult",
        "gender": "female",
        "recording_condition": "normal",
        "background_music": "no",
        "sound_events": "none",
        **others,
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "clips").mkdir(parents=True)
    for number in range(3):
        tone = np.sin(np.arange(8000) * (0.1 + number / 10)).astype(np.float32) / 2
        write(folder / "clips" / f"{number}.wav", Audio(tone, 8000))
    return folder


def annotated(project: Path) -> tuple[RatingTask, list[Rating]]:
    """Three lines of three stories, two people."""
    samples = [
        Sample(
            f"l{number}",
            AudioRef(str(project / "clips" / f"{number}.wav")),
            Line("Get out now!", "Mara"),
            context=(Line("Night fell."), Line("Why?", "Jon")),
            ids={"story": f"s{number}"},
        )
        for number in range(3)
    ]
    items = [
        replace(item, audio={"audio": AudioRef(f"clips/{number}.wav")})
        for number, item in enumerate(rating_items(samples, judged={"l0": 3.5}))
    ]
    task = with_items(task_template("ceaeval-d"), items)
    ratings = []
    for number, item in enumerate(items):
        ratings.append(Rating(task.name, item.id, "wren", answers_of(item, number + 1.0), 12.0, "2026-01-01T00:00:00Z"))
        refined: dict[str, Json] = {"rhythm": "heavy", "refined_content": "Get out, now!"}
        ratings.append(Rating(task.name, item.id, "kite", answers_of(item, number + 2.0, **refined)))
    return task, ratings


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8"), newline="")))


DECIDED: Mapping[str, Mapping[str, Json]] = {"l1": {"overall_score": 0.5, "rhythm": "brisk"}}


def test_rating_records_come_back_from_json_lines_and_rooms_read_them(tmp_path: Path, project: Path) -> None:
    task, ratings = annotated(project)
    path = tmp_path / "ratings.jsonl"
    export_jsonl(task, ratings, DECIDED, path)
    assert [from_json(Rating, json.loads(line)) for line in path.read_text().splitlines()] == ratings
    assert read_ratings(path, item="line", control="overall_score")["l2"] == {"wren": 3.0, "kite": 4.0}


def test_items_hold_the_mean_the_majority_and_what_was_decided(tmp_path: Path, project: Path) -> None:
    task, ratings = annotated(project)
    path = tmp_path / "items.jsonl"
    export_jsonl(task, ratings, DECIDED, path, rows="items")
    first, second, _ = map(json.loads, path.read_text().splitlines())
    assert (first["overall_score"], first["intonation"], first["raters"], first["adjudicated"]) == (
        1.5,
        "falling",
        2,
        [],
    )
    assert first["rhythm"] is None  # tense against heavy
    assert (second["overall_score"], second["rhythm"]) == (0.5, "brisk")
    assert second["adjudicated"] == ["overall_score", "rhythm"]
    assert first["ids"] == {"story": "s0", "language": "en", "character": "Mara", "judge_score": "3.5"}
    assert [one["annotator"] for one in first["annotations"]] == ["kite", "wren"]
    assert first["audio"] == "clips/0.wav"
    assert "accepted" not in first


def test_a_table_holds_one_row_a_rating_and_no_formulas(tmp_path: Path, project: Path) -> None:
    task, ratings = annotated(project)
    hostile = {**ratings[0].answers, "emotion": "=HYPERLINK(1)", "role": '<b>"x", y\n-z'}
    path = tmp_path / "ratings.csv"
    export_csv(task, [replace(ratings[0], answers=hostile), *ratings[1:]], DECIDED, path)
    rows = table(path)
    assert len(rows) == 6
    assert rows[0]["emotion"] == "'=HYPERLINK(1)"
    wide = {**ratings[0].answers, "emotion": "＝1+1", "role": "\n=1+1"}
    export_csv(task, [replace(ratings[0], answers=wide)], DECIDED, path)
    assert (table(path)[0]["emotion"], table(path)[0]["role"]) == ("'＝1+1", "'\n=1+1")
    odd = RatingTask("t", LABEL, LABEL, (), (Control("=1+1", "text", LABEL),), (RatingItem("a"),))
    export_csv(odd, [], {}, path)
    assert "'=1+1" in path.read_text().splitlines()[0].split(",")
    export_csv(task, [replace(ratings[0], answers=hostile), *ratings[1:]], DECIDED, path)
    assert rows[0]["role"] == '<b>"x", y\n-z'
    assert rows[0]["boundaries"] == "[0.25,0.75]"
    assert (rows[0]["rater"], rows[0]["seconds"], rows[1]["seconds"]) == ("wren", "12.0", "")
    export_csv(task, ratings, DECIDED, path, rows="items")
    assert len(table(path)) == 3


@pytest.mark.parametrize("rows", ["ratings", "items"])
def test_parquet_holds_what_json_lines_hold(tmp_path: Path, project: Path, rows: Any) -> None:
    task, ratings = annotated(project)
    export_parquet(task, ratings, DECIDED, tmp_path / "table.parquet", rows=rows)
    found = read_parquet(tmp_path / "table.parquet")
    if rows == "ratings":
        assert [(row["item"], row["rater"], row["overall_score"]) for row in found] == [
            (one.item, one.rater, one.answers["overall_score"]) for one in ratings
        ]
        assert found[1]["seconds"] is None
    else:
        export_jsonl(task, ratings, DECIDED, tmp_path / "items.jsonl", rows="items")
        plain = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
        assert [row["annotations"] for row in found] == [row["annotations"] for row in plain]
        assert [row["overall_score"] for row in found] == [1.5, 0.5, 3.5]
        assert found[1]["ids"]["judge_score"] is None


def test_ratings_that_do_not_count_are_kept_with_the_reason_and_left_out_of_aggregates(tmp_path: Path) -> None:
    fit = Control("fit", "scale", LABEL, low=0, high=5, step=1)
    items = (RatingItem("test", gold={"fit": 5}), RatingItem("a"), RatingItem("b"))
    task = RatingTask("t", LABEL, LABEL, (), (fit,), items, qualification=Qualification(("test",)))
    ratings = [Rating("t", item, who, {"fit": value}) for who, value in (("x", 5), ("y", 0)) for item in ("test", "a")]
    for name in EXPORTS:
        EXPORTS[name](task, ratings, {}, tmp_path / f"items.{name}", rows="items")
        EXPORTS[name](task, ratings, {}, tmp_path / f"ratings.{name}")
    rows = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    assert [(row["id"], row["fit"], row["raters"]) for row in rows] == [("a", 5.0, 1), ("b", None, 0)]
    assert [(row["purpose"], row["set_aside"]) for row in table(tmp_path / "ratings.csv")[2:]] == [
        ("qualification", "0 of 1 answers of the test are right"),
        ("rating", "0 of 1 answers of the test are right"),
    ]


def test_acceptance_is_unanimous_of_enough_people_and_an_adjudicator_speaks_for_all() -> None:
    task = task_template("paras2s")
    item = RatingItem("q")

    def rated(*given: tuple[str, str]) -> list[Rating]:
        return [
            Rating("paras2s", "q", f"r{place}", {"content_correct": content, "style_correct": style})
            for place, (content, style) in enumerate(given)
        ]

    yes = ("yes", "yes")
    assert aggregate(task, item, rated(yes, yes, yes)).accepted is True
    assert aggregate(task, item, rated(yes, yes)).accepted is False  # three are asked for
    assert aggregate(task, item, rated(yes, yes, ("yes", "no"))).accepted is False
    assert aggregate(task, item, rated(yes, yes, ("yes", "no")), {"style_correct": "yes"}).accepted is True
    assert aggregate(task, item, rated(yes, yes, yes), {"content_correct": "no"}).accepted is False
    assert aggregate(task, item, [], {"content_correct": "yes", "style_correct": "yes"}).accepted is True
    assert aggregate(task_template("s3bench"), item, []).accepted is None


@for_each(
    ("control", "given", "expected"),
    [
        (Control("s", "scale", LABEL, low=0, high=5, step=1), [1, 2, None, "x"], 1.5),
        (Control("s", "scale", LABEL, low=0, high=5, step=1), [None], None),
        (Control("b", "boundaries", LABEL), [[0, 2], [1, 3], [5, 4]], [0.5, 2.5]),
        (Control("b", "boundaries", LABEL), [], None),
        (Control("t", "text", LABEL), ["Calm ", "calm", "sad"], "Calm "),
        (Control("t", "text", LABEL), ["calm", "sad"], None),
        (Control("e", "edit", LABEL, prefill="x"), [["a", "b"], ["a", "b"], ["a"]], ["a", "b"]),
        (Control("c", "choice", LABEL, choices=(Choice("x", LABEL), Choice("y", LABEL))), ["x", "y", "x"], "x"),
    ],
)
def test_one_answer_for_many(control: Control, given: list[Json], expected: Json) -> None:
    assert combined_answer(control, given) == expected


def test_a_name_that_is_taken_gets_a_prefix(tmp_path: Path) -> None:
    controls = tuple(Control(name, "text", LABEL) for name in ("rater", "id", "line", "annotator"))
    items = (RatingItem("a", fields={"line": "Go.", "ids": "x"}),)
    task = RatingTask("t", LABEL, LABEL, (), controls, items)
    rating = Rating("t", "a", "wren", {"rater": "1", "id": "2", "line": "3", "annotator": "4"})
    export_jsonl(task, [rating], {}, tmp_path / "items.jsonl", rows="items")
    (row,) = map(json.loads, (tmp_path / "items.jsonl").read_text().splitlines())
    assert (row["id"], row["answer.id"], row["item.line"], row["line"], row["item.ids"]) == ("a", "2", "Go.", "3", "x")
    assert row["annotations"] == [{"annotator": "wren", "rater": "1", "id": "2", "line": "3", "answer.annotator": "4"}]
    export_csv(task, [rating], {}, tmp_path / "ratings.csv")
    (row,) = table(tmp_path / "ratings.csv")
    assert (row["rater"], row["answer.rater"]) == ("wren", "1")


def test_a_data_set_is_what_the_benchmark_and_training_read(tmp_path: Path, project: Path) -> None:
    task, ratings = annotated(project)
    export_dataset(task, ratings, DECIDED, tmp_path / "set", folder=project, licence="cc-by-4.0")
    found = read_rated(tmp_path / "set", unpack_to=tmp_path / "unpacked")
    assert found.passed_over == {}
    line = found.lines[1]
    assert (line.sample.human_score, line.sample.ratings) == (0.5, {"kite": 3.0, "wren": 2.0})
    assert line.sample.target == Line("Get out now!", "Mara")
    assert [one.text for one in line.sample.context] == ["Night fell.", "Why?"]
    assert isinstance(line.sample.audio, AudioRef)
    assert (line.sample.audio.start, line.sample.audio.end) == (0.25, 0.75)  # the line within its clip
    assert line.sample.ids["story"] == "s1"
    assert (line.annotation.rhythm, line.annotation.intonation) == (Rhythm.BRISK, Intonation.FALLING)
    assert line.annotation.boundaries == Segment(0.25, 0.75)
    assert line.annotation.background_music is False
    assert line.annotation.unanswered == ()
    sound = read_parquet(tmp_path / "set" / "data" / "items-rated.parquet")[0]["audio"]
    assert sound["bytes"] == (project / "clips" / "0.wav").read_bytes()


def test_a_split_data_set_keeps_stories_whole(tmp_path: Path, project: Path) -> None:
    task, ratings = annotated(project)
    split = story_split(task.items, test_share=0.34, keys=("story",))
    export_dataset(task, ratings, {}, tmp_path / "set", folder=project, split=split)
    for part, ids in (("train", split.train), ("test", split.test)):
        items = read_parquet(tmp_path / "set" / "data" / f"items-{part}.parquet")
        given = read_parquet(tmp_path / "set" / "data" / f"ratings-{part}.parquet")
        assert tuple(row["id"] for row in items) == ids
        assert {row["item"] for row in given} == set(ids)
    assert len(read_rated(tmp_path / "set", split="train", unpack_to=tmp_path / "un").lines) == len(split.train)
    assert "Train and test share no story." in (tmp_path / "set" / "README.md").read_text()


def test_a_clip_that_is_part_of_a_file_is_cut_out(tmp_path: Path, project: Path) -> None:
    items = (RatingItem("a", {"clip": AudioRef("clips/0.wav", 0.25, 0.75)}, {"description": "x"}),)
    export_dataset(with_items(task_template("s3bench"), items), [], {}, tmp_path / "set", folder=project)
    (row,) = read_parquet(tmp_path / "set" / "data" / "items-rated.parquet")
    assert read_bytes(row["clip"]["bytes"], rate=None, name="clip").seconds == pytest.approx(0.5)


def test_a_folder_that_holds_something_a_clip_that_is_gone_and_a_missing_extra_are_refused(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, ratings = annotated(project)
    with pytest.raises(UsageError, match="is there already"):
        export_dataset(task, ratings, {}, project, folder=project)
    (project / "clips" / "1.wav").unlink()
    with pytest.raises(AudioError, match=r"1\.wav: cannot be read"):
        export_dataset(task, ratings, {}, tmp_path / "set", folder=project)
    monkeypatch.setattr("aptone.run.tables.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"\[studio\]"):
        export_parquet(task, ratings, {}, tmp_path / "x.parquet")


def test_undefined_times_are_missing_and_never_a_number(tmp_path: Path, project: Path) -> None:
    task, ratings = annotated(project)
    export_parquet(task, [replace(ratings[0], seconds=math.nan)], {}, tmp_path / "x.parquet")
    assert read_parquet(tmp_path / "x.parquet")[0]["seconds"] is None


def test_hugging_face_reads_the_folder_without_a_network(tmp_path: Path, project: Path) -> None:
    pytest.importorskip("datasets")
    task, ratings = annotated(project)
    export_dataset(task, ratings, DECIDED, tmp_path / "set", folder=project)
    script = (
        "import datasets, json, sys\n"
        "items = datasets.load_dataset(sys.argv[1], split='rated')\n"
        "assert type(items.features['audio']).__name__ == 'Audio', items.features\n"
        "items = items.cast_column('audio', datasets.Audio(decode=False))\n"
        "ratings = datasets.load_dataset(sys.argv[1], 'ratings', split='rated')\n"
        "print(json.dumps([items['overall_score'][:], items[0]['context'], len(items[0]['audio']['bytes']),"
        " items[0]['annotations'][1]['annotator'], ratings['rater'][:]]))\n"
    )
    surroundings = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hf"), "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "set")],
        capture_output=True,
        text=True,
        env=surroundings,
        timeout=600,
    )
    assert ended.returncode == 0, ended.stderr
    size = (project / "clips" / "0.wav").stat().st_size
    assert json.loads(ended.stdout) == [[1.5, 0.5, 3.5], ["Night fell.", "Why?"], size, "wren", ["wren", "kite"] * 3]


def test_words_of_a_task_stay_words_in_the_card(tmp_path: Path, project: Path) -> None:
    title = {"en": "Fit\n\n<script>alert(1)</script> [here](http://example.org)"}
    task = RatingTask("t", title, LABEL, (), (Control("a", "text", title),), (RatingItem("a"),))
    export_dataset(task, [], {}, tmp_path / "set", folder=project)
    card = (tmp_path / "set" / "README.md").read_text().partition("\n---\n")[2]
    shown = r"Fit \<script\>alert(1)\</script\> \[here\](http://example.org)"
    assert f"# {shown}\n" in card
    assert f"- `a`: {shown}\n" in card


def test_comparisons_have_the_order_that_was_shown_and_a_value_that_does_not_depend_on_it(tmp_path: Path) -> None:
    clips = {"old": AudioRef("old.wav"), "new": AudioRef("new.wav")}
    item = RatingItem("t0", clips, {"line": "Hello.", "takes": ["old", "new"]})
    task = with_items(task_template("cmos"), [item])
    ratings = [
        Rating("cmos", "t0", "p", {"comparison": 2}, shown=("old", "new")),  # new is better by 2
        Rating("cmos", "t0", "q", {"comparison": -1}, shown=("new", "old")),  # old is worse by 1: new is better
        Rating("cmos", "t0", "r", {"comparison": 3}),  # nobody knows what was shown second
    ]
    export_csv(task, ratings, {}, tmp_path / "ratings.csv")
    found = [(row["comparison"], row["comparison.corrected"], row["shown"]) for row in table(tmp_path / "ratings.csv")]
    assert found == [("2.0", "2.0", '["old","new"]'), ("-1.0", "1.0", '["new","old"]'), ("3.0", "", "")]
    export_parquet(task, ratings, {}, tmp_path / "items.parquet", rows="items")
    (row,) = read_parquet(tmp_path / "items.parquet")
    assert row["comparison.corrected"] == 1.5  # (2 + 1) / 2
