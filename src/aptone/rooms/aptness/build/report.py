"""Report of a build: lines that people annotate, rejects with reasons, and the yield of each stage.

People annotate contiguous portions of every work, and before them a calibration set that is the same for all raters.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np

from aptone.errors import UsageError
from aptone.files import file_hash
from aptone.messages import message
from aptone.rooms.aptness.books.book import PlacedLine
from aptone.rooms.aptness.books.line_times import BookAlignment
from aptone.rooms.aptness.books.works import Work
from aptone.rooms.aptness.build.line_places import AlignedWork, RejectedWork
from aptone.types import Item, Json

CALIBRATION_MINUTES = 14.8
"""Of the set that everybody annotates before the rest, as in the paper."""

PORTION_MINUTES = 10.0
"""Longest portion where hours are asked for; the paper releases none that is longer."""

LARGEST_CALIBRATION = 0.5
"""Share of what people annotate that may be for calibration: the rest is what it is for."""

ROUNDING = 1e-6  # seconds: sums of the same lengths in another order are the same


@dataclass(frozen=True, slots=True)
class PortionSettings:
    """Amount of annotation.

    Args:
        hours: hours of lines in all, the same from every work as far as it has them; NaN for no such limit.
        portion_minutes: longest contiguous portion; NaN for no such limit, or for `PORTION_MINUTES` where hours are
            asked for. Without hours, one portion of every work.

    Raises:
        UsageError: if one is negative or nothing.
    """

    hours: float = math.nan
    portion_minutes: float = math.nan
    calibration_minutes: float = CALIBRATION_MINUTES
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("hours", "portion_minutes"):
            value = getattr(self, name)
            if not math.isnan(value) and not 0 < value < math.inf:
                raise UsageError(f"--{name.split('_', maxsplit=1)[0]} is a positive number, got {value}.")
        if not 0 <= self.calibration_minutes < math.inf:
            raise UsageError(f"--calibration-minutes is 0 or more, got {self.calibration_minutes}.")


def even_shares(available: Sequence[float], wanted: float) -> list[float]:
    """Return even shares of a total, each at most what its work has.

    >>> even_shares([10.0, 1.0, 10.0], 9.0)
    [4.0, 1.0, 4.0]
    """
    shares = [0.0] * len(available)
    left, open_places = wanted, sorted(range(len(available)), key=lambda place: available[place])
    for taken, place in enumerate(open_places):
        shares[place] = min(available[place], left / (len(open_places) - taken))
        left -= shares[place]
    return shares


def contiguous_portions(seconds: Sequence[float], *, wanted: float, longest: float, seed: int) -> list[range]:
    """Portions of a work: runs of neighbouring lines, spread over the work, none longer than it may be.

    The work is cut into as many stretches as portions are needed; each has a portion with a random start.

    Args:
        seconds: duration of each line in the order of the story; 0 for lines without a clip, which add nothing.
        wanted: seconds of all portions together; all lines where there are not so many.

    Returns:
        Places of the lines of each portion; empty portions are left out.
    """
    begins = [0.0, *accumulate(seconds)]
    total = begins[-1]
    if total <= 0 or wanted <= 0:
        return []
    if wanted >= total - ROUNDING:
        return _all_of_it(seconds, longest)
    count = max(1, math.ceil(wanted / longest - ROUNDING)) if math.isfinite(longest) else 1
    length, stretch = wanted / count, total / count
    portions: list[range] = []
    for number, fraction in enumerate(np.random.default_rng(seed).random(count).tolist()):
        start = number * stretch + fraction * (stretch - length)
        first = portions[-1].stop if portions else 0
        while first < len(seconds) and begins[first] < start - ROUNDING:
            first += 1
        last = first
        while last < len(seconds) and begins[last + 1] - begins[first] <= length + ROUNDING:
            last += 1
        portions += _trimmed(seconds, first, last)
    return portions


def _all_of_it(seconds: Sequence[float], longest: float) -> list[range]:
    """A whole work, one portion behind the other; a line that is longer than a portion is one."""
    portions: list[range] = []
    first, length = 0, 0.0
    for place, own in enumerate(seconds):
        if length and length + own > longest + ROUNDING:
            portions += _trimmed(seconds, first, place)
            first, length = place, 0.0
        length += own
    return [*portions, *_trimmed(seconds, first, len(seconds))]


def _trimmed(seconds: Sequence[float], first: int, last: int) -> list[range]:
    """A portion, which begins and ends with a line that has a clip; none where no line has."""
    while first < last and seconds[first] <= 0:
        first += 1
    while first < last and seconds[last - 1] <= 0:
        last -= 1
    return [range(first, last)] if first < last else []


def choose_portions(works: Sequence[Sequence[float]], settings: PortionSettings) -> list[list[range]]:
    """The portions of each work that people annotate, by the seconds of its lines in order; 0 without a clip."""
    totals = [sum(lines) for lines in works]
    minutes = settings.portion_minutes
    if math.isnan(settings.hours):
        wanted = totals if math.isnan(minutes) else [60 * minutes] * len(works)
        longest = math.inf
    else:
        wanted = even_shares(totals, 3600 * settings.hours)
        longest = 60 * (PORTION_MINUTES if math.isnan(minutes) else minutes)
    return [
        contiguous_portions(lines, wanted=share, longest=longest, seed=settings.seed + place)
        for place, (lines, share) in enumerate(zip(works, wanted, strict=True))
    ]


def calibration_lines(
    works: Sequence[Sequence[float]], portions: Sequence[Sequence[range]], *, minutes: float
) -> list[list[int]]:
    """Return the places of the lines that everybody annotates, by work: the beginnings of its portions.

    They come evenly from all works, and never to more than half of what is annotated.
    """
    chosen = [
        [(place, lines[place]) for part in parts for place in part if lines[place] > 0]
        for lines, parts in zip(works, portions, strict=True)
    ]
    totals = [sum(length for _, length in lines) for lines in chosen]
    shares = even_shares(totals, min(60 * minutes, LARGEST_CALIBRATION * sum(totals)))
    reached = [accumulate(length for _, length in lines) for lines in chosen]
    return [
        [place for (place, _), end in zip(lines, ends, strict=True) if end <= share + ROUNDING]
        for lines, ends, share in zip(chosen, reached, shares, strict=True)
    ]


def without_place(placed: Sequence[PlacedLine]) -> list[PlacedLine]:
    """Lines that would be judged if it were known where they are."""
    return [line for line in placed if line.time.problem and line.time.words and not line.line.is_heading]


def alignment_summary(
    alignment: BookAlignment, placed: Sequence[PlacedLine], recordings: Sequence[Path]
) -> dict[str, Json]:
    """Counts of words and lines, and the speech that is not in the text."""
    extras: list[Json] = [
        {
            "recording": recordings[extra.recording].name,
            "start": round(extra.time.start, 2),
            "end": round(extra.time.end, 2),
            "words": extra.words,
        }
        for extra in alignment.extras
    ]
    return {
        "words": alignment.words,
        "found": alignment.found,
        "heard": alignment.heard,
        "lines": len(placed),
        "without_place": len(without_place(placed)),
        "held_by_neighbours": sum(line.time.is_held for line in placed),
        "not_in_the_text": extras,
    }


def alignment_lines(placed: Sequence[PlacedLine], recordings: Sequence[Path]) -> list[Json]:
    """Return the place of each line, or the reason why it is unknown."""
    return [
        {
            "number": line.number,
            "chapter": line.line.chapter,
            "role": line.line.line.role,
            "text": line.line.line.text,
            "recording": recordings[line.time.recording].name if line.time.time else None,
            "start": round(line.time.time.start, 3) if line.time.time else None,
            "end": round(line.time.time.end, 3) if line.time.time else None,
            "confidence": round(line.time.confidence, 4),
            "problem": line.time.problem,
        }
        for line in placed
    ]


PLACED = "placed"
"""Key of an item's payload, besides a sample's fields: the place of the line, and what was heard there."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that has a clip."""

    work: AlignedWork
    line: PlacedLine
    clip: Path
    item: Item

    @property
    def seconds(self) -> float:
        """Duration in seconds."""
        return 0.0 if self.line.time.time is None else self.line.time.time.seconds


@dataclass(frozen=True, slots=True)
class RejectedLine:
    """A line, or a whole work (line 0), that is not in the set, and why."""

    work: str
    line: int
    text: str
    stage: str
    reason: str

    @classmethod
    def of(cls, candidate: Candidate, stage: str, reason: str) -> "RejectedLine":
        """A line that had a clip."""
        line = candidate.line
        return cls(candidate.work.work.name, line.number, line.line.line.text, stage, reason)


@dataclass(frozen=True, slots=True)
class Selection:
    """Selection for annotation: line id to the number of its portion, and the ids for calibration."""

    portion_of: Mapping[str, int]
    calibration: tuple[str, ...]

    def yields(self, seconds: Mapping[str, float]) -> dict[str, float]:
        """Return the amount of annotation, from the length of each line."""
        return {
            "lines": len(self.portion_of),
            "minutes": round(sum(seconds[name] for name in self.portion_of) / 60, 2),
            "calibration lines": len(self.calibration),
            "calibration minutes": round(sum(seconds[name] for name in self.calibration) / 60, 2),
        }

    @classmethod
    def of(cls, aligned: Sequence[AlignedWork], kept: Sequence[Candidate], settings: PortionSettings) -> "Selection":
        """The choice among the lines of all works that can be annotated."""
        lengths = {(one.work.work.key, one.line.number): one.seconds for one in kept}
        works = [[lengths.get((work.work.key, line.number), 0.0) for line in work.placed] for work in aligned]
        portions = choose_portions(works, settings)
        first = calibration_lines(works, portions, minutes=settings.calibration_minutes)
        names = [[f"{work.work.key}-{line.number:06d}" for line in work.placed] for work in aligned]
        portion_of = {
            names[number][place]: count
            for number, parts in enumerate(portions)
            for count, part in enumerate(parts, start=1)
            for place in part
            if works[number][place] > 0
        }
        calibration = tuple(names[number][place] for number, places in enumerate(first) for place in places)
        return cls(portion_of, calibration)


def rejected_lines(work: AlignedWork) -> Iterator[RejectedLine]:
    """Lines without a clip: not found, not trusted, or not spoken alone."""
    for line in work.content_lines:
        reason = line.time.problem
        if line.heard != "alone":
            is_heard = line.heard == "with another"
            reason = message("aptness.shown-once-another-line" if is_heard else "aptness.nobody-says")
        if reason:
            yield RejectedLine(work.work.name, line.number, line.line.line.text, "alignment", reason)


def yields_of(
    aligned: Sequence[AlignedWork], rejected: Sequence[RejectedWork], *, lines_in: int, described: int, silent: int
) -> dict[str, dict[str, float]]:
    """Return the yield of each stage before the selection for annotation."""
    found = [work.alignment for work in aligned if work.alignment is not None]
    return {
        "works": {"in": len(aligned) + len(rejected), "out": len(aligned)},
        "speech": {
            "minutes": round(sum(sum(work.seconds) for work in aligned) / 60, 2),
            "minutes of speech": round(sum(work.speech_seconds for work in aligned) / 60, 2),
        },
        "transcript": {
            "words heard": sum(one.heard for one in found),
            "words of the texts": sum(one.words for one in found),
            "words found": sum(one.found for one in found),
            "stretches not in the texts": sum(len(one.extras) for one in found),
        },
        "lines": {"in": sum(len(work.content_lines) for work in aligned), "out": lines_in},
        "described": {"in": lines_in, "out": described, "without caption": silent},
    }


def reasons_of(rejects: Sequence[RejectedLine]) -> dict[str, dict[str, int]]:
    """Count the reasons by stage; reasons that differ in numbers alone are one."""
    counts: dict[str, Counter[str]] = {}
    for one in rejects:
        counts.setdefault(one.stage, Counter())[_NUMBER.sub("…", one.reason) if one.line else one.reason] += 1
    return {stage: dict(sorted(counter.items())) for stage, counter in counts.items()}


def work_json(work: AlignedWork) -> dict[str, Json]:
    """A work as the report has it: whose it is, what was read, and how well text and recordings match."""
    about = work.work
    return {
        **_named(work.work),
        "language": work.book.language,
        "transcribed_by": work.transcribed_by,
        "chapters": list(work.book.chapters),
        "recordings": [
            {"name": path.name, "seconds": round(seconds, 3), "sha256": file_hash(path)}
            for path, seconds in zip(about.recordings, work.seconds, strict=True)
        ],
        "text": {"name": about.text.name, "sha256": file_hash(about.text)},
        "alignment": alignment_summary(work.alignment, work.placed, about.recordings) if work.alignment else {},
    }


def rejected_json(one: RejectedWork) -> dict[str, Json]:
    """A rejected work as the report has it."""
    return {**_named(one.work), "fell": {"stage": one.stage, "reason": one.reason}}


def _named(work: Work) -> dict[str, Json]:
    return {
        "work": work.name,
        "key": work.key,
        "story": work.world,
        "licence": work.licence,
        "source": work.source,
        "speech": work.speech,
    }
