"""Additions of a room to the report of its runs, found by the verb that made the run: figures, notes, marks, pages.

A room registers itself once (`aptone.rooms.room.Room`, entry point ``aptone.rooms``) and names its `RoomReport` there;
nothing in this package knows a room by name.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from markupsafe import Markup

from aptone.errors import RegistryError
from aptone.registry import Registry, load_target
from aptone.run import Run
from aptone.types import Entry, Json, Language, Outcome


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture above the items, for instance the emotion of two speakers over a dialogue.

    The policy of the page forbids style attributes and scripts, and every address outside it: colours come from the
    classes of the report's style sheet (``axis``, ``grid``, ``bar``, ``tick``, ``label``, …).

    Args:
        title: shown above it, as text.
        markup: the picture as HTML or SVG. Nothing in it is escaped any more, so it has to come from a template with
            autoescape or from ``Markup(…).format(…)``, which escape whatever came from items.
        note: shown below it, as text; what the picture shows, or leaves out.
        is_wide: whether it takes the whole width of the page.
        is_result: whether it is what the run was made for, such as a ranking: those stand at the top of the page.

    Raises:
        TypeError: if the markup is plain text, about which nobody has said that it is safe.

    >>> Figure("Pulse", Markup("<p>{}</p>").format("<b>")).markup
    Markup('<p>&lt;b&gt;</p>')
    """

    title: str
    markup: Markup
    note: str = ""
    is_wide: bool = False
    is_result: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.markup, Markup):
            raise TypeError(
                f"figure {self.title!r}: expected markupsafe.Markup, which says that text in it is escaped, "
                f"got {type(self.markup).__name__}."
            )


MOST_ROWS = 60
"""Units of one text that the table below it lists; the journal holds the others."""

UNREAD = "unread"
"""State of words that were not read into claims."""
_GRAVEST_FIRST = ("false", "missed", "undecided", "true", "found", UNREAD)
SYMBOLS: Mapping[str, str] = {"true": "✓", "false": "✗", "undecided": "?", "missed": "∅", "found": "✓", UNREAD: "…"}
"""Symbols behind marked words, for those who do not see the colours."""


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """A claim of a text, and whether it holds.

    Args:
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
    """A stretch of a text, with the gravest state of the units that rest on its words; empty where none does."""

    text: str
    state: str = ""
    facts: str = ""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A caption or a reference in pieces, and how many characters and units behind them are not shown.

    Args:
        note: shown below it, such as how much of it was read.
    """

    name: str
    pieces: tuple[Piece, ...]
    left_out: int
    units: tuple[ShownUnit, ...]
    units_left_out: int
    note: str = ""


def marked_text(
    name: str,
    text: str,
    units: Sequence[ShownUnit],
    *,
    longest: int,
    unread: Sequence[tuple[int, int]] = (),
    note: str = "",
) -> MarkedText:
    """Return a text cut at the words of its units, and at those that were not read."""
    left_over = [ShownUnit("", text[start:end], start, end, UNREAD) for start, end in _runs(text, unread)]
    return MarkedText(
        name,
        tuple(_pieces(text[:longest], [*units, *left_over])),
        max(0, len(text) - longest),
        tuple(units[:MOST_ROWS]),
        max(0, len(units) - MOST_ROWS),
        note,
    )


def _runs(text: str, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join places that only spaces part."""
    runs: list[tuple[int, int]] = []
    for start, end in sorted(places):
        if runs and not text[runs[-1][1] : start].strip():
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


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
        pieces.append(Piece(text[begin:end], state, " ".join(unit.fact for unit in together if unit.fact)))
        place = end
    if place < len(text):
        pieces.append(Piece(text[place:]))
    return pieces


class Figures(Protocol):
    """Return the figures of a run; `score` is the one that its items are ranked by."""

    def __call__(self, run: Run, *, score: str, language: Language) -> Sequence[Figure]:
        """Return the figures."""


class Notes(Protocol):
    """Return what a reader of the scores must know, for the trust card."""

    def __call__(self, outcomes: Iterable[Outcome]) -> Sequence[str]:
        """Return the notes."""


class Marks(Protocol):
    """Return the texts of an item with their claims marked, each cut to its longest shown length."""

    def __call__(self, entry: Entry, *, longest: int) -> tuple[MarkedText, ...]:
        """Return the marked texts."""


class Pages(Protocol):
    """Write further pages beside the report and return their paths."""

    def __call__(self, run: Run, *, language: Language) -> tuple[Path, ...]:
        """Write the pages."""


class Tolerance(Protocol):
    """Return the difference that the accuracy ACC forgives in a run, in units of its score, by its settings."""

    def __call__(self, settings: Mapping[str, Json]) -> float:
        """Return the tolerance."""


def no_marks(entry: Entry, *, longest: int) -> tuple[MarkedText, ...]:
    """Mark nothing."""
    return ()


@dataclass(frozen=True, slots=True)
class RoomReport:
    """Additions of a room to the report of its runs; each is optional.

    Args:
        notes_key: key of the evidence that all notes are about; outcomes without it need not be read for them.
    """

    figures: Figures = lambda run, *, score, language: ()
    notes: Notes = lambda outcomes: ()
    notes_key: str = ""
    marks: Marks = no_marks
    pages: Pages = lambda run, *, language: ()
    tolerance: Tolerance = lambda settings: 1.0


def report_of(verb: str) -> RoomReport:
    """Return what the room of a verb adds to reports; nothing where no room has it.

    Raises:
        RegistryError: if the room names a report that is none.
    """
    rooms = Registry("rooms", object)
    for name in rooms:
        room = rooms.load(name)
        if verb in getattr(room, "verbs", ()) and (target := getattr(room, "report", "")):
            found = load_target(target)
            if not isinstance(found, RoomReport):
                raise RegistryError(f"room {name!r}: {target} is a {type(found).__name__}; expected a RoomReport.")
            return found
    return RoomReport()
