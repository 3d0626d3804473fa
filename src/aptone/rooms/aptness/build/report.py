"""What came of a build: the lines that are in, those that fell and why, and what each stage has given."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.files import file_hash
from aptone.messages import message
from aptone.rooms.aptness.books.book import PlacedLine
from aptone.rooms.aptness.books.line_times import Laid
from aptone.rooms.aptness.books.works import Work
from aptone.rooms.aptness.build.line_places import FallenWork, LaidWork
from aptone.rooms.aptness.build.portions import PortionSettings, calibration_lines, choose_portions
from aptone.types import Item, Json


def without_place(placed: Sequence[PlacedLine]) -> list[PlacedLine]:
    """Lines that would be judged if it were known where they are."""
    return [line for line in placed if line.time.problem and line.time.words and not line.line.is_heading]


def alignment_summary(laid: Laid, placed: Sequence[PlacedLine], recordings: Sequence[Path]) -> dict[str, Json]:
    """Counts of words and lines, and the speech that is not in the text."""
    extras: list[Json] = [
        {
            "recording": recordings[extra.recording].name,
            "start": round(extra.time.start, 2),
            "end": round(extra.time.end, 2),
            "words": extra.words,
        }
        for extra in laid.extras
    ]
    return {
        "words": laid.words,
        "found": laid.found,
        "heard": laid.heard,
        "lines": len(placed),
        "without_place": len(without_place(placed)),
        "held_by_neighbours": sum(line.time.is_held for line in placed),
        "not_in_the_text": extras,
    }


def alignment_lines(placed: Sequence[PlacedLine], recordings: Sequence[Path]) -> list[Json]:
    """Where each line is, or why that is not known."""
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
"""What the payload of an item has besides a sample's fields: where the line lies, and what was heard there."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A line that has a clip.

    Args:
        work: whose it is.
        line: where it was found.
        clip: its recording.
        item: of the run that describes it.
    """

    work: LaidWork
    line: PlacedLine
    clip: Path
    item: Item

    @property
    def seconds(self) -> float:
        """How long it is."""
        return 0.0 if self.line.time.time is None else self.line.time.time.seconds


@dataclass(frozen=True, slots=True)
class Fallen:
    """A line, or a work, that is not in the set, and why.

    Args:
        work: its name.
        line: its number; 0 for a whole work.
        text: of the line.
        stage: where it fell.
        reason: why.
    """

    work: str
    line: int
    text: str
    stage: str
    reason: str

    @classmethod
    def of(cls, candidate: Candidate, stage: str, reason: str) -> "Fallen":
        """A line that had a clip."""
        line = candidate.line
        return cls(candidate.work.work.name, line.number, line.line.line.text, stage, reason)

    def as_json(self) -> dict[str, Json]:
        """As it is written."""
        return {"work": self.work, "line": self.line, "text": self.text, "stage": self.stage, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What people annotate: ids of lines to the number of their portion, and those for calibration."""

    portion_of: Mapping[str, int]
    calibration: tuple[str, ...]

    def yields(self, seconds: Mapping[str, float]) -> dict[str, float]:
        """How much that is, from the length of each line."""
        return {
            "lines": len(self.portion_of),
            "minutes": round(sum(seconds[name] for name in self.portion_of) / 60, 2),
            "calibration lines": len(self.calibration),
            "calibration minutes": round(sum(seconds[name] for name in self.calibration) / 60, 2),
        }

    @classmethod
    def of(cls, laid: Sequence[LaidWork], kept: Sequence[Candidate], settings: PortionSettings) -> "Chosen":
        """The choice among the lines of all works that can be annotated."""
        lengths = {(one.work.work.key, one.line.number): one.seconds for one in kept}
        works = [[lengths.get((work.work.key, line.number), 0.0) for line in work.placed] for work in laid]
        portions = choose_portions(works, settings)
        first = calibration_lines(works, portions, minutes=settings.calibration_minutes)
        names = [[f"{work.work.key}-{line.number:06d}" for line in work.placed] for work in laid]
        portion_of = {
            names[number][place]: count
            for number, parts in enumerate(portions)
            for count, part in enumerate(parts, start=1)
            for place in part
            if works[number][place] > 0
        }
        calibration = tuple(names[number][place] for number, places in enumerate(first) for place in places)
        return cls(portion_of, calibration)


def lost_lines(work: LaidWork) -> Iterator[Fallen]:
    """Lines without a clip: those that were not found or not believed, and those that nobody says alone."""
    for line in work.told:
        reason = line.time.problem
        if line.heard != "alone":
            reason = (
                message("aptness.shown-once-another-line")
                if line.heard == "with another"
                else message("aptness.nobody-says")
            )
        if reason:
            yield Fallen(work.work.name, line.number, line.line.line.text, "alignment", reason)


def yields_of(
    laid: Sequence[LaidWork], fallen: Sequence[FallenWork], *, lines_in: int, described: int, silent: int
) -> dict[str, dict[str, float]]:
    """What each stage before the choice for people has given.

    Args:
        laid: works whose lines were looked for.
        fallen: works that give no lines.
        lines_in: that have a clip.
        described: that machines have said something of.
        silent: of those, how many have no caption.
    """
    found = [work.laid for work in laid if work.laid is not None]
    return {
        "works": {"in": len(laid) + len(fallen), "out": len(laid)},
        "speech": {
            "minutes": round(sum(sum(work.seconds) for work in laid) / 60, 2),
            "minutes of speech": round(sum(work.speech_seconds for work in laid) / 60, 2),
        },
        "transcript": {
            "words heard": sum(one.heard for one in found),
            "words of the texts": sum(one.words for one in found),
            "words found": sum(one.found for one in found),
            "stretches not in the texts": sum(len(one.extras) for one in found),
        },
        "lines": {"in": sum(len(work.told) for work in laid), "out": lines_in},
        "described": {"in": lines_in, "out": described, "without caption": silent},
    }


def reasons_of(rejects: Sequence[Fallen]) -> dict[str, dict[str, int]]:
    """How often each reason was given, by stage; reasons that differ in numbers alone are one."""
    counts: dict[str, Counter[str]] = {}
    for one in rejects:
        counts.setdefault(one.stage, Counter())[_NUMBER.sub("…", one.reason) if one.line else one.reason] += 1
    return {stage: dict(sorted(counter.items())) for stage, counter in counts.items()}


def portions_json(settings: PortionSettings) -> dict[str, Json]:
    """How much people annotate, as settings."""
    return {
        "hours": settings.hours,
        "portion_minutes": settings.portion_minutes,
        "calibration_minutes": settings.calibration_minutes,
        "seed": settings.seed,
    }


def work_json(work: LaidWork) -> dict[str, Json]:
    """A work as the report has it: whose it is, what was read, and how well text and recordings match."""
    about = work.work
    found = {} if work.laid is None else alignment_summary(work.laid, work.placed, about.recordings)
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


def fallen_json(one: FallenWork) -> dict[str, Json]:
    """A work that fell, as the report has it."""
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
