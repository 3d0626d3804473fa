"""Invitations, sessions and people."""

import pytest
from sqlalchemy import text

from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.people import DAY, SESSION_DAYS
from aptone.web.refusals import NotAllowedError, NotFoundError, NotSignedInError
from tests.studio.studies import Study
from tests.tables import for_each


def test_a_personal_link_makes_a_person_once_and_lets_the_same_person_in_again(study: Study) -> None:
    invited = study.project.people.invite("annotator", name="Ann").result()
    first = study.project.people.enter(invited.token, name="Annette", language="zh").result()
    again = study.project.people.enter(invited.token, name="Somebody else").result()
    assert first.session.person.id == again.session.person.id
    assert (again.session.person.name, again.session.person.language) == ("Annette", "zh")
    assert first.token != again.token
    assert [person.name for person in study.project.people.everyone()] == ["Annette"]
    assert study.project.people.session(again.token).person.role == "annotator"


def test_no_token_stands_in_the_database(study: Study) -> None:
    invited = study.project.people.invite("admin", name="Ann").result()
    session = study.project.people.enter(invited.token).result()
    with study.project.database.reading() as connection:
        stored = [
            str(value)
            for table in ("invitations", "sessions", "people")
            for row in connection.execute(text(f"SELECT * FROM {table}"))
            for value in row
        ]
    assert invited.token not in stored
    assert session.token not in stored
    assert len(invited.token) >= 43, "256 bits in base 64"
    assert invited.token not in repr(invited)
    assert session.token not in repr(session)


def test_links_end_when_they_expire_are_taken_back_or_are_unknown(study: Study) -> None:
    people = study.project.people
    old = people.invite("annotator", name="Ann", days=1).result()
    study.clock.now += DAY
    revoked = people.invite("annotator", name="Bea").result()
    inside = people.enter(revoked.token).result()
    assert people.revoke(revoked.invitation.id).result().revoked
    for token in (old.token, revoked.token, "unknown", ""):
        with pytest.raises(NotSignedInError):
            people.enter(token).result()
    with pytest.raises(NotSignedInError):
        people.session(inside.token)
    with pytest.raises(NotFoundError):
        people.revoke("unknown").result()


def test_sessions_end_with_time_by_leaving_and_when_a_person_is_set_inactive(study: Study) -> None:
    people = study.project.people
    invited = people.invite("annotator", name="Ann", days=100).result()
    expired, left, kept = (people.enter(invited.token).result() for _ in range(3))
    people.leave(left.token).result()
    study.clock.now += 1
    assert people.session(kept.token).csrf == kept.session.csrf
    person = kept.session.person.id
    assert not people.change(person, active=False).result().active
    for one in (expired, left, kept):
        with pytest.raises(NotSignedInError):
            people.session(one.token)
    with pytest.raises(NotAllowedError):
        people.enter(invited.token).result()
    people.change(person, active=True).result()
    back = people.enter(invited.token).result()
    study.clock.now += SESSION_DAYS * DAY
    with pytest.raises(NotSignedInError):
        people.session(back.token)


def test_roles_and_languages_are_changed_and_checked(study: Study) -> None:
    person = study.person("Ann")
    changed = study.project.people.change(person, role="adjudicator", language="zh").result()
    assert (changed.role, changed.language, changed.active) == ("adjudicator", "zh", True)
    with pytest.raises(NotAnAnswerError):
        study.project.people.change(person, role="king")  # type: ignore[arg-type]
    with pytest.raises(NotAnAnswerError):
        study.project.people.change(person, language="xx")
    with pytest.raises(NotFoundError):
        study.project.people.change("nobody", role="admin").result()


def test_the_owner_gets_a_link_to_the_same_admin_at_every_start(study: Study) -> None:
    people = study.project.people
    first = people.enter(people.invite_owner(name="owner").result().token).result()
    second = people.enter(people.invite_owner(name="owner").result().token).result()
    assert first.session.person.id == second.session.person.id
    assert first.session.person.role == "admin"


def test_being_here_is_noted_once_a_minute(small_study: Study) -> None:
    people = small_study.project.people
    token = people.enter(people.invite("annotator", name="Ann").result().token).result().token
    small_study.clock.now += 61
    people.session(token)
    small_study.project.writer.call(lambda connection: None).result()  # whatever was written before is there now
    assert people.session(token).person.seen == small_study.clock.now


@pytest.mark.parametrize("name", ["", "  ", "a" * 101, "a\nb", "a\x00", "\ud800"])
def test_a_name_is_one_short_line(small_study: Study, name: str) -> None:
    with pytest.raises(NotAnAnswerError):
        small_study.project.people.invite("annotator", name=name).result()


@pytest.mark.parametrize("days", [0.0, -1.0, 1e9, float("nan")])
def test_a_link_works_for_a_sensible_time(small_study: Study, days: float) -> None:
    with pytest.raises(NotAnAnswerError):
        small_study.project.people.invite("annotator", name="Ann", days=days)


@for_each("name", ["Ada\u202eadA", "Ada\u2028admin", "\u2066Ada\u2069"])
def test_a_name_cannot_turn_or_break_the_line_that_it_stands_in(small_study: Study, name: str) -> None:
    with pytest.raises(NotAnAnswerError):
        small_study.project.people.invite("annotator", name=name).result()


def test_a_name_is_stored_in_one_form_however_it_was_typed(small_study: Study) -> None:
    names = [small_study.project.people.invite("annotator", name=name).result() for name in ("Zo\u00eb", "Zoe\u0308")]
    assert {one.invitation.name for one in names} == {"Zo\u00eb"}
