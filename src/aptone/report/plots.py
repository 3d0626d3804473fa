"""The geometry of the plots: numbers in, places on a drawing out. The templates only draw what stands here."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.report.figures import figure
from aptone.types import Score, ScoreState

BINS = 10
"""Bars of a histogram whose values lie on no coarse grid."""

MOST_GRID_BARS = 13
"""Values on a grid get a bar each, up to this many."""


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

    def across(self, share: float) -> float:
        """Place of a share from 0 to 1 along the horizontal axis."""
        return round(self.left + share * (self.end - self.left), 2)

    def up(self, share: float) -> float:
        """Place of a share from 0 to 1 along the vertical axis."""
        return round(self.base - share * (self.base - self.top), 2)


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
    mean: float
    median: float
    median_at: float


def histogram(name: str, scores: Sequence[Score | None]) -> Histogram:
    """The distribution of a score.

    Values that all lie on a grid of wholes or halves get one bar each, centred on the value, as long as that makes at
    most `MOST_GRID_BARS`; others get ten equal bins over the range of the scale, or over what was seen where the scale
    is open. The last bin includes its upper end.

    Args:
        name: of the score.
        scores: one for each item; ``None`` where the item has no such score.
    """
    frame = Frame()
    present = [score for score in scores if score is not None]
    values = [score.value for score in present if score.is_defined]
    not_needed = sum(score.state is ScoreState.NOT_NEEDED for score in present)
    counted = {"defined": len(values), "undefined": len(scores) - len(values) - not_needed, "not_needed": not_needed}
    unit = next((score.unit for score in present if score.unit), "")
    if not values:
        return Histogram(name, unit, frame, (), (), (), mean=math.nan, median=math.nan, median_at=math.nan, **counted)
    ranges = {score.range for score in present if score.is_defined}
    low, high = min(values), max(values)
    if len(ranges) == 1 and (one := ranges.pop()) is not None:
        low, high = one
    step = _grid(values, low, high)
    edges = _edges(low, high, step)
    counts = np.histogram(np.array(values), bins=edges)[0]
    tallest = _nice_ceiling(int(counts.max()))
    span = float(edges[-1] - edges[0])

    def along(value: float) -> float:
        return frame.across((value - float(edges[0])) / span)

    bars = []
    for index, count in enumerate(counts):
        left, right = float(edges[index]), float(edges[index + 1])
        x, end, y = along(left), along(right), frame.up(int(count) / tallest)
        label = figure((left + right) / 2) if step else f"{figure(left)} – {figure(right)}"
        bars.append(Bar(x + 1.5, y, round(end - x - 3, 2), round(frame.base - y, 2), int(count), label))
    marks = [low + step * index for index in range(len(counts))] if step else [float(edge) for edge in edges]
    every = 1 if len(marks) <= 8 else 2
    return Histogram(
        name,
        unit,
        frame,
        tuple(bars),
        x_ticks=tuple(Tick(along(mark), figure(mark)) for mark in marks[::every]),
        y_ticks=tuple(Tick(frame.up(mark / tallest), str(mark)) for mark in _whole_marks(tallest)),
        mean=statistics.fmean(values),
        median=statistics.median(values),
        median_at=along(statistics.median(values)),
        **counted,
    )


def _grid(values: Sequence[float], low: float, high: float) -> float:
    """Width of the grid that all values lie on, or 0."""
    for step in (1.0, 0.5):
        steps = [(value - low) / step for value in [*values, high]]
        if steps[-1] + 1 <= MOST_GRID_BARS and all(place == round(place) for place in steps):
            return step
    return 0.0


def _edges(low: float, high: float, step: float) -> npt.NDArray[np.float64]:
    if step:
        return np.linspace(low - step / 2, high + step / 2, round((high - low) / step) + 2)
    return np.linspace(low, high, BINS + 1)


def _nice_ceiling(count: int) -> int:
    """The next of 1, 2, 4, 5, 6, 8, 10 times a power of ten: an axis that ends at a round number."""
    power = int("1" + "0" * (len(str(count)) - 1))
    return next(power * factor for factor in (1, 2, 4, 5, 6, 8, 10) if power * factor >= count)


def _whole_marks(top: int) -> list[int]:
    return [0, top // 2, top] if top % 2 == 0 else [0, top]


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
    """The judge against people; ``None`` without pairs.

    Args:
        pairs: item id, what people gave, what the judge gave.
        range: of the scale; widened to hold what was seen.
    """
    if not pairs:
        return None
    seen = [value for _, human, judged in pairs for value in (human, judged)]
    low, high = min([*seen, *(range or ())]), max([*seen, *(range or ())])
    if low == high:
        low, high = low - 0.5, high + 0.5
    frame = Frame()
    marks = [low + (high - low) * index / 5 for index in (0, 1, 2, 3, 4, 5)]
    shares = [(mark - low) / (high - low) for mark in marks]
    return Scatter(
        frame,
        tuple(
            Point(
                frame.across((human - low) / (high - low)),
                frame.up((judged - low) / (high - low)),
                f"{name}: {figure(human)} / {figure(judged)}",
            )
            for name, human, judged in pairs
        ),
        x_ticks=tuple(Tick(frame.across(share), figure(mark)) for share, mark in zip(shares, marks, strict=True)),
        y_ticks=tuple(Tick(frame.up(share), figure(mark)) for share, mark in zip(shares, marks, strict=True)),
    )


def waveform(samples: npt.NDArray[np.float32], *, columns: int = 160, height: float = 40.0) -> str:
    """The outline of a sound as an SVG path of vertical strokes, one a column, scaled to its loudest sample.

    Args:
        samples: at least one.
        columns: strokes, 4 units apart.
        height: of the drawing.
    """
    pieces = np.array_split(np.abs(samples), min(columns, samples.size))
    peaks = np.array([float(piece.max()) for piece in pieces])
    peaks = peaks / peaks.max() if peaks.max() > 0 else peaks
    middle = height / 2
    pitch = 4 * columns / len(pieces)
    strokes = []
    for index, peak in enumerate(peaks):
        half = max(0.5, peak * (middle - 1))
        strokes.append(f"M{(index + 0.5) * pitch:g} {middle - half:.1f}V{middle + half:.1f}")
    return "".join(strokes)
