"""Lines of a story to choose from, found by the reader that plans are made with."""

from dataclasses import dataclass

from aptone.planner.reading.attribution import paragraph_pieces
from aptone.rooms.aptness.story import story_from_text

MOST_SHOWN = 400
"""Paragraphs that the page lists; a line of a longer story is typed."""


@dataclass(frozen=True, slots=True)
class StoryPiece:
    """Words of a paragraph that one voice says.

    Args:
        occurrence: number among the paragraphs that hold the same words, from 1 on; 0 where only one does.
    """

    text: str
    role: str
    is_speech: bool
    occurrence: int


@dataclass(frozen=True, slots=True)
class StoryParts:
    """Paragraphs of a story in pieces, and how many more there are than are shown."""

    paragraphs: tuple[tuple[StoryPiece, ...], ...]
    left_out: int
    language: str


def story_parts(text: str) -> StoryParts:
    """Cut a pasted story into what can be chosen.

    >>> [piece.text for piece in story_parts('It rained. “Go!” said Tom.').paragraphs[0] if piece.is_speech]
    ['Go!']

    Raises:
        RecordError: if it is empty, or cannot be understood.
    """
    story = story_from_text(text)
    shown = story.lines[:MOST_SHOWN]
    paragraphs = []
    for place, line in enumerate(shown):
        pieces = []
        for piece in paragraph_pieces(line):
            words = piece.text.strip()
            if not words:
                continue
            holding = [other for other, one in enumerate(story.lines) if words in one.text]
            number = holding.index(place) + 1 if len(holding) > 1 and place in holding else 0
            pieces.append(StoryPiece(words, piece.role, piece.is_speech, number))
        paragraphs.append(tuple(pieces))
    return StoryParts(tuple(paragraphs), len(story.lines) - len(shown), story.language)
