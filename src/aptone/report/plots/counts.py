"""Plots of the composition of a set: bars for classes, boxes for a distribution over an ordered condition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aptone.report.notation import figure
from aptone.report.page import render
from aptone.report.plots.geometry import Frame, Tick, nice_ceiling
from aptone.report.room_report import Figure

MOST_BARS = 12
"""Classes with a bar of their own; the rest is one bar."""

ROW = 22.0
WIDTH, NAMES = 360.0, 132.0
LONGEST_NAME = 22


@dataclass(frozen=True, slots=True)
class CountBar:
    """One class: its place, the length of its bar, and its name."""

    y: float
    width: float
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class Box:
    """A distribution at one place: quartiles as a box, the median as a line, the extremes as whiskers."""

    x: float
    least: float
    low: float
    median: float
    high: float
    most: float
    label: str


def count_figure(title: str, counts: Mapping[str, int], *, others: str, note: str = "") -> Figure | None:
    """A bar for each class in its order; ``None`` without classes.

    Args:
        counts: class to how many; what comes after the first `MOST_BARS` is put together.
        others: name of those together; ``{count}`` stands for how many classes they are.
    """
    if not any(counts.values()):
        return None
    shown = dict(list(counts.items())[:MOST_BARS])
    if rest := list(counts.values())[MOST_BARS:]:
        shown[others.format(count=len(rest))] = sum(rest)
    largest = max(shown.values())
    bars = [
        CountBar(index * ROW, round((WIDTH - NAMES - 48) * count / largest, 2), name, count)
        for index, (name, count) in enumerate(shown.items())
    ]
    markup = render(
        "counts.html.j2",
        bars=bars,
        title=title,
        width=WIDTH,
        names=NAMES,
        row=ROW,
        height=ROW * len(bars),
        longest=LONGEST_NAME,
    )
    return Figure(title, markup, note)


def box_figure(
    title: str,
    boxes: Sequence[tuple[str, Sequence[float]]],
    *,
    x_label: str,
    y_label: str,
    top: float | None = None,
    note: str = "",
) -> Figure | None:
    """A box for each place; ``None`` without places.

    Args:
        boxes: place, and least, lower quartile, median, upper quartile and most there.
        top: upper end of the vertical axis, which begins at 0; by default the next round whole number.
    """
    if not boxes:
        return None
    frame = Frame(width=480.0, left=52.0)
    top = nice_ceiling(max(1, round(max(numbers[-1] for _, numbers in boxes)))) if top is None else top
    drawn = []
    for index, (place, numbers) in enumerate(boxes):
        least, low, median, high, most = (frame.up(number / top) for number in numbers)
        label = f"{place}: {', '.join(map(figure, numbers))}"
        drawn.append(Box(frame.across((index + 0.5) / len(boxes)), least, low, median, high, most, label))
    markup = render(
        "boxes.html.j2",
        boxes=drawn,
        frame=frame,
        half=round(0.3 * (frame.end - frame.left) / len(boxes), 2),
        title=title,
        x_label=x_label,
        y_label=y_label,
        x_ticks=[Tick(box.x, place) for box, (place, _) in zip(drawn, boxes, strict=True)],
        y_ticks=[Tick(frame.up(part), figure(part * top)) for part in (0.0, 0.25, 0.5, 0.75, 1.0)],
    )
    return Figure(title, markup, note)
