"""Items: the disagreement of their raters, and their aggregated answers with the adjudicator's decisions."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from aptone.ratings.rules import checked_ratings, set_aside, unrated_items
from aptone.studio.agreement.tables import as_number, as_text, as_times, as_word, overlap, text_distance
from aptone.types import Control, Json, Rating, RatingItem, RatingTask, dumps


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Aggregated ratings of one item.

    Args:
        answers: question to the answer: the adjudicator's where there is one; else the mean of a scale and of times,
            and the most frequent of all else, ``None`` where two are equally frequent or nobody answered.
        adjudicated: the questions on which an adjudicator decided.
        accepted: whether enough people rated it and all gave the answers that the task asks for; ``None`` for a task
            without such a rule. What an adjudicator decided stands for everybody.
    """

    item: RatingItem
    ratings: tuple[Rating, ...]
    answers: Mapping[str, Json]
    adjudicated: tuple[str, ...] = ()
    accepted: bool | None = None


@dataclass(frozen=True, slots=True)
class CountedRatings:
    """Ratings of a task, with the raters whose ratings do not count.

    Args:
        set_aside: raters whose ratings do not count, and why.
        by_item: item to the ratings that count, by the names of their raters.
    """

    ratings: tuple[Rating, ...]
    set_aside: Mapping[str, str]
    by_item: Mapping[str, tuple[Rating, ...]] = field(default_factory=dict)


def counted_ratings(task: RatingTask, ratings: Sequence[Rating]) -> CountedRatings:
    """Group the ratings by item, without those of excluded raters.

    Raises:
        RecordError: if a rating is of another task's item, or somebody rated an item twice.
    """
    known = checked_ratings(task, ratings)
    aside = set_aside(task, known)
    by_item: dict[str, list[Rating]] = {}
    for rating in sorted(known, key=lambda one: one.rater):
        if rating.rater not in aside:
            by_item.setdefault(rating.item, []).append(rating)
    return CountedRatings(tuple(known), aside, {item: tuple(given) for item, given in by_item.items()})


def aggregate(
    task: RatingTask, item: RatingItem, ratings: Sequence[Rating], decided: Mapping[str, Json] | None = None
) -> Aggregate:
    """Aggregate the ratings of one item."""
    settled = {name: value for name, value in (decided or {}).items() if value is not None}
    answers = {
        control.name: settled[control.name]
        if control.name in settled
        else combined_answer(control, [rating.answers.get(control.name) for rating in ratings])
        for control in task.controls
    }
    return Aggregate(item, tuple(ratings), answers, tuple(settled), _accepted(task, ratings, settled))


def combined_answer(control: Control, given: Sequence[Json]) -> Json:
    """Combine answers: the mean of numbers and of times, the most frequent of all else, ``None`` for a tie.

    Free texts differ only in spaces and case where they are counted as one; the first spelling stays.

    >>> mood = Control("mood", "text", {"en": "Mood"})
    >>> together(mood, ["calm", "sad", "Calm "])
    'calm'
    """
    if control.kind == "scale":
        numbers = [number for one in given if (number := as_number(one)) is not None]
        return math.fsum(numbers) / len(numbers) if numbers else None
    if control.kind == "boundaries":
        times = [ends for one in given if (ends := as_times(one)) is not None]
        return [math.fsum(column) / len(times) for column in zip(*times, strict=True)] if times else None
    answered = [one for one in given if one is not None and (not isinstance(one, str) or as_word(one))]
    counts = Counter(map(_key, answered))
    best = [key for key, count in counts.most_common() if count == max(counts.values())]
    if len(best) != 1:
        return None
    return next(one for one in answered if _key(one) == best[0])


def _key(answer: Json) -> str:
    return " ".join(answer.casefold().split()) if isinstance(answer, str) else dumps(answer)


def _accepted(task: RatingTask, ratings: Sequence[Rating], settled: Mapping[str, Json]) -> bool | None:
    if not task.accept:
        return None
    if any(settled.get(name, wanted) != wanted for name, wanted in task.accept.items()):
        return False
    left = {name: wanted for name, wanted in task.accept.items() if name not in settled}
    if not left:
        return True
    return len(ratings) >= task.raters_per_item and all(
        rating.answers.get(name) == wanted for rating in ratings for name, wanted in left.items()
    )


Adjudications = Mapping[str, Mapping[str, Json]]
"""Item to the answers on which an adjudicator decided."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Disagreement of the raters of one item.

    Args:
        spread: spread of the question on which they differ most, 0 (all alike) to 1.
        controls: question to spread; free text is not among them, since no two people write the same.
    """

    item: str
    raters: int
    spread: float
    controls: Mapping[str, float]
    adjudicated: bool


def disagreements(
    task: RatingTask, ratings: Iterable[Rating], adjudications: Adjudications
) -> tuple[Disagreement, ...]:
    """Rank the items with two or more ratings by their largest spread, then by the mean of all.

    Args:
        task: rating task; tests and attention checks are left out.
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
    """Spread of the answers to one question, 0 to 1; ``None`` for free text, or with fewer than two answers.

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
