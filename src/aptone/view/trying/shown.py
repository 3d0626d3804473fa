"""Answers as parts of a page: plan with its evidence, ranking, figures and cards, in the words of the report."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial

import jinja2
from markupsafe import Markup

from aptone.messages import Language, translate, words
from aptone.report.clips import ClipEmbedder
from aptone.report.displays.plan import plan_view
from aptone.report.item_card import card_columns, item_card
from aptone.report.item_view import shown_state, why_no_score
from aptone.report.notation import named
from aptone.report.room_report import Figure, report_of
from aptone.report.run_report import card_environment
from aptone.rooms.operation import Answer
from aptone.types import Entry, Plan, Score, from_json


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer as the page shows it.

    Args:
        plan: how the line should sound; empty where nothing is planned.
        cards: name and card of each recording.
        notes: what the reader has to know about the figures.
    """

    operation: str
    plan: Markup
    figures: tuple[Figure, ...]
    cards: tuple[tuple[str, Markup], ...]
    notes: tuple[str, ...]
    seconds: float


def shown_answer(operation: str, answer: Answer, *, language: Language, seconds: float) -> ShownAnswer:
    """Return what a page shows of an answer."""
    reply = answer.reply
    plan = reply.get("plan")
    notes = reply.get("notes")
    cards = () if operation in ("hear", "style", "plan") else answer.entries
    return ShownAnswer(
        operation,
        plan_part(from_json(Plan, plan), language=language) if isinstance(plan, Mapping) else Markup(),
        tuple(answer.figures),
        tuple((one.item.id, card_part(operation, one, language=language)) for one in cards),
        tuple(str(note) for note in notes) if isinstance(notes, list | tuple) else (),
        seconds,
    )


def plan_part(plan: Plan, *, language: Language) -> Markup:
    """A plan: its emotions as bars, its other fields, and the words of the story that it rests on."""
    return _filled("try_plan.html.j2", language=language, plan=plan_view(plan, language=language))


def card_part(verb: str, entry: Entry, *, language: Language) -> Markup:
    """One recording: its score, why, and aspect by aspect what was planned and heard."""
    name = entry.outcome.main_score
    why = why_no_score(entry, name)
    score = entry.outcome.scores.get(name) or Score(math.nan, reason=why)
    card = item_card(entry, score, language, ClipEmbedder(room=0), marks=report_of(verb).marks)
    return _filled(
        "try_card.html.j2",
        language=language,
        one=card,
        name=name,
        state=shown_state(entry, name),
        why=why,
        columns=card_columns([card]),
    )


def _filled(template: str, /, *, language: Language, **values: object) -> Markup:
    filled = (
        _environment()
        .get_template(template)
        .render(
            values,
            language=language,
            word=words(language, "report"),
            translate=partial(translate, language=language),
            named=partial(named, language=language),
        )
    )
    return Markup(filled)  # noqa: S704  (from a template that escapes)


@cache
def _environment() -> jinja2.Environment:
    """Templates of the report with the filters of its cards, and ours."""
    environment = card_environment()
    assert environment.loader is not None
    environment.loader = jinja2.ChoiceLoader([jinja2.PackageLoader("aptone.view"), environment.loader])
    return environment
