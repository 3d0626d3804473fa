"""Quantities over time as paths: any number of values, on a drawing that is some hundred columns wide.

Where there are more values than columns, a column shows its median as a line and the range from its 10th to its 90th
percentile as a band. Values that are not finite are gaps, never zero.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from aptone.report.notation import clock, figure
from aptone.report.plots.geometry import Frame, Tick

Floats = npt.NDArray[np.float64]

TIME_STEPS = (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400)
"""Seconds between two marks on the axis of time."""

ROUND = ((1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9), (1, 1.5, 2, 3, 4, 6, 8), (1, 2, 3, 5), (1, 2, 5), (1,))
"""Frequencies that are marked, times a power of ten; the first choice that has room is taken."""

NOTE_NAMES = ("C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B")


NOTE_CHOICES = (((0, 2, 4, 5, 7, 9, 11), 1), ((0, 4, 7), 3), ((0, 7), 5), ((0,), 12))
"""Notes of an octave that are marked, in semitones above C, and the smallest distance of two in semitones."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The two ends of a vertical axis, linear or logarithmic."""

    low: float
    high: float
    logarithmic: bool = False

    def part(self, value: float) -> float:
        """Return the position of a number between the low end (0) and the high end (1).

        >>> Axis(100.0, 400.0, logarithmic=True).part(200.0), Axis(-1.0, 1.0).part(0.5)
        (0.5, 0.75)
        """
        return float(self.parts(np.array(value)))

    def parts(self, values: Floats) -> Floats:
        """The same for many numbers; NaN stays NaN."""
        if self.logarithmic:
            return np.log(values / self.low) / math.log(self.high / self.low)
        return (values - self.low) / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Columns:
    """Values over time, reduced to columns: the place of each from 0 to 1, and what it holds; NaN for a gap."""

    at: Floats
    low: Floats
    middle: Floats
    high: Floats

    @property
    def is_reduced(self) -> bool:
        """Check that some column holds more than one value."""
        return bool(np.any(self.high > self.low))

    @property
    def is_empty(self) -> bool:
        """Check that every column is a gap."""
        return not np.isfinite(self.middle).any()


def reduce_to_columns(values: npt.ArrayLike, *, step: float, seconds: float, columns: int) -> Columns:
    """Values that stand at (i + 1/2) · `step` seconds, on an axis of `seconds`, in at most so many columns.

    >>> reduce_to_columns([1.0, math.nan, 3.0, 5.0], step=0.5, seconds=2.0, columns=2).middle.tolist()
    [1.0, 4.0]
    """
    array = np.asarray(values, dtype=np.float64)
    array = array[: max(0, math.ceil(min(array.size, seconds / step)))]
    at = np.clip((np.arange(array.size) + 0.5) * step / seconds, 0.0, 1.0)
    array = np.where(np.isfinite(array), array, np.nan)
    if array.size <= columns:
        return Columns(at, array, array, array)
    edges = np.linspace(0, array.size, columns + 1).astype(np.int64)
    rows = np.array([_spread(array[begin:end]) for begin, end in pairwise(edges.tolist())])
    return Columns((at[edges[:-1]] + at[edges[1:] - 1]) / 2, rows[:, 0], rows[:, 1], rows[:, 2])


def _spread(values: Floats) -> tuple[float, float, float]:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return math.nan, math.nan, math.nan
    low, middle, high = np.percentile(finite, (10, 50, 90))
    return float(low), float(middle), float(high)


def line_path(frame: Frame, at: Floats, parts: Floats) -> str:
    """An SVG path through places across and up, both from 0 to 1; it is broken at NaN, and a lone value is a dash.

    >>> line_path(Frame(100, 10, 0, 0, 0, 0), np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, math.nan]))
    'M0 10L50 0'
    """
    reach = (
        max(2.0, (frame.end - frame.left) * float(at[1] - at[0]) / 2) if at.size > 1 else (frame.end - frame.left) / 8
    )
    path = []
    for run in _runs(parts):
        points = [(frame.across(at[i]), frame.up(parts[i])) for i in run]
        if len(points) == 1:  # as long as the stretch of time that it stands for, within the frame
            ((x, y),) = points
            points = [(max(frame.left, x - reach), y), (min(frame.end, x + reach), y)]
        path.append("M" + "L".join(f"{_short(x)} {_short(y)}" for x, y in points))
    return "".join(path)


def band_path(frame: Frame, at: Floats, low: Floats, high: Floats) -> str:
    """An SVG path around the area between two lines, broken where either is NaN; a lone value has no area."""
    path = []
    for run in _runs(low + high):
        upper = [f"{_short(frame.across(at[i]))} {_short(frame.up(high[i]))}" for i in run]
        lower = [f"{_short(frame.across(at[i]))} {_short(frame.up(low[i]))}" for i in reversed(run)]
        if len(upper) > 1:
            path.append("M" + "L".join(upper + lower) + "Z")
    return "".join(path)


def outline_path(frame: Frame, samples: npt.NDArray[np.float32], *, columns: int) -> str:
    """The sound from the smallest to the largest sample of each column, as a filled shape scaled to the loudest."""
    peak = float(np.abs(samples).max())
    count = min(columns, samples.size)
    begins = np.linspace(0, samples.size, count + 1).astype(np.int64)[:-1]
    scale = 0.5 / peak if peak > 0 else 0.0
    high = 0.5 + scale * np.maximum.reduceat(samples, begins).astype(np.float64)
    low = 0.5 + scale * np.minimum.reduceat(samples, begins).astype(np.float64)
    hair = 0.5 / (frame.base - frame.top)  # so that silence is seen as a line
    return band_path(frame, np.linspace(0.0, 1.0, count), np.minimum(low, 0.5 - hair), np.maximum(high, 0.5 + hair))


def time_ticks(frame: Frame, seconds: float) -> tuple[Tick, ...]:
    """Round times along the horizontal axis, so far apart that their labels fit; minutes from one minute on.

    >>> [tick.label for tick in time_ticks(Frame(500, 10, 0, 0, 0, 0), 2.5)]
    ['0 s', '0.5 s', '1 s', '1.5 s', '2 s', '2.5 s']
    """
    spacing = 54.0 if seconds < 3600 else 72.0
    most = max(1.0, (frame.end - frame.left) / spacing)
    step = next((step for step in TIME_STEPS if seconds / step <= most), 86400.0)
    marks = [step * index for index in range(int(seconds / step + 1e-9) + 1)]
    return tuple(
        Tick(frame.across(mark / seconds), f"{figure(mark)} s" if seconds < 60 else clock(mark)) for mark in marks
    )


def frequency_ticks(frame: Frame, axis: Axis, *, spacing: float = 17.0) -> tuple[Tick, ...]:
    """Round frequencies in Hz along a vertical axis, at least `spacing` units apart.

    >>> [tick.label for tick in frequency_ticks(Frame(10, 100, 0, 0, 0, 0), Axis(100.0, 400.0, logarithmic=True))]
    ['100', '150', '200', '300', '400']
    """
    for factors in ROUND:
        rounds = [factor * 10.0**power for power in range(5) for factor in factors]
        inside = [hertz for hertz in rounds if axis.low <= hertz <= axis.high]
        ticks = tuple(Tick(frame.up(axis.part(hertz)), figure(hertz)) for hertz in inside)
        if all(below.at - above.at >= spacing for below, above in pairwise(ticks)):
            break
    return ticks


def note_ticks(frame: Frame, axis: Axis, *, spacing: float = 14.0) -> tuple[Tick, ...]:
    """Notes (A4 = 440 Hz) along a logarithmic vertical axis in Hz: as many of each octave as there is room for.

    >>> [tick.label for tick in note_ticks(Frame(10, 100, 0, 0, 0, 0), Axis(100.0, 400.0, logarithmic=True))]
    ['C3', 'G3', 'C4', 'G4']
    """
    first, last = (69 + 12 * math.log2(hertz / 440.0) for hertz in (axis.low, axis.high))  # numbers of MIDI
    semitone = (frame.base - frame.top) / (last - first)
    steps = next(steps for steps, nearest in NOTE_CHOICES if nearest * semitone >= spacing or len(steps) == 1)
    numbers = [number for number in range(math.ceil(first), math.floor(last) + 1) if number % 12 in steps]
    places = [frame.up(axis.part(440.0 * 2.0 ** ((number - 69) / 12))) for number in numbers]
    return tuple(map(Tick, places, [f"{NOTE_NAMES[number % 12]}{number // 12 - 1}" for number in numbers]))


def _runs(values: Floats) -> Iterator[range]:
    """Stretches of places that hold numbers."""
    holds = np.concatenate(([False], np.isfinite(values), [False]))
    changes = np.flatnonzero(holds[1:] != holds[:-1])
    for begin, end in zip(changes[::2].tolist(), changes[1::2].tolist(), strict=True):
        yield range(begin, end)


def _short(place: float) -> str:
    return f"{place:.1f}".removesuffix(".0")
