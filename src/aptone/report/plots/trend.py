"""Results against an ordered condition, a line for each judge, with intervals: geometry and drawing."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aptone.report.notation import interval
from aptone.report.page import render
from aptone.report.plots.geometry import Frame, Tick
from aptone.report.room_report import Figure
from aptone.types import Estimate

MOST_SERIES = 8
"""Lines in one drawing: as many as there are colours that can be told apart."""

FRAME = Frame(width=480.0, height=300.0, right=20.0)
APART = 7.0
"""Between the marks of two lines at the same place."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One estimate: its place, the ends of its interval, and what it says."""

    x: float
    y: float
    low: float
    high: float
    has_interval: bool
    label: str


@dataclass(frozen=True, slots=True)
class Trend:
    """One line: which colour it has, its marks, and its path through those that are connected."""

    name: str
    tone: int
    marks: tuple[Mark, ...]
    path: str


@dataclass(frozen=True, slots=True)
class TrendDrawing:
    """A drawing of lines."""

    frame: Frame
    trends: tuple[Trend, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    zero: float | None
    ceiling: float | None


def trend_figure(
    title: str,
    series: Mapping[str, Mapping[str, Estimate]],
    *,
    places: Sequence[str],
    apart: Sequence[str] = (),
    x_label: str,
    y_label: str,
    ceiling: float = math.nan,
    ceiling_label: str = "",
    note: str = "",
) -> Figure | None:
    """A line for each series over places in their order; ``None`` if nothing is defined.

    Args:
        series: name to place to estimate; at most `MOST_SERIES`.
        apart: places that no line is drawn to, because they are not further along, but something else.
        ceiling: height of a dashed line; NaN for none.

    Raises:
        ValueError: if there are more series than colours.
    """
    if len(series) > MOST_SERIES:
        raise ValueError(f"{len(series)} lines in one drawing, at most {MOST_SERIES} can be told apart.")
    drawing = draw_trends(series, places=places, apart=apart, ceiling=ceiling)
    if drawing is None:
        return None
    markup = render(
        "trend.html.j2", drawing=drawing, title=title, x_label=x_label, y_label=y_label, ceiling_label=ceiling_label
    )
    return Figure(title, markup, note)


def draw_trends(
    series: Mapping[str, Mapping[str, Estimate]],
    *,
    places: Sequence[str],
    apart: Sequence[str] = (),
    ceiling: float = math.nan,
) -> TrendDrawing | None:
    """The geometry; ``None`` if nothing is defined. Arguments as for `trend_figure`."""
    found = [estimate for points in series.values() for estimate in points.values() if estimate.is_defined]
    if not found:
        return None
    seen = [number for one in found for number in (one.value, one.low, one.high) if not math.isnan(number)]
    seen += [] if math.isnan(ceiling) else [ceiling]
    bottom, top, step = axis_of(min(seen), max(seen))

    def height(value: float) -> float:
        return FRAME.up((value - bottom) / (top - bottom))

    def across(place: str) -> float:
        return FRAME.across((places.index(place) + 0.5) / len(places))

    trends = []
    for tone, (name, points) in enumerate(series.items()):
        shift = APART * (tone - (len(series) - 1) / 2)
        marks: dict[str, Mark] = {}
        for place in places:
            one = points.get(place)
            if one is None or not one.is_defined:
                continue
            has_interval = not math.isnan(one.low) and not math.isnan(one.high)
            marks[place] = Mark(
                round(across(place) + shift, 2),
                height(one.value),
                height(one.low if has_interval else one.value),
                height(one.high if has_interval else one.value),
                has_interval,
                f"{name}, {place}: {one.value:.2f} {interval(one)}",
            )
        path = "L".join(f"{mark.x} {mark.y}" for place, mark in marks.items() if place not in apart)
        trends.append(Trend(name, tone, tuple(marks.values()), f"M{path}" if "L" in path else ""))
    return TrendDrawing(
        FRAME,
        tuple(trends),
        x_ticks=tuple(Tick(across(place), place) for place in places),
        y_ticks=tuple(
            Tick(height(bottom + step * index), f"{bottom + step * index:.1f}".replace("-0.0", "0.0"))
            for index in range(round((top - bottom) / step) + 1)
        ),
        zero=height(0.0) if bottom < 0 < top else None,
        ceiling=None if math.isnan(ceiling) else height(ceiling),
    )


def axis_of(low: float, high: float) -> tuple[float, float, float]:
    """Return start, end and tick step of an axis for shares and correlations; it always holds 0.

    >>> axis_of(0.31, 0.42), axis_of(-0.13, 0.94)
    ((0.0, 0.5, 0.1), (-0.2, 1.0, 0.2))
    """
    low, high = min(0.0, low), max(0.0, high)
    step = 0.1 if high - low <= 0.6 else 0.2
    bottom, top = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return round(bottom, 1) + 0.0, round(max(top, bottom + step), 1), step
