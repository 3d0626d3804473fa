"""Routes of what stands around rating: consent, headphone check, active time, and withdrawal."""

from typing import Annotated

from pydantic import Field, StringConstraints
from starlette.responses import Response

from aptone.messages import message
from aptone.studio.headphones import as_wav
from aptone.studio.refusals import NotNowError
from aptone.studio.server.rating import A_TASK, AN_ASSIGNMENT
from aptone.studio.server.routing import ADMIN, SIGNED_IN, Call, router_for
from aptone.studio.server.schemas import LanguageCode, Nothing, Texts
from aptone.studio.server.studio import committed, in_thread
from aptone.studio.store import records
from aptone.studio.store.gates import LONGEST_CONSENT
from aptone.web.parameters import PathPart
from aptone.web.routing import error_statuses, file_reply
from aptone.web.schemas import Body, Reply

own, admins = router_for(SIGNED_IN), router_for(ADMIN)


class ConsentReply(Reply):
    """Consent text that stands, by language, and when the person agreed to it; version 0 for none."""

    version: int
    text: Texts
    given: float | None


class ConsentBody(Body):
    """Version of the text that was agreed to, and the language in which it was read."""

    version: Annotated[int, Field(ge=1)]
    language: LanguageCode = "en"


ConsentWords = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_CONSENT)]


class ConsentTextBody(Body):
    """New consent text, by language."""

    most_bytes = 1 << 20

    text: dict[LanguageCode, ConsentWords]


class HeadphoneTest(Reply):
    """Attempt at the headphone check."""

    id: str
    kind: str
    trials: int
    needed: int
    attempts_left: int


class HeadphoneAnswers(Body):
    """The sound that was chosen in each trial, from 0 on."""

    answers: Annotated[list[Annotated[int, Field(ge=0, le=2)]], Field(max_length=12)]


class HeadphoneResult(Reply):
    """Result of an attempt."""

    right: int
    passed: bool
    attempts_left: int


class ActiveBody(Body):
    """Seconds in which the person was at the item since they were reported last."""

    seconds: Annotated[float, Field(ge=0, le=86400)]


class Active(Reply):
    """Seconds in which the person was at the item, all together."""

    seconds: float


class WithdrawalBody(Body):
    """Sign-in name of whoever withdraws, typed again, and whether the answers may stay without a name."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    keep_answers: bool = False


class Withdrawn(Reply):
    """Number of answered items, and whether they were kept without a name."""

    answers: int
    kept: bool


@own.get("/api/consent")
async def consent(call: Call) -> ConsentReply:
    """Consent text that stands, and whether the person agreed to it."""
    return _consent(await in_thread(call.studio.project.gates.consent, call.user_session.person.id))


@own.post("/api/consent", responses=error_statuses(409, 422, 503))
async def agree(call: Call, body: ConsentBody) -> ConsentReply:
    """Agree to the consent text."""
    gates = call.studio.project.gates
    return _consent(
        await committed(gates.agree(call.user_session.person.id, version=body.version, language=body.language))
    )


@admins.put("/api/consent", responses=error_statuses(422, 503))
async def set_consent(call: Call, body: ConsentTextBody) -> ConsentReply:
    """Set the consent text; a new version asks everybody again."""
    gates = call.studio.project.gates
    await committed(gates.set_consent({str(language): words for language, words in body.text.items()}))
    return _consent(await in_thread(gates.consent, call.user_session.person.id))


def _consent(found: records.Consent) -> ConsentReply:
    if found.text is None:
        return ConsentReply(version=0, text={}, given=None)
    given = None if found.given != found.given else found.given
    return ConsentReply(version=found.text.version, text=dict(found.text.words), given=given)


@own.post(f"{A_TASK}/headphones", response_model=HeadphoneTest, responses=error_statuses(409, 503))
async def begin_headphones(call: Call, task: PathPart, body: Nothing) -> records.HeadphoneTest:
    """Begin an attempt at the headphone check."""
    return await committed(call.studio.project.gates.begin_headphones(task, call.user_session.person.id))


@own.get("/api/headphones/{check}/{trial}", **file_reply("audio/wav"))
async def headphone_sound(call: Call, check: PathPart, trial: PathPart) -> Response:
    """Sound of a trial, from 0 on, in stereo."""
    number = int(trial) if trial.isascii() and trial.isdigit() and len(trial) < 4 else -1
    gates, person = call.studio.project.gates, call.user_session.person.id
    sound = await in_thread(lambda: as_wav(gates.headphone_sound(check, person, number)))
    return Response(sound, media_type="audio/wav", headers={"Cache-Control": "no-store"})


@own.post("/api/headphones/{check}", response_model=HeadphoneResult, responses=error_statuses(409, 422, 503))
async def answer_headphones(call: Call, check: PathPart, body: HeadphoneAnswers) -> records.HeadphoneResult:
    """Answer an attempt at the headphone check."""
    gates = call.studio.project.gates
    return await committed(gates.answer_headphones(check, call.user_session.person.id, body.answers))


@own.post(f"{AN_ASSIGNMENT}/active", responses=error_statuses(422, 503))
async def active(call: Call, assignment: PathPart, body: ActiveBody) -> Active:
    """Add time in which the person was at an item."""
    assignments = call.studio.project.assignments
    total = await committed(assignments.add_active(assignment, call.user_session.person.id, body.seconds))
    return Active(seconds=total)


@own.post("/api/me/withdrawal", response_model=Withdrawn, responses=error_statuses(409, 422, 503))
async def withdraw(call: Call, body: WithdrawalBody, response: Response) -> records.Withdrawal:
    """Withdraw from the study: account and consent are erased, and the answers erased or kept without a name."""
    person = call.user_session.person
    if body.name.strip().upper() != person.pseudonym:
        raise NotNowError(message("studio.other-name-to-withdraw"), code="other-name")
    gone = await _withdrawn(call, person.id, keep_answers=body.keep_answers)
    call.studio.sessions.take_back(response)
    return gone


@admins.post("/api/people/{person}/withdrawal", response_model=Withdrawn, responses=error_statuses(409, 422, 503))
async def withdraw_person(call: Call, person: PathPart, body: WithdrawalBody) -> records.Withdrawal:
    """Withdraw a person who asked for it, named by the pseudonym."""
    found = await in_thread(call.studio.project.people.person, person)
    if body.name.strip().upper() != found.pseudonym:
        raise NotNowError(message("studio.other-name-to-withdraw"), code="other-name")
    return await _withdrawn(call, person, keep_answers=body.keep_answers)


async def _withdrawn(call: Call, person: str, *, keep_answers: bool) -> records.Withdrawal:
    project = call.studio.project
    gone = await committed(project.withdrawals.withdraw(person, keep_answers=keep_answers))
    await in_thread(project.database.empty_log)
    call.studio.sessions.forget()
    for name in await in_thread(project.tasks.names):
        for figures in (call.studio.reports, call.studio.results, call.studio.progress, call.studio.disagreements):
            figures.forget(name)
    return gone
