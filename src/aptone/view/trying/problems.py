"""Problems as parts of a page, in the reader's language."""

from starlette.requests import Request
from starlette.responses import Response

from aptone.errors import AptoneError
from aptone.view.rendering import page
from aptone.web.refusals import RefusedError


def problem_part(request: Request, problem: AptoneError) -> Response:
    """Say what is wrong and what to do; the status is that of a refusal, or 422 for what cannot be worked on."""
    status, advice = (problem.status, problem.next) if isinstance(problem, RefusedError) else (422, "")
    return page(request, "try_problem.html.j2", status=status, problem=str(problem), advice=advice)
