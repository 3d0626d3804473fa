"""Routes of the desk: for adjudicators disagreements, agreement and progress; for admins people, links, tasks, exports.

Adjudicators see raters by pseudonym.
"""

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
from aptone.messages import message, messages_in, translate
from aptone.ratings.tasks import parse_task
from aptone.studio.agreement.items import Disagreement, disagreements
from aptone.studio.agreement.overview import agreement_report
from aptone.studio.exchange.exports import FOLDERS, FORMATS, Rows, export_to
from aptone.studio.exchange.pseudonyms import headphone_word
from aptone.studio.folder import CACHE, without_folder
from aptone.studio.project import Project
from aptone.studio.refusals import NotNowError
from aptone.studio.server import schemas
from aptone.studio.server.clips import CLIP_TYPES, EXPORT, keep_clip, send_clip
from aptone.studio.server.rating import A_TASK, without_schema
from aptone.studio.server.routing import ADMIN, DESK, Call, router_for
from aptone.studio.server.studio import Studio, committed, in_thread
from aptone.studio.store.answers import blind_answers, blind_names, task_orders
from aptone.studio.store.ratings import RaterStatus
from aptone.studio.store.records import Adjudication, Invitation, PersonProgress, StoredTask
from aptone.types import Json
from aptone.web.bodies import read_body
from aptone.web.parameters import OneOf, PathPart, WholeNumber
from aptone.web.refusals import NotThatTypeError, NotUnderstoodError
from aptone.web.routing import body_types, error_statuses, file_reply
from aptone.web.strict_json import read_json

adjudicators = router_for(DESK)
AN_ITEM = f"{A_TASK}/items/{{item:path}}"
MOST_ROWS = 500


@adjudicators.get(f"{A_TASK}/disagreements", response_model=schemas.Disagreements)
async def disagreeing(
    call: Call,
    task: PathPart,
    offset: Annotated[int, WholeNumber("offset", 0, 2**31 - 1)] = 0,
    limit: Annotated[int, WholeNumber("limit", 1, MOST_ROWS)] = 50,
    state: Annotated[str, OneOf("state", ("all", "open", "settled"))] = "all",
) -> dict[str, Json]:
    """Items ranked by the disagreement of their raters."""
    found = await call.studio.disagreements.of(task, lambda: _disagreements(call.studio, task))
    rows = [one for one in found if state == "all" or one.adjudicated == (state == "settled")]
    shown = [_disagreement_json(one) for one in rows[offset : offset + limit]]
    return {"total": len(rows), "offset": offset, "items": shown}


@adjudicators.head(f"{AN_ITEM}/clips/{{clip}}", include_in_schema=False)
@adjudicators.get(f"{AN_ITEM}/clips/{{clip}}", **file_reply(*CLIP_TYPES, refused=(416,)))
async def item_clip(call: Call, task: PathPart, item: PathPart, clip: PathPart) -> Response:
    """Clip of an item, whole or in part."""
    return await send_clip(call, await in_thread(call.studio.project.results.clip, task, item, clip))


@adjudicators.put(f"{AN_ITEM}/adjudication", response_model=schemas.Adjudication, responses=error_statuses(422, 503))
async def adjudicate(call: Call, task: PathPart, item: PathPart, body: schemas.AdjudicationBody) -> dict[str, Json]:
    """Store the adjudication of an item."""
    project = call.studio.project
    settled = await committed(
        project.results.adjudicate(task, item, call.user_session.person.id, answers=body.answers, note=body.note)
    )
    call.studio.disagreements.forget(task)
    stored = await in_thread(project.tasks.get, task)
    return _adjudication_json(settled, stored)


@adjudicators.get(AN_ITEM, response_model=schemas.Item)
async def item(call: Call, task: PathPart, item: PathPart) -> dict[str, object]:
    """Item with the answers of all raters."""
    return await in_thread(_item_json, call.studio, task, item)


@adjudicators.get(f"{A_TASK}/agreement")
async def agreement(call: Call, task: PathPart) -> dict[str, object]:
    """Agreement by question and by person, and that of the automatic judge."""
    return dict(await call.studio.reports.of(task, lambda: _report(call.studio, task)))


@adjudicators.get(f"{A_TASK}/progress", response_model=schemas.TaskProgress)
async def progress(call: Call, task: PathPart) -> dict[str, Json]:
    """Progress of a task and of each rater."""
    return await call.studio.progress.of(task, lambda: _progress_json(call.studio, task))


def _disagreements(studio: Studio, name: str) -> tuple[Disagreement, ...]:
    project = studio.project
    stored = project.tasks.get(name)
    ratings = [row.rating for row in project.results.ratings(name)]
    settled = {item: one.answers for item, one in project.results.adjudications(name).items()}
    return disagreements(stored.task, ratings, settled)


def _report(studio: Studio, name: str) -> dict[str, Json]:
    project = studio.project
    ratings = [row.rating for row in project.results.ratings(name)]
    stored = project.tasks.get(name)
    report = agreement_report(stored.task, ratings, lexicon=studio.lexicon, seconds=stored.seconds)
    return {**without_schema(report), "mandarin": {one.text: translate(one, "zh") for one in messages_in(report)}}


def _disagreement_json(one: Disagreement) -> dict[str, Json]:
    apart = sorted((name for name, spread in one.controls.items() if spread > 0), key=lambda name: -one.controls[name])
    how_far: dict[str, Json] = {"distance": one.spread, "raters": one.raters, "controls": apart}
    return {"item": one.item, **how_far, "settled": one.adjudicated}


def _item_json(studio: Studio, name: str, item: str) -> dict[str, object]:
    results = studio.project.results
    fields, clips = results.fields(name, item), results.clips(name, item)
    stored = studio.project.tasks.get(name)
    settled, blind = results.adjudications(name).get(item), _blind_names(stored, item)
    ratings: list[Json] = [
        {"rater": one.rater, "answers": blind_answers(stored.task, one.answers, blind), "seconds": one.seconds}
        for one in (row.rating for row in results.ratings(name, item=item))
    ]
    return {
        "item": item,
        "fields": fields,
        "clips": clips,
        "pairs": results.pairs(name, item),
        "ratings": ratings,
        "adjudication": None if settled is None else _adjudication_json(settled, stored),
    }


def _adjudication_json(settled: Adjudication, stored: StoredTask) -> dict[str, Json]:
    answers = blind_answers(stored.task, settled.answers, _blind_names(stored, settled.item))
    return {"answers": answers, "note": settled.note, "by": settled.adjudicator, "written": settled.written}


def _blind_names(stored: StoredTask, item: str) -> dict[str, str]:
    """Blind names of the clips that the desk shows."""
    return blind_names(stored.task, stored.items[item], task_orders(stored.task, stored.items[item]))


def _progress_json(studio: Studio, name: str) -> dict[str, Json]:
    project = studio.project
    task = project.tasks.get(name).task
    coverage = project.results.coverage(name)
    wanted, statuses = task.raters_per_item, project.results.rater_statuses(name)
    headphones = project.gates.headphones(name)
    return {
        "items": sum(coverage.values()),
        "complete": sum(items for people, items in coverage.items() if people >= wanted),
        "answers": sum(people * items for people, items in coverage.items()),
        "needed": wanted * sum(coverage.values()),
        "people": [
            {
                **_person_json(one, statuses.get(one.person.pseudonym)),
                "headphones": headphone_word(headphones.get(one.person.id)),
            }
            for one in project.results.progress(name)
        ],
    }


def _person_json(one: PersonProgress, status: RaterStatus | None) -> dict[str, Json]:
    return {
        "person": one.person.id,
        "pseudonym": one.person.pseudonym,
        **{name: getattr(one, name) for name in ("stage", "done", "total", "rated", "seconds")},
        "seen": one.person.seen,
        "flags": [{"kind": flag.kind, "share": flag.share} for flag in (status.flags if status else ())],
        "set_aside": status.set_aside if status else "",
    }


admins = router_for(ADMIN)
LARGEST_TASK = 32 * 1024 * 1024
YAML_TYPES = ("application/yaml", "application/x-yaml", "text/yaml")
TASK_TYPES = ("application/json", *YAML_TYPES)
CLIP_UPLOADS = ("application/octet-stream", "audio/*")
EXPORT_TYPES = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    **dict.fromkeys(FOLDERS, "application/zip"),
}


@admins.get("/api/people", response_model=list[schemas.PersonRow])
async def people(call: Call) -> list[dict[str, Json]]:
    """People of the project."""
    return await in_thread(_people_json, call.studio.project)


@admins.patch("/api/people/{person}", response_model=schemas.PersonRow, responses=error_statuses(409, 503))
async def change_person(call: Call, person: PathPart, body: schemas.PersonBody) -> dict[str, Json]:
    """Change a person's role, or activate or deactivate the account."""
    if person == call.user_session.person.id:
        raise NotNowError(message("studio.admin-cannot-shut-own-account"), next=message("studio.ask-another-admin"))
    await committed(call.studio.project.people.change(person, role=body.role, active=body.active))
    call.studio.sessions.forget()
    return next(one for one in await in_thread(_people_json, call.studio.project) if one["id"] == person)


def _people_json(project: Project) -> list[dict[str, Json]]:
    consents = project.gates.consents()
    return [{**asdict(one), "consent": consents.get(one.id, (0, 0.0))[0]} for one in project.people.everyone()]


@admins.get("/api/invitations", response_model=list[schemas.Invitation])
async def invitations(call: Call) -> Sequence[Invitation]:
    """Personal links, without their tokens."""
    return await in_thread(call.studio.project.people.invitations)


@admins.post("/api/invitations", status_code=201, responses=error_statuses(404, 422, 503))
async def invite(call: Call, body: schemas.InvitationBody) -> schemas.NewInvitation:
    """Make a personal link; its token is in this reply and nowhere else."""
    people = call.studio.project.people
    new = await committed(
        people.invite(body.role, name=body.name, days=body.days, person=body.person, email=body.email)
    )
    return schemas.NewInvitation(**asdict(new.invitation), token=new.token)


@admins.delete("/api/invitations/{invitation}", response_model=schemas.Invitation, responses=error_statuses(503))
async def revoke(call: Call, invitation: PathPart) -> Invitation:
    """Revoke a link; sessions opened by it end at once."""
    taken = await committed(call.studio.project.people.revoke(invitation))
    call.studio.sessions.forget()
    return taken


@admins.post(
    "/api/tasks", status_code=201, openapi_extra=body_types(*TASK_TYPES), responses=error_statuses(409, 422, 503)
)
async def add_task(call: Call) -> schemas.TaskState:
    """Add a task file, JSON or YAML; its clips must lie in the project folder."""
    media_type = call.media_type()
    if media_type not in TASK_TYPES:
        raise NotThatTypeError(message("studio.task-file-type", names=" or ".join(TASK_TYPES)))
    data = await read_body(call, LARGEST_TASK)
    return task_state(await committed(await in_thread(_put_task, call, data, is_yaml=media_type in YAML_TYPES)))


@admins.patch(A_TASK, responses=error_statuses(503))
async def change_task(call: Call, task: PathPart, body: schemas.TaskBody) -> schemas.TaskState:
    """Open a task for work, or close it."""
    return task_state(await committed(call.studio.project.tasks.set_open(task, open=body.open)))


@admins.post("/api/clips", status_code=201, openapi_extra=body_types(*CLIP_UPLOADS))
async def add_clip(call: Call) -> schemas.Created:
    """Upload a clip, for a task file that names it."""
    return schemas.Created(path=await keep_clip(call, call.studio.project.folder))


@admins.head(f"{A_TASK}/export", include_in_schema=False)
@admins.get(f"{A_TASK}/export", **file_reply(*(EXPORT_TYPES[form] for form in FORMATS), refused=(409,)))
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
        if isinstance(error, AudioError | MissingExtraError | RecordError | RunError):
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


def task_state(stored: StoredTask) -> schemas.TaskState:
    """Return a stored task as admins see it."""
    task = stored.task
    return schemas.TaskState(name=task.name, title=dict(task.title), open=stored.open, items=len(stored.items))
