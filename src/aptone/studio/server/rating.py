"""Routes for raters: signing in and out, the own account, the next item, its clips, and every change of an answer."""

from collections.abc import Sequence

from starlette.responses import Response

from aptone.studio.results.observations import kind_of_test
from aptone.studio.server import schemas
from aptone.studio.server.account import device_of
from aptone.studio.server.clips import CLIP_TYPES, send_clip
from aptone.studio.server.routing import EVERYONE, SIGNED_IN, Call, router_for
from aptone.studio.server.schemas import Health, Left, Me, MeBody, ParticipantBody, Person, SessionBody
from aptone.studio.server.studio import committed, in_thread
from aptone.studio.store import records
from aptone.studio.store.records import Session
from aptone.types import Json, RatingTask
from aptone.types.codec import encode
from aptone.web.parameters import PathPart
from aptone.web.routing import error_statuses, file_reply

router = router_for(SIGNED_IN)
A_TASK = "/api/tasks/{task}"
AN_ASSIGNMENT = "/api/assignments/{assignment}"


@router.put(f"{AN_ASSIGNMENT}/changes", response_model=schemas.Saved, responses=error_statuses(409, 422, 503))
async def save(call: Call, assignment: PathPart, body: schemas.ChangesBody) -> records.Saved:
    """Save changes; they are acknowledged when they are on the disk. Stale ones come back with the newer answers."""
    assignments = call.studio.project.assignments
    return await committed(assignments.save(assignment, call.user_session.person.id, _changes(body.changes)))


@router.get(AN_ASSIGNMENT, response_model=schemas.View)
async def view(call: Call, assignment: PathPart) -> records.View:
    """One of the own items, with the answers so far."""
    return await in_thread(call.studio.project.assignments.view, assignment, call.user_session.person.id)


@router.post(f"{AN_ASSIGNMENT}/played", responses=error_statuses(409, 422, 503))
async def played(call: Call, assignment: PathPart, body: schemas.PlayedBody) -> schemas.Played:
    """Record that a clip was heard to its end; refused before its duration has passed."""
    assignments = call.studio.project.assignments
    heard = await committed(assignments.played(assignment, call.user_session.person.id, body.clip))
    return schemas.Played(played=list(heard))


@router.post(f"{AN_ASSIGNMENT}/submit", response_model=schemas.Submitted, responses=error_statuses(409, 422, 503))
async def submit(call: Call, assignment: PathPart, body: schemas.SubmitBody) -> records.Submitted:
    """Submit an item."""
    assignments = call.studio.project.assignments
    return await committed(assignments.submit(assignment, call.user_session.person.id, _changes(body.changes)))


@router.head(f"{AN_ASSIGNMENT}/clips/{{clip}}", include_in_schema=False)
@router.get(f"{AN_ASSIGNMENT}/clips/{{clip}}", **file_reply(*CLIP_TYPES, refused=(416,)))
async def clip(call: Call, assignment: PathPart, clip: PathPart) -> Response:
    """Clip of an item, whole or in part."""
    found = await in_thread(call.studio.project.assignments.clip, assignment, call.user_session.person.id, clip)
    return await send_clip(call, found)


@router.get("/api/tasks")
async def tasks(call: Call) -> list[schemas.TaskRow]:
    """All tasks, with the own progress."""
    return await in_thread(_task_rows, call)


@router.get(A_TASK)
async def task(call: Call, task: PathPart) -> schemas.Task:
    """Texts and questions of a task, without items, and what the person has to do first."""
    stored = await in_thread(call.studio.project.tasks.get, task)
    gate = await in_thread(call.studio.project.gates.gate, task, call.user_session.person.id)
    return shown_task(stored.task, is_open=stored.open, gate=gate if stored.open else "")


def shown_task(task: RatingTask, *, is_open: bool, gate: records.Gate = "") -> schemas.Task:
    """Return what raters may see of a task."""
    return schemas.Task(
        name=task.name,
        title=dict(task.title),
        guide=dict(task.guide),
        shown=[without_schema(one) for one in task.shown],
        controls=[{**without_schema(one), "judged_by": ""} for one in task.controls],
        must_listen=task.must_listen,
        open=is_open,
        gate=gate,
    )


@router.post(f"{A_TASK}/next", response_model=schemas.Next, responses=error_statuses(503))
async def next_item(call: Call, task: PathPart, body: schemas.Nothing) -> dict[str, object]:
    """Next item, or the reason why there is none."""
    person, project = call.user_session.person, call.studio.project
    found = await committed(project.assignments.next(task, person.id))
    leaving = await in_thread(project.recruitments.completion, person.name, found.reason)
    return {"assignment": found.view, "reason": found.reason, "rest": found.rest, "completion": leaving}


@router.get(f"{A_TASK}/mine", response_model=list[schemas.Mine])
async def mine(call: Call, task: PathPart) -> Sequence[records.OwnAssignment]:
    """Own assignments, in order."""
    return await in_thread(call.studio.project.assignments.mine, task, call.user_session.person.id)


def without_schema(record: object) -> dict[str, Json]:
    """JSON of a record without the names of schemas."""
    encoded = encode(record, "reply")
    assert isinstance(encoded, dict)
    return {name: _bare(value) for name, value in encoded.items() if name != "schema"}


def _bare(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _bare(inner) for name, inner in value.items() if name != "schema"}
    return [_bare(inner) for inner in value] if isinstance(value, list) else value


def _changes(sent: Sequence[schemas.ChangeBody]) -> list[records.Change]:
    return [records.Change(one.id, one.control, one.value, one.sequence) for one in sent]


def _task_rows(call: Call) -> list[schemas.TaskRow]:
    project, person = call.studio.project, call.user_session.person.id
    rows = []
    for name in project.tasks.names():
        stored, progress = project.tasks.get(name), project.assignments.progress(name, person)
        record = schemas.Progress.model_validate(progress, from_attributes=True)
        title, compares = dict(stored.task.title), bool(kind_of_test(stored.task))
        rows.append(schemas.TaskRow(name=name, title=title, open=stored.open, progress=record, results=compares))
    return rows


door, inside = router_for(EVERYONE), router_for(SIGNED_IN)
entry = router_for(EVERYONE, rate_limited=True)


@door.get("/api/health")
async def health(call: Call) -> Health:
    """Health of the server, and its version."""
    return Health(status="ok", version=call.studio.version)


@entry.post("/api/session", response_model=Me, responses=error_statuses(401, 403, 422, 429))
async def enter(call: Call, body: SessionBody, response: Response) -> Session:
    """Sign in by the token of a personal link."""
    people = call.studio.project.people
    new = await committed(
        people.enter(body.token, name=body.name or "", language=body.language or "", device=device_of(call))
    )
    call.studio.sessions.give(response, new)
    return new.session


@entry.post("/api/session/participant", response_model=Me, responses=error_statuses(401, 403, 422, 429))
async def take_part(call: Call, body: ParticipantBody, response: Response) -> Session:
    """Sign in as a participant whom a platform has sent."""
    recruitments = call.studio.project.recruitments
    new = await committed(
        recruitments.enter(
            body.secret, body.participant, study=body.study, language=body.language, device=device_of(call)
        )
    )
    call.studio.sessions.give(response, new)
    return new.session


@inside.delete("/api/session")
async def leave(call: Call, response: Response) -> Left:
    """End the session."""
    sessions = call.studio.sessions
    await committed(call.studio.project.people.leave(sessions.token(call)))
    sessions.forget()
    sessions.take_back(response)
    return Left(left=True)


@inside.get("/api/me", response_model=Me)
async def me(call: Call) -> Session:
    """Signed-in person, and the CSRF value of changing requests."""
    return call.user_session


@inside.patch("/api/me", responses=error_statuses(422))
async def change_me(call: Call, body: MeBody) -> Me:
    """Choose the language of the interface."""
    person = await committed(call.studio.project.people.change(call.user_session.person.id, language=body.language))
    call.studio.sessions.forget()
    return Me(person=Person.model_validate(person, from_attributes=True), csrf=call.user_session.csrf)
