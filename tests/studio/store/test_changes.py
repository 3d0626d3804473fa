"""Changes: stored once, the highest sequence stands, a request is taken whole or not at all."""

import random
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from aptone.studio.refusals import NotAnAnswerError, NotNowError
from aptone.studio.store import changes as stored_changes
from aptone.studio.store.changes import HIGHEST_SEQUENCE, MOST_CHANGES
from aptone.studio.store.records import Change, Saved, Superseded, View
from aptone.types import Control, Json
from aptone.web.refusals import NotAllowedError, NotFoundError, RefusedError
from tests.studio.studies import Clock, Study, change, preference_task, rating_task, task_with_test


def stored(study: Study) -> list[tuple[str, str, int]]:
    with study.project.database.reading() as connection:
        rows = connection.execute(text("SELECT id, value, sequence FROM changes ORDER BY sequence, id"))
        return [(row.id, row.value, row.sequence) for row in rows]


def opened(study: Study, name: str = "Ann") -> View:
    study.project.tasks.put(rating_task(4, raters_per_item=2)).result()
    return study.view(name)


def answers(study: Study, view: View, name: str = "Ann") -> dict[str, Json]:
    return dict(study.project.assignments.view(view.id, study.person(name)).answers)


def test_a_stale_change_is_answered_with_the_newer_value_and_kept(study: Study) -> None:
    study.project.tasks.put(rating_task(1)).result()
    view, person, save = study.view("Ann"), study.person("Ann"), study.project.assignments.save
    newer = change("fit", 4, 7)
    assert save(view.id, person, [newer]).result() == Saved((newer.id,), ())
    stale, other = change("fit", 1, 3), change("sure", "yes", 4)
    expected = Saved((other.id,), (Superseded(stale.id, "fit", 4.0, 7),))
    for _ in range(2):  # a retry is answered alike
        assert save(view.id, person, [stale, other]).result() == expected
    assert study.project.assignments.view(view.id, person).answers["fit"] == 4.0
    with study.project.database.reading() as connection:
        kept = connection.execute(text("SELECT id FROM changes")).scalars().all()
    assert sorted(kept) == sorted([newer.id, stale.id, other.id])
    save(view.id, person, [change("fit", None, 8)]).result()
    assert save(view.id, person, [stale]).result().superseded == (Superseded(stale.id, "fit", None, 8),)


def test_of_two_changes_in_one_request_the_older_is_not_stale(study: Study) -> None:
    study.project.tasks.put(rating_task(1)).result()
    both = [change("fit", 1, 1), change("fit", 2, 2)]
    saved = study.project.assignments.save(study.view("Ann").id, study.person("Ann"), both).result()
    assert saved == Saved(tuple(one.id for one in both), ())


def test_a_newer_preference_is_answered_by_its_blind_name(study: Study) -> None:
    study.project.tasks.put(preference_task()).result()
    view, person = study.view("Ann", task="better"), study.person("Ann")
    study.project.assignments.save(view.id, person, [change("better", "c1", 2)]).result()
    (stale,) = study.project.assignments.save(view.id, person, [change("better", "c0", 1)]).result().superseded
    assert stale.value == "c1"


def test_an_item_is_not_submitted_with_answers_that_newer_ones_outdo(study: Study) -> None:
    study.project.tasks.put(rating_task(1, must_listen=False)).result()
    view, person = study.view("Ann"), study.person("Ann")
    study.project.assignments.save(view.id, person, [change("fit", 4, 7)]).result()
    with pytest.raises(NotNowError, match="Newer answers stand than those that were sent: fit") as refusal:
        study.project.assignments.submit(view.id, person, [change("fit", 1, 3)]).result()
    assert refusal.value.code == "superseded"
    assert study.project.assignments.submit(view.id, person, [change("fit", 1, 8)]).result().state == "submitted"


def test_a_change_is_stored_once_however_often_it_arrives(study: Study) -> None:
    view = opened(study)
    one = change("fit", 3)
    for _ in range(3):
        saved = study.project.assignments.save(view.id, study.person("Ann"), [one, one]).result()
        assert saved == Saved((one.id, one.id), ())
    assert stored(study) == [(one.id, "3.0", 1)]
    assert answers(study, view) == {"fit": 3.0}


def test_the_highest_sequence_stands_whichever_comes_later(study: Study) -> None:
    view = opened(study)
    for value, sequence in ((1, 5), (2, 7), (3, 6)):
        study.project.assignments.save(view.id, study.person("Ann"), [change("fit", value, sequence)]).result()
    assert answers(study, view) == {"fit": 2.0}
    assert study.project.assignments.view(view.id, study.person("Ann")).sequence == 7
    assert len(stored(study)) == 3


def test_an_answer_that_is_taken_back_is_gone_but_its_sequence_counts(study: Study) -> None:
    view = opened(study)
    person = study.person("Ann")
    study.project.assignments.save(view.id, person, [change("fit", 1, 1), change("fit", None, 2)]).result()
    seen = study.project.assignments.view(view.id, person)
    assert (dict(seen.answers), seen.sequence) == ({}, 2)


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (change("fit", 9), NotAnAnswerError),
        (change("unknown", 1), NotAnAnswerError),
        (change("fit", 1, id="short"), NotAnAnswerError),
        (change("fit", 1, id="x" * 36 + "\0"), NotAnAnswerError),
        (change("fit", 1, -1), NotAnAnswerError),
        (change("fit", 1, HIGHEST_SEQUENCE + 1), NotAnAnswerError),
    ],
)
def test_half_a_request_is_never_stored(study: Study, bad: Change, error: type[RefusedError]) -> None:
    view = opened(study)
    with pytest.raises(error):
        study.project.assignments.save(view.id, study.person("Ann"), [change("fit", 1), bad]).result()
    assert stored(study) == []
    assert answers(study, view) == {}


def test_a_request_holds_a_limited_number_of_changes(small_study: Study) -> None:
    view = opened(small_study)
    many = [change("fit", 1, number) for number in range(MOST_CHANGES + 1)]
    with pytest.raises(NotAnAnswerError):
        small_study.project.assignments.save(view.id, small_study.person("Ann"), many)
    assert len(small_study.project.assignments.save(view.id, small_study.person("Ann"), many[1:]).result().saved) == 500


def room(study: Study, view: View) -> tuple[int, int, int, int]:
    """Changes and signs of an assignment: as noted, and as counted."""
    with study.project.database.reading() as connection:
        query = (
            "SELECT a.changes, a.signs, count(c.id), coalesce(sum(length(c.value)), 0)"
            " FROM assignments a LEFT JOIN changes c ON c.assignment = a.id WHERE a.id = :id GROUP BY a.id"
        )
        row = connection.execute(text(query), {"id": view.id}).one()
        return int(row[0]), int(row[1]), int(row[2]), int(row[3])


def test_what_is_stored_is_noted_as_it_would_be_counted(study: Study) -> None:
    view, person, save = opened(study), study.person("Ann"), study.project.assignments.save
    assert room(study, view) == (0, 0, 0, 0)
    study.project.writer.call(lambda connection: None).result()
    once, refused = change("fit", 1), change("fit", 77)
    for future in [save(view.id, person, some) for some in ([once], [once, change("fit", 2, 2)], [refused], [once])]:
        future.exception()
    save(view.id, person, [change("sure", "yes", 3), change("sure", None, 4)]).result()
    # 1.0 and 2.0 are three signs each, "yes" five with its quotation marks, null four.
    assert room(study, view) == (4, 15, 4, 15)


def test_one_person_can_store_only_so_many_changes_of_an_item(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_changes, "MOST_STORED", 3)
    view, person, save = opened(study), study.person("Ann"), study.project.assignments.save
    kept = [change("fit", number, number) for number in range(3)]
    save(view.id, person, kept[:2]).result()
    with pytest.raises(NotNowError, match="3 changes of one item") as refusal:
        save(view.id, person, [change("fit", 4, 8), change("fit", 5, 9)]).result()
    assert (refusal.value.code, refusal.value.status) == ("too-many-changes", 409)
    assert "can be submitted" in refusal.value.next
    save(view.id, person, kept[2:]).result()
    with pytest.raises(NotNowError):
        save(view.id, person, [change("fit", 4, 8)]).result()
    assert save(view.id, person, kept).result() == Saved(tuple(one.id for one in kept), ()), "a retry stores nothing"
    assert len(stored(study)) == 3
    study.project.assignments.submit(view.id, person).result()
    other = study.view("Bea")
    save(other.id, study.person("Bea"), [change("fit", 1)]).result()


def test_requests_of_one_commit_share_what_one_person_can_store(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_changes, "MOST_STORED", 3)
    view, person = opened(study), study.person("Ann")
    requests = [
        stored_changes.Save(view.id, person, [change("fit", 1, 2 * number), change("fit", 2, 2 * number + 1)], 0.0)
        for number in range(2)
    ]
    saving = stored_changes.ChangeStore(study.project.database, study.project.tasks)
    first, second = study.project.writer.call(lambda connection: saving.perform(connection, requests)).result()
    assert isinstance(first, Saved)
    assert isinstance(second, NotNowError)
    assert room(study, view)[0] == 2


def test_long_texts_are_bounded_by_their_signs(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_changes, "MOST_CHARACTERS", 25)
    says = Control("says", "text", {"en": "What is said?"})
    study.project.tasks.put(rating_task(1, controls=(says,))).result()
    view, person, save = study.view("Ann"), study.person("Ann"), study.project.assignments.save
    save(view.id, person, [change("says", "x" * 18, 1)]).result()  # twenty with its quotation marks
    with pytest.raises(NotNowError, match="25 characters"):
        save(view.id, person, [change("says", "x" * 4, 2)]).result()
    save(view.id, person, [change("says", "x" * 3, 2)]).result()
    assert room(study, view) == (2, 25, 2, 25)


def test_an_id_that_comes_with_other_contents_is_refused(study: Study) -> None:
    view = opened(study)
    person = study.person("Ann")
    one = change("fit", 3)
    study.project.assignments.save(view.id, person, [one]).result()
    for other in (Change(one.id, "fit", 2, 1), Change(one.id, "fit", 3, 2), Change(one.id, "sure", "yes", 1)):
        with pytest.raises(NotNowError, match="other contents"):
            study.project.assignments.save(view.id, person, [other]).result()
    first = change("fit", 1)
    with pytest.raises(NotNowError, match="other contents"):
        study.project.assignments.save(view.id, person, [first, change("fit", 2, id=first.id)]).result()
    assert stored(study) == [(one.id, "3.0", 1)]


def test_nobody_writes_into_anothers_assignment_nor_into_none(study: Study) -> None:
    view = opened(study)
    with pytest.raises(NotAllowedError):
        study.project.assignments.save(view.id, study.person("Bea"), [change("fit", 3)]).result()
    for name in ("unknown", "", "a\0b"):
        with pytest.raises(NotFoundError):
            study.project.assignments.save(name, study.person("Ann"), [change("fit", 3)]).result()
    assert stored(study) == []


def test_requests_of_one_commit_are_judged_each_by_itself(study: Study) -> None:
    view = opened(study)
    ann, bea = study.person("Ann"), study.person("Bea")
    fine, twice = change("fit", 1), change("fit", 2, 2)
    study.project.writer.call(lambda connection: None).result()
    save = study.project.assignments.save
    waiting = [save(view.id, ann, [one]) for one in (fine, change("fit", 77), twice, twice)]
    waiting.append(save(view.id, bea, [change("fit", 5)]))
    outcomes = [type(future.exception()).__name__ for future in waiting]
    assert outcomes == ["NoneType", "NotAnAnswerError", "NoneType", "NoneType", "NotAllowedError"]
    assert [row[0] for row in stored(study)] == [fine.id, twice.id]


def test_answers_of_calibration_and_test_are_final_but_a_retry_is_acknowledged(study: Study) -> None:
    study.project.tasks.put(task_with_test()).result()
    view = study.view("Ann")
    person, one = study.person("Ann"), change("fit", 3)
    study.project.assignments.submit(view.id, person, [one]).result()
    with pytest.raises(NotNowError, match="cannot be changed"):
        study.project.assignments.save(view.id, person, [change("fit", 4, 2)]).result()
    assert study.project.assignments.save(view.id, person, [one]).result().saved == (one.id,)


def test_a_rated_item_can_be_corrected_and_is_open_again_when_a_required_answer_goes(study: Study) -> None:
    view = opened(study)
    person = study.person("Ann")
    submit, save = study.project.assignments.submit, study.project.assignments.save
    submit(view.id, person, [change("fit", 3), change("sure", "yes", 2)]).result()
    save(view.id, person, [change("fit", 4, 3), change("sure", None, 4)]).result()
    (row,) = study.project.results.ratings("fit")
    assert (row.state, dict(row.rating.answers)) == ("submitted", {"fit": 4.0})
    save(view.id, person, [change("fit", None, 5)]).result()
    assert study.project.results.ratings("fit") == []
    assert study.view("Ann").id == view.id, "what is open comes first"


def test_a_preference_is_stored_under_the_clips_own_name(study: Study) -> None:
    study.project.tasks.put(preference_task(20, raters_per_item=2)).result()
    firsts = set()
    for _ in range(20):  # all in the same order: twice in a million
        view = study.view("Ann", "better")
        assert view.pairs == {"pair": ("c0", "c1")}
        assert [clip.name for clip in view.clips] == ["pair", "pair"]
        person = study.person("Ann")
        study.project.assignments.save(view.id, person, [change("better", "c0")]).result()
        assert answers(study, view) == {"better": "c0"}
        clip = study.project.assignments.clip(view.id, person, "c0")
        study.project.assignments.submit(view.id, person).result()
        row = study.project.results.ratings("better", item=study.item_of(view))[0].rating
        assert row.answers["better"] == row.shown[0] == ("old" if clip.end else "new")
        firsts.add(row.shown[0])
    assert firsts == {"new", "old"}, "the order is drawn for each item"


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(
    arrivals=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12),
    order=st.randoms(use_true_random=False),
)
def test_what_stands_does_not_depend_on_the_order_of_arrival(
    arrivals: list[tuple[int, int, int]], order: random.Random, tmp_path_factory: pytest.TempPathFactory
) -> None:
    changes = {
        str(uuid.UUID(int=number)): Change(str(uuid.UUID(int=number)), "fit", value, sequence)
        for value, number, sequence in arrivals
    }
    found = []
    with Study.open(tmp_path_factory.mktemp("order"), database_url="", clock=Clock()) as study:
        study.project.tasks.put(rating_task(2)).result()
        for name in ("Ann", "Bea"):
            view = study.view(name)
            arriving = [
                Change(one.id.replace("0", name[0].lower(), 1), one.control, one.value, one.sequence)
                for one in changes.values()
            ]
            order.shuffle(arriving)
            for one in arriving:
                study.project.assignments.save(view.id, study.person(name), [one]).result()
            found.append(answers(study, view, name))
    highest = max(changes.values(), key=lambda one: (one.sequence, one.id))
    assert found == [{"fit": float(str(highest.value))}] * 2
