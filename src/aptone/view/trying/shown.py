"""Answers as parts of a page: plan with its evidence, ranking, figures and cards, in the words of the report."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial

import jinja2
from markupsafe import Markup

from aptone.messages import Language, translate, words
from aptone.report.clips import ClipEmbedder
from aptone.report.displays.plan import plan_view
from aptone.report.hearing.findings import hearing_sections
from aptone.report.item_card import card_columns, item_card
from aptone.report.item_view import shown_state, why_no_score
from aptone.report.notation import named
from aptone.report.room_report import Figure, report_of
from aptone.report.run_report import card_environment
from aptone.rooms.operation import Answer
from aptone.types import Entry, Json, Perception, Plan, Score, from_json

PLAIN_NAMES = {"s_p": "try_score_precision", "F": "try_score_f"}
"""Words for scores whose names only readers of their paper know."""


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """An answer as the page shows it.

    Args:
        names: what the recordings are called in the answer, in the order in which they were sent.
        plan: how the line should sound; empty where nothing is planned.
        cards: name and card of each recording.
        notes: what the reader has to know about the figures.
    """

    operation: str
    names: tuple[str, ...]
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
    return ShownAnswer(
        operation,
        tuple(one.item.id for one in answer.entries),
        plan_part(from_json(Plan, plan), language=language) if isinstance(plan, Mapping) else Markup(),
        tuple(answer.figures),
        _cards(operation, answer, language=language),
        tuple(str(note) for note in notes) if isinstance(notes, list | tuple) else (),
        seconds,
    )


def _cards(operation: str, answer: Answer, *, language: Language) -> tuple[tuple[str, Markup], ...]:
    """Name and card of what was answered, the best first."""
    if operation == "plan":
        return ()
    if operation == "hear":
        return tuple((one.item.id, heard_part(one, language=language)) for one in answer.entries)
    order = {name: place for place, name in enumerate(_best_first(answer.reply))}
    named_entries = [(_card_name(one), one) for one in answer.entries]
    named_entries.sort(key=lambda pair: order.get(pair[0], len(order)))
    return tuple((name, card_part(operation, one, language=language)) for name, one in named_entries)


def _best_first(reply: Mapping[str, Json]) -> Iterator[str]:
    """Names of takes or descriptions in the order of a reply."""
    for key, name in (("takes", "take"), ("descriptions", "description")):
        listed = reply.get(key)
        for one in listed if isinstance(listed, list | tuple) else ():
            if isinstance(one, Mapping):
                yield str(one.get(name, ""))


def _card_name(entry: Entry) -> str:
    """A description where clips are compared with several, else the recording."""
    description = entry.item.payload.get("description")
    return description if isinstance(description, str) else entry.item.id


def heard_part(entry: Entry, *, language: Language) -> Markup:
    """Everything that was heard in a recording, with what could not be judged."""
    perception = from_json(Perception, entry.outcome.evidence["perception"])
    return _filled("try_heard.html.j2", language=language, sections=hearing_sections(perception, language=language))


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
        shown_name=words(language, "view")(PLAIN_NAMES[name]) if name in PLAIN_NAMES else name,
        defined=[(names, other) for names, other in card.others if other.is_defined],
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
