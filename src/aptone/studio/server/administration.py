"""Routes for those who run the study: people, links, task files, clips, exports."""

import shutil
import tempfile
from concurrent.futures import Future
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from aptone.errors import AudioError, MissingExtraError, RecordError, RunError
from aptone.files import make_folder
from aptone.ratings.tasks import parse_task
from aptone.studio.exchange.exports import Rows
from aptone.studio.exchange.task_export import FORMATS, export_to
from aptone.studio.project import CACHE, Project
from aptone.studio.refusals import NotNowError
from aptone.studio.server import bodies, schemas
from aptone.studio.server.clips import EXPORT, LARGEST_CLIP, keep_clip
from aptone.studio.server.rating import A_TASK
from aptone.studio.server.refusals import NotThatTypeError, NotUnderstoodError, told_outside
from aptone.studio.server.routing import ADMIN, Call, OneOf, Routes, Upload, read_body, reply_json
from aptone.studio.server.strict_json import read_json
from aptone.studio.server.studio import asked, written
from aptone.studio.store.records import Invitation, Person, StoredTask
from aptone.types import Json

routes = Routes()
LARGEST_TASK = 32 * 1024 * 1024
YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml")
TASK_TYPES = ("application/json", *YAML_TYPES)
CLIP_UPLOADS = ("application/octet-stream", "audio/*")
EXPORT_TYPES = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "dataset": "application/zip",
}


@routes("GET", "/api/people", roles=ADMIN, reply=schemas.many(schemas.PersonRow))
async def people(call: Call) -> Response:
    """Everybody who has come in."""
    everyone = await asked(call.studio.project.people.everyone)
    return reply_json([_person_json(one) for one in everyone])


@routes(
    "PATCH",
    "/api/people/{person}",
    roles=ADMIN,
    body=bodies.PersonBody,
    reply=schemas.PersonRow,
    refuses=(409, 503),
)
async def change_person(call: Call) -> Response:
    """Give somebody another role, or let nobody or somebody in by the links of this person."""
    body, person = call.read(bodies.PersonBody), call.path("person")
    if person == call.session.person.id:
        raise NotNowError("This is you: an admin cannot shut the own account out.", next="Ask another admin.")
    changed = await written(call.studio.project.people.change(person, role=body.role, active=body.active))
    call.studio.sessions.forget()
    return reply_json(_person_json(changed))


@routes("GET", "/api/invitations", roles=ADMIN, reply=schemas.many(schemas.Invitation))
async def invitations(call: Call) -> Response:
    """Personal links, without their tokens."""
    found = await asked(call.studio.project.people.invitations)
    return reply_json([_invitation_json(one) for one in found])


@routes(
    "POST",
    "/api/invitations",
    roles=ADMIN,
    body=bodies.InvitationBody,
    reply=schemas.NewInvitation,
    status=201,
    refuses=(404, 422, 503),
)
async def invite(call: Call) -> Response:
    """Make a personal link; its token is in this reply and nowhere else."""
    body = call.read(bodies.InvitationBody)
    people = call.studio.project.people
    new = await written(people.invite(body.role, name=body.name, days=body.days, person=body.person))
    return reply_json({**_invitation_json(new.invitation), "token": new.token}, status=201)


@routes("DELETE", "/api/invitations/{invitation}", roles=ADMIN, reply=schemas.Invitation, refuses=(503,))
async def revoke(call: Call) -> Response:
    """Take a link back; who came in by it is signed out at once."""
    taken = await written(call.studio.project.people.revoke(call.path("invitation")))
    call.studio.sessions.forget()
    return reply_json(_invitation_json(taken))


@routes(
    "POST",
    "/api/tasks",
    roles=ADMIN,
    upload=Upload(TASK_TYPES, LARGEST_TASK),
    reply=schemas.TaskState,
    status=201,
    refuses=(409, 422, 503),
)
async def add_task(call: Call) -> Response:
    """Add a task file, JSON or YAML; its clips must lie in the project folder."""
    media_type = call.media_type()
    if media_type not in TASK_TYPES:
        raise NotThatTypeError(f"A task file is of the type {' or '.join(TASK_TYPES)}.")
    data = await read_body(call.request, LARGEST_TASK)
    stored = await written(await asked(_put_task, call, data, is_yaml=media_type in YAML_TYPES))
    return reply_json(_task_json(stored), status=201)


@routes("PATCH", A_TASK, roles=ADMIN, body=bodies.TaskBody, reply=schemas.TaskState, refuses=(503,))
async def change_task(call: Call) -> Response:
    """Open a task for work, or close it."""
    opened = call.studio.project.tasks.set_open(call.path("task"), open=call.read(bodies.TaskBody).open)
    return reply_json(_task_json(await written(opened)))


@routes("POST", "/api/clips", roles=ADMIN, upload=Upload(CLIP_UPLOADS, LARGEST_CLIP), reply=schemas.Created, status=201)
async def add_clip(call: Call) -> Response:
    """Add a sound to the project, for a task file that names it."""
    path = await keep_clip(call.request, call.studio.project.folder)
    return reply_json({"path": path}, status=201)


@routes(
    "GET",
    f"{A_TASK}/export",
    roles=ADMIN,
    reply=tuple(EXPORT_TYPES[form] for form in FORMATS),
    refuses=(409,),
    query={"format": OneOf(FORMATS), "rows": OneOf(("ratings", "items"))},
)
async def export(call: Call) -> Response:
    """What was answered, with what came of it; people by pseudonym."""
    name, form = call.path("task"), str(call.query["format"])
    rows: Rows = "items" if call.query["rows"] == "items" else "ratings"
    path = await asked(_exported, call.studio.project, name, form, rows=rows)
    return FileResponse(
        path,
        media_type=EXPORT_TYPES[form],
        filename=f"{name}{path.suffix}",
        background=BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True),
    )


def _exported(project: Project, name: str, form: str, *, rows: Rows) -> Path:
    """A file in a folder of its own, inside the project; its name is ours, for not every task's fits a file."""
    project.tasks.get(name)
    make_folder(project.folder / CACHE)
    place = Path(tempfile.mkdtemp(prefix=EXPORT, dir=project.folder / CACHE))
    try:
        written_to = export_to(project, name, form, place / f"ratings.{form}", rows=rows)
        if not written_to.is_dir():
            return written_to
        return Path(shutil.make_archive(str(place / "ratings"), "zip", root_dir=written_to))
    except BaseException as error:
        shutil.rmtree(place, ignore_errors=True)
        if isinstance(error, AudioError | MissingExtraError | RunError):
            raise NotNowError(told_outside(error, project.folder), next="Mend that in the project folder.") from error
        raise


def _put_task(call: Call, data: bytes, *, is_yaml: bool) -> Future[StoredTask]:
    if not is_yaml:
        read_json(data)
    try:
        task = parse_task(data, what="the task file", is_yaml=is_yaml)
    except RecordError as error:
        raise NotUnderstoodError(str(error), next="Mend the task file and send it again.") from None
    except MissingExtraError as error:
        raise NotThatTypeError(str(error)) from None
    return call.studio.project.tasks.put(task)


def _person_json(person: Person) -> dict[str, Json]:
    return {
        "id": person.id,
        "name": person.name,
        "pseudonym": person.pseudonym,
        "role": person.role,
        "language": person.language,
        "active": person.active,
        "created": person.created,
        "seen": person.seen,
    }


def _invitation_json(invitation: Invitation) -> dict[str, Json]:
    return {
        "id": invitation.id,
        "role": invitation.role,
        "name": invitation.name,
        "person": invitation.person,
        "created": invitation.created,
        "expires": invitation.expires,
        "revoked": invitation.revoked,
    }


def _task_json(stored: StoredTask) -> dict[str, Json]:
    return {
        "name": stored.task.name,
        "title": stored.task.title,
        "open": stored.open,
        "items": len(stored.items),
    }
