"""Report of the ear's figures: a table beside the goals, and a record with all significant digits."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass

from aptone.types import Estimate
from benchmarks.ear_rows import Seeds
from benchmarks.ear_scores import Measured

Details = Mapping[str, object]


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Args:
        task: what is measured.
        ours: the ear that comes with Aptone.
        runs: networks of the same recipe, not shipped.
        plain: the rival by the recipe that the goals were set beside.
        tuned: the rival with a recipe chosen on the dev parts.
        goal: what ours should reach.
        at_most: whether smaller is better.
    """

    task: str
    ours: Measured | float | None = None
    runs: Seeds | None = None
    plain: Measured | None = None
    tuned: Measured | None = None
    goal: float | None = None
    at_most: bool = False

    @property
    def value(self) -> float:
        """Value compared with the goal: ours or, where there is none, the mean of the runs; NaN without either."""
        if isinstance(self.ours, Measured):
            return self.ours.value
        if self.ours is not None:
            return self.ours
        return self.runs.mean.value if self.runs is not None else math.nan

    @property
    def met(self) -> bool | None:
        """True if the goal is reached; None where there is no goal or no figure."""
        if self.goal is None or math.isnan(self.value):
            return None
        return self.value <= self.goal if self.at_most else self.value >= self.goal


@dataclass(frozen=True)
class Section:
    """A part of the benchmark: its rows, and whatever else is worth keeping."""

    rows: Sequence[Row] = ()
    details: Details = field(default_factory=dict)
    skipped: str = ""


def table(section: Section) -> str:
    """The rows, and the remarks of a section, as text."""
    if section.skipped:
        return f"skipped: {section.skipped}"
    titles = ("task", "plain rival", "tuned rival", "ours", "runs", "goal", "")
    lines = [titles, *(_cells(row) for row in section.rows)] if section.rows else []
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles))] if lines else []
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    return "\n".join([*shown, *(f"{name}: {_short(value)}" for name, value in section.details.items())])


def _cells(row: Row) -> tuple[str, ...]:
    sign = "≤" if row.at_most else "≥"
    runs = ""
    if row.runs is not None:
        low, high = row.runs.spread
        runs = f"{_with_interval(row.runs.mean)} ({low:.3f}–{high:.3f}, {len(row.runs.each)} runs)"
    met = {True: "met", False: "MISSED", None: ""}[row.met]
    goal = "" if row.goal is None else f"{sign} {row.goal:g}"
    return row.task, _with_interval(row.plain), _with_interval(row.tuned), _with_interval(row.ours), runs, goal, met


def _with_interval(figure: Measured | float | None) -> str:
    if figure is None:
        return ""
    if not isinstance(figure, Measured):
        return f"{figure:.3g}" if figure < 100 else f"{figure:.0f}"
    estimate = figure.over_clips
    if math.isnan(estimate.low):
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def _short(value: object) -> str:
    text = str(as_json(value))
    return text if len(text) <= 1500 else f"{text[:1500]} …"


def as_json(value: object) -> object:
    """Plain JSON of figures: four digits after the point, None for NaN."""
    if isinstance(value, float):
        return None if math.isnan(value) else round(value, 4)
    if isinstance(value, Measured):
        return as_json(value.over_clips) | {"over_speakers": as_json(value.over_speakers)}  # type: ignore[operator]
    if isinstance(value, Estimate):
        kept = {"value": value.value, "low": value.low, "high": value.high, "count": value.count}
        return {name: as_json(one) for name, one in kept.items()} | ({"reason": value.reason} if value.reason else {})
    if isinstance(value, Row):
        return {one.name: as_json(getattr(value, one.name)) for one in fields(value)} | {"met": value.met}
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: as_json(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): as_json(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(one) for one in value]
    return value
