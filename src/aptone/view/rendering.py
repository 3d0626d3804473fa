"""Pages as HTML: templates of the view and of the report, words in the reader's language, styles of the report."""

from collections.abc import Mapping
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import version
from urllib.parse import urlsplit

import jinja2
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from aptone.messages import LANGUAGES, Language, translate, words
from aptone.report.notation import named
from aptone.report.page import assets, theme_palette
from aptone.report.run_report import card_environment
from aptone.web.refusals import RefusedError
from aptone.web.static_files import TYPES, StaticFile, static_files

LANGUAGE_COOKIE = "aptone_language"
YEAR = 365 * 24 * 3600
REPORT_STYLES = ("plots.css", "report.css", "claims.css", "contrasts.css", "hearing.css")


def language_of(request: Request) -> Language:
    """The reader's language: what was chosen on a page, what the view was started with, what the browser prefers."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "") or request.app.state.view.language or _preferred(request)
    return "zh" if chosen == "zh" else "en"


def _preferred(request: Request) -> str:
    first = request.headers.get("accept-language", "").split(",")[0].strip().lower()
    return "zh" if first.startswith("zh") else "en"


async def choose_language(request: Request) -> Response:
    """Keep the language that was chosen, and go back to the page."""
    chosen = request.path_params["language"]
    back = request.query_params.get("back", "/")
    parts = urlsplit(back)
    is_ours = back.startswith("/") and not back.startswith("//") and not parts.netloc and "\\" not in back
    answer = RedirectResponse(back if is_ours else "/", status_code=303)
    if chosen in LANGUAGES:
        answer.set_cookie(LANGUAGE_COOKIE, chosen, max_age=YEAR, path="/", httponly=True, samesite="strict")
    return answer


def page(request: Request, template: str, /, *, status: int = 200, **values: object) -> Response:
    """Reply with a page, or with a part of one."""
    return Response(rendered(request, template, **values), status_code=status, media_type=TYPES[".html"])


def show_refusal(request: Request, refusal: RefusedError) -> Response:
    """Reply with a page that says what is wrong, and where to go on."""
    answer = page(request, "refused.html.j2", status=refusal.status, problem=refusal.message, advice=refusal.next)
    answer.headers.update(refusal.headers)
    return answer


def rendered(request: Request, template: str, /, **values: object) -> str:
    """A template filled in, in the language of the request; `values` go before what every template knows."""
    language = language_of(request)
    known: dict[str, object] = {
        "language": language,
        "other_language": "en" if language == "zh" else "zh",
        "here": request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        "word": words(language, "view"),
        "report_word": words(language, "report"),
        "translate": partial(translate, language=language),
        "named": partial(named, language=language),
        "version": version("aptone"),
    }
    return _environment().get_template(template).render(known | values)


@cache
def _environment() -> jinja2.Environment:
    return card_environment("aptone.view", folder="templates")


def view_files() -> Mapping[str, StaticFile]:
    """Static files of the view: its own, those that all servers share, and the styles of the report."""
    style = (theme_palette() + assets(*REPORT_STYLES)).encode()
    tag = f'"{sha256(style).hexdigest()[:20]}"'
    return {**static_files("aptone.web", "aptone.view"), "report.css": StaticFile(style, TYPES[".css"], tag)}
