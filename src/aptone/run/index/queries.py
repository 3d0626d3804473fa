"""Questions to the index of a run: pages of rows, counts, sums and groups.

Entries of repeat probes are left out everywhere but in `find`.
"""

import json
import math
import sqlite3
from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.messages import restore
from aptone.run.index.columns import KEPT, Array, Floats, Numbers, fetch_numbers, in_order, mask_of
from aptone.run.index.connections import snapshot
from aptone.run.index.rows import IndexedRow, RowFilter, ScoreScale, ScoreSummary, summary_of
from aptone.run.index.search import find_texts

FIRST_REPEAT = 0
INPUT_ORDER = ""
MOST_VALUES = 200
"""Values of one label that are listed, the most frequent first."""


class IndexQueries:
    """Questions to the tables of `aptone.run.index.journal_index`.

    Lists of items are arrays of their numbers, from columns that are read once (`aptone.run.index.columns`); what a
    page shows of them is read from the tables.
    """

    file: Path

    @property
    @abstractmethod
    def connection(self) -> sqlite3.Connection:
        """The connection of this thread."""

    @property
    def revision(self) -> int:
        """Rises whenever the index changes."""
        return self._about_number("revision")

    @property
    def has_trigrams(self) -> bool:
        """Check that texts are indexed by trigrams."""
        return bool(self._about_number("trigrams"))

    def count(self, wanted: RowFilter | None = None) -> int:
        """Number of items that meet the conditions."""
        return self.selection(wanted).size

    def rows(
        self, wanted: RowFilter | None = None, *, sort: str = INPUT_ORDER, offset: int = 0, limit: int = 100
    ) -> list[IndexedRow]:
        """A page of items, in an order of `selection`.

        Raises:
            UsageError: if no item has a score that is named.
        """
        with snapshot(self.connection):
            return self.rows_of(self.selection(wanted, sort=sort)[offset : offset + limit].tolist())

    def selection(self, wanted: RowFilter | None = None, *, sort: str = INPUT_ORDER) -> Numbers:
        """Numbers of the items that meet the conditions.

        Args:
            sort: ``""`` for the order of the input, the name of a score for the lowest first, and with a minus before
                it for the highest first; items without that score come last.

        Raises:
            UsageError: if no item has a score that is named.
        """
        asked = wanted or RowFilter()

        def select() -> Numbers:
            order = self._order(sort)
            return order[self._mask(asked)[order]]

        with snapshot(self.connection):
            return self._kept(("selection", asked.key, sort), select)

    def _mask(self, wanted: RowFilter) -> npt.NDArray[np.bool_]:
        """The conditions, true at the numbers of entries that meet them; repeats count among them.

        Raises:
            UsageError: if no item has the score that is named.
        """
        with snapshot(self.connection):
            size = self._size()
            held = np.ones(size, dtype=np.bool_)
            if wanted.has_range:
                self.name_number(wanted.score)
                values = self.column(wanted.score)
                held &= ~np.isnan(values) & ~(values < wanted.low) & ~(values > wanted.high)
            if wanted.states:
                within = f"repeat = {FIRST_REPEAT} AND state IN ({_blanks(wanted.states)})"
                held &= mask_of(self._numbers(f"SELECT number FROM entries WHERE {within}", wanted.states), size)
            for label in wanted.labels.items():
                held &= mask_of(self._numbers("SELECT number FROM labels WHERE key = ? AND value = ?", label), size)
            if wanted.text.split():
                held &= mask_of(find_texts(self.connection, wanted.text, trigrams=self.has_trigrams), size)
            return held

    def column(self, score: str) -> Floats:
        """Values of a score at the numbers of entries; NaN where there is none."""

        def read() -> Floats:
            values = np.full(self._size(), np.nan)
            asked = "SELECT number, value FROM scores WHERE name = ? AND value IS NOT NULL"
            cells = self.connection.execute(asked, (self.name_number(score, missing=-1),))
            found = np.fromiter(cells, dtype=[("number", np.int64), ("value", np.float64)])
            values[found["number"]] = found["value"]
            return values

        with snapshot(self.connection):
            return self._kept(("score", score), read)

    def _order(self, sort: str) -> Numbers:
        def by_position() -> Numbers:
            return self._numbers(f"SELECT number FROM entries WHERE repeat = {FIRST_REPEAT} ORDER BY position, number")

        order: Numbers = self._kept(("order",), by_position)
        if not sort:
            return order
        name = sort.removeprefix("-")
        self.name_number(name)
        return self._kept(("order", sort), lambda: in_order(self.column(name), order, descending=sort.startswith("-")))

    def _size(self) -> int:
        return int(self._one("SELECT 1 + ifnull(max(number), 0) FROM entries")[0])

    def _numbers(self, question: str, values: Sequence[object] = ()) -> Numbers:
        return fetch_numbers(self.connection, question, values)

    def _kept(self, key: tuple[Hashable, ...], make: Callable[[], Array]) -> Array:
        return KEPT.get((self.file, self.revision, *key), make)

    def rows_of(self, numbers: Sequence[int]) -> list[IndexedRow]:
        """Rows of some items, in the order of these numbers; those that are gone meanwhile are left out."""
        found = {
            row[0]: row
            for row in self.connection.execute(
                "SELECT number, id, position, state, reason, message, line, main_score, labelled FROM entries "
                f"WHERE number IN ({_blanks(numbers)})",
                numbers,
            )
        }
        scores, spreads = self._scores_of(numbers)
        return [
            IndexedRow(
                number,
                name,
                position,
                state,
                _restored(reason, stored),
                line,
                main,
                scores.get(number, {}),
                spreads.get((number, main), math.nan),
                json.loads(labelled),
            )
            for number, name, position, state, reason, stored, line, main, labelled in filter(
                None, map(found.get, numbers)
            )
        ]

    def _scores_of(self, numbers: Sequence[int]) -> tuple[dict[int, dict[str, float]], dict[tuple[int, str], float]]:
        scores: dict[int, dict[str, float]] = {}
        spreads: dict[tuple[int, str], float] = {}
        for number, name, value, spread in self.connection.execute(
            "SELECT s.number, n.text, s.value, s.spread FROM names n CROSS JOIN scores s ON s.name = n.name "
            f"WHERE s.value IS NOT NULL AND s.number IN ({_blanks(numbers)}) ORDER BY n.name",
            numbers,
        ):
            scores.setdefault(number, {})[name] = value
            if spread is not None:
                spreads[number, name] = spread
        return scores, spreads

    def find(self, id: str, *, repeat: int = FIRST_REPEAT) -> int | None:
        """Number of an item; ``None`` if it is not there."""
        found = self._row("SELECT number FROM entries WHERE id = ? AND repeat = ?", (id, repeat))
        return None if found is None else int(found[0])

    def states(self) -> dict[str, int]:
        """Number of items in each state."""
        return dict(
            self.connection.execute("SELECT state, count(*) FROM entries WHERE repeat = 0 GROUP BY state").fetchall()
        )

    def score_names(self) -> list[ScoreScale]:
        """The scores of the run, the main one first, then in order of appearance."""
        main = self.main_score()
        found = [
            ScoreScale(
                text,
                None if low is None or high is None else (low, high),
                None if better is None else bool(better),
                unit,
            )
            for text, low, high, better, unit in self.connection.execute(
                "SELECT text, low, high, higher_is_better, unit FROM names ORDER BY name"
            )
        ]
        return sorted(found, key=lambda scale: scale.name != main)

    def has_numbers(self, score: str) -> bool:
        """Check that at least one item has a number for a score."""
        asked = "SELECT 1 FROM scores WHERE name = ? AND value IS NOT NULL LIMIT 1"
        return self._row(asked, (self.name_number(score, missing=-1),)) is not None

    def main_score(self) -> str:
        """Main score of the first scored item; empty when nothing is scored."""
        found = self._row(
            "SELECT main_score FROM entries WHERE repeat = 0 AND main_score <> '' ORDER BY position, number LIMIT 1"
        )
        return "" if found is None else str(found[0])

    def summary(self, score: str, wanted: RowFilter | None = None) -> ScoreSummary:
        """Count, mean and deviation of a score over the items that meet the conditions."""
        return summary_of(self.values(score, wanted))

    def values(self, score: str, wanted: RowFilter | None = None) -> Floats:
        """All numbers of a score, in the order of the input."""
        with snapshot(self.connection):
            found = self.column(score)[self.selection(wanted)]
        return found[~np.isnan(found)]

    def label_values(self, *, most: int = MOST_VALUES) -> dict[str, dict[str, int]]:
        """The labels, and the number of items with each of their values, the most frequent first."""
        found: dict[str, dict[str, int]] = {}
        for key, value, count in self.connection.execute(
            "SELECT key, value, count(*) AS held FROM labels GROUP BY key, value ORDER BY key, held DESC, value"
        ):
            values = found.setdefault(key, {})
            if len(values) < most:
                values[value] = count
        return found

    def groups(self, key: str, score: str) -> dict[str, ScoreSummary]:
        """Sums of a score over the items of each value of a label."""
        numbers: dict[str, list[int]] = {}
        with snapshot(self.connection):
            column = self.column(score)
            asked = "SELECT value, number FROM labels WHERE key = ? ORDER BY value"
            for value, number in self.connection.execute(asked, (key,)):
                numbers.setdefault(value, []).append(number)
        return {value: summary_of(column[held]) for value, held in numbers.items()}

    def line_means(self, score: str, wanted: RowFilter | None = None) -> tuple[npt.NDArray[np.bytes_], Floats]:
        """Keys of the lines in order, and the mean of a score over the recordings of each."""
        with snapshot(self.connection):
            values, numbers = self.column(score), self.selection(wanted)
            numbers = numbers[~np.isnan(values[numbers])]
            keys, places = np.unique(self._line_keys()[numbers], return_inverse=True)
        sums = np.bincount(places, weights=values[numbers], minlength=keys.size)
        return keys, sums / np.bincount(places, minlength=keys.size)

    def _line_keys(self) -> npt.NDArray[np.bytes_]:
        def read() -> Array:
            keys = np.zeros(self._size(), dtype="S24")
            cells = self.connection.execute("SELECT number, line_key FROM entries")
            found = np.fromiter(cells, dtype=[("number", np.int64), ("key", "S24")])
            keys[found["number"]] = found["key"]
            return keys

        return self._kept(("line keys",), read)

    def totals(self) -> tuple[float, float, str]:
        """Cost and seconds of all entries, repeats included, and when the last of them was finished."""
        cost, seconds, finished = self._one("SELECT total(cost), total(seconds), max(finished) FROM entries")
        return float(cost), float(seconds), str(finished or "")

    def signatures(self) -> dict[str, int]:
        """Signatures of what judged the scored items, and number of items of each."""
        return dict(
            self.connection.execute(
                "SELECT signature, count(*) FROM entries WHERE repeat = 0 AND main_score <> '' GROUP BY signature "
                "ORDER BY count(*) DESC, signature"
            ).fetchall()
        )

    def name_number(self, score: str, *, missing: int | None = None) -> int:
        """Number of a score's name in the tables; `missing` where no item has it, or else a `UsageError`."""
        found = self._row("SELECT name FROM names WHERE text = ?", (score,))
        if found is None and missing is None:
            known = ", ".join(scale.name for scale in self.score_names()) or "none"
            raise UsageError(f"no item has a score named {score!r}; there are {known}.")
        return int(found[0]) if found is not None else int(missing or 0)

    def _about(self, name: str) -> str:
        found = self._row("SELECT value FROM about WHERE name = ?", (name,))
        return "" if found is None else str(found[0])

    def _about_number(self, name: str) -> int:
        return int(self._about(name) or 0)

    def _row(self, question: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self.connection.execute(question, values).fetchone()
        return found

    def _one(self, question: str, values: Sequence[object] = ()) -> tuple[float, ...]:
        found: tuple[float, ...] = self.connection.execute(question, values).fetchone()
        return found


def _blanks(values: Sequence[object]) -> str:
    return ", ".join("?" for _ in values)


def _restored(reason: str, stored: str) -> str:
    return restore([reason], json.loads(stored))[0] if stored else reason
