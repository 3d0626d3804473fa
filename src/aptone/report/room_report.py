"""Additions of a room to the report of its runs, found by the verb that made the run.

A room registers itself once (`aptone.rooms.room.Room`, entry point ``aptone.rooms``) and names its `RoomReport` there;
nothing in this package knows a room by name.
"""

import importlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from aptone.errors import RegistryError
from aptone.registry import Registry
from aptone.report.claim_marks import MarkedText
from aptone.report.figures import Figure
from aptone.run import Run
from aptone.types import Entry, Language, Outcome


class Figures(Protocol):
    """Return the figures of a run; `score` is the one that its items are ranked by."""

    def __call__(self, run: Run, *, score: str, language: Language) -> Sequence[Figure]:
        """Return the figures."""
        ...


class Notes(Protocol):
    """Return what a reader of the scores must know, for the trust card."""

    def __call__(self, outcomes: Iterable[Outcome]) -> Sequence[str]:
        """Return the notes."""
        ...


class Marks(Protocol):
    """Return the texts of an item with their claims marked, each cut to its longest shown length."""

    def __call__(self, entry: Entry, *, longest: int) -> tuple[MarkedText, ...]:
        """Return the marked texts."""
        ...


class Pages(Protocol):
    """Write further pages beside the report and return their paths."""

    def __call__(self, run: Run, *, language: Language) -> tuple[Path, ...]:
        """Write the pages."""
        ...


def _no_figures(run: Run, *, score: str, language: Language) -> Sequence[Figure]:
    return ()


def _no_notes(outcomes: Iterable[Outcome]) -> Sequence[str]:
    return ()


def no_marks(entry: Entry, *, longest: int) -> tuple[MarkedText, ...]:
    """Mark nothing."""
    return ()


def _no_pages(run: Run, *, language: Language) -> tuple[Path, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class RoomReport:
    """Additions of a room to the report of its runs; each is optional.

    Args:
        figures: figures above the items.
        notes: notes on the trust card.
        marks: marks in the texts of an item.
        pages: pages beside the report.
    """

    figures: Figures = _no_figures
    notes: Notes = _no_notes
    marks: Marks = no_marks
    pages: Pages = _no_pages


def report_of(verb: str) -> RoomReport:
    """Return what the room of a verb adds to reports; nothing where no room has it.

    Raises:
        RegistryError: if the room names a report that is none.
    """
    rooms = Registry("rooms", object)
    for name in rooms:
        room = rooms.load(name)
        if verb in getattr(room, "verbs", ()) and (target := getattr(room, "report", "")):
            module, _, attribute = target.partition(":")
            found = getattr(importlib.import_module(module), attribute)
            if not isinstance(found, RoomReport):
                raise RegistryError(f"room {name!r}: {target} is a {type(found).__name__}; expected a RoomReport.")
            return found
    return RoomReport()
