"""Whether enough of a caption was read to score it."""

from collections.abc import Sequence

from aptone.ear.reading.coverage import Coverage, coverage
from aptone.messages import message
from aptone.planner.reading.quotations import find_quotations
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.decompose import Decomposition
from aptone.rooms.caption.score import is_descriptive
from aptone.types import Language

LEAST_READ = 0.4
"""Share of the content words below which a caption is not scored."""
FEWEST_UNREAD = {"en": 3, "zh": 6}
"""Unread words (in Mandarin, characters) without which no caption is too little read."""
MOST_NAMED = 5
"""Unread words that a reason names."""


def quotations(caption: str) -> list[tuple[int, int]]:
    """Places of what the speaker says, in quotation marks that are closed."""
    return [(found.start, found.end) for found in find_quotations(caption, straight=True) if found.is_closed]


def coverage_of(caption: str, taken: Decomposition, *, language: Language) -> Coverage:
    """Return which words of a caption were read into its units, or understood without a claim."""
    read = [(unit.start, unit.end) for unit in taken.units]
    return coverage(caption, read, language=language, understood=taken.understood, quoted=quotations(caption))


def too_little(found: Coverage, units: Sequence[Unit], caption: str, *, language: Language) -> str:
    """Return the reason why a caption is not scored; empty where enough of it was read.

    It is not where less than `LEAST_READ` of its content words were read, or where nothing of how it sounds was read
    ("this man is about to …" gives only that a man speaks) and words are left over.
    """
    unread = found.words(caption)
    size = sum(len(word) for word in unread) if language == "zh" else len(unread)
    silent = not any(map(is_descriptive, units))
    if size < FEWEST_UNREAD[language] and not (silent and size):
        return ""
    named = {"en": ", ", "zh": "、"}[language].join(dict.fromkeys(unread[:MOST_NAMED]))
    if silent:
        return message("caption.nothing-read-about-sound", words=named)
    if found.share < LEAST_READ:
        return message("caption.too-little-read", share=100.0 * found.share, words=named)
    return ""
