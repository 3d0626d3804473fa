"""Routes for those who rate: the next item, its sounds, and every change of an answer."""

from collections.abc import Sequence

from starlette.responses import Response

from aptone.studio.server import bodies, schemas
from aptone.studio.server.clips import CLIP_TYPES, send_clip
from aptone.studio.server.routing import SIGNED_IN, Call, Routes, reply_json
from aptone.studio.server.studio import asked, written
from aptone.studio.store.records import Change, ShownClip, View
from aptone.types import Json
from aptone.types.codec import encode

routes = Routes()
A_TASK = "/api/tasks/{task}"
AN_ASSIGNMENT = "/api/assignments/{assignment}"


@routes(
    "PUT",
    f"{AN_ASSIGNMENT}/changes",
    roles=SIGNED_IN,
    body=bodies.ChangesBody,
    reply=schemas.Saved,
    refuses=(409, 422, 503),
)
async def save(call: Call) -> Response:
    """Keep changes; they are acknowledged when they are on the disk."""
    changes = _changes(call.read(bodies.ChangesBody).changes)
    assignments = call.studio.project.assignments
    saved = await written(assignments.save(call.path("assignment"), call.session.person.id, changes))
    return reply_json({"saved": saved})


@routes("GET", AN_ASSIGNMENT, roles=SIGNED_IN, reply=schemas.View)
async def assignment(call: Call) -> Response:
    """One of the own items, with what was answered so far."""
    view = await asked(call.studio.project.assignments.view, call.path("assignment"), call.session.person.id)
    return reply_json(view_json(view))


@routes(
    "POST",
    f"{AN_ASSIGNMENT}/played",
    roles=SIGNED_IN,
    body=bodies.PlayedBody,
    reply=schemas.Played,
    refuses=(409, 422, 503),
)
async def played(call: Call) -> Response:
    """Note that a clip was heard to its end; refused when less time went by than it lasts."""
    clip = call.read(bodies.PlayedBody).clip
    assignments = call.studio.project.assignments
    heard = await written(assignments.played(call.path("assignment"), call.session.person.id, clip))
    return reply_json({"played": heard})


@routes(
    "POST",
    f"{AN_ASSIGNMENT}/submit",
    roles=SIGNED_IN,
    body=bodies.SubmitBody,
    reply=schemas.Submitted,
    refuses=(409, 422, 503),
)
async def submit(call: Call) -> Response:
    """Hand an item in."""
    changes = _changes(call.read(bodies.SubmitBody).changes)
    assignments = call.studio.project.assignments
    submitted = await written(assignments.submit(call.path("assignment"), call.session.person.id, changes))
    told = submitted.feedback
    feedback = (
        None
        if told is None
        else {name: {"given": one.given, "gold": one.gold, "within": one.within} for name, one in told.items()}
    )
    return reply_json({"state": submitted.state, "feedback": feedback})


@routes("GET", f"{AN_ASSIGNMENT}/clips/{{clip}}", roles=SIGNED_IN, reply=CLIP_TYPES, refuses=(416,))
async def clip(call: Call) -> Response:
    """A sound, whole or in part."""
    assignments = call.studio.project.assignments
    found = await asked(assignments.clip, call.path("assignment"), call.session.person.id, call.path("clip"))
    return await send_clip(call, found)


@routes("GET", "/api/tasks", roles=SIGNED_IN, reply=schemas.many(schemas.TaskRow))
async def tasks(call: Call) -> Response:
    """All tasks, and how far one is in each."""
    return reply_json(await asked(_task_rows, call))


@routes("GET", A_TASK, roles=SIGNED_IN, reply=schemas.Task)
async def task(call: Call) -> Response:
    """What is shown and asked; no items."""
    stored = await asked(call.studio.project.tasks.get, call.path("task"))
    told = stored.task
    return reply_json(
        {
            "name": told.name,
            "title": told.title,
            "guide": told.guide,
            "shown": [without_schema(one) for one in told.shown],
            "controls": [{**without_schema(one), "judged_by": ""} for one in told.controls],
            "must_listen": told.must_listen,
            "open": stored.open,
        }
    )


@routes("POST", f"{A_TASK}/next", roles=SIGNED_IN, body=bodies.Nothing, reply=schemas.Next, refuses=(503,))
async def next_item(call: Call) -> Response:
    """The next item, or why there is none."""
    assignments = call.studio.project.assignments
    found = await written(assignments.next(call.path("task"), call.session.person.id))
    view = None if found.view is None else view_json(found.view)
    return reply_json({"assignment": view, "reason": found.reason})


@routes("GET", f"{A_TASK}/mine", roles=SIGNED_IN, reply=schemas.many(schemas.Mine))
async def mine(call: Call) -> Response:
    """The own assignments, in order."""
    rows = await asked(call.studio.project.assignments.mine, call.path("task"), call.session.person.id)
    return reply_json(
        [{"id": row.id, "position": row.position, "stage": row.stage, "state": row.state} for row in rows]
    )


def view_json(view: View) -> dict[str, Json]:
    """What a rater may see of an item."""
    return {
        "id": view.id,
        "task": view.task,
        "stage": view.stage,
        "state": view.state,
        "position": view.position,
        "total": view.total,
        "fields": view.fields,
        "clips": clips_json(view.clips),
        "pairs": view.pairs,
        "answers": view.answers,
        "sequence": view.sequence,
        "played": view.played,
    }


def clips_json(clips: Sequence[ShownClip]) -> list[Json]:
    """What can be played of an item."""
    return [
        {"clip": clip.clip, "name": clip.name, "seconds": clip.seconds, "must_play": clip.must_play} for clip in clips
    ]


def without_schema(record: object) -> dict[str, Json]:
    """The JSON of a record for pages, which know what it is."""
    encoded = encode(record, "reply")
    assert isinstance(encoded, dict)
    return {name: _bare(value) for name, value in encoded.items() if name != "schema"}


def _bare(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _bare(inner) for name, inner in value.items() if name != "schema"}
    return [_bare(inner) for inner in value] if isinstance(value, list) else value


def _changes(sent: Sequence[bodies.ChangeBody]) -> list[Change]:
    return [Change(one.id, one.control, one.value, one.sequence) for one in sent]


def _task_rows(call: Call) -> list[Json]:
    project, person = call.studio.project, call.session.person.id
    rows: list[Json] = []
    for name in project.tasks.names():
        stored, progress = project.tasks.get(name), project.assignments.progress(name, person)
        rows.append(
            {
                "name": name,
                "title": stored.task.title,
                "open": stored.open,
                "progress": {
                    "stage": progress.stage,
                    "done": progress.done,
                    "total": progress.total,
                    "quota_left": progress.quota_left,
                },
            }
        )
    return rows
