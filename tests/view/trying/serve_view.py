"""Serve a view over the folders of the command line, with a bare page around the actions on an item; print its link."""

import sys
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

import aptone.view.app
from aptone.view.rendering import _environment, page
from aptone.view.server import RunningView, run_view

BARE = '{% extends "base.html.j2" %}{% block content %}{% include "item_actions.html.j2" %}{% endblock %}'


async def _item(request: Request) -> Response:
    run = request.app.state.view.shelf.run(request.path_params["run"])
    return page(request, _environment().from_string(BARE), run=run, number=request.path_params["number"])  # type: ignore[arg-type]


def _routes() -> list[BaseRoute]:
    return [Route("/bare/{run}/{number:int}", _item)]


def _ready(view: RunningView) -> None:
    print(view.address, flush=True)


if __name__ == "__main__":
    aptone.view.app.run_routes = _routes  # type: ignore[attr-defined]
    run_view([Path(folder) for folder in sys.argv[1:]], ready=_ready)
