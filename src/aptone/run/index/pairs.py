"""Two runs side by side: the items that both have scored, matched by id."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from aptone.errors import UsageError
from aptone.run.index.queries import Floats, IndexQueries, RowFilter

_PAIRED = (
    "FROM entries e JOIN scores s ON s.number = e.number "
    "JOIN other.entries f ON f.id = e.id AND f.repeat = 0 JOIN other.scores t ON t.number = f.number "
    "WHERE e.repeat = 0 AND s.name = ? AND t.name = ? AND s.value IS NOT NULL AND t.value IS NOT NULL"
)
_UNPAIRED = (
    "FROM entries e JOIN scores s ON s.number = e.number WHERE e.repeat = 0 AND s.name = ? AND s.value IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM other.entries f JOIN other.scores t ON t.number = f.number "
    "WHERE f.id = e.id AND f.repeat = 0 AND t.name = ? AND t.value IS NOT NULL)"
)
PAIRED_ORDERS = {
    "change": "abs(t.value - s.value) DESC",
    "gain": "t.value - s.value DESC",
    "loss": "t.value - s.value",
    "input": "e.position",
}
"""Orders of paired rows: the largest change first, the largest of one direction, and that of the input."""


@dataclass(frozen=True, slots=True)
class PairedRow:
    """One item in two runs: its numbers in their indexes, and its score in each."""

    id: str
    line: str
    numbers: tuple[int, int]
    first: float
    second: float

    @property
    def difference(self) -> float:
        """Second minus first."""
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class PairedIndexes:
    """The indexes of two runs, and the score by which they are compared."""

    first: IndexQueries
    second: IndexQueries
    score: str

    def count(self, wanted: RowFilter | None = None) -> int:
        """Number of items that both have scored, and that meet the conditions in the first run."""
        where, values = self.first.conditions(wanted or RowFilter())
        with self._together() as connection:
            asked = f"SELECT count(*) {_PAIRED} AND {where}"
            return int(connection.execute(asked, (*self._names, *values)).fetchone()[0])

    def values(self) -> tuple[Floats, Floats]:
        """Numbers of both runs over the items that both have scored, in the order of their ids."""
        with self._together() as connection:
            found = connection.execute(f"SELECT s.value, t.value {_PAIRED} ORDER BY e.id", self._names).fetchall()
        both = np.array(found, dtype=np.float64).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    def rows(
        self, wanted: RowFilter | None = None, *, sort: str = "change", offset: int = 0, limit: int = 100
    ) -> list[PairedRow]:
        """A page of the items that both have scored and that meet conditions in the first, in one of `PAIRED_ORDERS`.

        Raises:
            UsageError: if there is no such order.
        """
        if sort not in PAIRED_ORDERS:
            raise UsageError(f"no order {sort!r}; expected one of {', '.join(PAIRED_ORDERS)}.")
        where, values = self.first.conditions(wanted or RowFilter())
        with self._together() as connection:
            found = connection.execute(
                f"SELECT e.id, e.line, e.number, f.number, s.value, t.value {_PAIRED} AND {where} "
                f"ORDER BY {PAIRED_ORDERS[sort]}, e.position, e.number LIMIT ? OFFSET ?",
                (*self._names, *values, limit, offset),
            ).fetchall()
        return [PairedRow(name, line, (one, two), first, second) for name, line, one, two, first, second in found]

    def only_first(self, *, limit: int = 20) -> tuple[int, list[str]]:
        """Number of items that only the first run has scored, and the ids of some of them."""
        with self._together() as connection:
            count = connection.execute(f"SELECT count(*) {_UNPAIRED}", self._names).fetchone()[0]
            ids = connection.execute(f"SELECT e.id {_UNPAIRED} ORDER BY e.position LIMIT ?", (*self._names, limit))
            return int(count), [row[0] for row in ids]

    def swapped(self) -> "PairedIndexes":
        """The same with the runs in each other's place."""
        return PairedIndexes(self.second, self.first, self.score)

    @property
    def _names(self) -> tuple[int, int]:
        return self.first.name_number(self.score, missing=-1), self.second.name_number(self.score, missing=-1)

    @contextmanager
    def _together(self) -> Iterator[sqlite3.Connection]:
        connection = self.first.connection
        connection.execute("ATTACH DATABASE ? AS other", (str(self.second.file),))
        try:
            yield connection
        finally:
            connection.execute("DETACH DATABASE other")
