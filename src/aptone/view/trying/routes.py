"""Routes of the pages to try things out."""

import time
from importlib import resources

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from aptone.errors import AptoneError
from aptone.messages import message, words
from aptone.types import dumps
from aptone.view.rendering import language_of, page
from aptone.view.trying.lines import story_parts
from aptone.view.trying.packed import read_packed
from aptone.view.trying.problems import problem_part
from aptone.view.trying.shown import shown_answer
from aptone.view.verdicts.routes import verdict_routes
from aptone.web.refusals import NotFoundError

TABS = ("rank", "hear", "style", "caption")
OPERATIONS = (*TABS, "plan")
EXAMPLES = {"en": "Is anybody there?", "zh": "有人在吗？"}
"""Line of the example story in each language."""
SCRIPT_WORDS = (
    "try_first_time",
    "try_working",
    "try_ready",
    "try_no_microphone",
    "try_microphone_refused",
    "try_record",
    "try_stop",
    "try_take",
    "try_delete",
    "try_name_take",
    "try_too_large",
    "try_no_takes",
    "try_no_line",
    "try_unreachable",
    "try_too_many",
    "try_nothing_recorded",
)
"""Sentences that the script of the page shows."""


def try_routes() -> list[BaseRoute]:
    """Routes of the pages to try things out."""
    return [
        Route("/try", try_page, include_in_schema=False),
        Route("/try/start", start, methods=["POST"], include_in_schema=False),
        Route("/try/lines", lines, methods=["POST"], include_in_schema=False),
        *verdict_routes(),
        Route("/try/{operation}", perform, methods=["POST"], include_in_schema=False),
    ]


async def try_page(request: Request) -> Response:
    """The page; ``?what=hear`` opens one of its tabs."""
    word = words(language_of(request), "view")
    wanted = request.query_params.get("what", "")
    folder = resources.files("aptone.view.trying") / "stories"
    return page(
        request,
        "try.html.j2",
        tabs=TABS,
        tab=wanted if wanted in TABS else TABS[0],
        examples=[
            (language, (folder / f"{language}.txt").read_text(encoding="utf-8"), line)
            for language, line in EXAMPLES.items()
        ],
        script_words=dumps({name: word(name, number="{number}") for name in SCRIPT_WORDS}),
    )


async def start(request: Request) -> Response:
    """Load the models, unless they are; the reply comes when they are there."""
    try:
        await request.app.state.view.pool.start()
    except AptoneError as problem:
        return problem_part(request, problem)
    return Response(status_code=204)


async def lines(request: Request) -> Response:
    """The lines of a story, to choose one."""
    try:
        asked = await read_packed(request)
        parts = await run_in_threadpool(story_parts, str(asked.get("story", "")))
    except AptoneError as problem:
        return problem_part(request, problem)
    return page(request, "try_lines.html.j2", story=parts)


async def perform(request: Request) -> Response:
    """Rank, hear, style, caption or plan what was sent, and reply with a part of a page."""
    name, language = request.path_params["operation"], language_of(request)
    if name not in OPERATIONS:
        raise NotFoundError(message("web.nothing-address"))
    pool = request.app.state.view.pool
    try:
        asked = await read_packed(request)
        if any(field.name == "lang" for field in pool.operations[name].fields):
            asked["lang"] = language
        begun = time.perf_counter()
        answer = await pool.perform(name, asked, figures=True)
    except AptoneError as problem:
        return problem_part(request, problem)
    shown = shown_answer(name, answer, language=language, seconds=time.perf_counter() - begun)
    return page(request, "try_answer.html.j2", answer=shown)
