"""The page of one item: players, what is heard over time, its story, plan, scores, and everything else."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from aptone.errors import AptoneError
from aptone.messages import message, words
from aptone.report.clips import ClipEmbedder
from aptone.report.groups import counted_score
from aptone.report.item_card import ItemCard, card_columns, item_card
from aptone.report.item_view import shown_state, why_no_score
from aptone.report.room_report import Marks, no_marks, report_of
from aptone.report.run_report import moment_text
from aptone.types import Entry, Language, Score
from aptone.view.rendering import language_of, page, rendered
from aptone.view.runs.addresses import entry_of
from aptone.view.runs.asked import Asked, read_asked
from aptone.view.runs.recordings import served_clips
from aptone.view.shelf import ShelvedRun


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where an item stands in the list that it was opened from, from 1 on (0: not in it), and those beside it."""

    place: int
    count: int
    before: int | None = None
    after: int | None = None


def show_item(request: Request) -> Response:
    """Reply with the page of an item."""
    run, number, entry = entry_of(request)
    asked = read_asked(request.query_params, scores=[scale.name for scale in run.index.score_names()])
    name = entry.outcome.main_score or run.index.main_score()
    card = shown_card(run, number, entry, name, language_of(request))
    drawn = rendered(
        request,
        "item_card.html.j2",
        word=words(language_of(request), "report"),
        one=card,
        columns=card_columns([card]),
    )
    return page(
        request,
        "item.html.j2",
        run=run,
        number=number,
        asked=asked,
        card=Markup(drawn),  # noqa: S704  (from a template with autoescape)
        entry=entry,
        state=shown_state(entry, name),
        why=why_no_score(entry, name),
        finished=moment_text(entry.finished),
        beside=neighbours(run, number, asked),
    )


def shown_card(run: ShelvedRun, number: int, entry: Entry, score: str, language: Language) -> ItemCard:
    """The view of an item as the report has it, with players that ask this server."""
    marks = marks_of(run.config.verb)
    given = counted_score(entry, score) or _unscored(entry, score)
    card = item_card(entry, given, language, ClipEmbedder(room=0), marks=marks)
    clips, left_out = served_clips(run, number, entry)
    return replace(card, clips=clips, clips_left_out=left_out)


def _unscored(entry: Entry, score: str) -> Score:
    return Score(float("nan"), reason=why_no_score(entry, score) or message("view.no-score"))


@cache
def marks_of(verb: str) -> Marks:
    """What the room of a verb marks in the texts of its items; nothing where the room is not installed."""
    try:
        return report_of(verb).marks
    except AptoneError:
        return no_marks


def neighbours(run: ShelvedRun, number: int, asked: Asked) -> Neighbours:
    """The items before and after one in the list that was asked for."""
    numbers = run.index.selection(asked.wanted, sort=asked.sort)
    found = np.flatnonzero(numbers == number)
    if not found.size:
        return Neighbours(0, numbers.size)
    place = int(found[0])
    before = int(numbers[place - 1]) if place else None
    after = int(numbers[place + 1]) if place + 1 < numbers.size else None
    return Neighbours(place + 1, numbers.size, before, after)
