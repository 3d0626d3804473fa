"""Ratings, progress and adjudications."""

import math
import random

import pytest

from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.ratings import SubmittedRatings, rater_statuses
from aptone.studio.store.records import RatedRow
from aptone.types import AudioRef
from aptone.web.refusals import NotFoundError
from tests.studio.studies import Study, change, preference_task, rating_task, task_with_test
from tests.tables import for_each


def test_ratings_name_people_by_pseudonym_only(study: Study) -> None:
    study.project.tasks.put(rating_task(2, raters_per_item=2)).result()
    for name in ("Ann", "Bea"):
        for _ in range(2):
            study.clock.now += 7
            study.rate(name)
    rows = study.project.results.ratings("fit")
    assert [row.rating.item for row in rows] == ["i0", "i0", "i1", "i1"]
    assert {row.rating.rater for row in rows} == {person.pseudonym for person in study.people.values()}
    assert not any(name in repr(rows) for person in study.people.values() for name in (person.name, person.id))
    assert [row.rating.item for row in study.project.results.ratings("fit", item="i1")] == ["i1", "i1"]
    assert study.project.results.coverage("fit") == {2: 2}


def test_progress_tells_of_everybody_who_works_or_could(study: Study) -> None:
    study.project.tasks.put(task_with_test(4, attention=())).result()
    study.person("Ada", "admin")
    study.person("Bea")
    for _ in range(7):
        study.view("Ann")
        study.clock.now += 4
        study.rate("Ann", 4)
    found = {row.person.name: row for row in study.project.results.progress("fit")}
    assert set(found) == {"Ann", "Bea"}, "the admin does not rate"
    ann = found["Ann"]
    # Two of calibration, three of the test, two rated of four.
    assert (ann.stage, ann.done, ann.total, ann.rated, ann.seconds) == ("rating", 2, 4, 2, 4.0)
    assert (found["Bea"].stage, found["Bea"].done, found["Bea"].total) == ("calibration", 0, 2)
    assert math.isnan(found["Bea"].seconds)
    assert study.project.results.coverage("fit") == {0: 2, 1: 2}


def test_whoever_strays_or_does_not_listen_is_reported_and_not_dropped(study: Study) -> None:
    rules = {"outlier_distance": 2.0, "outlier_share": 0.3, "raters_per_item": 4}
    study.project.tasks.put(task_with_test(4, calibration=(), qualification=None, **rules)).result()
    values = {"Ann": 3, "Bea": 3, "Cee": 0, "Dee": 3}
    for name, value in values.items():
        for _ in range(6):
            checked = study.item_of(study.view(name))[0] == "a"
            study.rate(name, (0 if name == "Dee" else 4) if checked else value)
    found = {name: study.project.results.rater_statuses("fit")[study.people[name].pseudonym] for name in values}
    # Dee misses both checks. Of the rest, Cee lies 3 from the others' mean on all items; Ann and Bea lie 1.5 from it.
    assert [flag.kind for flag in found["Dee"].flags] == ["attention"]
    assert [(flag.kind, flag.share) for flag in found["Cee"].flags] == [("outlier", 1.0)]
    assert found["Cee"].set_aside == "100 % of the ratings stray from those of the others"
    assert found["Ann"].flags == found["Bea"].flags == ()
    assert found["Ann"].outliers == 0.0
    rows = [row for row in study.project.results.ratings("fit") if row.purpose == "rating"]
    assert len(rows) == 16, "their ratings are all there"


def test_an_adjudication_is_checked_stored_and_replaced(study: Study) -> None:
    study.project.tasks.put(rating_task()).result()
    judge, results = study.person("Joy", "adjudicator"), study.project.results
    results.adjudicate("fit", "i0", judge, answers={"fit": 2, "sure": None}, note="clear\nenough").result()
    settled = results.adjudicate("fit", "i0", judge, answers={"fit": 4}, note="").result()
    assert results.adjudications("fit") == {"i0": settled}
    assert (dict(settled.answers), settled.note, settled.adjudicator) == (
        {"fit": 4.0},
        "",
        study.people["Joy"].pseudonym,
    )
    for answers, note in (({"fit": 9}, ""), ({"unknown": 1}, ""), ({}, "\0"), ({}, "a" * 10_001)):
        with pytest.raises(NotAnAnswerError):
            results.adjudicate("fit", "i0", judge, answers=answers, note=note).result()
    for task, item in (("fit", "unknown"), ("unknown", "i0")):
        with pytest.raises(NotFoundError):
            results.adjudicate(task, item, judge, answers={}).result()


def test_an_adjudicator_sees_pairs_in_the_order_of_the_task(study: Study) -> None:
    study.project.tasks.put(preference_task()).result()
    results = study.project.results
    assert results.pairs("better", "p0") == {"pair": ("c0", "c1")}
    assert [clip.seconds for clip in results.clips("better", "p0")] == [0.5, 0.25]
    assert results.clip("better", "p0", "c1") == AudioRef("clips/tone.wav", end=0.25)
    assert results.fields("better", "p0") == {}
    judge = study.person("Joy", "adjudicator")
    settled = results.adjudicate("better", "p0", judge, answers={"better": "c1"}).result()
    assert settled.answers == {"better": "old"}
    for item, clip in (("p0", "c2"), ("p9", "c0"), ("p0", "old")):
        with pytest.raises(NotFoundError):
            results.clip("better", item, clip)


@for_each("name", ["unknown", "a\0"])
def test_results_of_an_unknown_task_are_not_found(study: Study, name: str) -> None:
    results = study.project.results
    for asked in (results.ratings, results.rater_statuses, results.progress, results.coverage, results.adjudications):
        with pytest.raises(NotFoundError):
            asked(name)


def test_standings_are_those_of_all_ratings_however_little_was_read_again(study: Study) -> None:
    rules = {"outlier_distance": 1.0, "outlier_share": 0.2, "raters_per_item": 3}
    study.project.tasks.put(task_with_test(4, calibration=(), qualification=None, **rules)).result()
    draw, results, own = random.Random(7), study.project.results, study.project.assignments
    submitted: list[tuple[str, str]] = []
    for step in range(40):
        name = draw.choice(["Ann", "Bea", "Cee"])
        person, sequence = study.person(name), step + 2
        kind = draw.choice(["rate", "rate", "correct", "empty", "look"])
        if kind == "rate" and (view := own.next("fit", person).result().view) is not None:
            own.submit(view.id, person, [change("fit", draw.randrange(6), sequence)]).result()
            submitted.append((view.id, person))
        elif kind in ("correct", "empty") and submitted:
            value = draw.randrange(6) if kind == "correct" else None
            own.save(*draw.choice(submitted), [change("fit", value, sequence)]).result()
        assert repr(results.rater_statuses("fit")) == repr(
            rater_statuses(study.project.tasks.get("fit").task, rows(study))
        )
    assert len(submitted) > 8


def rows(study: Study) -> list[RatedRow]:
    """All ratings, read without the cache."""
    return study.project.results.ratings("fit")


def test_answers_that_did_not_change_are_not_read_again(small_study: Study) -> None:
    small_study.project.tasks.put(rating_task(3, raters_per_item=2)).result()
    for _ in range(3):
        small_study.rate("Ann")
    kept = SubmittedRatings()
    with small_study.project.database.reading() as connection:
        first = kept.of(connection, "fit")
    view = small_study.view("Bea")
    small_study.project.assignments.submit(view.id, small_study.person("Bea"), [change("fit", 1)]).result()
    with small_study.project.database.reading() as connection:
        second = kept.of(connection, "fit")
    assert len(second) == 4
    assert [row for row in second if any(row is one for one in first)] == first, "the very same records"
    assert second == small_study.project.results.ratings("fit")
