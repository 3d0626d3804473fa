"""Assignments: the next item, required clips, and release of abandoned items."""

import asyncio
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from aptone.studio.refusals import NotNowError
from aptone.studio.store.records import Saved
from aptone.types import AudioRef, Json, RatingItem, Shown
from aptone.web.refusals import NotAllowedError, NotFoundError
from tests.studio.studies import Clock, Study, change, preference_task, rating_task, task_with_test


def test_an_open_item_stays_until_it_is_submitted(study: Study) -> None:
    study.project.tasks.put(rating_task(3)).result()
    first = study.view("Ann")
    assert study.view("Ann") == first
    assert (first.position, first.total, first.stage, first.state) == (0, 3, "rating", "open")
    study.rate("Ann")
    assert study.view("Ann").position == 1
    mine = study.project.assignments.mine("fit", study.person("Ann"))
    assert [(one.position, one.stage, one.state) for one in mine] == [(0, "rating", "submitted"), (1, "rating", "open")]


def test_a_study_goes_from_calibration_over_the_test_to_rating_with_checks_in_between(study: Study) -> None:
    study.project.tasks.put(task_with_test(3)).result()
    met = [study.rate("Ann", 4)[0][0] for _ in range(9)]  # calibration, test, three items and a check
    # Two calibration items, three of the test, then three rated items with a check behind the first or the second.
    assert met[:5] == list("ccqqq")
    assert "".join(met[5:]) in {"iaii", "iiai"}
    assert study.reason("Ann") == "done"


def test_calibration_comes_with_feedback_and_nothing_else_does(study: Study) -> None:
    study.project.tasks.put(task_with_test()).result()
    told = study.rate("Ann", 3)[1].feedback
    assert told is not None
    # The right answer is 4 and the test's tolerance 1.
    assert (told["fit"].given, told["fit"].gold, told["fit"].within) == (3.0, 4, True)
    assert study.rate("Ann", 2)[1].feedback == {"fit": type(told["fit"])(2.0, 4, within=False)}
    assert study.rate("Ann", 4)[1].feedback is None


def test_whoever_fails_the_test_is_told_so_and_the_answers_are_kept(study: Study) -> None:
    study.project.tasks.put(task_with_test()).result()
    for value in (4, 4, 0, 0, 4):
        study.rate("Ann", value)
    # One of three is right, and six tenths are needed.
    assert study.reason("Ann") == "not-qualified"
    assert len(study.project.results.ratings("fit")) == 5
    standing = study.project.results.rater_statuses("fit")[study.people["Ann"].pseudonym]
    assert (standing.qualification.right, standing.qualification.count) == (1, 3)
    assert [flag.kind for flag in standing.flags] == ["not-qualified"]
    for _ in range(5):
        study.rate("Bea", 4)
    assert study.view("Bea").stage == "rating"


def test_a_quota_ends_the_work(study: Study) -> None:
    study.project.tasks.put(rating_task(5, quota_per_rater=2)).result()
    assert study.project.assignments.progress("fit", study.person("Ann")).quota_left == 2
    for _ in range(2):
        study.rate("Ann")
    assert study.reason("Ann") == "quota"
    progress = study.project.assignments.progress("fit", study.person("Ann"))
    assert (progress.stage, progress.done, progress.total, progress.quota_left) == ("rating", 2, 2, 0)


def test_an_answer_that_is_required_must_be_there(study: Study) -> None:
    study.project.tasks.put(rating_task()).result()
    view = study.view("Ann")
    with pytest.raises(NotNowError, match="fit") as caught:
        study.project.assignments.submit(view.id, study.person("Ann"), [change("sure", "yes")]).result()
    assert caught.value.code == "missing-answer"
    assert study.project.assignments.view(view.id, study.person("Ann")).answers == {}, "a request is taken whole"


def test_submitting_twice_is_the_same_as_once(study: Study) -> None:
    study.project.tasks.put(task_with_test()).result()
    view, one = study.view("Ann"), change("fit", 4)
    submit = study.project.assignments.submit
    first = submit(view.id, study.person("Ann"), [one]).result()
    assert submit(view.id, study.person("Ann"), [one]).result() == first
    assert first.feedback is not None


def test_a_clip_must_be_heard_and_that_takes_as_long_as_it_lasts(study: Study) -> None:
    study.project.tasks.put(rating_task(must_listen=True)).result()
    view, person = study.view("Ann"), study.person("Ann")
    assert [(clip.clip, clip.seconds, clip.must_play) for clip in view.clips] == [("c0", 0.5, True)]
    assignments = study.project.assignments
    with pytest.raises(NotNowError, match="less time") as early:
        assignments.played(view.id, person, "c0").result()
    assert early.value.code == "too-early"
    with pytest.raises(NotNowError, match="not heard") as unheard:
        assignments.submit(view.id, person, [change("fit", 3)]).result()
    assert unheard.value.code == "not-heard"
    study.clock.now += 0.5
    assert assignments.played(view.id, person, "c0").result() == ("c0",)
    assert assignments.played(view.id, person, "c0").result() == ("c0",)
    assert assignments.view(view.id, person).played == ("c0",)
    assert assignments.submit(view.id, person, [change("fit", 3)]).result().state == "submitted"


def test_both_clips_of_a_pair_must_be_heard(small_study: Study) -> None:
    small_study.project.tasks.put(preference_task(must_listen=True)).result()
    view, person = small_study.view("Ann", "better"), small_study.person("Ann")
    small_study.clock.now += 1
    small_study.project.assignments.played(view.id, person, "c1").result()
    with pytest.raises(NotNowError, match="c0"):
        small_study.project.assignments.submit(view.id, person, [change("better", "c1")]).result()


def test_lines_of_a_story_need_not_be_heard_and_hide_their_names(small_study: Study) -> None:
    story: dict[str, Json] = {
        "lines": [
            {"text": "Who is there?", "role": "Ann", "clip": "system-b-take-1"},
            {"text": "Me.", "role": "Bea", "clip": "clip"},
            {"text": "He left."},
        ],
        "target": 1,
    }
    clip = AudioRef("clips/tone.wav")
    told = RatingItem("x", audio={"clip": clip, "system-b-take-1": clip}, fields={"story": story}, hidden={"score": 3})
    task = rating_task(0, items=(told,), shown=(Shown("story", "story"), Shown("clip", "audio")), must_listen=True)
    small_study.project.tasks.put(task).result()
    view = small_study.view("Ann")
    lines = [{"text": "Who is there?", "role": "Ann", "clip": "c0"}, {"text": "Me.", "role": "Bea", "clip": "c1"}]
    assert view.fields == {"story": {"lines": [*lines, {"text": "He left.", "role": "", "clip": ""}], "target": 1}}
    assert [(one.clip, one.name, one.must_play) for one in view.clips] == [
        ("c0", "story", False),
        ("c1", "clip", True),  # the line that is shown by itself too is found there
    ]
    assert "system-b" not in repr(view)


def test_an_attention_check_looks_like_any_other_item(small_study: Study) -> None:
    small_study.project.tasks.put(task_with_test(2, calibration=(), qualification=None)).result()
    views = []
    for _ in range(3):
        views.append(small_study.view("Ann"))
        small_study.rate("Ann", 4)
    assert sorted(small_study.item_of(view)[0] for view in views) == ["a", "i", "i"]
    seen = {(view.stage, view.total, view.clips, tuple(view.fields)) for view in views}
    assert len(seen) == 1
    assert [view.position for view in views] == [0, 1, 2]


def test_nobody_sees_anothers_assignment_or_clips(study: Study) -> None:
    study.project.tasks.put(rating_task()).result()
    view, other = study.view("Ann"), study.person("Bea")
    for refused in (
        lambda: study.project.assignments.view(view.id, other),
        lambda: study.project.assignments.clip(view.id, other, "c0"),
        lambda: study.project.assignments.played(view.id, other, "c0").result(),
        lambda: study.project.assignments.submit(view.id, other).result(),
    ):
        with pytest.raises(NotAllowedError):
            refused()
    for clip in ("c1", "clip", "", "\0"):
        with pytest.raises(NotFoundError):
            study.project.assignments.clip(view.id, study.person("Ann"), clip)
        with pytest.raises(NotFoundError):
            study.project.assignments.played(view.id, study.person("Ann"), clip).result()
    assert study.project.assignments.clip(view.id, study.person("Ann"), "c0") == AudioRef("clips/tone.wav")


def test_an_item_that_was_left_alone_goes_to_somebody_who_waits_and_its_answers_stay(study: Study) -> None:
    study.project.tasks.put(rating_task(1)).result()
    left, ann = study.view("Ann"), study.person("Ann")
    study.project.assignments.save(left.id, ann, [change("fit", 2)]).result()
    assert study.reason("Bea") == "waiting"
    study.clock.now += 99
    study.project.assignments.save(left.id, ann, [change("fit", 3, 2)]).result()
    study.clock.now += 99
    assert study.reason("Bea") == "waiting", "she was at it less than 100 seconds ago"
    study.clock.now += 2
    taken = study.view("Bea")
    assert study.item_of(taken) == "i0"
    assert study.project.assignments.mine("fit", ann) == []
    assert study.project.assignments.save(left.id, ann, [change("fit", 4, 3)]).result().saved, "nothing is lost"
    with pytest.raises(NotNowError, match="somebody else") as caught:
        study.project.assignments.submit(left.id, ann).result()
    assert caught.value.code == "released"
    study.rate("Bea")
    assert [row.rating.rater for row in study.project.results.ratings("fit")] == [study.people["Bea"].pseudonym]
    everything = study.project.results.ratings("fit", states=("submitted", "released"))
    assert {row.rating.answers["fit"] for row in everything} == {3.0, 4.0}


def test_whoever_comes_back_while_there_is_room_is_counted_after_all(study: Study) -> None:
    study.project.tasks.put(rating_task(1)).result()
    left = study.view("Ann")
    study.clock.now += 200
    taken = study.view("Bea")
    study.clock.now += 200
    assert study.view("Ann").id == left.id, "Bea has left it alone, too"
    assert study.reason("Bea") == "waiting"
    study.project.assignments.submit(left.id, study.person("Ann"), [change("fit", 3)]).result()
    with pytest.raises(NotNowError):
        study.project.assignments.submit(taken.id, study.person("Bea"), [change("fit", 3)]).result()
    assert study.reason("Bea") == "done"


def test_what_was_submitted_in_the_last_moment_is_not_taken_away(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    study.project.tasks.put(rating_task(1)).result()
    late, assignments = study.view("Ann"), study.project.assignments
    study.clock.now += 200
    with monkeypatch.context() as patch:  # what another process saw a moment ago
        patch.setattr(assignments._handout, "_open_elsewhere", lambda *arguments: [("i0", late.id, True)])
        assignments.submit(late.id, study.person("Ann"), [change("fit", 3)]).result()
        assert study.reason("Bea") == "waiting"
    assert study.reason("Bea") == "done"
    assert [row.rating.rater for row in study.project.results.ratings("fit")] == [study.people["Ann"].pseudonym]


def test_what_inactive_people_have_open_goes_to_others_at_once(study: Study) -> None:
    study.project.tasks.put(rating_task(1)).result()
    study.view("Ann")
    study.project.people.change(study.person("Ann"), active=False).result()
    assert study.item_of(study.view("Bea")) == "i0"


def test_time_at_work_leaves_long_pauses_out(study: Study) -> None:
    study.project.tasks.put(rating_task(1)).result()
    view, person = study.view("Ann"), study.person("Ann")
    study.clock.now += 10
    study.project.assignments.save(view.id, person, [change("fit", 2)]).result()
    study.clock.now += 50_000
    study.project.assignments.submit(view.id, person).result()
    (row,) = study.project.results.ratings("fit")
    assert row.rating.seconds == 10 + 300  # of the pause of 50,000 seconds 300 count
    assert row.rating.finished == "1970-01-13T03:40:10.000Z"  # 1,050,010 s = 12 days, 3 hours, 40 minutes, 10 seconds


def test_many_people_at_once_through_two_processes_never_overfill_an_item(
    study: Study, tmp_path: Path, database_url: str
) -> None:
    task = rating_task(10, raters_per_item=2)
    study.project.tasks.put(task).result()
    names = [f"person {number}" for number in range(8)]
    for name in names:
        study.person(name)
    with Study.open(tmp_path, database_url=database_url, clock=study.clock) as other:
        other.people.update(study.people)

        def work(name: str) -> int:
            rated, person = 0, study.person(name)
            places = (study.project.assignments, other.project.assignments)
            while (view := places[rated % 2].next("fit", person).result().view) is not None:
                places[(rated + 1) % 2].submit(view.id, person, [change("fit", 3)]).result()
                rated += 1
            return rated

        with ThreadPoolExecutor(8) as pool:
            rated = sum(pool.map(work, names))
    counts = Counter(row.rating.item for row in study.project.results.ratings("fit"))
    # Ten items, two raters each; some people may have been told to wait for the others and gone home.
    assert max(counts.values()) <= 2
    assert rated == counts.total()
    assert rated >= 12
    with study.project.database.reading() as connection:
        taken = connection.exec_driver_sql(
            "SELECT max(people) FROM (SELECT count(*) AS people FROM assignments"
            " WHERE state IN ('open', 'submitted') GROUP BY item) AS counted"
        ).scalar_one()
    assert taken <= 2


def test_a_save_can_be_awaited(small_study: Study) -> None:
    small_study.project.tasks.put(rating_task()).result()
    view, person = small_study.view("Ann"), small_study.person("Ann")

    async def save() -> Saved:
        return await asyncio.wrap_future(small_study.project.assignments.save(view.id, person, [one]))

    one = change("fit", 1)
    assert asyncio.run(save()) == Saved((one.id,), ())


def test_a_project_is_found_again_as_it_was_left(tmp_path: Path, database_url: str) -> None:
    with Study.open(tmp_path, database_url=database_url, clock=Clock()) as study:
        study.project.tasks.put(rating_task()).result()
        view, person = study.view("Ann"), study.person("Ann")
        study.project.assignments.save(view.id, person, [change("fit", 1)]).result()
        before = study.project.assignments.view(view.id, person)
    with Study.open(tmp_path, database_url=database_url, clock=Clock()) as again:
        assert again.project.assignments.view(view.id, person) == before
        assert again.project.assignments.next("fit", person).result().view == before


def test_a_clock_that_was_set_back_keeps_nobody_from_listening(small_study: Study) -> None:
    small_study.project.tasks.put(rating_task(1, must_listen=True)).result()
    view = small_study.view("Ann")
    small_study.clock.now -= 3600
    heard = small_study.project.assignments.played(view.id, small_study.person("Ann"), "c0").result()
    assert heard == ("c0",)
