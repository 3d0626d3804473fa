"""What was found when a book was laid beside its recordings, for machines: counts, and a record for each line."""

from collections.abc import Sequence
from pathlib import Path

from aptone.rooms.aptness.books.book import PlacedLine
from aptone.rooms.aptness.books.line_times import Laid
from aptone.types import Json


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
