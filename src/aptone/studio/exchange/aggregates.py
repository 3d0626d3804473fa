"""What the raters of an item say together: mean or majority, what an adjudicator decided, and what is accepted."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aptone.ratings.rules import checked_ratings, set_aside
from aptone.studio.agreement.tables import as_number, as_times, as_word
from aptone.types import Control, Json, Rating, RatingItem, RatingTask, dumps

Adjudications = Mapping[str, Mapping[str, Json]]
"""Item to the answers on which an adjudicator decided."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One item, all its raters together.

    Args:
        item: what was rated.
        ratings: those that count.
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
class Counted:
    """The ratings of a task, sorted.

    Args:
        ratings: all of them, checked.
        set_aside: raters whose ratings do not count, and why.
        by_item: item to the ratings that count, by the names of their raters.
    """

    ratings: tuple[Rating, ...]
    set_aside: Mapping[str, str]
    by_item: Mapping[str, tuple[Rating, ...]] = field(default_factory=dict)


def counted_ratings(task: RatingTask, ratings: Sequence[Rating]) -> Counted:
    """The ratings by item, and whose do not count.

    Raises:
        RecordError: if a rating is of another task's item, or somebody rated an item twice.
    """
    known = checked_ratings(task, ratings)
    aside = set_aside(task, known)
    by_item: dict[str, list[Rating]] = {}
    for rating in sorted(known, key=lambda one: one.rater):
        if rating.rater not in aside:
            by_item.setdefault(rating.item, []).append(rating)
    return Counted(tuple(known), aside, {item: tuple(given) for item, given in by_item.items()})


def aggregate(
    task: RatingTask, item: RatingItem, ratings: Sequence[Rating], decided: Mapping[str, Json] | None = None
) -> Aggregate:
    """What the raters of one item say together.

    Args:
        task: what was asked.
        item: what was rated.
        ratings: of it, those that count.
        decided: an adjudicator's answers.
    """
    settled = {name: value for name, value in (decided or {}).items() if value is not None}
    answers = {
        control.name: settled[control.name]
        if control.name in settled
        else together(control, [rating.answers.get(control.name) for rating in ratings])
        for control in task.controls
    }
    return Aggregate(item, tuple(ratings), answers, tuple(settled), _accepted(task, ratings, settled))


def together(control: Control, given: Sequence[Json]) -> Json:
    """One answer for many: the mean of numbers and of times, the most frequent of all else, ``None`` for a tie.

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
