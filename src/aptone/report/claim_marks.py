"""Texts with their claims marked: which the recording bears out, which it does not, and what is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MOST_ROWS = 60
"""Units of one text that the table below it lists; the journal holds the others."""

_GRAVEST_FIRST = ("false", "missed", "undecided", "true", "found")
SYMBOLS: Mapping[str, str] = {"true": "✓", "false": "✗", "undecided": "?", "missed": "∅", "found": "✓"}
"""What stands behind marked words, for those who do not see the colours."""


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """A claim of a text, and whether it holds.

    Args:
        fact: fact that it claims.
        evidence: the words that say so.
        start: start of its words in the text.
        end: end of its words.
        state: ``true``, ``false`` or ``undecided`` for a unit of the caption, ``found`` or ``missed`` for one of the
            reference.
        measured: measurements behind the verdict, in words.
    """

    fact: str
    evidence: str
    start: int
    end: int
    state: str
    measured: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text.

    Args:
        text: its words.
        state: state of the units that rest on them, the gravest of several; empty where none does.
        facts: facts that those units claim.
    """

    text: str
    state: str = ""
    facts: str = ""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A caption or a reference in pieces.

    Args:
        name: name of the field that holds it.
        pieces: pieces from the beginning to the end.
        left_out: characters behind the last piece that are not shown.
        units: units that are listed below it.
        units_left_out: how many are not.
    """

    name: str
    pieces: tuple[Piece, ...]
    left_out: int
    units: tuple[ShownUnit, ...]
    units_left_out: int


def marked_text(name: str, text: str, units: Sequence[ShownUnit], *, longest: int) -> MarkedText:
    """Return a text cut at the words of its units.

    Args:
        name: name of the field that holds it.
        text: text with the units.
        units: units that rest on words of it.
        longest: characters that are shown.
    """
    return MarkedText(
        name,
        tuple(_pieces(text[:longest], units)),
        max(0, len(text) - longest),
        tuple(units[:MOST_ROWS]),
        max(0, len(units) - MOST_ROWS),
    )


def _pieces(text: str, units: Sequence[ShownUnit]) -> list[Piece]:
    """The text cut at the words of its units; units that overlap share a piece."""
    pieces: list[Piece] = []
    place = number = 0
    standing = sorted((unit for unit in units if text[unit.start : unit.end] == unit.evidence), key=lambda u: u.start)
    while number < len(standing):
        begin, end, first = standing[number].start, standing[number].end, number
        while number < len(standing) and standing[number].start < end:
            end = max(end, standing[number].end)
            number += 1
        together = standing[first:number]
        if begin > place:
            pieces.append(Piece(text[place:begin]))
        state = min((unit.state for unit in together), key=_GRAVEST_FIRST.index)
        pieces.append(Piece(text[begin:end], state, " ".join(unit.fact for unit in together)))
        place = end
    if place < len(text):
        pieces.append(Piece(text[place:]))
    return pieces
