"""One number against another, a point an item, in groups of their own colours, with a fitted line if wanted."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import jinja2
import numpy as np
from markupsafe import Markup

from aptone.report.figures import Figure
from aptone.report.numbers import figure
from aptone.report.page import new_environment
from aptone.report.plots.geometry import Frame, Tick
from aptone.report.plots.trend import MOST_SERIES

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
        title: heading above it.
        groups: name to items; at most as many groups as there are colours.
        x_label: label of the horizontal axis.
        y_label: label of the vertical axis.
        fitted: whether to draw the line of least squares through all points.
        note: below it.

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
    ends = [] if line is None else [(across(x), up(line[0] + line[1] * x)) for x in _reach(everything)]
    markup = _template().render(
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
    return Figure(title, Markup(markup), note)  # noqa: S704  (from a template with autoescape)


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


def _reach(places: Sequence[Place]) -> tuple[float, float]:
    return min(place.x for place in places), max(place.x for place in places)


def _axis(values: Sequence[float], placed: Placing) -> tuple[Placing, list[Tick]]:
    """Return the map from values to positions, and the ticks of the axis: round numbers around the values."""
    low, high = min(values), max(values)
    step = round_step((high - low) / TICKS)
    bottom, top = math.floor(low / step) * step, math.ceil(high / step) * step
    top = top if top > bottom else bottom + step
    count = round((top - bottom) / step)
    marks = [bottom + step * index for index in range(count + 1)]

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


@cache
def _template() -> jinja2.Template:
    return new_environment().get_template("points.html.j2")
