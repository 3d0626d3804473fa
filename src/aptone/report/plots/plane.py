"""Recordings on the plane of valence and arousal, with what lies along its sides, coloured by a third rating."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import jinja2
from markupsafe import Markup

from aptone.report.figures import Figure
from aptone.report.numbers import figure
from aptone.report.page import new_environment
from aptone.report.plots.geometry import Frame, Tick

SHADES = 5
"""Colours of the third rating, from low to high."""
TICKS = 6
SIDE = 54.0
"""Room for the bars above and beside the plane."""
FRAME = Frame(width=560.0, height=520.0, left=64.0, right=SIDE + 18, top=SIDE + 18)


@dataclass(frozen=True, slots=True)
class PlanePoint:
    """One recording.

    Args:
        across, up: its place.
        shade: the third rating, NaN where there is none.
        name: name of the point.
    """

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
        title: heading above it.
        points: points on the scale.
        scale: lowest and highest value of both axes and of the shade.
        cells: columns and rows that are counted.
        x_label: label of the horizontal axis.
        y_label: label of the vertical axis.
        shade_label: meaning of the colours.
        note: below it.
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
            FRAME.across((point.across - low) / (high - low)),
            FRAME.up((point.up - low) / (high - low)),
            _tone(point.shade, scale),
            f"{point.name}: {figure(point.across)}, {figure(point.up)}, {figure(point.shade)}",
        )
        for point in points
    ]
    markup = _template().render(
        frame=FRAME,
        dots=dots,
        bars=[*_above(columns, largest, scale), *_beside(rows, largest, scale)],
        middle=(FRAME.across(0.5), FRAME.up(0.5)),
        x_ticks=[
            Tick(FRAME.across(index / TICKS), figure(low + index * (high - low) / TICKS)) for index in range(TICKS + 1)
        ],
        y_ticks=[
            Tick(FRAME.up(index / TICKS), figure(low + index * (high - low) / TICKS)) for index in range(TICKS + 1)
        ],
        title=title,
        x_label=x_label,
        y_label=y_label,
        shade_label=shade_label,
        shades=[(f"shade-{index}", _shade_range(index, scale)) for index in range(SHADES)]
        if any(not math.isnan(point.shade) for point in points)
        else [],
    )
    return Figure(title, Markup(markup), note, is_wide=True)  # noqa: S704  (from a template with autoescape)


def _cell(value: float, scale: tuple[float, float], cells: int) -> int:
    part = (value - scale[0]) / (scale[1] - scale[0])
    return min(cells - 1, max(0, math.floor(round(part * cells, 9))))


def _tone(shade: float, scale: tuple[float, float]) -> str:
    return "shade-none" if math.isnan(shade) else f"shade-{_cell(shade, scale, SHADES)}"


def _shade_range(index: int, scale: tuple[float, float]) -> str:
    step = (scale[1] - scale[0]) / SHADES
    return f"{figure(scale[0] + index * step)}–{figure(scale[0] + (index + 1) * step)}"


def _above(counts: Sequence[int], largest: int, scale: tuple[float, float]) -> list[PlaneBar]:
    bars = []
    for index, count in enumerate(counts):
        left, right = FRAME.across(index / len(counts)), FRAME.across((index + 1) / len(counts))
        height = round(SIDE * count / largest, 2)
        bars.append(
            PlaneBar(
                left + 1, FRAME.top - 6 - height, round(right - left - 2, 2), height, _counted(index, counts, scale)
            )
        )
    return bars


def _beside(counts: Sequence[int], largest: int, scale: tuple[float, float]) -> list[PlaneBar]:
    bars = []
    for index, count in enumerate(counts):
        lower, upper = FRAME.up(index / len(counts)), FRAME.up((index + 1) / len(counts))
        width = round(SIDE * count / largest, 2)
        bars.append(
            PlaneBar(FRAME.end + 6, upper + 1, width, round(lower - upper - 2, 2), _counted(index, counts, scale))
        )
    return bars


def _counted(index: int, counts: Sequence[int], scale: tuple[float, float]) -> str:
    step = (scale[1] - scale[0]) / len(counts)
    return f"{figure(scale[0] + index * step)} – {figure(scale[0] + (index + 1) * step)}: {counts[index]}"


@cache
def _template() -> jinja2.Template:
    return new_environment().get_template("plane.html.j2")
