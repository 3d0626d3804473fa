"""The rating task of CEAEval-D: portions of stories, line by line, with what annotators correct filled in.

People hear more than the line, so that they can move its ends; they see the story around it, whose other lines can be
played; they never see what machines said of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from aptone.rooms.aptness.books.book import PlacedLine
from aptone.rooms.aptness.rating_items import TASK, line_item
from aptone.ratings.tasks import task_template, with_items
from aptone.types import AudioRef, Json, RatingItem, RatingTask, Sample, Segment

MARGIN = 1.0
"""Seconds before and behind a line that annotators hear, too."""


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A line for people.

    Args:
        sample: the line in its story; paths are relative to the folder of the set.
        clip: its recording with some seconds around it.
        boundaries: where the line lies in that.
        neighbours: for each line of its context, those before it first, its clip; ``None`` for lines without one.
        hidden: what annotators must not see.
    """

    sample: Sample
    clip: str
    boundaries: Segment
    neighbours: tuple[str | None, ...]
    hidden: Mapping[str, Json]


def widened(line: PlacedLine, seconds: Sequence[float]) -> PlacedLine:
    """A line with some seconds around it, as far as its recording has them."""
    time = line.time.time
    assert time is not None
    wide = Segment(max(0.0, time.start - MARGIN), min(time.end + MARGIN, seconds[line.time.recording]))
    return replace(line, time=replace(line.time, time=wide))


def rating_task(lines: Sequence[TaskLine], *, calibration: Sequence[str], raters: int) -> RatingTask:
    """The task of some lines.

    Args:
        lines: in the order of their stories.
        calibration: ids of those that everybody annotates first.
        raters: people a line.
    """
    task = with_items(task_template(TASK), [_item(line) for line in lines], calibration=calibration)
    return replace(task, raters_per_item=raters)


def _item(line: TaskLine) -> RatingItem:
    before = len(line.sample.context)
    clips = {
        place if place < before else place + 1: AudioRef(path)
        for place, path in enumerate(line.neighbours)
        if path is not None
    }
    return line_item(line.sample, AudioRef(line.clip), boundaries=line.boundaries, neighbours=clips, hidden=line.hidden)


def relative(path: Path, folder: Path) -> str:
    """The path of a file in a folder as task and manifest name it, so that both can be moved with the folder."""
    return path.absolute().relative_to(folder.absolute()).as_posix()
