"""Routes of the task editor, for admins: drafts are checked, shown as raters would see them, and saved.

A draft is checked by the code that reads task files. Nothing is stored before `save`; a preview stores no answers.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, urlencode

from starlette.responses import Response

from aptone.errors import AudioError, MissingExtraError, RecordError, RegistryError
from aptone.messages import message, translate
from aptone.ratings.problems import Problem
from aptone.ratings.tasks import dump_yaml, parse_task, task_template, templates
from aptone.studio.decoded_clips import DecodedClips
from aptone.studio.draft import PreviewItem, clip_problem, draft_problems, preview, with_stored_items
from aptone.studio.exchange.table_items import guess_columns, items_from_table, read_table, targets
from aptone.studio.folder import CACHE, CLIPS, without_folder
from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.server import editor_schemas as schemas
from aptone.studio.server.clips import CLIP_TYPES, send_clip
from aptone.studio.server.desk import LARGEST_TASK, TASK_TYPES, YAML_TYPES, task_state
from aptone.studio.server.rating import A_TASK, shown_task
from aptone.studio.server.routing import ADMIN, Call, router_for
from aptone.studio.server.schemas import TaskState
from aptone.studio.server.studio import Studio, committed, in_thread
from aptone.studio.store.tasks import base_name
from aptone.types import AudioRef, Json, RatingTask, dumps, from_json, to_json
from aptone.types.codec import encode
from aptone.web.bodies import read_body
from aptone.web.parameters import OneOf, PathPart, WholeNumber
from aptone.web.refusals import NotFoundError, NotThatTypeError
from aptone.web.routing import body_types, error_statuses, file_reply
from aptone.web.strict_json import read_json

admins = router_for(ADMIN)
DRAFTS = "/api/drafts"
FILES = {"json": "application/json", "yaml": "application/yaml"}
FILE_SCHEMAS: dict[str, dict[str, dict[str, str]]] = {
    FILES["json"]: {"schema": {"type": "object"}},
    FILES["yaml"]: {"schema": {}},
}
LISTED_ITEMS = 500
LONGEST = 24 * 3_600_000
"""Milliseconds: no clip begins later in its recording."""
Result = TypeVar("Result")


@admins.get("/api/templates")
async def list_templates(call: Call) -> list[schemas.Template]:
    """Built-in tasks that a draft can begin with."""
    return [schemas.Template(name=name, title=dict(task_template(name).title)) for name in templates()]


@admins.get("/api/templates/{template}")
async def template(call: Call, template: PathPart) -> schemas.Draft:
    """Built-in task as a draft."""
    try:
        task = task_template(template)
    except RegistryError:
        raise NotFoundError(message("studio.no-such-task")) from None
    return schemas.Draft(task=_bare(task), items=[], count=0, open=False, answered=False, versions=[])


@admins.get(f"{A_TASK}/draft")
async def draft(call: Call, task: PathPart) -> schemas.Draft:
    """Task as a draft, without its items."""
    return await in_thread(_draft, call.studio, task)


@admins.head(f"{A_TASK}/file", include_in_schema=False)
@admins.get(f"{A_TASK}/file", response_class=Response, responses={200: {"content": FILE_SCHEMAS}})
async def task_file(
    call: Call, task: PathPart, format: Annotated[str, OneOf("format", tuple(FILES))] = "json"
) -> Response:
    """Task file with all items; clips by their paths in the project."""
    stored = await in_thread(call.studio.project.tasks.get, task)
    data = to_json(stored.task)
    content = dump_yaml(data) if format == "yaml" else dumps(data, indent=1) + "\n"
    name = quote(f"{stored.task.name}.{format}")
    disposition = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(content, media_type=FILES[format], headers=disposition)


@admins.post(f"{DRAFTS}/file", openapi_extra=body_types(*TASK_TYPES), responses=error_statuses(503))
async def read_file(call: Call) -> schemas.ParsedFile:
    """Read a task file, JSON or YAML, as a draft; nothing is stored."""
    media_type = call.media_type()
    if media_type not in TASK_TYPES:
        raise NotThatTypeError(message("studio.task-file-type", names=" or ".join(TASK_TYPES)))
    data = await read_body(call, LARGEST_TASK)
    return await in_thread(_parsed, data, is_yaml=media_type in YAML_TYPES)


@admins.post(f"{DRAFTS}/check", responses=error_statuses(404))
async def check(call: Call, body: schemas.DraftBody) -> schemas.Problems:
    """Check a draft by the rules for task files; every problem with its field."""
    found = await in_thread(lambda: draft_problems(_with_items(call.studio, body)))
    return schemas.Problems(problems=[_problem(one) for one in found])


@admins.post(f"{DRAFTS}/preview", responses=error_statuses(404, 422))
async def show(call: Call, body: schemas.DraftBody) -> schemas.Preview:
    """Show a draft as raters would see it; answers to it are stored nowhere."""
    return await in_thread(_preview, call.studio, body)


@admins.post(f"{DRAFTS}/items", responses=error_statuses(422))
async def items(call: Call, body: schemas.TableBody) -> schemas.Rows:
    """Items of a draft from a table (CSV), their clips decoded to the end; nothing is stored."""
    return await in_thread(_rows, call.studio, body)


@admins.post(DRAFTS, status_code=201, responses=error_statuses(404, 409, 422, 503))
async def save(call: Call, body: schemas.SaveBody) -> TaskState:
    """Save a draft as a task; one whose questions were answered becomes a new version, and is closed."""

    def write() -> Any:
        task = _task(_with_items(call.studio, body))
        return call.studio.project.tasks.put(task, open=body.open, if_answered=body.if_answered)

    return task_state(await committed(await in_thread(write)))


@admins.head("/api/clips/{clip:path}", include_in_schema=False)
@admins.get("/api/clips/{clip:path}", **file_reply(*CLIP_TYPES, refused=(416,)))
async def project_clip(
    call: Call,
    clip: PathPart,
    begin: Annotated[int, WholeNumber("begin", 0, LONGEST)] = 0,
    end: Annotated[int, WholeNumber("end", 0, LONGEST)] = 0,
) -> Response:
    """Clip of the project by its path, from ``begin`` to ``end`` (milliseconds; 0 for its end)."""
    if clip.partition("/")[0] not in (CLIPS, CACHE) or 0 < end <= begin:
        raise NotFoundError(message("studio.no-such-clip"))
    return await send_clip(call, AudioRef(clip, begin / 1000, end / 1000 if end else None))


def _bare(task: RatingTask) -> dict[str, Any]:
    """Return a task as the editor writes it: without items, and without the tags of schemas."""
    bare: dict[str, Any] = _untagged({**to_json(task), "items": []})
    return bare


def _untagged(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _untagged(inner) for name, inner in value.items() if name != "schema"}
    return [_untagged(one) for one in value] if isinstance(value, list) else value


def _draft(studio: Studio, name: str) -> schemas.Draft:
    tasks = studio.project.tasks
    stored = tasks.get(name)
    family = [one for one in tasks.names() if base_name(one) == base_name(name)]
    return schemas.Draft(
        task=_bare(stored.task),
        items=list(stored.items)[:LISTED_ITEMS],
        count=len(stored.items),
        open=stored.open,
        answered=tasks.is_answered(name),
        versions=family,
    )


def _with_items(studio: Studio, body: schemas.DraftBody) -> Json:
    if not body.items_of:
        return body.task
    stored = studio.project.tasks.get(body.items_of)
    return with_stored_items(body.task, stored.task.items, without=frozenset(body.without))


def _task(data: Json) -> RatingTask:
    return _refused(lambda: from_json(RatingTask, data))


def _refused(work: Callable[[], Result]) -> Result:
    """Return what a function gives; a record that is none is refused as one."""
    try:
        return work()
    except RecordError as error:
        raise NotAnAnswerError(str(error), code="bad-task", next=message("editor.mend-draft")) from None


def _problem(one: Problem) -> schemas.Problem:
    return schemas.Problem(path=one.path, message=str(one.text), mandarin=translate(one.text, "zh"))


def _parsed(data: bytes, *, is_yaml: bool) -> schemas.ParsedFile:
    try:
        if not is_yaml:
            read_json(data)
        task = parse_task(data, what=message("studio.task-file"), is_yaml=is_yaml)
    except RecordError as error:
        return schemas.ParsedFile(task=None, problems=[_problem(Problem("", str(error)))])
    except MissingExtraError as error:
        raise NotThatTypeError(str(error)) from None
    return schemas.ParsedFile(task=_untagged(to_json(task)), problems=[])


def _preview(studio: Studio, body: schemas.DraftBody) -> schemas.Preview:
    task = _task(_with_items(studio, body))
    try:
        found = _refused(lambda: preview(task, studio.project.folder))
    except AudioError as error:
        raise NotAnAnswerError(without_folder(error, studio.project.folder), code="bad-clip") from None
    return schemas.Preview(task=shown_task(task, is_open=True), views=[_view(one) for one in found])


def _view(one: PreviewItem) -> schemas.PreviewView:
    record = encode(one.view, "view")
    assert isinstance(record, dict)
    clips = [{**_untagged(clip), "url": _address(one.clips[clip["clip"]])} for clip in record["clips"]]
    return schemas.PreviewView.model_validate({**_untagged(record), "clips": clips})


def _address(clip: AudioRef) -> str:
    begin, end = round(clip.start * 1000), round(clip.end * 1000) if clip.end is not None else 0
    part = f"?{urlencode({'begin': begin, 'end': end})}" if begin or end else ""
    return f"/api/clips/{quote(Path(clip.path).as_posix())}{part}"


def _rows(studio: Studio, body: schemas.TableBody) -> schemas.Rows:
    task = _task(_without_items(body.task))
    table = _refused(lambda: read_table(body.table))
    mapping = guess_columns(task, table.columns) if body.columns is None else body.columns
    reply: dict[str, Any] = {"columns": list(table.columns), "targets": list(targets(task)), "mapping": mapping}
    try:
        found = items_from_table(task, table, mapping, clips=body.clips)
    except RecordError as error:
        if body.columns is not None:
            raise NotAnAnswerError(str(error), code="bad-mapping", next=message("editor.mend-mapping")) from None
        return schemas.Rows(**reply, rows=len(table.rows), items=[], problems=[_row_problem(0, str(error))])
    decoded, folder = DecodedClips(), studio.project.folder
    problems = {one.row: one.text for one in found.problems}
    numbers = [row for row in range(1, len(table.rows) + 1) if row not in problems]
    good = []
    for row, item in zip(numbers, found.items, strict=True):
        if why := clip_problem(item, folder, decoded):
            problems[row] = why
        else:
            good.append(_untagged(to_json(item)))
    listed = [_row_problem(row, text) for row, text in sorted(problems.items())]
    return schemas.Rows(**reply, rows=len(table.rows), items=good, problems=listed)


def _without_items(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return a draft that names no items, so that it is valid without them."""
    return {**task, "items": [], "calibration": [], "attention": [], "qualification": None}


def _row_problem(row: int, text: str) -> schemas.RowProblem:
    return schemas.RowProblem(row=row, message=str(text), mandarin=translate(text, "zh"))
