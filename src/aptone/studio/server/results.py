"""Routes for results of listening tests: the whole report, and files of it. Raters appear by pseudonym."""

from typing import Annotated

from starlette.responses import Response

from aptone.messages import message, messages_in, translate
from aptone.studio.results.report import TestReport, result_report
from aptone.studio.results.tables import PARTS, Part, csv_text, result_json, result_rows
from aptone.studio.server.rating import A_TASK, without_schema
from aptone.studio.server.routing import DESK, Call, router_for
from aptone.studio.server.studio import Studio, in_thread
from aptone.types import Json, dumps
from aptone.web.parameters import OneOf, PathPart
from aptone.web.refusals import NotFoundError
from aptone.web.routing import file_reply

router = router_for(DESK)
FILES = {"csv": "text/csv", "json": "application/json"}


@router.get(f"{A_TASK}/results")
async def results(call: Call, task: PathPart) -> dict[str, object]:
    """Results of a listening test: systems, differences, power and a methods paragraph in both languages."""
    return dict(await call.studio.results.of(task, lambda: _reported(call.studio, task)))


@router.head(f"{A_TASK}/results/file", include_in_schema=False)
@router.get(f"{A_TASK}/results/file", **file_reply(*FILES.values(), refused=()))
async def result_file(
    call: Call,
    task: PathPart,
    format: Annotated[str, OneOf("format", tuple(FILES))] = "csv",
    part: Annotated[Part, OneOf("part", PARTS)] = "systems",
) -> Response:
    """Results as a file: rows of one part as CSV, or everything as JSON."""
    text = await in_thread(_written, call.studio, task, format, part)
    name = f"{part}.csv" if format == "csv" else "results.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=FILES[format], headers=headers)


def _report(studio: Studio, name: str) -> TestReport:
    project = studio.project
    task = project.tasks.get(name).task
    report = result_report(task, [row.rating for row in project.results.ratings(name)])
    if report is None:
        raise NotFoundError(message("studio.no-results"), code="no-results", next=message("studio.make-a-test"))
    return report


def _reported(studio: Studio, name: str) -> dict[str, Json]:
    report = _report(studio, name)
    said: dict[str, Json] = {one.text: translate(one, "zh") for one in messages_in(report)}
    return {**without_schema(report), "methods": result_json(report)["methods"], "mandarin": said}


def _written(studio: Studio, name: str, form: str, part: Part) -> str:
    report = _report(studio, name)
    if form == "json":
        return dumps(result_json(report), indent=1) + "\n"
    ratings = [row.rating for row in studio.project.results.ratings(name)]
    return csv_text(result_rows(report, part, task=studio.project.tasks.get(name).task, ratings=ratings))
