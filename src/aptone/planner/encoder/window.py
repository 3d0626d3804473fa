"""What the encoder sees of a passage: so many pieces before the target, the target between two marks, some after it."""

from collections.abc import Sequence
from typing import NamedTuple

from aptone.planner.encoder.pieces import BEGIN, BREAK, CLOSE, END, MARKS, OPEN, Piece, Pieces
from aptone.planner.passage import Passage

LONGEST = 256
"""Pieces that are read at once, marks included."""
LONGEST_TARGET = 64
"""Of these at most so many of the target: its beginning and its end."""
LONGEST_AFTER = 44
"""And at most so many after it."""
_FRAME = 4


class Seen(NamedTuple):
    """A window on a passage.

    Args:
        numbers: of the pieces.
        places: where each piece begins and ends in the passage; a mark has an empty place.
        opened, closed: where the marks around the target stand.
    """

    numbers: tuple[int, ...]
    places: tuple[tuple[int, int], ...]
    opened: int
    closed: int


def seen(passage: Passage, pieces: Pieces) -> Seen:
    """The window on a passage: what stands nearest to the target."""
    before = pieces.cut(passage.text[: passage.start])
    target = [_moved(piece, passage.start) for piece in pieces.cut(passage.target)]
    after = [_moved(piece, passage.end) for piece in pieces.cut(passage.text[passage.end :])]
    return window(before, target, after)


def window(before: Sequence[Piece], target: Sequence[Piece], after: Sequence[Piece]) -> Seen:
    """The window of pieces before, in and after a target."""
    if len(target) > LONGEST_TARGET:
        half = LONGEST_TARGET // 2
        target = [*target[:half], *target[-half:]]
    after = after[:LONGEST_AFTER]
    room = LONGEST - _FRAME - len(target) - len(after)
    before = before[max(0, len(before) - room) :]
    if before and before[0].number == MARKS.index(BREAK):
        before = before[1:]
    laid = [
        _mark(BEGIN),
        *before,
        _mark(OPEN),
        *target,
        _mark(CLOSE),
        *after,
        _mark(END),
    ]
    return Seen(
        numbers=tuple(piece.number for piece in laid),
        places=tuple((piece.start, piece.end) for piece in laid),
        opened=1 + len(before),
        closed=2 + len(before) + len(target),
    )


def _moved(piece: Piece, by: int) -> Piece:
    return Piece(piece.number, piece.start + by, piece.end + by)


def _mark(name: str) -> Piece:
    return Piece(MARKS.index(name), 0, 0)
