"""Outcomes and items in notebooks: the score and why, what was planned and heard, the story and its players."""

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from aptone.report.clips import ClipEmbedder
from aptone.report.displays.fragment import render_display
from aptone.report.item_card import ItemCard, card_columns, item_card
from aptone.report.item_view import shown_state, why_no_score
from aptone.report.run_report import LONGEST_CONTEXT
from aptone.types import Entry, Item, Language, Outcome, Score

ROOM = 1_500_000
"""Characters that the recordings of one fragment take at most: a notebook keeps what it shows."""

LONGEST_CLIP = 60.0
"""Seconds beyond which a recording is named, not embedded."""

MOST_ROWS = 24
"""Aspects, scores, measures and texts of an item that are listed."""

Value = TypeVar("Value")


def show_outcome(outcome: Outcome, *, language: Language) -> str:
    """Return an outcome: its main score, aspects and rationale, or the reason why there is none.

    It holds no recording, so there is no player, but for answers of a system under test.
    """
    return _shown(Entry(Item.make("outcome", {}), outcome), language, is_item=False)


def show_entry(entry: Entry, *, language: Language) -> str:
    """Return an item of a run with its outcome: the story around its line, and a player for each short recording."""
    return _shown(entry, language, is_item=True)


def _shown(entry: Entry, language: Language, *, is_item: bool) -> str:
    name = entry.outcome.main_score
    why = why_no_score(entry, name)
    score = entry.outcome.scores.get(name) or Score(math.nan, reason=why)
    card = _cut(item_card(entry, score, language, ClipEmbedder(room=ROOM, longest=LONGEST_CLIP)))
    return render_display(
        "displays/outcome.html.j2",
        language=language,
        one=card,
        is_item=is_item,
        name=name,
        state=shown_state(entry, name),
        why=why,
        columns=card_columns([card]),
    )


def _cut(card: ItemCard) -> ItemCard:
    """The card with as much as a notebook has room for; the record has the rest."""
    comparison = card.comparison
    rows = tuple(replace(row, measured=_first(row.measured)) for row in comparison.rows[:MOST_ROWS])
    return replace(
        card,
        others=tuple((names[:MOST_ROWS], score) for names, score in card.others[:MOST_ROWS]),
        context=card.context[-LONGEST_CONTEXT:],
        evidence=card.evidence[:MOST_ROWS],
        texts=_first(card.texts),
        comparison=replace(
            comparison,
            rows=rows,
            measures=_first(comparison.measures or {}),
            unjudged=_first(comparison.unjudged or {}),
        ),
        blocks={},
    )


def _first(mapping: Mapping[str, Value]) -> dict[str, Value]:
    return dict(itertools.islice(mapping.items(), MOST_ROWS))
