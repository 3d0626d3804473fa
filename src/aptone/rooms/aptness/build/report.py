"""Report of a build: accepted lines, rejects with reasons, and the yield of each stage."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.files import file_hash
from aptone.messages import message
from aptone.rooms.aptness.books.book import PlacedLine
from aptone.rooms.aptness.books.line_times import BookAlignment
from aptone.rooms.aptness.books.works import Work
from aptone.rooms.aptness.build.line_places import AlignedWork, RejectedWork
from aptone.rooms.aptness.build.portions import PortionSettings, calibration_lines, choose_portions
from aptone.types import Item, Json


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
            "recording": recordings[line.time.recording].name if line.time.time is not None else None,
            "start": None if line.time.time is None else round(line.time.time.start, 3),
            "end": None if line.time.time is None else round(line.time.time.end, 3),
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
    """A line, or a work, that is not in the set, and why.

    Args:
        line: number of the line; 0 for a whole work.
    """

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

    def as_json(self) -> dict[str, Json]:
        """As it is written."""
        return {"work": self.work, "line": self.line, "text": self.text, "stage": self.stage, "reason": self.reason}


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
            reason = (
                message("aptness.shown-once-another-line")
                if line.heard == "with another"
                else message("aptness.nobody-says")
            )
        if reason:
            yield RejectedLine(work.work.name, line.number, line.line.line.text, "alignment", reason)


def yields_of(
    aligned: Sequence[AlignedWork], rejected: Sequence[RejectedWork], *, lines_in: int, described: int, silent: int
) -> dict[str, dict[str, float]]:
    """Return the yield of each stage before the selection for annotation.

    Args:
        described: number of lines with weak labels.
        silent: number of those without a caption.
    """
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


def portions_json(settings: PortionSettings) -> dict[str, Json]:
    """Return the portion settings as JSON."""
    return {
        "hours": settings.hours,
        "portion_minutes": settings.portion_minutes,
        "calibration_minutes": settings.calibration_minutes,
        "seed": settings.seed,
    }


def work_json(work: AlignedWork) -> dict[str, Json]:
    """A work as the report has it: whose it is, what was read, and how well text and recordings match."""
    about = work.work
    found = {} if work.alignment is None else alignment_summary(work.alignment, work.placed, about.recordings)
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
        "alignment": found,
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
