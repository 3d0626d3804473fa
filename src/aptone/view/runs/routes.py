"""Routes of the pages over runs."""

from starlette.routing import BaseRoute, Route

from aptone.view.runs.compare_page import show_comparison
from aptone.view.runs.item_page import show_item
from aptone.view.runs.recordings import send_recording
from aptone.view.runs.run_list import show_runs
from aptone.view.runs.run_page import show_run
from aptone.view.runs.threads import in_thread
from aptone.view.runs.timelines import send_timeline

DRAWERS = 1
"""Recordings that are drawn at a time."""


def run_routes() -> list[BaseRoute]:
    """Routes of the pages over runs."""
    item = "/runs/{key}/items/{number:int}"
    return [
        Route("/", in_thread(show_runs)),
        Route("/runs/{key}", in_thread(show_run)),
        Route(item, in_thread(show_item)),
        Route(item + "/clips/{clip:int}", send_recording),
        Route(item + "/clips/{clip:int}/timeline", in_thread(send_timeline, lane="drawing", at_once=DRAWERS)),
        Route("/compare", in_thread(show_comparison)),
    ]
