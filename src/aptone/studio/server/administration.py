"""Routes for admins: people, invitations, task files, clips, exports."""

import shutil
import tempfile
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from aptone.errors import AudioError, MissingExtraError, RecordError, RunError
from aptone.files import make_folder
from aptone.messages import message
from aptone.ratings.tasks import parse_task
from aptone.studio.exchange.exports import FORMATS, Rows, export_to
from aptone.studio.folder import CACHE
from aptone.studio.project import Project
from aptone.studio.refusals import NotNowError
from aptone.studio.server import schemas
from aptone.studio.server.clips import EXPORT, keep_clip
from aptone.studio.server.rating import A_TASK
from aptone.studio.server.routing import (
    ADMIN,
    Call,
    OneOf,
    PathPart,
    body_types,
    error_statuses,
    file_reply,
    read_body,
    read_json,
    router_for,
)
from aptone.studio.server.security import NotThatTypeError, NotUnderstoodError, without_folder
from aptone.studio.server.studio import committed, in_thread
from aptone.studio.store.records import Invitation, Person, StoredTask

router = router_for(ADMIN)
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


@router.get("/api/people", response_model=list[schemas.PersonRow])
async def people(call: Call) -> Sequence[Person]:
    """People of the project."""
    return await in_thread(call.studio.project.people.everyone)


@router.patch("/api/people/{person}", response_model=schemas.PersonRow, responses=error_statuses(409, 503))
async def change_person(call: Call, person: PathPart, body: schemas.PersonBody) -> Person:
    """Change a person's role, or activate or deactivate the account."""
    if person == call.user_session.person.id:
        raise NotNowError(message("studio.admin-cannot-shut-own-account"), next=message("studio.ask-another-admin"))
    changed = await committed(call.studio.project.people.change(person, role=body.role, active=body.active))
    call.studio.sessions.forget()
    return changed


@router.get("/api/invitations", response_model=list[schemas.Invitation])
async def invitations(call: Call) -> Sequence[Invitation]:
    """Personal links, without their tokens."""
    return await in_thread(call.studio.project.people.invitations)


@router.post("/api/invitations", status_code=201, responses=error_statuses(404, 422, 503))
async def invite(call: Call, body: schemas.InvitationBody) -> schemas.NewInvitation:
    """Make a personal link; its token is in this reply and nowhere else."""
    people = call.studio.project.people
    new = await committed(people.invite(body.role, name=body.name, days=body.days, person=body.person))
    return schemas.NewInvitation(**asdict(new.invitation), token=new.token)


@router.delete("/api/invitations/{invitation}", response_model=schemas.Invitation, responses=error_statuses(503))
async def revoke(call: Call, invitation: PathPart) -> Invitation:
    """Revoke a link; sessions opened by it end at once."""
    taken = await committed(call.studio.project.people.revoke(invitation))
    call.studio.sessions.forget()
    return taken


@router.post(
    "/api/tasks", status_code=201, openapi_extra=body_types(*TASK_TYPES), responses=error_statuses(409, 422, 503)
)
async def add_task(call: Call) -> schemas.TaskState:
    """Add a task file, JSON or YAML; its clips must lie in the project folder."""
    media_type = call.media_type()
    if media_type not in TASK_TYPES:
        raise NotThatTypeError(message("studio.task-file-type", names=" or ".join(TASK_TYPES)))
    data = await read_body(call, LARGEST_TASK)
    return _task_state(await committed(await in_thread(_put_task, call, data, is_yaml=media_type in YAML_TYPES)))


@router.patch(A_TASK, responses=error_statuses(503))
async def change_task(call: Call, task: PathPart, body: schemas.TaskBody) -> schemas.TaskState:
    """Open a task for work, or close it."""
    return _task_state(await committed(call.studio.project.tasks.set_open(task, open=body.open)))


@router.post("/api/clips", status_code=201, openapi_extra=body_types(*CLIP_UPLOADS))
async def add_clip(call: Call) -> schemas.Created:
    """Upload a clip, for a task file that names it."""
    return schemas.Created(path=await keep_clip(call, call.studio.project.folder))


@router.head(f"{A_TASK}/export", include_in_schema=False)
@router.get(f"{A_TASK}/export", **file_reply(*(EXPORT_TYPES[form] for form in FORMATS), refused=(409,)))
async def export(
    call: Call,
    task: PathPart,
    format: Annotated[str, OneOf("format", FORMATS)] = FORMATS[0],
    rows: Annotated[Rows, OneOf("rows", ("ratings", "items"))] = "ratings",
) -> Response:
    """Export of the answers; people by pseudonym."""
    path = await in_thread(_exported, call.studio.project, task, format, rows=rows)
    return FileResponse(
        path,
        media_type=EXPORT_TYPES[format],
        filename=f"{task}{path.suffix}",
        background=BackgroundTask(shutil.rmtree, path.parent, ignore_errors=True),
    )


def _exported(project: Project, name: str, form: str, *, rows: Rows) -> Path:
    """Write the export to a new folder inside the project, under a fixed name: not every task's name fits a file."""
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
            raise NotNowError(
                without_folder(error, project.folder), next=message("studio.mend-project-folder")
            ) from error
        raise


def _put_task(call: Call, data: bytes, *, is_yaml: bool) -> Future[StoredTask]:
    if not is_yaml:
        read_json(data)
    try:
        task = parse_task(data, what=message("studio.task-file"), is_yaml=is_yaml)
    except RecordError as error:
        raise NotUnderstoodError(str(error), next=message("studio.mend-task-file-send-again")) from None
    except MissingExtraError as error:
        raise NotThatTypeError(str(error)) from None
    return call.studio.project.tasks.put(task)


def _task_state(stored: StoredTask) -> schemas.TaskState:
    task = stored.task
    return schemas.TaskState(name=task.name, title=dict(task.title), open=stored.open, items=len(stored.items))
