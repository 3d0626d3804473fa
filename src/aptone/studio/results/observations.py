"""Ratings of a listening test as numbers by rater, text and system."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from aptone.ratings.listening_tests import SYSTEM, SYSTEMS, TEXT_ID, X_IS
from aptone.stats.choices import BestWorst
from aptone.types import Control, Json, Rating, RatingItem, RatingTask, is_finite_number
from aptone.types.rating import BEST, SAME, WORST

Design = Literal["rated", "paired", "abx"]
"""``rated``: numbers by system; ``paired``: comparisons of two systems; ``abx``: right or wrong."""
Unit = Literal["score", "comparison", "share", "best-worst", "place", "hits"]


@dataclass(frozen=True, slots=True)
class Observation:
    """One number about one system; higher is better."""

    rater: str
    item: str
    system: str
    value: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Comparison of two systems: above 0 if the second is better. Of an ABX trial 1 for a hit and 0 for a miss.

    Args:
        shown_first: system that the person was shown first; empty where it is not known.
    """

    rater: str
    item: str
    first: str
    second: str
    value: float
    shown_first: str = ""


@dataclass(frozen=True, slots=True)
class CollectedData:
    """What a test collected.

    Args:
        control: the question that it rests on.
        unit: of the numbers.
        choices: best-worst choices, systems by their place in `systems`; empty for other tests.
    """

    design: Design
    control: Control
    unit: Unit
    systems: tuple[str, ...]
    observations: tuple[Observation, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    choices: tuple[BestWorst, ...] = ()


def kind_of_test(task: RatingTask) -> str:
    """Name of the test that a task is: its own, or what its questions and hidden systems make of it; empty for none."""
    if task.test:
        return task.test
    if _control(task, ("preference",)) is not None and any(SYSTEMS in item.hidden for item in task.items):
        return "ab"
    if _control(task, ("scale",)) is not None and any(SYSTEM in item.hidden for item in task.items):
        return "mos"
    return ""


def read_test(task: RatingTask, ratings: Iterable[Rating]) -> CollectedData | None:
    """Read the ratings of a listening test; ``None`` for a task that compares no systems."""
    items = {item.id: item for item in task.items}
    rows = [(rating, items[rating.item]) for rating in ratings if rating.item in items]
    kinds = {"mos": ("scale",), "cmos": ("scale",), "ab": ("preference",), "abx": ("preference",)}
    kind = kind_of_test(task)
    control = _control(task, kinds.get(kind, ("ratings", "ranking", "best-worst")))
    if not kind or control is None:
        return None
    systems = _systems(task.items)
    if kind == "abx":
        return CollectedData("abx", control, "hits", systems, comparisons=tuple(_trials(rows, control)))
    if kind in ("cmos", "ab"):
        compared = tuple(_comparisons(rows, control, is_scale=kind == "cmos"))
        return CollectedData(
            "paired", control, "comparison" if kind == "cmos" else "share", systems, comparisons=compared
        )
    if kind == "mos":
        single = [
            Observation(rating.rater, _text(item), str(item.hidden[SYSTEM]), float(value))
            for rating, item in rows
            if SYSTEM in item.hidden and is_finite_number(value := rating.answers.get(control.name))
        ]
        return CollectedData("rated", control, "score", systems, tuple(single))
    unit: Unit = {"ranking": "place", "best-worst": "best-worst"}.get(control.kind, "score")  # type: ignore[assignment]
    found = [one for rating, item in rows for one in _of_set(rating, item, control)]
    choices = [one for rating, item in rows if (one := _choice(rating, item, control, systems)) is not None]
    return CollectedData("rated", control, unit, systems, tuple(found), choices=tuple(choices))


def _control(task: RatingTask, kinds: Sequence[str]) -> Control | None:
    return next((control for control in task.controls if control.kind in kinds), None)


def _systems(items: Sequence[RatingItem]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for item in items:
        named = item.hidden.get(SYSTEMS)
        if isinstance(named, Mapping):
            names |= dict.fromkeys(map(str, named.values()))
        elif SYSTEM in item.hidden:
            names[str(item.hidden[SYSTEM])] = None
    return tuple(names)


def _text(item: RatingItem) -> str:
    return str(item.hidden.get(TEXT_ID, item.id))


def _system(item: RatingItem, clip: str) -> str:
    named = item.hidden.get(SYSTEMS)
    return str(named[clip]) if isinstance(named, Mapping) and clip in named else clip


def _of_set(rating: Rating, item: RatingItem, control: Control) -> list[Observation]:
    """Numbers of a set. A place becomes the share of the others that the clip beats; best and worst are 1 and -1."""
    shown = item.fields.get(control.prefill)
    clips = [str(clip) for clip in shown] if isinstance(shown, list | tuple) else []
    given: Json = rating.answers.get(control.name)
    values: dict[str, float] = {}
    if control.kind == "ratings" and isinstance(given, Mapping):
        values = {clip: float(one) for clip in clips if is_finite_number(one := given.get(clip))}
    elif control.kind == "ranking" and isinstance(given, list | tuple) and len(given) == len(clips):
        values = {str(clip): 1 - place / (len(clips) - 1) for place, clip in enumerate(given)}
    elif control.kind == "best-worst" and isinstance(given, Mapping) and len(given) == 2:
        values = {clip: float(clip == given.get(BEST)) - float(clip == given.get(WORST)) for clip in clips}
    return [Observation(rating.rater, _text(item), _system(item, clip), value) for clip, value in values.items()]


def _choice(rating: Rating, item: RatingItem, control: Control, systems: Sequence[str]) -> BestWorst | None:
    given, shown = rating.answers.get(control.name), item.fields.get(control.prefill)
    if control.kind != "best-worst" or not isinstance(given, Mapping) or not isinstance(shown, list | tuple):
        return None
    if len(given) != 2:
        return None
    place = {clip: systems.index(_system(item, str(clip))) for clip in map(str, shown)}
    return BestWorst(tuple(place.values()), place[str(given[BEST])], place[str(given[WORST])])


def _pair(item: RatingItem, control: Control) -> tuple[str, str] | None:
    """Clips of the pair in the order of the task."""
    names = [control.prefill] if control.prefill else list(item.fields)
    for name in names:
        value = item.fields.get(name)
        if isinstance(value, list | tuple) and len(value) == 2 and all(clip in item.audio for clip in value):
            return str(value[0]), str(value[1])
    return None


def _comparisons(
    rows: Iterable[tuple[Rating, RatingItem]], control: Control, *, is_scale: bool
) -> Iterable[Comparison]:
    """Comparisons, second of the task's order against first."""
    for rating, item in rows:
        pair, given = _pair(item, control), rating.answers.get(control.name)
        if pair is None:
            continue
        shown = _shown_pair(rating, pair)
        if is_scale:
            value = corrected_comparison(rating, item, control)
            if math.isnan(value):
                continue
        elif given in (*pair, SAME):
            value = 0.0 if given == SAME else 1.0 if given == pair[1] else -1.0
        else:
            continue
        first = _system(item, shown[0]) if shown else ""
        yield Comparison(rating.rater, _text(item), _system(item, pair[0]), _system(item, pair[1]), value, first)


def corrected_comparison(rating: Rating, item: RatingItem, control: Control) -> float:
    """Answer of CMOS as the second clip of the task's order against the first; NaN without an answer or an order.

    What people answer is about what they were shown second, so the sign of a person who had the other order turns.
    """
    pair, given = _pair(item, control), rating.answers.get(control.name)
    shown = _shown_pair(rating, pair) if pair is not None else None
    if pair is None or shown is None or not is_finite_number(given):
        return math.nan
    return float(given) if shown == pair else 0.0 - float(given)


def _shown_pair(rating: Rating, pair: tuple[str, str]) -> tuple[str, str] | None:
    """Clips of a pair in the order of the person; ``None`` where it is not known."""
    shown = [clip for clip in rating.shown if clip in pair]
    return (shown[0], shown[1]) if len(shown) == 2 else None


def _trials(rows: Iterable[tuple[Rating, RatingItem]], control: Control) -> Iterable[Comparison]:
    for rating, item in rows:
        pair, given = _pair(item, control), rating.answers.get(control.name)
        if pair is not None and given in pair and X_IS in item.hidden:
            first, second = (_system(item, clip) for clip in pair)
            hit, shown = float(given == item.hidden[X_IS]), _shown_pair(rating, pair)
            yield Comparison(rating.rater, item.id, first, second, hit, _system(item, shown[0]) if shown else "")
