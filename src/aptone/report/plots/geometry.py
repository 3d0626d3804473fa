"""The geometry of the plots: numbers in, places on a drawing out. The templates only draw what stands here."""

import math
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from aptone.report.notation import between, exponent_of, figure, median, share
from aptone.types import Score, ScoreState

BINS = 10
"""Bars of a histogram whose values lie on no coarse grid."""

MOST_GRID_BARS = 13
"""Values on a grid get a bar each, up to this many."""

LARGEST_GRID = 2.0**50
"""Beyond this, halves are no longer exact."""

SAME = 1e-9
"""Values closer together than this share of their size differ by rounding only, and are drawn as one."""


WIDEST_BAR = 60.0
"""Of a histogram, in the units of its frame: one value of all items is a bar, and not a wall."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A drawing and the part of it that holds the data, in its own units; y grows downwards."""

    width: float = 360.0
    height: float = 290.0
    left: float = 44.0
    right: float = 14.0
    top: float = 22.0
    bottom: float = 46.0

    @property
    def base(self) -> float:
        """Height of the horizontal axis."""
        return self.height - self.bottom

    @property
    def end(self) -> float:
        """Right end of the horizontal axis."""
        return self.width - self.right

    def across(self, part: float) -> float:
        """Place of a part from 0 to 1 along the horizontal axis."""
        return round(self.left + part * (self.end - self.left), 2)

    def up(self, part: float) -> float:
        """Place of a part from 0 to 1 along the vertical axis."""
        return round(self.base - part * (self.base - self.top), 2)


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its place, how many values it holds, and which."""

    x: float
    y: float
    width: float
    height: float
    count: int
    label: str


@dataclass(frozen=True, slots=True)
class Histogram:
    """A distribution. `undefined` and `not_needed` are counted beside it, never drawn as zero."""

    name: str
    unit: str
    frame: Frame
    bars: tuple[Bar, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    defined: int
    undefined: int
    not_needed: int
    median: float
    median_at: float


@dataclass(slots=True)
class ScoreColumn:
    """The numbers of one score.

    Args:
        items: items that could have it, those without included.
        ranges: scales of the numbers.
    """

    items: int = 0
    values: "array[float]" = field(default_factory=lambda: array("d"))
    not_needed: int = 0
    unit: str = ""
    ranges: set[tuple[float, float] | None] = field(default_factory=set)

    def add(self, score: Score) -> None:
        """Add the score of an item, whether it is a number or not; `items` is counted by whoever knows them."""
        self.unit = self.unit or score.unit
        if score.is_defined:
            self.values.append(score.value)
            self.ranges.add(score.range)
        elif score.state is ScoreState.NOT_NEEDED:
            self.not_needed += 1


def score_column(scores: Sequence[Score | None]) -> ScoreColumn:
    """Return the column of some items' scores; ``None`` where an item has none."""
    column = ScoreColumn(items=len(scores))
    for score in scores:
        if score is not None:
            column.add(score)
    return column


def histogram(name: str, scores: Sequence[Score | None] | ScoreColumn) -> Histogram:
    """The distribution of a score.

    Values that all lie on a grid of wholes or halves get one bar each, centred on the value, as long as that makes at
    most `MOST_GRID_BARS`; others get ten equal bins over the range of the scale, or over what was seen where the scale
    is open. The last bin includes its upper end. Values that differ by rounding only make one bar. Every finite value
    can be drawn, however large or small.

    Args:
        scores: one for each item, ``None`` where the item has no such score; or the column of them.
    """
    frame = Frame()
    column = scores if isinstance(scores, ScoreColumn) else score_column(scores)
    values, not_needed, unit = column.values, column.not_needed, column.unit
    counted = {"defined": len(values), "undefined": column.items - len(values) - not_needed, "not_needed": not_needed}
    if not values:
        return Histogram(name, unit, frame, (), (), (), median=math.nan, median_at=math.nan, **counted)
    low, high = min(values), max(values)
    if len(column.ranges) == 1 and (one := next(iter(column.ranges))) is not None:
        low, high = one
    bins = _bins(values, low, high)
    tallest = nice_ceiling(max(bins.counts))

    def along(value: float) -> float:
        part = share(value, bins.low, bins.high)
        return frame.across(0.5 if math.isnan(part) else part)

    bars = []
    for index, (count, label) in enumerate(zip(bins.counts, bins.labels, strict=True)):
        x, end = frame.across(index / len(bins.counts)), frame.across((index + 1) / len(bins.counts))
        y = frame.up(count / tallest)
        width = min(end - x - 3, WIDEST_BAR)
        bars.append(Bar(round((x + end - width) / 2, 2), y, round(width, 2), round(frame.base - y, 2), count, label))
    every = 1 if len(bins.marks) <= 8 else 2
    wholes = (0, tallest // 2, tallest) if tallest % 2 == 0 else (0, tallest)
    middle = median(values)
    return Histogram(
        name,
        unit,
        frame,
        tuple(bars),
        x_ticks=tuple(Tick(along(mark), figure(mark)) for mark in bins.marks[::every]),
        y_ticks=tuple(Tick(frame.up(mark / tallest), str(mark)) for mark in wholes),
        median=middle,
        median_at=along(middle),
        **counted,
    )


@dataclass(frozen=True, slots=True)
class _Bins:
    """Equal bins from `low` to `high` with their counts and labels, and the values at which the axis is marked."""

    low: float
    high: float
    counts: tuple[int, ...]
    labels: tuple[str, ...]
    marks: tuple[float, ...]


def _bins(values: Sequence[float], low: float, high: float) -> _Bins:
    if high - low <= SAME * max(abs(low), abs(high)):
        middle = median(values)
        return _Bins(middle, middle, (len(values),), (figure(middle),), (middle,))
    if step := _grid(values, low, high):
        places = round((high - low) / step) + 1
        marks = tuple(low + step * index for index in range(places))
        counts = _counts(values, np.linspace(low - step / 2, high + step / 2, places + 1))
        return _Bins(low - step / 2, high + step / 2, counts, tuple(map(figure, marks)), marks)
    exponent = exponent_of((low, high))
    edges = np.linspace(math.ldexp(low, -exponent), math.ldexp(high, -exponent), BINS + 1)
    counts = _counts([math.ldexp(value, -exponent) for value in values], edges)
    ends = [math.ldexp(float(edge), exponent) for edge in edges]
    labels = tuple(f"{figure(left)} – {figure(right)}" for left, right in pairwise(ends))
    return _Bins(low, high, counts, labels, tuple(ends))


def _counts(values: Sequence[float], edges: npt.NDArray[np.float64]) -> tuple[int, ...]:
    return tuple(int(count) for count in np.histogram(np.array(values), bins=edges)[0])


def _grid(values: Sequence[float], low: float, high: float) -> float:
    """Width of the grid that all values lie on, or 0."""
    if max(abs(low), abs(high)) > LARGEST_GRID:
        return 0.0
    for step in (1.0, 0.5):
        steps = [(value - low) / step for value in [*values, high]]
        if steps[-1] + 1 <= MOST_GRID_BARS and all(place == round(place) for place in steps):
            return step
    return 0.0


def nice_ceiling(count: int) -> int:
    """An axis that ends at a round number, at most a third above the count.

    >>> [nice_ceiling(count) for count in (1, 3, 7, 11, 21, 130)]
    [1, 4, 8, 12, 24, 140]
    """
    power = int("1" + "0" * (len(str(count)) - 1))
    tenths = (10, 20, 40, 50, 60, 80, 100) if power == 1 else (10, 12, 14, 16, 18, 20, 24, 30, 40, 50, 60, 80, 100)
    return next(power * tenth // 10 for tenth in tenths if power * tenth // 10 >= count)


@dataclass(frozen=True, slots=True)
class Point:
    """One item in the plot of the judge against people."""

    x: float
    y: float
    label: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """The judge (upwards) against people (to the right), on one scale; the diagonal is perfect agreement."""

    frame: Frame
    points: tuple[Point, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


def scatter(pairs: Sequence[tuple[str, float, float]], *, range: tuple[float, float] | None) -> Scatter | None:
    """The judge against people, by (item, people, judge), on a range widened to them; ``None`` without pairs."""
    if not pairs:
        return None
    seen = [value for _, human, judged in pairs for value in (human, judged)]
    low, high = min([*seen, *(range or ())]), max([*seen, *(range or ())])
    if high - low <= SAME * max(abs(low), abs(high)):
        margin = max(0.5, abs(low) / 1000)
        low, high = max(-sys.float_info.max, low - margin), min(sys.float_info.max, high + margin)
    frame = Frame()
    parts = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    labels = [figure(between(low, high, part)) for part in parts]
    return Scatter(
        frame,
        tuple(
            Point(
                frame.across(share(human, low, high)),
                frame.up(share(judged, low, high)),
                f"{name}: {figure(human)} / {figure(judged)}",
            )
            for name, human, judged in pairs
        ),
        x_ticks=tuple(Tick(frame.across(part), label) for part, label in zip(parts, labels, strict=True)),
        y_ticks=tuple(Tick(frame.up(part), label) for part, label in zip(parts, labels, strict=True)),
    )


def waveform(samples: npt.NDArray[np.float32], *, columns: int = 160, height: float = 40.0) -> str:
    """Outline of a sound as an SVG path of vertical strokes, 4 units apart, scaled to its loudest sample."""
    pieces = np.array_split(np.abs(samples), min(columns, samples.size))
    peaks = np.array([float(piece.max()) for piece in pieces])
    peaks = peaks / peaks.max() if peaks.max() > 0 else peaks
    middle = height / 2
    pitch = 4 * columns / len(pieces)
    halves = np.maximum(0.5, peaks * (middle - 1))
    return "".join(f"M{(i + 0.5) * pitch:g} {middle - half:.1f}V{middle + half:.1f}" for i, half in enumerate(halves))
