"""Own accounts: passwords, and sessions that their owner sees and ends."""

import pytest
from sqlalchemy import text

from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.records import NewInvitation, NewSession, Session
from aptone.web.refusals import NotAllowedError, NotFoundError, NotSignedInError
from tests.studio.studies import Study

pytestmark = pytest.mark.usefixtures("quick_hashes")

GOOD, OTHER = "seven grey mountain goats", "eleven blue river boats"


def invited(study: Study, name: str = "Ann") -> tuple[NewInvitation, NewSession]:
    link = study.project.people.invite("annotator", name=name).result()
    return link, study.project.people.enter(link.token, device="Firefox, Linux").result()


def signed_in(study: Study, session: Session, password: str = GOOD) -> NewSession:
    accounts = study.project.accounts
    return accounts.enter(accounts.authenticate(session.person.pseudonym, password)).result()


def is_open(study: Study, new: NewSession) -> bool:
    try:
        study.project.people.session(new.token)
    except NotSignedInError:
        return False
    return True


def test_an_invited_person_sets_a_password_and_signs_in_by_it(study: Study) -> None:
    _, first = invited(study)
    account = study.project.accounts.own(first.session)
    assert (account.name, account.password_set) == (first.session.person.pseudonym, None)
    study.project.accounts.set_password(first.session, GOOD).result()
    assert study.project.accounts.own(first.session).password_set == study.clock.now
    by_password = study.project.accounts.authenticate(f" {first.session.person.pseudonym.lower()} ", GOOD)
    new = study.project.accounts.enter(by_password, device="Safari, iOS").result()
    assert study.project.people.session(new.token).person == study.project.people.session(first.token).person
    with study.project.database.reading() as connection:
        stored = " ".join(str(value) for row in connection.execute(text("SELECT * FROM passwords")) for value in row)
    assert GOOD not in stored
    assert GOOD not in repr(by_password)


def test_no_refusal_tells_who_exists_has_a_password_or_may_enter(study: Study) -> None:
    _, ann = invited(study)
    _, bea = invited(study, "Bea")
    _, cleo = invited(study, "Cleo")
    for new in (ann, cleo):
        study.project.accounts.set_password(new.session, GOOD).result()
    study.project.people.change(cleo.session.person.id, active=False).result()
    tried = {
        "R-0000": GOOD,  # nobody
        ann.session.person.pseudonym: OTHER,
        bea.session.person.pseudonym: GOOD,  # no password
        cleo.session.person.pseudonym: GOOD,  # may not enter
    }
    refusals = set()
    for name, password in tried.items():
        with pytest.raises(NotSignedInError) as caught:
            study.project.accounts.authenticate(name, password)
        refusals.add((caught.value.code, caught.value.message, caught.value.next))
    assert len(refusals) == 1


def test_a_change_needs_the_current_password_unless_a_link_opened_the_session(study: Study) -> None:
    accounts = study.project.accounts
    link, first = invited(study)
    accounts.set_password(first.session, GOOD).result()
    new = signed_in(study, first.session)
    for current in ("", OTHER):
        with pytest.raises(NotAllowedError, match="not the current password"):
            accounts.set_password(new.session, OTHER, current=current)
    with pytest.raises(NotAnAnswerError):
        accounts.set_password(new.session, "short", current=GOOD)
    accounts.set_password(new.session, OTHER, current=GOOD).result()
    assert (is_open(study, new), is_open(study, first)) == (True, False)  # all others end
    with pytest.raises(NotSignedInError):
        accounts.authenticate(first.session.person.pseudonym, GOOD)
    again = study.project.people.enter(link.token).result()  # whoever has forgotten it comes by a link
    accounts.set_password(again.session, GOOD).result()
    assert not is_open(study, new)
    assert is_open(study, signed_in(study, first.session))


def test_a_password_that_was_changed_meanwhile_opens_nothing(study: Study) -> None:
    accounts = study.project.accounts
    _, first = invited(study)
    accounts.set_password(first.session, GOOD).result()
    known = accounts.authenticate(first.session.person.pseudonym, GOOD)
    accounts.set_password(first.session, OTHER).result()
    with pytest.raises(NotSignedInError):
        accounts.enter(known).result()


def test_whoever_takes_a_link_back_takes_the_password_back_that_was_set_by_it(study: Study) -> None:
    accounts, people = study.project.accounts, study.project.people
    link, first = invited(study)
    accounts.set_password(first.session, GOOD).result()
    new = signed_in(study, first.session)
    accounts.set_password(new.session, OTHER, current=GOOD).result()  # changing it does not wash it
    other_link = people.invite("annotator", name="Ann", person=first.session.person.id).result()
    by_other = people.enter(other_link.token).result()
    people.revoke(link.invitation.id).result()
    assert (is_open(study, new), is_open(study, by_other)) == (False, True)
    with pytest.raises(NotSignedInError):
        accounts.authenticate(first.session.person.pseudonym, OTHER)


def test_people_see_and_end_their_own_sessions_and_nobody_elses(study: Study) -> None:
    accounts = study.project.accounts
    link, first = invited(study)
    _, bea = invited(study, "Bea")
    study.clock.now += 10.0
    second, third = (study.project.people.enter(link.token, device=name).result() for name in ("Safari, iOS", ""))
    listed = accounts.own(second.session).sessions
    assert {one.id for one in listed} == {new.session.id for new in (first, second, third)}
    assert [one.id for one in listed if one.current] == [second.session.id]
    assert (listed[-1].device, listed[-1].by, listed[-1].seen) == ("Firefox, Linux", "link", study.clock.now - 10.0)
    with pytest.raises(NotFoundError):
        accounts.end_session(bea.session, first.session.id).result()
    assert accounts.end_session(second.session, first.session.id).result() == 1
    assert (is_open(study, first), is_open(study, third), is_open(study, bea)) == (False, True, True)
    assert accounts.end_other_sessions(second.session).result() == 1
    assert [is_open(study, new) for new in (second, third, bea)] == [True, False, True]
    assert [one.id for one in accounts.own(second.session).sessions] == [second.session.id]


def test_when_a_session_was_last_used_is_noted_by_the_minute(small_study: Study) -> None:
    _, first = invited(small_study)
    small_study.clock.now += 61.0
    session = small_study.project.people.session(first.token)
    small_study.project.writer.call(lambda connection: None).result()  # what was noted is written by then
    assert small_study.project.accounts.own(session).sessions[0].seen == small_study.clock.now
