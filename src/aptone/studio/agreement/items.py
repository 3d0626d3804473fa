"""Ratings by item: tables for statistics, the disagreement of raters, and aggregates with adjudicated answers."""

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar, cast

import numpy as np
import numpy.typing as npt

from aptone.ratings.rules import checked_ratings, set_aside, unrated_items
from aptone.stats.accuracy import edit_distance
from aptone.types import Control, Json, Rating, RatingItem, RatingTask, dumps, is_finite_number
from aptone.types.rating import BEST, SET_KINDS, WORST


def seconds_apart(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Mean distance between the starts and between the ends of two intervals, in seconds.

    >>> seconds_apart((0.0, 2.0), (0.5, 3.0))
    0.75
    """
    return (abs(first[0] - second[0]) + abs(first[1] - second[1])) / 2


def overlap(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Intersection over union of two intervals: 1 where they are equal, 0 where they are disjoint.

    >>> overlap((0.0, 2.0), (1.0, 3.0))
    0.3333333333333333
    """
    shared = min(first[1], second[1]) - max(first[0], second[0])  # below 0: a gap, which the union leaves out
    whole = max(first[1], second[1]) - min(first[0], second[0])
    return max(0.0, shared) / (whole - max(0.0, -shared))


def text_distance(first: str, second: str) -> float:
    """Character error rate of two texts, the mean of both directions; 1 where one of them is empty, 0 where both are.

    >>> text_distance("Go now.", "Go now!")  # one of seven
    0.14285714285714285
    """
    if first == second:
        return 0.0
    if not first or not second:
        return 1.0
    distance = edit_distance(first, second)
    return (distance / len(first) + distance / len(second)) / 2


Value = TypeVar("Value")
Floats = npt.NDArray[np.float64]

ByItem = Mapping[str, Mapping[str, Value]]
"""Item to rater to answer; items without an answer are not in it."""


class Answers:
    """Ratings, at most one of each person and item, with a cache of the answers to each question."""

    def __init__(self, ratings: Sequence[Rating]) -> None:
        self.ratings = ratings
        self._taken: dict[tuple[str, object], ByItem[object]] = {}

    def to(self, control: Control, *, read: Callable[[Json], Value | None]) -> ByItem[Value]:
        """Return the answers to one question, as `answers_to` does."""
        key = (control.name, read)
        if key not in self._taken:
            self._taken[key] = answers_to(control, self.ratings, read=read)
        return cast(ByItem[Value], self._taken[key])


def answers_to(control: Control, ratings: Iterable[Rating], *, read: Callable[[Json], Value | None]) -> ByItem[Value]:
    """Map item to rater to the answer to one question, from at most one rating of each person and item.

    `read` returns an answer in the type that it should have, or ``None``.
    """
    found: dict[str, dict[str, Value]] = {}
    name = control.name
    for rating in ratings:
        if (value := read(rating.answers.get(name))) is not None:
            found.setdefault(rating.item, {})[rating.rater] = value
    return found


def as_number(value: Json) -> float | None:
    """Return a finite number, else ``None``."""
    return float(value) if is_finite_number(value) else None


def as_word(value: Json) -> str | None:
    """Return a text that is not blank, else ``None``."""
    return value if isinstance(value, str) and value.strip() else None


def as_times(value: Json) -> tuple[float, float] | None:
    """Return start and end in seconds, else ``None``."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        return None
    start, end = as_number(value[0]), as_number(value[1])
    return (start, end) if start is not None and end is not None and start < end else None


def as_text(value: Json) -> str | None:
    """Return a text, or lines as one text; an empty one is an answer, too: everything was struck out."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and all(isinstance(line, str) for line in value):
        return "\n".join(map(str, value))
    return None


def as_clip_numbers(value: Json) -> dict[str, float] | None:
    """Return a number for each clip of a set, else ``None``: ratings as they are, a ranking as places from 1 on.

    Of a best-worst choice the best clip has 1 and the worst -1; `clip_numbers` fills in 0 for the others.

    >>> as_clip_numbers(["b", "a"]), as_clip_numbers({"best": "a", "worst": "b"})
    ({'b': 1.0, 'a': 2.0}, {'a': 1.0, 'b': -1.0})
    """
    if isinstance(value, list | tuple):
        return {str(clip): float(place) for place, clip in enumerate(value, start=1)} or None
    if not isinstance(value, Mapping) or not value:
        return None
    if isinstance(value.get(BEST), str) and isinstance(value.get(WORST), str):
        return {str(value[BEST]): 1.0, str(value[WORST]): -1.0}
    numbers = {name: number for name, one in value.items() if (number := as_number(one)) is not None}
    return numbers or None


def clip_numbers(given: ByItem[Mapping[str, float]], *, missing: float | None = None) -> ByItem[float]:
    """Take sets apart: item and clip to rater to number.

    Args:
        missing: number of a clip that a rater did not name, though another did; ``None`` for no answer.
    """
    found: dict[str, dict[str, float]] = {}
    for item, by in given.items():
        for clip in dict.fromkeys(clip for numbers in by.values() for clip in numbers):
            column = {rater: numbers.get(clip, missing) for rater, numbers in by.items()}
            found[f"{item}\n{clip}"] = {rater: number for rater, number in column.items() if number is not None}
    return found


def answer_slots(given: ByItem[Value]) -> list[list[Value | None]]:
    """Items × slots, each row filled up with ``None``: who answered does not matter."""
    width = max((len(by) for by in given.values()), default=0)
    return [[*by.values(), *[None] * (width - len(by))] for by in given.values()]


class RatingTable(NamedTuple):
    """Table of items × raters; NaN for missing answers."""

    table: Floats
    items: tuple[str, ...]
    raters: tuple[str, ...]


def rating_table(given: ByItem[float]) -> RatingTable:
    """Build the table of items × raters, raters in the order of their names."""
    raters = sorted({rater for by in given.values() for rater in by})
    column = {rater: place for place, rater in enumerate(raters)}
    table = np.full((len(given), len(raters)), np.nan)
    for row, by in enumerate(given.values()):
        for rater, value in by.items():
            table[row, column[rater]] = value
    return RatingTable(table, tuple(given), tuple(raters))


def complete_block(whole: RatingTable) -> RatingTable:
    """Find a large block of items and raters without missing answers, by greedy search.

    Raters are left out one by one, always the one without whom most items become complete (of equals the one who
    answered least); of the blocks on the way, and of the two raters who share most, the one with the most answers is
    taken, of equals the one with more raters. Where everybody answered everything, that is all of it. Empty where no
    two raters share two items.
    """
    missing = np.isnan(whole.table)
    answered = (~missing).sum(axis=0)
    kept = np.flatnonzero(answered)
    lacking = missing[:, kept].sum(axis=1)
    best: tuple[int, npt.NDArray[np.intp], npt.NDArray[np.bool_]] | None = None
    while kept.size >= 2:
        complete = lacking == 0
        size = int(complete.sum()) * kept.size
        if complete.sum() >= 2 and (best is None or size > best[0]):
            best = (size, kept, complete)
        gained = missing[lacking == 1][:, kept].sum(axis=0)
        leaving = int(np.lexsort((answered[kept], -gained))[0])
        lacking = lacking - missing[:, kept[leaving]]
        kept = np.delete(kept, leaving)
    together = shared_items(whole.table)
    if together.size and 2 * together.max() > (best[0] if best else 2):
        pair = np.array(np.unravel_index(int(together.argmax()), together.shape))
        best = (2 * int(together.max()), pair, missing[:, pair].sum(axis=1) == 0)
    if best is None:
        return RatingTable(np.empty((0, 0)), (), ())
    _, columns, rows = best
    return RatingTable(
        whole.table[np.ix_(rows, columns)],
        tuple(item for item, is_kept in zip(whole.items, rows, strict=True) if is_kept),
        tuple(whole.raters[column] for column in columns),
    )


def shared_items(table: Floats) -> npt.NDArray[np.int64]:
    """Raters × raters: how many items two of them answered both, above the diagonal; 0 elsewhere."""
    given = (~np.isnan(table)).astype(np.float64)  # whole numbers have no fast product
    return np.triu((given.T @ given).astype(np.int64), k=1)


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
    """Ratings of a task, raters who do not count and why, and the ratings that count by item and name of rater."""

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
    >>> combined_answer(mood, ["calm", "sad", "Calm "])
    'calm'
    """
    if control.kind == "scale":
        numbers = [number for one in given if (number := as_number(one)) is not None]
        return math.fsum(numbers) / len(numbers) if numbers else None
    if control.kind == "boundaries":
        times = [ends for one in given if (ends := as_times(one)) is not None]
        return [math.fsum(column) / len(times) for column in zip(*times, strict=True)] if times else None
    if control.kind in SET_KINDS:
        return _combined_set(control, given)
    answered = [one for one in given if one is not None and (not isinstance(one, str) or as_word(one))]
    counts = Counter(map(_key, answered))
    best = [key for key, count in counts.most_common() if count == max(counts.values())]
    if len(best) != 1:
        return None
    return next(one for one in answered if _key(one) == best[0])


def _combined_set(control: Control, given: Sequence[Json]) -> Json:
    """Combine answers about a set: the mean of each clip; the order of mean places; the highest and the lowest mean."""
    whole = {str(place): numbers for place, one in enumerate(given) if (numbers := as_clip_numbers(one)) is not None}
    columns = clip_numbers({"": whole}, missing=0.0 if control.kind == "best-worst" else None)
    means = {key.removeprefix("\n"): math.fsum(by.values()) / len(by) for key, by in columns.items()}
    if not means:
        return None
    if control.kind == "ratings":
        return {**means}
    ordered = sorted(means, key=means.__getitem__)
    return [*ordered] if control.kind == "ranking" else {BEST: ordered[-1], WORST: ordered[0]}


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

    Tests and attention checks are left out.
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
        spreads = {
            control.name: spread
            for control in task.controls
            if (spread := control_spread(control, [one.answers.get(control.name) for one in given])) is not None
        }
        largest = max(spreads.values(), default=0.0)
        found.append(Disagreement(item, len(given), largest, spreads, item in adjudications))
    order = {item.id: place for place, item in enumerate(task.items)}
    return tuple(sorted(found, key=lambda one: (-one.spread, -sum(one.controls.values()), order[one.item])))


def control_spread(control: Control, answers: Sequence[Json]) -> float | None:
    """Spread of the answers to one question, 0 to 1; ``None`` for free text, or with fewer than two answers.

    The range of a scale's answers over the length of the scale; the share that does not side with the majority; one
    minus the smallest overlap of two stretches; the largest character error rate of two texts, at most 1. Of a set, the
    largest range of a clip's numbers over what is possible.
    """
    if control.kind in SET_KINDS:
        return _set_spread(control, answers)
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


def _set_spread(control: Control, answers: Sequence[Json]) -> float | None:
    sets = {str(place): numbers for place, one in enumerate(answers) if (numbers := as_clip_numbers(one)) is not None}
    if len(sets) < 2:
        return None
    columns = clip_numbers({"": sets}, missing=0.0 if control.kind == "best-worst" else None).values()
    largest = max(max(by.values()) - min(by.values()) for by in columns)
    possible = {"ratings": control.high - control.low, "ranking": max(1, len(columns) - 1), "best-worst": 2.0}
    return min(1.0, largest / possible[control.kind])
