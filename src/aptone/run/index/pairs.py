"""Two runs side by side: the items that both have scored, matched by id."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from aptone.errors import UsageError
from aptone.run.index.columns import KEPT, Array, Floats, Numbers, at_numbers
from aptone.run.index.connections import PATIENCE, snapshot
from aptone.run.index.queries import IndexQueries
from aptone.run.index.rows import RowFilter

_MATCHED = (
    "SELECT e.number, f.number FROM entries e CROSS JOIN other.entries f ON f.id = e.id AND f.repeat = 0 "
    "WHERE e.repeat = 0 ORDER BY e.position, e.number"
)
PAIRED_ORDERS: dict[str, Callable[[Floats], Floats]] = {
    "change": lambda difference: -np.abs(difference),
    "gain": lambda difference: -difference,
    "loss": lambda difference: difference,
    "input": np.zeros_like,
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
        return len(self._pairs(wanted)[0])

    def values(self) -> tuple[Floats, Floats]:
        """Numbers of both runs over the items that both have scored, in the order of the first input."""
        return self._scores(*self._pairs(None))

    def rows(
        self, wanted: RowFilter | None = None, *, sort: str = "change", offset: int = 0, limit: int = 100
    ) -> list[PairedRow]:
        """A page of the items that both have scored and that meet conditions in the first, in one of `PAIRED_ORDERS`.

        Raises:
            UsageError: if there is no such order.
        """
        if sort not in PAIRED_ORDERS:
            raise UsageError(f"no order {sort!r}; expected one of {', '.join(PAIRED_ORDERS)}.")
        ours, theirs = self._pairs(wanted)
        one, two = self._scores(ours, theirs)
        shown = np.argsort(PAIRED_ORDERS[sort](two - one), kind="stable")[offset : offset + limit]
        found = {row.number: row for row in self.first.rows_of(ours[shown].tolist())}
        return [
            PairedRow(row.id, row.line, (row.number, int(theirs[at])), float(one[at]), float(two[at]))
            for at in shown
            if (row := found.get(int(ours[at]))) is not None
        ]

    def only_first(self, *, limit: int = 20) -> tuple[int, list[str]]:
        """Number of items that only the first run has scored, and the ids of some of them."""
        with snapshot(self.first.connection):
            numbers = self.first.selection()
            scored = numbers[~np.isnan(self.first.column(self.score)[numbers])]
            alone = scored[~np.isin(scored, self._pairs(None)[0], kind="table")]
            return alone.size, [row.id for row in self.first.rows_of(alone[:limit].tolist())]

    def swapped(self) -> "PairedIndexes":
        """The same with the runs in each other's place."""
        return PairedIndexes(self.second, self.first, self.score)

    def _pairs(self, wanted: RowFilter | None) -> tuple[Numbers, Numbers]:
        """Numbers in both indexes of the items that both have scored."""
        key = ("pairs", self.first.file, self.first.revision, self.second.file, self.second.revision)
        ours, theirs = KEPT.get(key, self._matched)
        one, two = self._scores(ours, theirs)
        held = ~np.isnan(one) & ~np.isnan(two)
        if wanted is not None:
            held &= np.isin(ours, self.first.selection(wanted), kind="table")
        return ours[held], theirs[held]

    def _scores(self, ours: Numbers, theirs: Numbers) -> tuple[Floats, Floats]:
        return (
            at_numbers(self.first.column(self.score), ours),
            at_numbers(self.second.column(self.score), theirs),
        )

    def _matched(self) -> Array:
        """Numbers of the items of one id, whether they are scored or not."""
        with closing(sqlite3.connect(self.first.file, timeout=PATIENCE)) as connection:
            connection.execute("ATTACH DATABASE ? AS other", (str(self.second.file),))
            found = np.fromiter((number for pair in connection.execute(_MATCHED) for number in pair), dtype=np.int64)
        return found.reshape(-1, 2).T.copy()
