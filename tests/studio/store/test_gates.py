"""Before rating: consent by version, the headphone check, rests, active time; and the way out."""

import csv
import io
import math
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import inspect, text

from aptone.studio.exchange.data_card import Statements
from aptone.studio.exchange.exports import export_to
from aptone.studio.exchange.pseudonyms import export_names
from aptone.studio.refusals import NotNowError
from aptone.studio.store.records import View
from aptone.studio.store.recruitment import PLATFORMS, Platform, Recruitment
from aptone.types import Breaks, HeadphoneCheck
from aptone.web.refusals import NotFoundError, NotSignedInError
from tests.studio.studies import Study, change, rating_task


def test_nothing_is_rated_before_the_consent_that_stands_and_a_new_version_asks_again(study: Study) -> None:
    gates, assignments = study.project.gates, study.project.assignments
    study.project.tasks.put(rating_task(4)).result()
    study.rate("ada")
    view = study.view("ada")
    first = gates.set_consent({"en": "Listen, and agree."}).result()
    assert (first.version, study.reason("ada")) == (1, "consent")
    for refused in (
        assignments.save(view.id, study.person("ada"), [change("fit", 2)]),
        assignments.submit(view.id, study.person("ada"), [change("fit", 2)]),
    ):
        with pytest.raises(NotNowError, match="consent"):
            refused.result()
    study.clock.now += 5
    gates.agree(study.person("ada"), version=1, language="en").result()
    assert gates.consents() == {study.person("ada"): (1, study.clock.now)}
    assert study.rate("ada")[1].state == "submitted"
    assert gates.set_consent({"en": "Listen, and agree."}).result().version == 1  # the same text is no new version
    gates.set_consent({"en": "Another text."}).result()
    assert study.reason("ada") == "consent"
    with pytest.raises(NotNowError, match="Another version"):
        gates.agree(study.person("ada"), version=1, language="en").result()
    gates.agree(study.person("ada"), version=2, language="en").result()
    assert study.view("ada").state == "open"


def places(study: Study, check: str) -> list[int]:
    """Right answers of an attempt."""
    with study.project.database.reading() as connection:
        stored = connection.execute(
            text("SELECT places FROM headphone_checks WHERE id = :id"), {"id": check}
        ).scalar_one()
    return [int(one) for one in stored.strip("[]").split(",")]


def test_only_those_who_pass_the_headphone_check_rate_and_attempts_end(study: Study) -> None:
    gates = study.project.gates
    study.project.tasks.put(replace(rating_task(2), headphones=HeadphoneCheck(attempts=2))).result()
    for who in ("ada", "bea"):
        assert study.reason(who) == "headphones"
        test = gates.begin_headphones("fit", study.person(who)).result()
        wrong = [(place + 1) % 3 for place in places(study, test.id)]
        failed = gates.answer_headphones(test.id, study.person(who), wrong).result()
        assert (failed.right, failed.passed, failed.attempts_left) == (0, False, 1)
        with pytest.raises(NotNowError, match="answered before"):
            gates.answer_headphones(test.id, study.person(who), wrong).result()
    again = gates.begin_headphones("fit", study.person("ada")).result()
    with pytest.raises(NotFoundError):
        gates.answer_headphones(again.id, study.person("bea"), [0, 0, 0]).result()
    assert gates.answer_headphones(again.id, study.person("ada"), places(study, again.id)).result().passed
    assert study.view("ada").state == "open"
    last = gates.begin_headphones("fit", study.person("bea")).result()
    nearly = places(study, last.id)
    nearly[0] = (nearly[0] + 1) % 3
    assert not gates.answer_headphones(last.id, study.person("bea"), nearly).result().passed
    assert study.reason("bea") == "no-headphones"
    assert gates.headphones("fit") == {study.person("ada"): True, study.person("bea"): False}


def test_a_check_that_is_not_required_is_recorded_and_holds_nobody_up(small_study: Study) -> None:
    gates, ada = small_study.project.gates, small_study.person("ada")
    small_study.project.tasks.put(replace(rating_task(2), headphones=HeadphoneCheck(required=False))).result()
    test = gates.begin_headphones("fit", ada).result()
    gates.answer_headphones(test.id, ada, [(place + 1) % 3 for place in places(small_study, test.id)]).result()
    assert small_study.view("ada").state == "open"
    assert gates.headphones("fit") == {ada: False}


def next_of(study: Study, name: str) -> tuple[View | None, str, bool]:
    found = study.project.assignments.next("fit", study.person(name)).result()
    return found.view, found.reason, found.rest is not None


def test_a_forced_rest_holds_the_next_item_until_it_is_over(study: Study) -> None:
    study.project.tasks.put(replace(rating_task(6), breaks=Breaks(items=2, seconds=60, forced=True))).result()
    study.rate("ada")
    study.rate("ada")
    assert next_of(study, "ada") == (None, "break", True)
    study.clock.now += 30
    assert next_of(study, "ada")[1] == "break"
    study.clock.now += 31
    view, reason, rests = next_of(study, "ada")
    assert view is not None
    assert (reason, rests) == ("", False)


def test_a_rest_is_suggested_once_and_whoever_was_away_has_rested(study: Study) -> None:
    study.project.tasks.put(replace(rating_task(8), breaks=Breaks(items=2, seconds=60))).result()
    study.rate("ada")
    study.rate("ada")
    view, reason, rests = next_of(study, "ada")
    assert view is not None
    assert (reason, rests) == ("", True)
    assert next_of(study, "ada")[2] is False  # the item is open by now
    study.rate("ada")
    study.clock.now += 1
    study.rate("ada")
    study.clock.now += 61
    assert next_of(study, "ada")[2] is False


def test_active_time_adds_up_to_no_more_than_went_by_and_is_exported(study: Study) -> None:
    study.project.tasks.put(rating_task(2)).result()
    view = study.view("ada")
    study.clock.now += 20
    add = study.project.assignments.add_active
    assert add(view.id, study.person("ada"), 5).result() == 5
    assert add(view.id, study.person("ada"), 500).result() == 20
    study.rate("ada")
    (row,) = study.project.results.ratings("fit")
    assert row.rating.active_seconds == 20
    study.rate("bea")
    by = {row.rating.rater: row.rating for row in study.project.results.ratings("fit")}
    assert math.isnan(by[study.people["bea"].pseudonym].active_seconds)


def test_a_person_who_withdraws_leaves_nothing_behind(study: Study) -> None:
    project = study.project
    project.tasks.put(rating_task(3)).result()
    project.gates.set_consent({"en": "Agree."}).result()
    token = project.people.invite("annotator", name="Adelheid Unmistakable").result().token
    person = project.people.enter(token).result().session.person
    study.people["ada"] = person
    project.gates.agree(person.id, version=1, language="en").result()
    study.rate("ada", 4)
    gone = project.withdrawals.withdraw(person.id).result()
    assert (gone.answers, gone.kept) == (1, False)
    assert project.results.ratings("fit") == []
    assert project.gates.consents() == {}
    assert person.id not in {one.id for one in project.people.everyone()}
    with pytest.raises(NotSignedInError):
        project.people.enter(token).result()
    assert project.withdrawals.count() == 1
    project.database.empty_log()
    if project.database.is_sqlite:
        folder = Path(project.database.name).parent
        whole = b"".join(file.read_bytes() for file in folder.glob("studio.sqlite*"))
        assert b"Unmistakable" not in whole
        assert person.pseudonym.encode() not in whole


def test_answers_that_may_stay_name_nobody(study: Study) -> None:
    project = study.project
    project.tasks.put(rating_task(3)).result()
    study.rate("ada", 4)
    before = study.people["ada"].pseudonym
    exported = export_names(project)[before]
    project.withdrawals.withdraw(study.person("ada"), keep_answers=True).result()
    (row,) = project.results.ratings("fit")
    assert row.rating.answers["fit"] == 4
    assert row.rating.rater != before
    assert exported not in export_names(project).values()
    assert [one.name for one in project.people.everyone()] == [""]


def test_the_only_admin_stays(small_study: Study) -> None:
    admin = small_study.person("root", "admin")
    with pytest.raises(NotNowError, match="only admin"):
        small_study.project.withdrawals.withdraw(admin).result()


def test_names_in_exports_are_stable_salted_and_not_those_of_signing_in(small_study: Study) -> None:
    small_study.person("ada")
    names = export_names(small_study.project)
    assert names == export_names(small_study.project)
    ((sign_in, shown),) = names.items()
    assert shown.startswith("P-")
    assert shown[2:] not in sign_in
    assert export_names(small_study.project, with_names=True)[sign_in] == f"ada ({shown})"


def test_exports_say_who_agreed_to_which_consent_and_passed_the_headphone_check(study: Study, tmp_path: Path) -> None:
    project, gates = study.project, study.project.gates
    project.tasks.put(replace(rating_task(2), headphones=HeadphoneCheck(required=False, attempts=1))).result()
    gates.set_consent({"en": "Old text."}).result()
    gates.agree(study.person("ada"), version=1, language="en").result()
    gates.set_consent({"en": "Listen & agree.\n\nLeave when you like.", "zh": "请阅读。"}).result()
    for who in ("ada", "bea"):
        gates.agree(study.person(who), version=2, language="en").result()
        test = gates.begin_headphones("fit", study.person(who)).result()
        given = [(place + (who == "bea")) % 3 for place in places(study, test.id)]
        gates.answer_headphones(test.id, study.person(who), given).result()
        study.rate(who)
    names = export_names(project)
    written = export_to(project, "fit", "csv", tmp_path / "ratings.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(io.StringIO(written, newline=""))
    found = {row["rater"]: (row["consent_version"], row["headphones"]) for row in rows}
    assert found == {
        names[study.people["ada"].pseudonym]: ("2", "passed"),
        names[study.people["bea"].pseudonym]: ("2", "failed"),
    }
    export_to(project, "fit", "dataset", tmp_path / "set")
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert "> Listen \\& agree.\n> \n> Leave when you like.\n> \n> 请阅读。\n\nThis is version 2" in card
    export_to(project, "fit", "dataset", tmp_path / "other", stated=Statements(consent="Another text."))
    card = (tmp_path / "other" / "README.md").read_text(encoding="utf-8")
    assert "> Another text." in card
    assert "Leave when" not in card
    assert "This is version" not in card


@pytest.mark.parametrize("keep_answers", [False, True])
@pytest.mark.parametrize("platform", PLATFORMS)
def test_the_id_of_a_platform_is_gone_after_a_withdrawal(study: Study, platform: Platform, keep_answers: bool) -> None:
    project, participant = study.project, "5f0cUNMISTAKABLE9a"
    project.tasks.put(rating_task(3)).result()
    secret = project.recruitments.set(Recruitment(platform, "C0DE")).result()
    study.people["ada"] = project.recruitments.enter(secret, participant, device="phone").result().session.person
    study.rate("ada", 4)
    everyone = {one.name for one in project.people.everyone()}
    assert f"{platform}: {participant}" in everyone
    project.withdrawals.withdraw(study.person("ada"), keep_answers=keep_answers).result()
    assert len(project.results.ratings("fit")) == keep_answers
    project.database.empty_log()
    with project.database.reading() as connection:
        tables = inspect(connection).get_table_names()
        stored = [str(row) for name in tables for row in connection.execute(text(f'SELECT * FROM "{name}"'))]
    assert len(stored) > 3
    assert not any(participant in row for row in stored)
    if project.database.is_sqlite:
        files = [file for file in project.folder.rglob("*") if file.is_file()]
        assert not any(participant.encode() in file.read_bytes() for file in files)
    back = project.recruitments.enter(secret, participant).result().session.person
    assert back.id != study.person("ada")  # whoever comes again is somebody new
