"""Tasks, their items and clips."""

import dataclasses
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from aptone.audio import OpenRecording, open_recording, probe, read, write
from aptone.studio.refusals import NotAnAnswerError, NotNowError
from aptone.types import AudioRef, Choice, Control, Json, Qualification, RatingItem, RatingTask, Shown, loads
from aptone.web.refusals import NotFoundError
from tests.studio.studies import FIT, Study, change, item, preference_task, rating_task, task_with_test
from tests.tables import for_each


def test_a_task_comes_back_as_it_was_put(study: Study) -> None:
    task = task_with_test(outlier_distance=2.0, outlier_share=0.3)
    study.project.tasks.put(task).result()
    study.project.tasks._kept.clear()  # so that it is read
    stored = study.project.tasks.get("fit")
    assert (stored.task, stored.open, stored.version) == (task, True, 1)
    assert stored.seconds["i0"] == {"clip": 0.5}
    assert stored.purposes["q1"] == "qualification"
    assert study.project.tasks.names() == ["fit"]


def test_a_clip_lasts_from_its_start_to_its_end(small_study: Study) -> None:
    small_study.project.tasks.put(preference_task()).result()
    assert small_study.project.tasks.get("better").seconds["p0"] == {"new": 0.5, "old": 0.25}


def test_a_task_without_answers_is_replaced_whole(study: Study) -> None:
    study.project.tasks.put(rating_task(3)).result()
    study.view("Ann")
    other = rating_task(2, raters_per_item=2)
    assert study.project.tasks.put(other).result().version == 2
    assert study.project.tasks.get("fit").task == other
    assert study.project.assignments.mine("fit", study.person("Ann")) == []


def test_a_task_with_answers_can_only_grow(study: Study) -> None:
    task = rating_task(2)
    study.project.tasks.put(task).result()
    study.rate("Ann")
    grown = dataclasses.replace(task, items=(item("new"), *task.items))
    study.project.tasks.put(grown).result()
    assert [one.id for one in study.project.tasks.get("fit").task.items] == ["new", "i0", "i1"]
    assert len(study.project.results.ratings("fit")) == 1
    for changed in (
        task,  # the new item would go
        dataclasses.replace(grown, controls=(FIT,)),
        dataclasses.replace(grown, raters_per_item=5),
        dataclasses.replace(grown, items=(item("new"), item("i0", system="b"), item("i1"))),
    ):
        with pytest.raises(NotNowError, match="has answers"):
            study.project.tasks.put(changed).result()
    assert study.project.tasks.get("fit").task == grown


def test_a_change_that_was_saved_counts_as_an_answer(small_study: Study) -> None:
    small_study.project.tasks.put(rating_task(2)).result()
    view = small_study.view("Ann")
    small_study.project.assignments.save(view.id, small_study.person("Ann"), [change("fit", 1)]).result()
    with pytest.raises(NotNowError):
        small_study.project.tasks.put(rating_task(1)).result()


def test_a_task_is_closed_and_opened(study: Study) -> None:
    study.project.tasks.put(rating_task(2), open=False).result()
    assert study.reason("Ann") == "closed"
    assert study.project.tasks.set_open("fit", open=True).result().open
    view = study.view("Ann")
    study.project.tasks.set_open("fit", open=False).result()
    for refused in (
        study.project.assignments.save(view.id, study.person("Ann"), [change("fit", 1)]),
        study.project.assignments.submit(view.id, study.person("Ann"), [change("fit", 1)]),
    ):
        with pytest.raises(NotNowError, match="closed"):
            refused.result()
    with pytest.raises(NotFoundError):
        study.project.tasks.set_open("unknown", open=True).result()


@for_each("name", ["unknown", "", "a\0b", "\ud800", "'; DROP TABLE tasks; --"])
def test_an_unknown_task_is_not_found_whatever_it_is_called(study: Study, name: str) -> None:
    with pytest.raises(NotFoundError):
        study.project.tasks.get(name)
    with pytest.raises(NotFoundError):
        study.project.assignments.next(name, study.person("Ann")).result()


@for_each(
    ("clip", "message"),
    [
        (AudioRef("../tone.wav"), "no file"),
        (AudioRef("/etc/passwd"), "no file"),
        (AudioRef("clips/none.wav"), "no file"),
        (AudioRef("clips/text.wav"), "item 'x'"),
        (AudioRef("studio.sqlite"), "item 'x'"),
        (AudioRef("clips/tone.wav", start=0.6), r"lasts 0.50 s"),
        (AudioRef("clips/tone.wav", sha256="0" * 64), "not the file"),
        (AudioRef("clips/tone.wav", start=0.1, end=0.7), r"lasts 0.50 s"),
    ],
)
def test_clips_that_cannot_be_played_are_refused_by_item(small_study: Study, clip: AudioRef, message: str) -> None:
    folder = small_study.project.folder
    (folder / "clips" / "text.wav").write_text("no sound")
    (folder.parent / "tone.wav").write_bytes((folder / "clips" / "tone.wav").read_bytes())
    with pytest.raises(NotAnAnswerError, match=message) as caught:
        small_study.project.tasks.put(rating_task(0, items=(RatingItem("x", audio={"clip": clip}),)))
    assert str(folder) not in str(caught.value)


def test_a_clip_longer_than_people_can_listen_is_refused_before_anybody_opens_it(
    small_study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aptone.studio.decoded_clips.LONGEST_SECONDS", 0.1)
    task = rating_task(0, items=(RatingItem("x", audio={"clip": AudioRef("clips/tone.wav")}),))
    with pytest.raises(NotAnAnswerError, match=r"item 'x': clips/tone\.wav .* longer than 0\.1 s") as caught:
        small_study.project.tasks.put(task)
    assert "Cut it into clips" in caught.value.next
    part = AudioRef("clips/tone.wav", start=0.0, end=0.1)
    small_study.project.tasks.put(rating_task(0, items=(RatingItem("x", audio={"clip": part}),))).result()


def cut_off(source: Path, target: Path) -> None:
    """Write a FLAC of a recording, and keep the first half of its bytes: its header promises the rest."""
    write(target, read(source, rate=None))
    target.write_bytes(target.read_bytes()[: target.stat().st_size // 2])


def test_a_clip_that_breaks_off_is_refused_although_its_header_is_right(small_study: Study) -> None:
    folder = small_study.project.folder
    cut_off(folder / "clips" / "tone.wav", folder / "clips" / "half.flac")
    assert probe(folder / "clips" / "half.flac").seconds == 0.5
    items = (RatingItem("x", audio={"clip": AudioRef("clips/half.flac")}), item("y"))
    with pytest.raises(NotAnAnswerError, match=r"item 'x': clips/half\.flac") as caught:
        small_study.project.tasks.put(rating_task(0, items=items))
    assert caught.value.code == "not-audio"
    two = (*items, RatingItem("z", audio={"clip": AudioRef("clips/half.flac", end=0.1)}))
    with pytest.raises(NotAnAnswerError, match=r"2 clips cannot be played") as caught:
        small_study.project.tasks.put(rating_task(0, items=two))
    assert [name in str(caught.value) for name in ("item 'x'", "item 'y'", "item 'z'")] == [True, False, True]


def test_every_recording_is_decoded_once_however_many_clips_it_has(
    small_study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []

    def noted(path: Path) -> AbstractContextManager[OpenRecording]:
        opened.append(path)
        return open_recording(path)

    monkeypatch.setattr("aptone.studio.decoded_clips.open_recording", noted)
    parts = [AudioRef("clips/tone.wav", start=0.1 * number, end=0.1 * number + 0.1) for number in range(4)]
    items = tuple(RatingItem(f"i{number}", audio={"clip": part}) for number, part in enumerate(parts))
    small_study.project.tasks.put(rating_task(0, items=items)).result()
    assert opened == [small_study.project.folder / "clips" / "tone.wav"]


CLIP = AudioRef("clips/tone.wav")
STORY: dict[str, Json] = {"lines": [{"text": "a", "role": "", "clip": "clip"}], "target": 0}


def _story(story: Json) -> RatingTask:
    items = (RatingItem("x", audio={"clip": AudioRef("clips/tone.wav")}, fields={"story": story}),)
    return rating_task(0, shown=(Shown("clip", "audio"), Shown("story", "story")), items=items)


def _golden(answer: Json) -> RatingTask:
    mood = Control("mood", "choice", {}, choices=(Choice("happy", {}), Choice("sad", {})))
    return rating_task(0, controls=(mood,), items=(dataclasses.replace(item("x"), gold={"mood": answer}),))


def test_a_right_answer_may_be_a_choice_or_lie_between_two_steps_of_a_scale(small_study: Study) -> None:
    between = rating_task(0, items=(dataclasses.replace(item("x"), gold={"fit": 2.53}),))
    for task, right in ((_golden("sad"), {"mood": "sad"}), (between, {"fit": 2.53})):
        small_study.project.tasks.put(task).result()
        assert small_study.project.tasks.get(task.name).items["x"].gold == right


@for_each(
    ("task", "message"),
    [
        (rating_task(1, name="a/b"), "name of a task"),
        (rating_task(1, name=""), "name of a task"),
        (rating_task(1, name=".."), "name of a task"),
        (rating_task(1, controls=(Control("a\0", "text", {}),)), "a name is one line"),
        (rating_task(0, shown=(), items=(RatingItem("x", audio={"a\0": CLIP}),)), "name of a clip"),
        (rating_task(0, items=(item("a\0"),)), "an id is one line"),
        (rating_task(1, attention=("i0",)), "need a right answer"),
        (rating_task(1, qualification=Qualification(("i0",))), "need a right answer"),
        (rating_task(1, controls=(Control("better", "preference", {}),)), "prefill"),
        (
            rating_task(0, items=(dataclasses.replace(item("x"), gold={"fit": 99}),)),
            "cannot be 99: fit: expected a number",
        ),
        (_golden("sadd"), r"item 'x': its right answer \(gold\) cannot be 'sadd': mood: expected one of 2"),
        (_story("once upon a time"), "a story is"),
        (_story({**STORY, "target": 1}), "target"),
        (_story({**STORY, "target": True}), "target"),
        (_story({**STORY, "lines": ["a"]}), "a story is"),
        (_story({**STORY, "lines": [{"text": 1}]}), "are text"),
        (_story({**STORY, "lines": [{"text": "a", "clip": "other"}]}), "no clip of the item: 'other'"),
    ],
)
def test_tasks_that_the_studio_cannot_serve_are_refused(small_study: Study, task: RatingTask, message: str) -> None:
    with pytest.raises(NotAnAnswerError, match=message):
        small_study.project.tasks.put(task)


def test_a_story_is_accepted(small_study: Study) -> None:
    small_study.project.tasks.put(_story(STORY)).result()
    assert small_study.view("Ann").fields["story"] == {"lines": [{"text": "a", "role": "", "clip": "c0"}], "target": 0}


def test_two_processes_see_each_others_changes_of_a_task(study: Study, tmp_path: Path, database_url: str) -> None:
    study.project.tasks.put(rating_task(2)).result()
    with Study.open(tmp_path, database_url=database_url, clock=study.clock) as other:
        assert other.project.tasks.get("fit").version == 1
        study.project.tasks.put(rating_task(3)).result()
        study.project.tasks.set_open("fit", open=False).result()
        assert (other.project.tasks.get("fit").version, other.project.tasks.get("fit").open) == (2, False)


def test_records_are_stored_as_their_json(small_study: Study) -> None:
    small_study.project.tasks.put(rating_task(1)).result()
    with small_study.project.database.reading() as connection:
        record = loads(connection.exec_driver_sql("SELECT record FROM items").scalar_one())
    assert isinstance(record, dict)
    assert record["schema"] == "aptone.RatingItem/1"
