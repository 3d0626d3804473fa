"""Routes for those who rate: the next item, its sounds, and every change of an answer."""

from collections.abc import Sequence

from starlette.responses import Response

from aptone.studio.server import bodies, schemas
from aptone.studio.server.clips import CLIP_TYPES, send_clip
from aptone.studio.server.routing import SIGNED_IN, Call, PathPart, refuses, router_for, sends
from aptone.studio.server.studio import asked, written
from aptone.studio.store import records
from aptone.types import Json
from aptone.types.codec import encode

router = router_for(SIGNED_IN)
A_TASK = "/api/tasks/{task}"
AN_ASSIGNMENT = "/api/assignments/{assignment}"


@router.put(f"{AN_ASSIGNMENT}/changes", responses=refuses(409, 422, 503))
async def save(call: Call, assignment: PathPart, body: bodies.ChangesBody) -> schemas.Saved:
    """Keep changes; they are acknowledged when they are on the disk."""
    assignments = call.studio.project.assignments
    saved = await written(assignments.save(assignment, call.user_session.person.id, _changes(body.changes)))
    return schemas.Saved(saved=list(saved))


@router.get(AN_ASSIGNMENT, response_model=schemas.View)
async def view(call: Call, assignment: PathPart) -> records.View:
    """One of the own items, with what was answered so far."""
    return await asked(call.studio.project.assignments.view, assignment, call.user_session.person.id)


@router.post(f"{AN_ASSIGNMENT}/played", responses=refuses(409, 422, 503))
async def played(call: Call, assignment: PathPart, body: bodies.PlayedBody) -> schemas.Played:
    """Note that a clip was heard to its end; refused when less time went by than it lasts."""
    assignments = call.studio.project.assignments
    heard = await written(assignments.played(assignment, call.user_session.person.id, body.clip))
    return schemas.Played(played=list(heard))


@router.post(f"{AN_ASSIGNMENT}/submit", response_model=schemas.Submitted, responses=refuses(409, 422, 503))
async def submit(call: Call, assignment: PathPart, body: bodies.SubmitBody) -> records.Submitted:
    """Hand an item in."""
    assignments = call.studio.project.assignments
    return await written(assignments.submit(assignment, call.user_session.person.id, _changes(body.changes)))


@router.head(f"{AN_ASSIGNMENT}/clips/{{clip}}", include_in_schema=False)
@router.get(f"{AN_ASSIGNMENT}/clips/{{clip}}", **sends(*CLIP_TYPES, refused=(416,)))
async def clip(call: Call, assignment: PathPart, clip: PathPart) -> Response:
    """A sound, whole or in part."""
    found = await asked(call.studio.project.assignments.clip, assignment, call.user_session.person.id, clip)
    return await send_clip(call, found)


@router.get("/api/tasks")
async def tasks(call: Call) -> list[schemas.TaskRow]:
    """All tasks, and how far one is in each."""
    return await asked(_task_rows, call)


@router.get(A_TASK)
async def task(call: Call, task: PathPart) -> schemas.Task:
    """What is shown and asked; no items."""
    stored = await asked(call.studio.project.tasks.get, task)
    told = stored.task
    return schemas.Task(
        name=told.name,
        title=dict(told.title),
        guide=dict(told.guide),
        shown=[without_schema(one) for one in told.shown],
        controls=[{**without_schema(one), "judged_by": ""} for one in told.controls],
        must_listen=told.must_listen,
        open=stored.open,
    )


@router.post(f"{A_TASK}/next", response_model=schemas.Next, responses=refuses(503))
async def next_item(call: Call, task: PathPart, body: bodies.Nothing) -> dict[str, object]:
    """The next item, or why there is none."""
    found = await written(call.studio.project.assignments.next(task, call.user_session.person.id))
    return {"assignment": found.view, "reason": found.reason}


@router.get(f"{A_TASK}/mine", response_model=list[schemas.Mine])
async def mine(call: Call, task: PathPart) -> Sequence[records.Mine]:
    """The own assignments, in order."""
    return await asked(call.studio.project.assignments.mine, task, call.user_session.person.id)


def without_schema(record: object) -> dict[str, Json]:
    """The JSON of a record for pages, which know what it is."""
    encoded = encode(record, "reply")
    assert isinstance(encoded, dict)
    return {name: _bare(value) for name, value in encoded.items() if name != "schema"}


def _bare(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _bare(inner) for name, inner in value.items() if name != "schema"}
    return [_bare(inner) for inner in value] if isinstance(value, list) else value


def _changes(sent: Sequence[bodies.ChangeBody]) -> list[records.Change]:
    return [records.Change(one.id, one.control, one.value, one.sequence) for one in sent]


def _task_rows(call: Call) -> list[schemas.TaskRow]:
    project, person = call.studio.project, call.user_session.person.id
    rows = []
    for name in project.tasks.names():
        stored, progress = project.tasks.get(name), project.assignments.progress(name, person)
        told = schemas.Progress.model_validate(progress, from_attributes=True)
        rows.append(schemas.TaskRow(name=name, title=dict(stored.task.title), open=stored.open, progress=told))
    return rows
