"""Writer of lines into the tables of an index."""

import json
import sqlite3
from operator import attrgetter

from aptone.run.index.lines import IndexedLine, ScoreCell
from aptone.run.index.search import add_texts, remove_text

ENTRY_COLUMNS = (
    *("id", "repeat", "position", "content_hash", "line_key", "state", "reason", "message", "main_score", "line"),
    *("labelled", "signature", "cost", "seconds", "parse_failures", "finished"),
)
"""Columns of an entry that are fields of `IndexedLine`."""
_VALUES = attrgetter(*ENTRY_COLUMNS)
_COLUMNS = (*ENTRY_COLUMNS, "start")
_KEEP = (
    f"INSERT INTO entries ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' for _ in _COLUMNS)}) "
    "ON CONFLICT (id, repeat) DO NOTHING RETURNING number"
)
_REPLACE = f"UPDATE entries SET {', '.join(f'{name} = ?' for name in _COLUMNS)} WHERE number = ?"


class LineWriter:
    """Lines on their way into the tables: entries one by one, for their numbers, and all that hangs on them at once."""

    def __init__(self, connection: sqlite3.Connection, *, trigrams: bool) -> None:
        self._connection = connection
        self._trigrams = trigrams
        self._names: dict[str, int] = dict(connection.execute("SELECT text, name FROM names"))
        self._texts: list[tuple[int, str]] = []
        self._scores: list[tuple[int, int, float | None, float | None]] = []
        self._labels: list[tuple[str, str, int]] = []

    def add(self, line: IndexedLine, *, start: int) -> None:
        """Keep a line, in place of an earlier one of the same item."""
        named = [(self._name(cell), cell) for cell in line.scores]
        values = (*_VALUES(line), start)
        found = self._connection.execute(_KEEP, values).fetchone()
        number = found[0] if found is not None else self._replace(line, values)
        if line.repeat == 0:
            self._texts.append((number, line.text))
            self._scores += [(name, number, cell.value, cell.spread) for name, cell in named]
            self._labels += [(key, value, number) for key, value in line.labels.items()]

    def _replace(self, line: IndexedLine, values: tuple[object, ...]) -> int:
        self.write()
        execute = self._connection.execute
        number, labelled = execute(
            "SELECT number, labelled FROM entries WHERE id = ? AND repeat = ?", (line.id, line.repeat)
        ).fetchone()
        remove_text(self._connection, number, trigrams=self._trigrams)
        execute("DELETE FROM scores WHERE name IN (SELECT name FROM names) AND number = ?", (number,))
        old = [(key, value, number) for key, value in json.loads(labelled).items()]
        self._connection.executemany("DELETE FROM labels WHERE key = ? AND value = ? AND number = ?", old)
        execute(_REPLACE, (*values, number))
        return int(number)

    def _name(self, cell: ScoreCell) -> int:
        """Number of a score's name, given with its first appearance."""
        if (known := self._names.get(cell.name)) is None:
            added = "INSERT INTO names (text, low, high, higher_is_better, unit) VALUES (?, ?, ?, ?, ?) RETURNING name"
            known = int(self._connection.execute(added, (cell.name, *cell.scale)).fetchone()[0])
            self._names[cell.name] = known
        return known

    def write(self) -> None:
        """Write what is waiting."""
        add_texts(self._connection, self._texts, trigrams=self._trigrams)
        self._connection.executemany("INSERT INTO scores VALUES (?, ?, ?, ?)", sorted(self._scores))
        self._connection.executemany("INSERT INTO labels VALUES (?, ?, ?)", sorted(self._labels))
        self._texts, self._scores, self._labels = [], [], []
