"""Points of items: one number against another in coloured groups, and the plane of valence and arousal."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aptone.report.notation import figure
from aptone.report.page import render
from aptone.report.plots.geometry import Frame, Tick
from aptone.report.plots.trend import MOST_SERIES
from aptone.report.room_report import Figure

FRAME = Frame(width=420.0, height=300.0, left=56.0, right=18.0)
Placing = Callable[[float], float]
TICKS = 5
"""Steps of an axis, at most."""


class Place(NamedTuple):
    """An item: where it lies, and what it is."""

    x: float
    y: float
    name: str


@dataclass(frozen=True, slots=True)
class Spot:
    """A point as it is drawn."""

    x: float
    y: float
    tone: int
    label: str


def points_figure(
    title: str,
    groups: Mapping[str, Sequence[Place]],
    *,
    x_label: str,
    y_label: str,
    fitted: bool = False,
    note: str = "",
) -> Figure | None:
    """A point for each item whose two numbers are defined; ``None`` if there is none.

    Args:
        groups: name to items; at most as many groups as there are colours.
        fitted: whether to draw the line of least squares through all points.

    Raises:
        ValueError: if there are more groups than colours.
    """
    if len(groups) > MOST_SERIES:
        raise ValueError(f"{len(groups)} groups in one drawing, at most {MOST_SERIES} can be told apart.")
    defined = {
        name: [place for place in places if math.isfinite(place.x) and math.isfinite(place.y)]
        for name, places in groups.items()
    }
    everything = [place for places in defined.values() for place in places]
    if not everything:
        return None
    across, x_ticks = _axis([place.x for place in everything], FRAME.across)
    up, y_ticks = _axis([place.y for place in everything], FRAME.up)
    spots = [
        Spot(across(place.x), up(place.y), tone, f"{place.name}: {figure(place.x)} / {figure(place.y)}")
        for tone, places in enumerate(defined.values())
        for place in places
    ]
    line = fitted_line(everything) if fitted else None
    reach = min(place.x for place in everything), max(place.x for place in everything)
    ends = [] if line is None else [(across(x), up(line[0] + line[1] * x)) for x in reach]
    markup = render(
        "points.html.j2",
        frame=FRAME,
        spots=spots,
        ends=ends,
        falls=line is not None and line[1] < 0,
        names=list(enumerate(groups)) if len(groups) > 1 else [],
        x_ticks=x_ticks,
        y_ticks=y_ticks,
        title=title,
        x_label=x_label,
        y_label=y_label,
    )
    return Figure(title, markup, note)


def fitted_line(places: Sequence[Place]) -> tuple[float, float] | None:
    """Height at 0 and slope of the line of least squares; ``None`` where all points stand above each other.

    >>> height, slope = fitted_line([Place(0.0, 1.0, ""), Place(2.0, 5.0, "")])
    >>> round(height, 9), round(slope, 9)
    (1.0, 2.0)
    """
    x, y = (np.array([place[axis] for place in places], dtype=float) for axis in (0, 1))
    centred = x - x.mean()
    square = float(centred @ centred)
    if square == 0.0:
        return None
    slope = float(centred @ (y - y.mean())) / square
    return float(y.mean()) - slope * float(x.mean()), slope


def _axis(values: Sequence[float], placed: Placing) -> tuple[Placing, list[Tick]]:
    """Return the map from values to positions, and the ticks of the axis: round numbers around the values."""
    low, high = min(values), max(values)
    step = round_step((high - low) / TICKS)
    bottom, top = math.floor(low / step) * step, math.ceil(high / step) * step
    top = top if top > bottom else bottom + step
    marks = [bottom + step * index for index in range(round((top - bottom) / step) + 1)]

    def place(value: float) -> float:
        return placed(min(1.0, max(0.0, (value - bottom) / (top - bottom))))

    return place, [Tick(place(mark), f"{mark:.6g}") for mark in marks]


def round_step(least: float) -> float:
    """The next of 1, 2 or 5 times a power of ten that is not below a number; 1 for 0.

    >>> [round_step(least) for least in (0.03, 0.7, 130.0, 0.0)]
    [0.05, 1.0, 200.0, 1.0]
    """
    if not least > 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(float(f"{factor * power:.3g}") for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


SHADES = 5
"""Colours of the third rating, from low to high."""
PLANE_TICKS = 6
SIDE = 54.0
"""Room for the bars above and beside the plane."""
PLANE = Frame(width=560.0, height=520.0, left=64.0, right=SIDE + 18, top=SIDE + 18)


@dataclass(frozen=True, slots=True)
class PlanePoint:
    """One recording; `shade` is the third rating, NaN where there is none."""

    across: float
    up: float
    shade: float
    name: str


@dataclass(frozen=True, slots=True)
class PlaneBar:
    """A bar above or beside the plane."""

    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True, slots=True)
class PlaneDot:
    """A point as it is drawn."""

    x: float
    y: float
    tone: str
    label: str


def plane_figure(
    title: str,
    points: Sequence[PlanePoint],
    *,
    scale: tuple[float, float],
    cells: int,
    x_label: str,
    y_label: str,
    shade_label: str,
    note: str = "",
) -> Figure | None:
    """A point for each recording, bars for how many lie in each column and row of cells; ``None`` without points.

    Args:
        scale: lowest and highest value of both axes and of the shade.
        cells: columns and rows that are counted.
    """
    if not points:
        return None
    low, high = scale
    columns, rows = [0] * cells, [0] * cells
    for point in points:
        columns[_cell(point.across, scale, cells)] += 1
        rows[_cell(point.up, scale, cells)] += 1
    largest = max(*columns, *rows)
    dots = [
        PlaneDot(
            PLANE.across((point.across - low) / (high - low)),
            PLANE.up((point.up - low) / (high - low)),
            _tone(point.shade, scale),
            f"{point.name}: {figure(point.across)}, {figure(point.up)}, {figure(point.shade)}",
        )
        for point in points
    ]
    markup = render(
        "plane.html.j2",
        frame=PLANE,
        dots=dots,
        bars=[*_above(columns, largest, scale), *_beside(rows, largest, scale)],
        middle=(PLANE.across(0.5), PLANE.up(0.5)),
        x_ticks=[
            Tick(PLANE.across(index / PLANE_TICKS), figure(low + index * (high - low) / PLANE_TICKS))
            for index in range(PLANE_TICKS + 1)
        ],
        y_ticks=[
            Tick(PLANE.up(index / PLANE_TICKS), figure(low + index * (high - low) / PLANE_TICKS))
            for index in range(PLANE_TICKS + 1)
        ],
        title=title,
        x_label=x_label,
        y_label=y_label,
        shade_label=shade_label,
        shades=[(f"shade-{index}", _span(index, SHADES, scale, "–")) for index in range(SHADES)]
        if any(not math.isnan(point.shade) for point in points)
        else [],
    )
    return Figure(title, markup, note, is_wide=True)


def _cell(value: float, scale: tuple[float, float], cells: int) -> int:
    part = (value - scale[0]) / (scale[1] - scale[0])
    return min(cells - 1, max(0, math.floor(round(part * cells, 9))))


def _tone(shade: float, scale: tuple[float, float]) -> str:
    return "shade-none" if math.isnan(shade) else f"shade-{_cell(shade, scale, SHADES)}"


def _above(counts: Sequence[int], largest: int, scale: tuple[float, float]) -> Iterator[PlaneBar]:
    for index, count in enumerate(counts):
        left, right = PLANE.across(index / len(counts)), PLANE.across((index + 1) / len(counts))
        height = round(SIDE * count / largest, 2)
        label = f"{_span(index, len(counts), scale)}: {count}"
        yield PlaneBar(left + 1, PLANE.top - 6 - height, round(right - left - 2, 2), height, label)


def _beside(counts: Sequence[int], largest: int, scale: tuple[float, float]) -> Iterator[PlaneBar]:
    for index, count in enumerate(counts):
        lower, upper = PLANE.up(index / len(counts)), PLANE.up((index + 1) / len(counts))
        label = f"{_span(index, len(counts), scale)}: {count}"
        yield PlaneBar(PLANE.end + 6, upper + 1, round(SIDE * count / largest, 2), round(lower - upper - 2, 2), label)


def _span(index: int, parts: int, scale: tuple[float, float], dash: str = " – ") -> str:
    """Return the ends of one of several equal parts of the scale."""
    step = (scale[1] - scale[0]) / parts
    return f"{figure(scale[0] + index * step)}{dash}{figure(scale[0] + (index + 1) * step)}"
