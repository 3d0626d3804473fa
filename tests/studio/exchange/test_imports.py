"""Manifests and run folders of every room become items; their clips go into the project, their scores are hidden."""

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.audio import read, write
from aptone.errors import AudioError, RecordError, RegistryError, UsageError
from aptone.files import file_hash
from aptone.ratings.tasks import read_task, task_template, write_task
from aptone.rooms.answer.data import CATEGORIES, AnswerSample, Dimension, Prompt, Source
from aptone.rooms.answer.step import ANSWERS
from aptone.rooms.caption.data import CaptionSample
from aptone.rooms.style.data import StylePair
from aptone.run import RunConfig, RunFolder
from aptone.studio.decoded_clips import BrokenClip, DecodedClips
from aptone.studio.exchange.imports import import_task, import_task_file
from aptone.studio.folder import ClipStorage
from aptone.types import (
    Audio,
    AudioRef,
    Control,
    Entry,
    Item,
    Json,
    Line,
    Outcome,
    Rating,
    RatingTask,
    Sample,
    Score,
    Shown,
    State,
    dumps,
    to_json,
)


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Five clips of one second, each another."""
    folder = tmp_path / "clips-of-the-user"
    folder.mkdir()
    for number in range(5):
        tone = np.sin(np.arange(8000) * (0.1 + number / 50)).astype(np.float32) / 2
        write(folder / f"angry_actor_{number}.wav", Audio(tone, 8000))
    return folder


def clip(folder: Path, number: int = 0) -> AudioRef:
    return AudioRef(str(folder / f"angry_actor_{number}.wav"))


def run_of(
    folder: Path, scored: Sequence[tuple[Any, float | None]], evidence: Mapping[str, Json] | None = None
) -> Path:
    """A run folder over some records, with a score each; none where it failed."""
    with RunFolder(folder, RunConfig("score", "built-in")) as opened:
        for place, (record, score) in enumerate(scored):
            item = Item.make(record.id, to_json(record), position=place)
            outcome = (
                Outcome(State.DONE, {"main": Score(score)}, evidence=evidence or {})
                if score is not None
                else Outcome.failed("no reply")
            )
            opened.journal.append([Entry(item, outcome), Entry(item, outcome, repeat=1)])
    return folder


def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir(exist_ok=True)
    return folder


def taken(task: RatingTask, folder: Path) -> list[Path]:
    """The clips of a task, all of which lie in the project under names that say nothing."""
    paths = [folder / audio.path for item in task.items for audio in item.audio.values()]
    assert all(path.is_file() and path.parent == folder / "clips" and "angry" not in path.name for path in paths)
    return paths


LINES = [Line("Night fell."), Line("Go!", "Mara"), Line("She went.", ""), Line("Go!", "Mara"), Line("Silence.")]


def story(clips: Path) -> list[Sample]:
    return [
        Sample(
            f"l{place}",
            clip(clips, place),
            line,
            context=tuple(LINES[:place]),
            following=tuple(LINES[place + 1 :]),
            ids={"story": "tower", "scene": "gate"},
        )
        for place, line in enumerate(LINES)
    ]


def test_a_run_over_spoken_lines_becomes_stories_with_playable_neighbours(tmp_path: Path, clips: Path) -> None:
    folder = project(tmp_path)
    scored = list(zip(story(clips), (4.5, 3.0, None, 2.0, 1.0), strict=True))
    task = import_task("ceaeval-d", [run_of(tmp_path / "run", scored)], folder=folder, calibration=2)
    assert [item.id for item in task.items] == ["l0", "l1", "l2", "l3", "l4"]
    assert task.calibration == ("l0", "l1")
    item = task.items[2]
    assert item.fields["story"] == {
        "lines": [
            {"text": "Night fell.", "role": "", "clip": "line_0"},
            {"text": "Go!", "role": "Mara", "clip": "line_1"},
            {"text": "She went.", "role": "", "clip": ""},  # the line in question has the player
            {"text": "Go!", "role": "Mara", "clip": "line_3"},  # the same words, told apart by what is around them
            {"text": "Silence.", "role": "", "clip": "line_4"},
        ],
        "target": 2,
    }
    own = {name: audio.path for name, audio in item.audio.items()}
    first = {one.id: one.audio["audio"].path for one in task.items}
    assert own["line_1"] == first["l1"] != first["l3"] == own["line_3"]
    assert item.fields["line"] == "She went."
    assert item.fields["context"] == ["Night fell.", "Go!"]
    assert item.fields["boundaries"] == [0.0, 1.0]
    assert item.hidden == {"story": "tower", "scene": "gate", "language": "en", "character": ""}
    assert task.items[1].hidden["judge_score"] == 3.0
    assert len(set(taken(task, folder))) == 5  # every clip once, however many stories show it


def test_a_manifest_of_lines_brings_no_score(tmp_path: Path, clips: Path) -> None:
    manifest = tmp_path / "manifest.jsonl"
    row = {"id": "a", "audio": str(clips / "angry_actor_0.wav"), "line": "Go!", "start": 0.25, "end": 0.75}
    manifest.write_text(json.dumps(row))
    (item,) = import_task("ceaeval-d", [manifest], folder=project(tmp_path)).items
    assert "judge_score" not in item.hidden
    assert item.fields["boundaries"] == [0.0, 0.5]  # of what is heard, which begins at 0.25 s
    assert (item.audio["audio"].start, item.audio["audio"].end) == (0.25, 0.75)


def test_marks_of_a_run_in_a_view_come_along_unseen_by_raters(tmp_path: Path, clips: Path) -> None:
    scored = list(zip(story(clips), (4.5, 3.0, None, 2.0, 1.0), strict=True))
    run = run_of(tmp_path / "run", scored)
    given = [("l0", "viewer", 2.0), ("l0", "other", 3.0), ("l1", "viewer", 1.0)]
    marks = [Rating("score", item, rater, {"overall_score": number}) for item, rater, number in given]
    (run / "ratings.jsonl").write_text("".join(f"{dumps(to_json(mark))}\n" for mark in marks), encoding="utf-8")
    task = import_task("ceaeval-d", [run], folder=project(tmp_path))
    found = {item.id: item.hidden.get("marked") for item in task.items}
    assert found == {"l0": 2.5, "l1": 1.0, "l2": None, "l3": None, "l4": None}  # (2 + 3) / 2


def test_the_clips_of_a_run_that_was_moved_with_them_are_taken(tmp_path: Path, clips: Path) -> None:
    (tmp_path / "old").mkdir()
    clips.rename(tmp_path / "old" / "clips")
    path = tmp_path / "old" / "clips" / "angry_actor_0.wav"
    sample = replace(story(path.parent)[0], audio=AudioRef(str(path), sha256=file_hash(path)))
    run_of(tmp_path / "old" / "run", [(sample, 2.0)])
    (tmp_path / "old").rename(tmp_path / "new")
    folder = project(tmp_path)
    task = import_task("ceaeval-d", [tmp_path / "new" / "run"], folder=folder)
    (one,) = taken(task, folder)
    assert one.read_bytes() == (tmp_path / "new" / "clips" / "angry_actor_0.wav").read_bytes()


def test_pairs_and_captions_come_from_runs_with_their_scores_hidden(tmp_path: Path, clips: Path) -> None:
    folder = project(tmp_path)
    pair = StylePair("p", clip(clips), "A low voice.", ids={"source": "ravdess"})
    (item,) = import_task("s3bench", [run_of(tmp_path / "style", [(pair, 3.5)])], folder=folder).items
    assert (item.fields, item.hidden["judge_score"]) == ({"description": "A low voice."}, 3.5)
    caption = CaptionSample("c", clip(clips), "A man speaks.", ids={"system": "ours"})
    task = import_task("emosura-mos", [run_of(tmp_path / "caption", [(caption, 0.4)])], folder=folder, name="mos")
    assert task.name == "mos"
    assert task.items[0].hidden == {"system": "ours", "language": "en", "judge_score": 0.4}
    assert "ravdess" not in str(item.fields)


def answers(clips: Path, *, per_category: int = 3) -> list[AnswerSample]:
    found = []
    for dimension in Dimension:
        for category in CATEGORIES[dimension]:
            for number in range(per_category):
                name = f"{dimension.value}-{category}-{number}"
                asked = Prompt(name, "Where is it?", dimension, category, clip(clips, number))
                found.append(AnswerSample(name, asked, clip(clips, 4), ids={"system": "bot"}))
    return found


def test_questions_are_verified_once_and_answers_are_drawn_by_dimension(tmp_path: Path, clips: Path) -> None:
    folder = project(tmp_path)
    samples = answers(clips)
    run = run_of(tmp_path / "run", [(sample, 3.0) for sample in samples])
    verified = import_task("paras2s", [run], folder=folder)
    assert len(verified.items) == len(samples)
    assert set(verified.items[0].audio) == {"clip"}
    drawn = import_task("paras2s-answers", [run], folder=folder, per_dimension=6)
    counts: dict[tuple[str, str], int] = {}
    for item in drawn.items:
        key = (str(item.hidden["dimension"]), str(item.hidden["category"]))
        counts[key] = counts.get(key, 0) + 1
    # six emotions take turns: one each; of the other dimensions both categories give three
    assert counts == {
        **{("emotion", one): 1 for one in CATEGORIES[Dimension.EMOTION]},
        **{(one.value, category): 3 for one in list(Dimension)[1:] for category in CATEGORIES[one]},
    }
    assert drawn.items[0].fields == {"words": "Where is it?"}
    assert drawn.items[0].hidden["judge_score"] == 3.0
    again = import_task("paras2s-answers", [run], folder=folder, per_dimension=6)
    assert [item.id for item in again.items] == [item.id for item in drawn.items]


def test_an_answer_that_a_system_gave_in_the_run_is_found_and_real_speech_is_not_drawn(
    tmp_path: Path, clips: Path
) -> None:
    asked = Prompt("q", "Where?", Dimension.EMOTION, "angry", clip(clips))
    real = AnswerSample(
        "r", Prompt("r", "Where?", Dimension.EMOTION, "sad", clip(clips), source=Source.MELD), clip(clips)
    )
    kept: dict[str, Json] = {ANSWERS: [to_json(clip(clips, 3))]}
    run = run_of(tmp_path / "run", [(AnswerSample("q", asked), 2.0), (real, 1.0)], evidence=kept)
    folder = project(tmp_path)
    (item,) = import_task("paras2s-answers", [run], folder=folder).items
    assert (folder / item.audio["answer"].path).read_bytes() == (clips / "angry_actor_3.wav").read_bytes()
    with pytest.raises(UsageError, match="no recorded answer to a synthetic question"):
        import_task("paras2s-answers", [run_of(tmp_path / "none", [(AnswerSample("q", asked), 2.0)])], folder=folder)


def test_two_runs_become_pairs_by_the_ids_they_share(tmp_path: Path, clips: Path) -> None:
    folder = project(tmp_path)
    samples = story(clips)
    old = run_of(tmp_path / "old", list(zip(samples[:3], (1.0, 2.0, None), strict=True)))
    new = run_of(tmp_path / "new", list(zip(samples[1:], (2.0, 3.0, 4.0, 5.0), strict=True)))
    task = import_task("preference", [old, new], folder=folder)
    assert [item.id for item in task.items] == ["l1", "l2"]
    assert task.items[0].hidden == {"systems": {"first": "old", "second": "new"}}  # both got 2: no choice
    assert task.items[1].fields == {"line": "She went.", "takes": ["first", "second"]}
    with pytest.raises(UsageError, match="share no item"):
        import_task("preference", [old, run_of(tmp_path / "other", [(samples[4], 1.0)])], folder=folder)
    with pytest.raises(UsageError, match="between two"):
        import_task("preference", [old], folder=folder)


def test_two_folders_of_clips_become_pairs_and_the_judge_prefers_nothing(tmp_path: Path, clips: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(clips, tmp_path / name / "takes")
    (tmp_path / "a" / "takes" / "angry_actor_1.txt").write_text("Go!\n")
    task = import_task(
        "preference", [tmp_path / "a" / "takes", tmp_path / "b" / "takes"], folder=project(tmp_path), systems=("x", "y")
    )
    assert [item.fields["line"] for item in task.items] == ["", "Go!", "", "", ""]
    assert all(item.hidden == {"systems": {"first": "x", "second": "y"}} for item in task.items)
    with pytest.raises(UsageError, match="both sides are called 'takes'"):
        import_task("preference", [tmp_path / "a" / "takes", tmp_path / "b" / "takes"], folder=project(tmp_path))


def test_the_judge_prefers_the_higher_score(tmp_path: Path, clips: Path) -> None:
    samples = story(clips)[:2]
    old = run_of(tmp_path / "old", list(zip(samples, (1.0, 5.0), strict=True)))
    new = run_of(tmp_path / "new", list(zip(samples, (2.0, 3.0), strict=True)))
    task = import_task("preference", [old, new], folder=project(tmp_path))
    assert [item.hidden["judge_choice"] for item in task.items] == ["second", "first"]


def own_task() -> RatingTask:
    label = {"en": "?"}
    return RatingTask(
        "clear",
        label,
        label,
        shown=(Shown("clip", "audio"), Shown("words", "text")),
        controls=(Control("clear", "scale", label, low=1, high=5, step=1, judged_by="wer"),),
        items=(),
    )


def test_a_task_of_ones_own_takes_records_with_what_it_shows(tmp_path: Path, clips: Path) -> None:
    manifest = clips / "words.jsonl"
    rows = [
        {"id": "one", "clip": "angry_actor_0.wav", "words": "Go!", "wer": 0.2, "gold": {"clear": 5}},
        {"clip": {"path": "angry_actor_1.wav", "start": 0.5}, "words": "Stay.", "hidden": {"system": "x"}},
        {"id": "three", "audio": {"clip": {"path": "angry_actor_2.wav"}}, "fields": {"words": "No."}},
    ]
    manifest.write_text("\n".join(map(json.dumps, rows)))
    folder = project(tmp_path)
    task = import_task(own_task(), [manifest], folder=folder)
    assert [item.id for item in task.items] == ["one", "2", "three"]
    assert task.items[0].hidden == {"wer": 0.2}
    assert task.items[0].gold == {"clear": 5}
    assert task.items[1].hidden == {"system": "x"}
    assert task.items[1].audio["clip"].start == 0.5
    assert len(taken(task, folder)) == 3


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"words": "Go!"}, "line 1: expected the path of a clip under 'clip', got None"),
        ({"clip": "angry_actor_0.wav"}, "no field 'words' to show"),
        ({"clip": "angry_actor_0.wav", "words": "Go!", "gold": 5}, "are objects"),
        ([5], "expected a JSON object"),
    ],
)
def test_a_record_that_lacks_what_is_shown_is_refused(tmp_path: Path, clips: Path, row: object, message: str) -> None:
    manifest = clips / "words.jsonl"
    manifest.write_text(json.dumps(row))
    with pytest.raises(RecordError, match=message):
        import_task(own_task(), [manifest], folder=project(tmp_path))


def test_what_cannot_be_taken_is_refused_with_the_next_step(tmp_path: Path, clips: Path) -> None:
    folder = project(tmp_path)
    with pytest.raises(RegistryError, match="those that ship"):
        import_task("nothing", [clips], folder=folder)
    with pytest.raises(UsageError, match="Name a manifest"):
        import_task("s3bench", [], folder=folder)
    with pytest.raises(UsageError, match=r"over Sample/1, and this task takes StylePair/1; name a run of aptone style"):
        import_task("s3bench", [run_of(tmp_path / "run", [(story(clips)[0], 1.0)])], folder=folder)
    with pytest.raises(UsageError, match="takes a manifest"):
        import_task(own_task(), [clips], folder=folder)
    for items in (clips, tmp_path / "lines.jsonl"):
        with pytest.raises(UsageError, match=r"items without a task; .* --task ceaeval-d"):
            import_task_file(items, folder=folder)
    write_task(tmp_path / "task.json", own_task())
    with pytest.raises(UsageError, match=r"a folder; its task is .*task\.json"):
        import_task_file(tmp_path, folder=folder)
    with pytest.raises(UsageError, match="7 of 1 items for calibration"):
        import_task("ceaeval-d", [tmp_path / "run"], folder=folder, calibration=7)
    gone = Sample("x", AudioRef(str(tmp_path / "gone.wav"), end=1.0), Line("Go!"))
    with pytest.raises(AudioError, match=r"gone\.wav: cannot be read"):
        import_task("ceaeval-d", [run_of(tmp_path / "gone", [(gone, 1.0)])], folder=folder)
    (tmp_path / "broken.wav").write_bytes(b"RIFF....WAVE")
    broken = Sample("x", AudioRef(str(tmp_path / "broken.wav")), Line("Go!"))
    with pytest.raises(AudioError, match=r"broken\.wav"):
        import_task("ceaeval-d", [run_of(tmp_path / "broken", [(broken, 1.0)])], folder=folder)
    assert not (folder / "clips").exists()
    twice = run_of(tmp_path / "again", [(story(clips)[0], 1.0)])
    with pytest.raises(RecordError, match=r"run, .*again, item 2: the id 'l0' was taken by .*item 1"):
        import_task("ceaeval-d", [tmp_path / "run", twice], folder=folder)


def test_clips_that_break_off_are_listed_and_their_items_left_out_on_request(tmp_path: Path, clips: Path) -> None:
    samples = [Sample(f"l{number}", clip(clips, number), Line("Go!")) for number in range(5)]
    halves = []
    for number in (1, 3):
        half = tmp_path / f"half{number}.flac"
        write(half, read(clips / "angry_actor_0.wav", rate=None))
        half.write_bytes(half.read_bytes()[: half.stat().st_size // 2])
        halves.append(half)
        samples[number] = replace(samples[number], audio=AudioRef(str(half)))
    run, folder = run_of(tmp_path / "run", [(sample, 1.0) for sample in samples]), project(tmp_path)
    with pytest.raises(AudioError, match="nothing was imported") as caught:
        import_task("ceaeval-d", [run], folder=folder)
    assert all(str(half) in str(caught.value) for half in halves)
    left_out: list[BrokenClip] = []
    decoded = DecodedClips()
    task = import_task("ceaeval-d", [run], folder=folder, calibration=2, decoded=decoded, broken=left_out)
    assert [one.item for one in left_out] == ["l1", "l3"]
    assert ([item.id for item in task.items], task.calibration) == (["l0", "l2", "l4"], ("l0", "l2"))
    assert all(decoded.shape(folder / clip.path) for item in task.items for clip in item.audio.values())


def test_a_task_file_brings_its_clips_along_also_as_links(tmp_path: Path, clips: Path) -> None:
    built = import_task("ceaeval-d", [run_of(tmp_path / "run", [(story(clips)[0], 1.0)])], folder=tmp_path)
    write_task(tmp_path / "task.json", built)
    folder = project(tmp_path)
    task = import_task_file(tmp_path / "task.json", folder=folder, link=True)
    assert [item.id for item in task.items] == ["l0"]
    (path,) = taken(task, folder)
    assert path.stat().st_ino == (tmp_path / built.items[0].audio["audio"].path).stat().st_ino
    assert not path.is_symlink()
    assert read_task(tmp_path / "task.json") is not task
    write_task(tmp_path / "empty.json", task_template("s3bench"))
    with pytest.raises(RecordError, match=r"has no items; .* --task .*empty\.json"):
        import_task_file(tmp_path / "empty.json", folder=folder)


def test_a_disk_that_knows_no_links_gets_a_copy(tmp_path: Path, clips: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr("os.link", refuse)
    folder = project(tmp_path)
    task = import_task("ceaeval-d", [run_of(tmp_path / "run", [(story(clips)[0], 1.0)])], folder=folder, link=True)
    assert taken(task, folder)[0].read_bytes() == (clips / "angry_actor_0.wav").read_bytes()


def test_a_pipe_or_a_device_is_no_clip_and_nobody_waits_for_it(tmp_path: Path, clips: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    for name in ("pipe.wav", "/dev/zero"):
        with pytest.raises(AudioError, match="a pipe or a device"):
            ClipStorage(project(tmp_path), base=tmp_path).add(AudioRef(name))
