"""Questions to the index of a run: pages of rows, counts, sums and groups.

Entries of repeat probes are left out everywhere but in `find`.
"""

import json
import math
import sqlite3
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.messages import restore

FIRST_REPEAT = 0
INPUT_ORDER = ""
MOST_VALUES = 200
"""Values of one label that are listed, the most frequent first."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Conditions on rows; all of them hold.

    Args:
        text: words that stand in the id, the line, the reason, the rationale or a label, in this order.
        states: states to keep; empty for all.
        labels: label to value, for instance ``{"chapter": "2"}``.
        score: score that lies from `low` to `high`; NaN leaves an end open.
    """

    text: str = ""
    states: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    score: str = ""
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True, slots=True)
class ScoreScale:
    """Name of a score and its scale; `range` is ``None`` for an open one."""

    name: str
    range: tuple[float, float] | None
    higher_is_better: bool | None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """Count, mean and sample deviation of a score; NaN where there are too few numbers."""

    count: int
    mean: float
    deviation: float
    lowest: float = math.nan
    highest: float = math.nan

    @property
    def error(self) -> float:
        """Standard error of the mean; NaN below two numbers."""
        return self.deviation / math.sqrt(self.count) if self.count > 1 else math.nan


@dataclass(frozen=True, slots=True)
class IndexedRow:
    """One item as a list shows it.

    Args:
        number: number of the entry in the index, which stays as long as the journal does.
        scores: values by name, those that are numbers.
        spread: of the main score; NaN where it has none.
    """

    number: int
    id: str
    position: int
    state: str
    reason: str
    line: str
    main_score: str
    scores: Mapping[str, float]
    spread: float
    labels: Mapping[str, str]


class IndexQueries:
    """Questions to the tables of `aptone.run.index.journal_index`."""

    file: Path

    @property
    @abstractmethod
    def connection(self) -> sqlite3.Connection:
        """The connection of this thread."""

    @property
    def revision(self) -> int:
        """Rises whenever the index changes."""
        return self._about_number("revision")

    def count(self, wanted: RowFilter | None = None) -> int:
        """Number of items that meet the conditions."""
        where, values = self.conditions(wanted or RowFilter())
        return int(self._one(f"SELECT count(*) FROM entries e WHERE {where}", values)[0])

    def rows(
        self, wanted: RowFilter | None = None, *, sort: str = INPUT_ORDER, offset: int = 0, limit: int = 100
    ) -> list[IndexedRow]:
        """A page of items.

        Args:
            sort: ``""`` for the order of the input, the name of a score for the lowest first, and with a minus before
                it for the highest first; items without that score come last.

        Raises:
            UsageError: if no item has such a score.
        """
        found = self._page(wanted or RowFilter(), sort, offset, limit)
        numbers = [row[0] for row in found]
        scores, spreads = self._scores_of(numbers)
        labels = self._labels_of(numbers)
        return [
            IndexedRow(
                number,
                name,
                position,
                state,
                _restored(reason, message),
                line,
                main,
                scores.get(number, {}),
                spreads.get((number, main), math.nan),
                labels.get(number, {}),
            )
            for number, name, position, state, reason, message, line, main in found
        ]

    def place(self, number: int, wanted: RowFilter | None = None, *, sort: str = INPUT_ORDER) -> int | None:
        """Place of an item in a list, from 0 on; ``None`` if the list does not hold it."""
        where, values = self.conditions(wanted or RowFilter())
        own = self._row(f"SELECT e.position FROM entries e WHERE e.number = ? AND {where}", (number, *values))
        if own is None:
            return None
        before = "(e.position, e.number) < (?, ?)"
        if not sort:
            return self._count(f"{where} AND {before}", (*values, own[0], number))
        name, sign = self.name_number(sort.removeprefix("-")), ">" if sort.startswith("-") else "<"
        held = "SELECT o.number FROM scores o WHERE o.name = ? AND o.value IS NOT NULL"
        value = self._row("SELECT value FROM scores WHERE name = ? AND number = ?", (name, number))
        if value is not None and value[0] is not None:
            ahead = f"e.number IN ({held} AND (o.value, o.number) {sign} (?, ?))"
            return self._count(f"{where} AND {ahead}", (*values, name, value[0], number))
        numbered = self._count(f"{where} AND e.number IN ({held})", (*values, name))
        return numbered + self._count(f"{where} AND {_UNNUMBERED} AND {before}", (*values, name, own[0], number))

    def _count(self, where: str, values: Sequence[object]) -> int:
        return int(self._one(f"SELECT count(*) FROM entries e WHERE {where}", values)[0])

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

    def main_score(self) -> str:
        """Main score of the first scored item; empty when nothing is scored."""
        found = self._row(
            "SELECT main_score FROM entries WHERE repeat = 0 AND main_score <> '' ORDER BY position, number LIMIT 1"
        )
        return "" if found is None else str(found[0])

    def summary(self, score: str, wanted: RowFilter | None = None) -> ScoreSummary:
        """Count, mean and deviation of a score over the items that meet the conditions."""
        where, values = self.conditions(wanted or RowFilter())
        return _summary(
            *self._one(
                "SELECT count(s.value), total(s.value), total(s.value * s.value), min(s.value), max(s.value) "
                f"FROM scores s JOIN entries e ON e.number = s.number WHERE s.name = ? AND {where}",
                (self.name_number(score, missing=-1), *values),
            )
        )

    def values(self, score: str, wanted: RowFilter | None = None) -> Floats:
        """All numbers of a score, in the order of the input."""
        where, values = self.conditions(wanted or RowFilter())
        found = self.connection.execute(
            "SELECT s.value FROM scores s JOIN entries e ON e.number = s.number "
            f"WHERE s.name = ? AND s.value IS NOT NULL AND {where} ORDER BY e.position, e.number",
            (self.name_number(score, missing=-1), *values),
        )
        return np.fromiter((row[0] for row in found), dtype=np.float64)

    def label_values(self, *, most: int = MOST_VALUES) -> dict[str, dict[str, int]]:
        """The labels, and the number of items with each of their values, the most frequent first."""
        found: dict[str, dict[str, int]] = {}
        for key, value, count in self.connection.execute(
            "SELECT l.key, l.value, count(*) AS held FROM labels l JOIN entries e ON e.number = l.number "
            "WHERE e.repeat = 0 GROUP BY l.key, l.value ORDER BY l.key, held DESC, l.value"
        ):
            values = found.setdefault(key, {})
            if len(values) < most:
                values[value] = count
        return found

    def groups(self, key: str, score: str) -> dict[str, ScoreSummary]:
        """Sums of a score over the items of each value of a label."""
        found = self.connection.execute(
            "SELECT l.value, count(s.value), total(s.value), total(s.value * s.value), min(s.value), max(s.value) "
            "FROM labels l JOIN entries e ON e.number = l.number JOIN scores s ON s.number = l.number "
            "WHERE l.key = ? AND e.repeat = 0 AND s.name = ? GROUP BY l.value ORDER BY l.value",
            (key, self.name_number(score, missing=-1)),
        )
        return {value: _summary(*sums) for value, *sums in found}

    def line_means(self, score: str, wanted: RowFilter | None = None) -> tuple[npt.NDArray[np.bytes_], Floats]:
        """Keys of the lines in order, and the mean of a score over the recordings of each."""
        where, values = self.conditions(wanted or RowFilter())
        found = self.connection.execute(
            "SELECT e.line_key, avg(s.value) FROM entries e JOIN scores s ON s.number = e.number "
            f"WHERE s.name = ? AND s.value IS NOT NULL AND {where} GROUP BY e.line_key ORDER BY e.line_key",
            (self.name_number(score, missing=-1), *values),
        ).fetchall()
        return np.array([key for key, _ in found], dtype="S24"), np.array([mean for _, mean in found], dtype=np.float64)

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

    def conditions(self, wanted: RowFilter) -> tuple[str, list[object]]:
        """Conditions on rows ``e`` of the entries as SQL, and its values; repeats are left out.

        Raises:
            UsageError: if no item has the score that they name.
        """
        parts, values = ["e.repeat = 0"], list[object]()
        if wanted.states:
            parts.append(f"e.state IN ({', '.join('?' for _ in wanted.states)})")
            values += wanted.states
        for key, value in wanted.labels.items():
            parts.append("e.number IN (SELECT number FROM labels WHERE key = ? AND value = ?)")
            values += (key, value)
        if wanted.score and not (math.isnan(wanted.low) and math.isnan(wanted.high)):
            low = -math.inf if math.isnan(wanted.low) else wanted.low
            high = math.inf if math.isnan(wanted.high) else wanted.high
            parts.append("e.number IN (SELECT number FROM scores WHERE name = ? AND value BETWEEN ? AND ?)")
            values += (self.name_number(wanted.score), low, high)
        for word in wanted.text.casefold().split():
            parts.append("(SELECT instr(text, ?) FROM texts t WHERE t.number = e.number) > 0")
            values.append(word)
        return " AND ".join(parts), values

    def _page(self, wanted: RowFilter, sort: str, offset: int, limit: int) -> list[tuple[Any, ...]]:
        """Columns of a page. Sorted by a score, rows with a number come in the order of its index, then the others."""
        where, values = self.conditions(wanted)
        columns = "SELECT e.number, e.id, e.position, e.state, e.reason, e.message, e.line, e.main_score FROM entries e"
        part = "LIMIT ? OFFSET ?"
        if not sort:
            asked = f"{columns} WHERE {where} ORDER BY e.position, e.number {part}"
            return self.connection.execute(asked, (*values, limit, offset)).fetchall()
        name, direction = self.name_number(sort.removeprefix("-")), "DESC" if sort.startswith("-") else "ASC"
        numbered = "JOIN scores o ON o.number = e.number AND o.name = ? AND o.value IS NOT NULL"
        order = f"ORDER BY o.value {direction}, o.number {direction}"
        found = self.connection.execute(
            f"{columns} {numbered} WHERE {where} {order} {part}", (name, *values, limit, offset)
        ).fetchall()
        if len(found) < limit:
            before = self._one(f"SELECT count(*) FROM entries e {numbered} WHERE {where}", (name, *values))[0]
            found += self.connection.execute(
                f"{columns} WHERE {where} AND {_UNNUMBERED} ORDER BY e.position, e.number {part}",
                (*values, name, limit - len(found), max(0, offset - int(before))),
            ).fetchall()
        return found

    def _scores_of(self, numbers: Sequence[int]) -> tuple[dict[int, dict[str, float]], dict[tuple[int, str], float]]:
        scores: dict[int, dict[str, float]] = {}
        spreads: dict[tuple[int, str], float] = {}
        for number, name, value, spread in self.connection.execute(
            f"SELECT s.number, n.text, s.value, s.spread FROM scores s JOIN names n ON n.name = s.name "
            f"WHERE s.value IS NOT NULL AND s.number IN ({_blanks(numbers)}) ORDER BY s.name",
            numbers,
        ):
            scores.setdefault(number, {})[name] = value
            if spread is not None:
                spreads[number, name] = spread
        return scores, spreads

    def _labels_of(self, numbers: Sequence[int]) -> dict[int, dict[str, str]]:
        labels: dict[int, dict[str, str]] = {}
        for number, key, value in self.connection.execute(
            f"SELECT number, key, value FROM labels WHERE number IN ({_blanks(numbers)}) ORDER BY key", numbers
        ):
            labels.setdefault(number, {})[key] = value
        return labels

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


_UNNUMBERED = "NOT EXISTS (SELECT 1 FROM scores o WHERE o.number = e.number AND o.name = ? AND o.value IS NOT NULL)"


def _blanks(values: Sequence[object]) -> str:
    return ", ".join("?" for _ in values)


def _restored(reason: str, stored: str) -> str:
    return restore([reason], json.loads(stored))[0] if stored else reason


def _summary(count: float, total: float, squares: float, lowest: float | None, highest: float | None) -> ScoreSummary:
    number = int(count)
    if not number:
        return ScoreSummary(0, math.nan, math.nan)
    mean = total / number
    variance = max(0.0, squares - number * mean * mean) / (number - 1) if number > 1 else math.nan
    return ScoreSummary(
        number,
        mean,
        math.sqrt(variance),
        math.nan if lowest is None else float(lowest),
        math.nan if highest is None else float(highest),
    )
