"""Routes of the actions on one item: its form, scoring again by another plan, and marking the verdict."""

import math
import shlex
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from aptone.errors import AptoneError, RunError
from aptone.messages import message
from aptone.report.item_view import plan_of
from aptone.report.notation import figure
from aptone.types import (
    Emotion,
    Entry,
    Intonation,
    Json,
    Plan,
    RecordingCondition,
    Rhythm,
    in_language,
    is_finite_number,
)
from aptone.view.rendering import language_of, page
from aptone.view.shelf import ShelvedRun
from aptone.view.trying.problems import problem_part
from aptone.view.trying.shown import plan_part
from aptone.view.verdicts.marks import LONGEST_COMMENT, RATINGS, Mark, keep_mark, read_mark
from aptone.view.verdicts.plans import can_score_again, edited_plan, score_changes, score_request
from aptone.web.bodies import read_body
from aptone.web.error_replies import JSON_TYPE
from aptone.web.refusals import NotFoundError, NotThatTypeError, NotUnderstoodError
from aptone.web.strict_json import read_json

ENGINE = "built-in"
"""Engine that scores again."""
LARGEST = 64 * 1024
SCALE = (0.0, 5.0)
"""Scale of a corrected score where the score itself has none."""


def verdict_routes() -> list[BaseRoute]:
    """Routes of the actions on one item."""
    item = "/try/runs/{run}/{number:int}"
    return [
        Route(item, actions, include_in_schema=False),
        Route(f"{item}/score", score_again, methods=["POST"], include_in_schema=False),
        Route(f"{item}/verdict", mark_verdict, methods=["POST"], include_in_schema=False),
    ]


async def actions(request: Request) -> Response:
    """The forms of an item, with its plan and its last mark."""
    try:
        run, entry = await run_in_threadpool(_found, request)
        mark = await run_in_threadpool(read_mark, run.folder, entry.item.id)
    except AptoneError as problem:
        return problem_part(request, problem)
    return _actions_page(request, run, entry, mark)


async def score_again(request: Request) -> Response:
    """Score an item by an edited plan; nothing of the run is changed."""
    language = language_of(request)
    try:
        run, entry = await run_in_threadpool(_found, request)
        plan = edited_plan(entry, await _read(request))
        asked = await run_in_threadpool(score_request, entry, plan, folder=run.folder, language=language)
        answer = await request.app.state.view.pool.perform("score", asked)
    except AptoneError as problem:
        return problem_part(request, problem)
    (new,) = answer.entries
    old_plan = plan_of(entry)
    return page(
        request,
        "try_again.html.j2",
        changes=score_changes(entry, new),
        old=entry.outcome,
        new=new.outcome,
        old_plan=None if old_plan is None else plan_part(old_plan, language=language),
        new_plan=plan_part(plan, language=language),
        is_same=plan == old_plan,
        engine="" if run.config.engine == ENGINE else run.config.engine,
    )


async def mark_verdict(request: Request) -> Response:
    """Keep a mark, and show it."""
    try:
        run, entry = await run_in_threadpool(_found, request)
        given = _mark(await _read(request), entry)
        mark = await run_in_threadpool(keep_mark, run.folder, entry.item.id, given, verb=run.config.verb)
    except AptoneError as problem:
        return problem_part(request, problem)
    return _actions_page(request, run, entry, mark, is_kept=True)


def _actions_page(
    request: Request, run: ShelvedRun, entry: Entry, mark: Mark | None, *, is_kept: bool = False
) -> Response:
    language = language_of(request)
    plan = plan_of(entry) or Plan("")
    low, high = _scale(entry)
    score = entry.outcome.scores.get(entry.outcome.main_score)
    return page(
        request,
        "try_actions.html.j2",
        address=f"/try/runs/{run.key}/{request.path_params['number']}",
        can_score=can_score_again(entry),
        has_plan=plan_of(entry) is not None,
        plan={
            "emotion": in_language(plan.emotion, Emotion, language),
            "rhythm": plan.rhythm.value if plan.rhythm else "",
            "intonation": plan.intonation.value if plan.intonation else "",
            "recording_condition": in_language(plan.recording_condition, RecordingCondition, language),
        },
        choices={
            "emotion": [one.label(language) for one in Emotion],
            "rhythm": [(one.value, one.label(language)) for one in Rhythm],
            "intonation": [(one.value, one.label(language)) for one in Intonation],
            "recording_condition": [one.label(language) for one in RecordingCondition],
        },
        mark=mark,
        is_kept=is_kept,
        low=low,
        high=high,
        score=figure(score.value) if score is not None and score.is_defined else "",
        name=entry.outcome.main_score,
        folder=shlex.quote(str(run.folder)),
        ratings=shlex.quote(str(run.folder / RATINGS)),
        verb=run.config.verb,
        longest_comment=LONGEST_COMMENT,
    )


def _found(request: Request) -> tuple[ShelvedRun, Entry]:
    """The item that an address names."""
    number = request.path_params["number"]
    try:
        run: ShelvedRun = request.app.state.view.shelf.run(request.path_params["run"])
    except KeyError:
        raise NotFoundError(message("web.nothing-address"), next=message("view.go-back-runs")) from None
    try:
        return run, run.index.entry(number)
    except (KeyError, IndexError, RunError):
        raise NotFoundError(message("web.nothing-address"), next=message("view.go-back-runs")) from None


async def _read(request: Request) -> Mapping[str, Json]:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON_TYPE:
        raise NotThatTypeError(message("web.body-must-type", kind=JSON_TYPE))
    value = read_json(await read_body(request, LARGEST))
    if not isinstance(value, Mapping):
        raise NotUnderstoodError(message("web.request-cannot-understood"))
    return value


def _scale(entry: Entry) -> tuple[float, float]:
    score = entry.outcome.scores.get(entry.outcome.main_score)
    return score.range if score is not None and score.range is not None else SCALE


def _mark(given: Mapping[str, Json], entry: Entry) -> Mark:
    """What a person says of the verdict on an item; one that is right gives its own score.

    Raises:
        NotUnderstoodError: if it is none, or the corrected score lies beyond the scale.
    """
    verdict, comment, corrected = given.get("verdict"), given.get("comment", ""), given.get("score")
    low, high = _scale(entry)
    if verdict not in ("right", "wrong") or not isinstance(comment, str) or len(comment) > LONGEST_COMMENT:
        raise NotUnderstoodError(message("view.choose-verdict", longest=LONGEST_COMMENT))
    if verdict == "right":
        own = entry.outcome.scores.get(entry.outcome.main_score)
        return Mark("right", own.value if own is not None and own.is_defined else math.nan, comment.strip())
    if corrected is None:
        return Mark("wrong", math.nan, comment.strip())
    if not is_finite_number(corrected) or not low <= float(corrected) <= high:
        raise NotUnderstoodError(message("view.score-beyond-scale", low=low, high=high))
    return Mark("wrong", float(corrected), comment.strip())
