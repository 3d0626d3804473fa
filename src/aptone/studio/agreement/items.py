"""Items by how far their raters lie apart, for those who settle disagreements."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aptone.ratings.rules import checked_ratings, unrated_items
from aptone.studio.agreement.tables import as_number, as_text, as_times, as_word, overlap, text_distance
from aptone.types import Control, Json, Rating, RatingTask

Adjudications = Mapping[str, Mapping[str, Json]]
"""Item to the answers on which an adjudicator decided."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How far apart the raters of one item lie.

    Args:
        item: its id.
        raters: how many rated it.
        spread: of the question on which they differ most, 0 (all alike) to 1.
        controls: question to spread; free text is not among them, since no two people write the same.
        adjudicated: whether somebody has decided.
    """

    item: str
    raters: int
    spread: float
    controls: Mapping[str, float]
    adjudicated: bool


def disagreements(
    task: RatingTask, ratings: Iterable[Rating], adjudications: Adjudications
) -> tuple[Disagreement, ...]:
    """The items with two or more ratings, the furthest apart first: by the largest spread, then by the mean of all.

    Args:
        task: what was asked; tests and attention checks are left out.
        ratings: finished ones.
        adjudications: decisions so far.
    """
    apart = unrated_items(task)
    by_item: defaultdict[str, list[Rating]] = defaultdict(list)
    for rating in checked_ratings(task, ratings):
        if rating.item not in apart:
            by_item[rating.item].append(rating)
    found = []
    for item, given in by_item.items():
        if len(given) < 2:
            continue
        spreads = {}
        for control in task.controls:
            spread = control_spread(control, [rating.answers.get(control.name) for rating in given])
            if spread is not None:
                spreads[control.name] = spread
        largest = max(spreads.values(), default=0.0)
        found.append(Disagreement(item, len(given), largest, spreads, item in adjudications))
    order = {item.id: place for place, item in enumerate(task.items)}
    return tuple(sorted(found, key=lambda one: (-one.spread, -sum(one.controls.values()), order[one.item])))


def control_spread(control: Control, answers: Sequence[Json]) -> float | None:
    """How far answers to one question lie apart, 0 to 1; ``None`` for free text, or with fewer than two answers.

    The range of a scale's answers over the length of the scale; the share that does not side with the majority; one
    minus the smallest overlap of two stretches; the largest character error rate of two texts, at most 1.
    """
    if control.kind == "scale":
        numbers = [number for one in answers if (number := as_number(one)) is not None]
        return (max(numbers) - min(numbers)) / (control.high - control.low) if len(numbers) > 1 else None
    if control.kind in ("choice", "preference"):
        words = [word for one in answers if (word := as_word(one)) is not None]
        return 1 - max(Counter(words).values()) / len(words) if len(words) > 1 else None
    if control.kind == "boundaries":
        times = [ends for one in answers if (ends := as_times(one)) is not None]
        return max((1 - overlap(*pair) for pair in itertools.combinations(times, 2)), default=None)
    if control.kind == "edit":
        texts = [text for one in answers if (text := as_text(one)) is not None]
        distances = [text_distance(*pair) for pair in itertools.combinations(texts, 2)]
        return min(1.0, max(distances)) if distances else None
    return None
