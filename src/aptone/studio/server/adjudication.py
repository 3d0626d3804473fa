"""Routes for adjudicators: disagreements, agreement and progress; raters appear by pseudonym."""

from typing import Annotated

from starlette.responses import Response

from aptone.messages import messages_in, translate
from aptone.studio.agreement.items import Disagreement, disagreements
from aptone.studio.agreement.overview import agreement_report
from aptone.studio.server import schemas
from aptone.studio.server.clips import CLIP_TYPES, send_clip
from aptone.studio.server.rating import A_TASK, without_schema
from aptone.studio.server.routing import (
    DESK,
    Call,
    OneOf,
    PathPart,
    WholeNumber,
    error_statuses,
    file_reply,
    router_for,
)
from aptone.studio.server.studio import Studio, committed, in_thread
from aptone.studio.store.answers import blind_answers, blind_names, task_orders
from aptone.studio.store.ratings import RaterStatus
from aptone.studio.store.records import Adjudication, PersonProgress, StoredTask
from aptone.types import Json

router = router_for(DESK)
AN_ITEM = f"{A_TASK}/items/{{item:path}}"
MOST_ROWS = 500


@router.get(f"{A_TASK}/disagreements", response_model=schemas.Disagreements)
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


@router.head(f"{AN_ITEM}/clips/{{clip}}", include_in_schema=False)
@router.get(f"{AN_ITEM}/clips/{{clip}}", **file_reply(*CLIP_TYPES, refused=(416,)))
async def item_clip(call: Call, task: PathPart, item: PathPart, clip: PathPart) -> Response:
    """Clip of an item, whole or in part."""
    return await send_clip(call, await in_thread(call.studio.project.results.clip, task, item, clip))


@router.put(f"{AN_ITEM}/adjudication", response_model=schemas.Adjudication, responses=error_statuses(422, 503))
async def adjudicate(call: Call, task: PathPart, item: PathPart, body: schemas.AdjudicationBody) -> dict[str, Json]:
    """Store the adjudication of an item."""
    project = call.studio.project
    settled = await committed(
        project.results.adjudicate(task, item, call.user_session.person.id, answers=body.answers, note=body.note)
    )
    call.studio.disagreements.forget(task)
    stored = await in_thread(project.tasks.get, task)
    return _adjudication_json(settled, stored)


@router.get(AN_ITEM, response_model=schemas.Item)
async def item(call: Call, task: PathPart, item: PathPart) -> dict[str, object]:
    """Item with the answers of all raters."""
    return await in_thread(_item_json, call.studio, task, item)


@router.get(f"{A_TASK}/agreement")
async def agreement(call: Call, task: PathPart) -> dict[str, object]:
    """Agreement by question and by person, and that of the automatic judge."""
    return dict(await call.studio.reports.of(task, lambda: _report(call.studio, task)))


@router.get(f"{A_TASK}/progress", response_model=schemas.TaskProgress)
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
    report = agreement_report(project.tasks.get(name).task, ratings, lexicon=studio.lexicon)
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
    return {
        "items": sum(coverage.values()),
        "complete": sum(items for people, items in coverage.items() if people >= wanted),
        "answers": sum(people * items for people, items in coverage.items()),
        "needed": wanted * sum(coverage.values()),
        "people": [_person_json(one, statuses.get(one.person.pseudonym)) for one in project.results.progress(name)],
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
