"""SURABench's selection: long enough and not too long, raters who agree, and the plane of feelings evenly filled.

Segments of 3 to 8 seconds; a standard deviation of at most 1.5 over the raters for both valence and arousal; then a
10 × 10 grid over the plane from 1 to 7 and from each cell at most 15, those with the lowest variance first. The paper
does not say how two variances make one (we add them), which standard deviation it means (ours is the sample's, over
n - 1, so one rater has none), nor what breaks ties (the name).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aptone.errors import UsageError
from aptone.rooms.caption.build.ratings import HIGHEST, LOWEST, RatedClip


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """What is picked.

    Args:
        shortest, longest: seconds, both inclusive.
        largest_deviation: of valence and of arousal, inclusive.
        grid: cells along each side of the plane.
        most_in_cell: recordings picked from one cell.

    Raises:
        UsageError: if nothing could be picked.
    """

    shortest: float = 3.0
    longest: float = 8.0
    largest_deviation: float = 1.5
    grid: int = 10
    most_in_cell: int = 15

    def __post_init__(self) -> None:
        if not 0 <= self.shortest <= self.longest or not self.largest_deviation >= 0:
            raise UsageError("the shortest length is not above the longest one, and the deviation not negative.")
        if self.grid < 1 or self.most_in_cell < 1:
            raise UsageError("the grid has at least one cell, and a cell at least one place.")


@dataclass(frozen=True, slots=True)
class Reject:
    """A recording that is not in the benchmark.

    Args:
        step: where it was lost: audio, length, agreement, grid or caption.
    """

    id: str
    step: str
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What was picked.

    Args:
        clips: picked, cell by cell.
        rejects: the others, each with its reason.
        yields: by step, how many went in and came out.
    """

    clips: tuple[RatedClip, ...]
    rejects: tuple[Reject, ...]
    yields: Mapping[str, Mapping[str, int]]


def cell_of(value: float, *, grid: int) -> int:
    """The cell of a mean rating along one side, from 0; the last one holds its upper end.

    >>> [cell_of(value, grid=10) for value in (1.0, 1.59, 1.6, 7.0)]
    [0, 0, 1, 9]
    """
    part = (value - LOWEST) / (HIGHEST - LOWEST)
    # a mean that lies on a border but for rounding counts as on it
    return min(grid - 1, math.floor(round(part * grid, 9)))


def select(clips: Sequence[RatedClip], seconds: Mapping[str, float | str], *, settings: SelectionSettings) -> Selection:
    """Pick recordings.

    Args:
        seconds: name to duration, or to the reason why the recording cannot be read.
    """
    rejects: list[Reject] = []
    yields: dict[str, dict[str, int]] = {}

    def passed(step: str, among: Sequence[RatedClip], reasons: Mapping[str, str]) -> list[RatedClip]:
        rejects.extend(Reject(clip.id, step, reasons[clip.id]) for clip in among if reasons[clip.id])
        kept = [clip for clip in among if not reasons[clip.id]]
        yields[step] = {"in": len(among), "out": len(kept)}
        return kept

    unreadable = {clip.id: said if isinstance(said := seconds[clip.id], str) else "" for clip in clips}
    readable = passed("audio", clips, unreadable)
    fitting = passed("length", readable, {clip.id: _length(seconds[clip.id], settings) for clip in readable})
    agreed = passed("agreement", fitting, {clip.id: _agreement(clip, settings) for clip in fitting})
    cells: dict[tuple[int, int], list[RatedClip]] = {}
    for clip in sorted(agreed, key=lambda clip: (spread(clip), clip.id)):
        place = (cell_of(clip.mean("valence"), grid=settings.grid), cell_of(clip.mean("arousal"), grid=settings.grid))
        cells.setdefault(place, []).append(clip)
    reasons = {
        clip.id: _full(rank, len(there), place, settings)
        for place, there in cells.items()
        for rank, clip in enumerate(there, start=1)
    }
    picked = passed("grid", [clip for place in sorted(cells) for clip in cells[place]], reasons)
    yields["grid"]["cells filled"] = len(cells)
    return Selection(tuple(picked), tuple(rejects), yields)


def spread(clip: RatedClip) -> float:
    """How much raters differ on a recording: the variances of valence and arousal together."""
    return clip.variance("valence") + clip.variance("arousal")


def _length(seconds: float | str, settings: SelectionSettings) -> str:
    assert not isinstance(seconds, str)
    if settings.shortest <= seconds <= settings.longest:
        return ""
    return f"{seconds:.2f} s is not between {settings.shortest:g} and {settings.longest:g} s"


def _agreement(clip: RatedClip, settings: SelectionSettings) -> str:
    if len(clip.ratings) < 2:
        return "one rater has no deviation"
    for dimension in ("valence", "arousal"):
        deviation = math.sqrt(clip.variance(dimension))
        if deviation > settings.largest_deviation:
            return f"raters differ on {dimension}: standard deviation {deviation:.2f} > {settings.largest_deviation:g}"
    return ""


def _full(rank: int, count: int, place: tuple[int, int], settings: SelectionSettings) -> str:
    if rank <= settings.most_in_cell:
        return ""
    column, row = place
    return (
        f"cell {column + 1}, {row + 1} of valence and arousal is full: {rank} of {count} by variance, "
        f"{settings.most_in_cell} are picked"
    )
