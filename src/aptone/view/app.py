"""Application of the view: pages over runs, pages to try things out, and the service, behind one door."""

from dataclasses import dataclass, field

from fastapi import FastAPI
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route

from aptone.messages import Language, message
from aptone.view.door import Door, Tokens
from aptone.view.on_demand import OnDemandPool
from aptone.view.rendering import choose_language, show_refusal, view_files
from aptone.view.runs.routes import run_routes
from aptone.view.service.routes import service_routes
from aptone.view.service.service import Service
from aptone.view.shelf import Shelf
from aptone.view.trying.routes import try_routes
from aptone.web.addresses import Addresses
from aptone.web.error_replies import error_handlers
from aptone.web.security import Guard, Policy
from aptone.web.static_files import static_route

LOG = "aptone.view"
POLICY = Policy(
    content=(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    permissions="camera=(), geolocation=(), microphone=(self)",
    no_store=("/runs", "/compare", "/try", "/v1", "/metrics", "/healthz"),
)
"""No inline style or script, nothing from elsewhere; the microphone for our own pages."""


@dataclass(frozen=True, slots=True)
class View:
    """What the routes of a view work with.

    Args:
        language: language of the pages where nobody chose one; empty for what the browser prefers.
        service: limits of the service and runs that keep its answers; by default the usual limits, and none.
    """

    shelf: Shelf
    pool: OnDemandPool
    addresses: Addresses = field(default_factory=Addresses)
    tokens: Tokens = field(default_factory=lambda: Tokens({}))
    language: Language | None = None
    service: Service | None = None


def create_app(view: View) -> FastAPI:
    """Create the application of a view, whose parts the caller opens and closes."""
    routes: list[BaseRoute] = [
        Route("/language/{language}", choose_language, include_in_schema=False),
        static_route(view_files()),
        *run_routes(),
        *try_routes(),
        *service_routes(),
    ]
    app = FastAPI(
        routes=routes,
        middleware=[
            Middleware(Guard, addresses=view.addresses, policy=POLICY, log=LOG),
            Middleware(Door, addresses=view.addresses, tokens=view.tokens),
        ],
        exception_handlers=error_handlers(lost=message("view.go-back-runs"), show=show_refusal),
        openapi_url=None,  # that of the service is its own
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.view = view
    app.state.service = view.service or Service(view.pool)
    return app
