"""Entries of a long journal as a sequence: their places are held in memory, their records stay on the disk.

A journal of up to `HELD_BYTES` is read at once and checked whole. A longer one is scanned: each line is parsed for its
item, repeat, position and state, some 200 bytes are kept of it, and the record is read and checked when it is asked
for. So the memory that a run takes does not depend on what its items hold.
"""

import hashlib
import itertools
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast, overload

import numpy as np

from aptone.errors import RecordError
from aptone.files import unusable
from aptone.messages import message
from aptone.run.chain import without_checksum
from aptone.run.journal import damaged_line, latest, read_entry, read_entry_at, read_journal, whole_lines
from aptone.types import Entry, State, loads

HELD_BYTES = 16_000_000
"""Size up to which the entries of a journal are held in memory, where they take three to ten times as much.

A thousand clips of a story; a report of a longer journal reads each of its lines three times."""

_STATES = tuple(State)


def digest(*parts: str) -> bytes:
    """Return 16 bytes that stand for some texts: no two different ones will meet."""
    text = "\0".join(parts) if len(parts) > 1 else parts[0]
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def entry_key(id: str, repeat: int) -> bytes:
    """Return the digest of an item and repeat."""
    return digest(str(repeat), id)


def scan_journal(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the first byte and the JSON object of every whole line. A missing file has none.

    Lines fit those before them, are parsed, and the fields that name an entry are there; the rest is checked when it is
    read as a record.

    Raises:
        RunError: if the file cannot be read, or a line is damaged or was changed; the message names it.
    """
    for number, start, line in whole_lines(path):
        yield start, _parsed(line, path, number)


def _parsed(line: bytes, path: Path, number: int) -> Mapping[str, Any]:
    try:
        entry: Any = loads(without_checksum(line))
        item, outcome = entry["item"], entry["outcome"]
        texts = (item["id"], item["content_hash"], State(outcome["state"]))
        numbers = (item["position"], entry["repeat"])
        is_named = all(isinstance(one, str) for one in texts) and all(type(one) is int for one in numbers)
        if is_named and "checksum" not in entry:
            return cast(Mapping[str, Any], entry)
    except (RecordError, ValueError, KeyError, TypeError):
        pass
    read_entry(line, path=path, number=number)  # says what is wrong with it
    raise damaged_line(path, message("run.line-not-entry"), number=number)


def read_at(path: Path, start: int) -> Entry:
    """Read the entry that begins at a byte of a journal.

    Raises:
        RunError: if it cannot be read, or is damaged.
    """
    try:
        with path.open("rb") as file:
            return read_entry_at(file, start, path=path)
    except OSError as error:
        raise unusable(path, error, doing="read") from error


class JournalEntries(Sequence[Entry]):
    """The entries of a journal that count, in the order of the input; each is read when it is asked for.

    It is what the journal held when this was made: lines that are appended later are not in it.

    Raises:
        RunError: if the journal cannot be read, or a line is damaged; on use too.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        rows: dict[bytes, int] = {}
        starts, positions, repeats, names = array("q"), array("q"), array("q"), array("Q")
        states = bytearray()
        for start, line in scan_journal(path):
            item, repeat = line["item"], line["repeat"]
            key = entry_key(item["id"], repeat)
            row = rows.setdefault(key, len(starts))
            if row == len(starts):
                starts.append(start)
                positions.append(item["position"])
                repeats.append(repeat)
                names.append(int.from_bytes(digest(item["id"])[:8]))
                states.append(0)
            else:
                starts[row], positions[row] = start, item["position"]
            states[row] = _STATES.index(line["outcome"]["state"])
        rows.clear()
        order = np.lexsort((np.asarray(repeats), np.asarray(names), np.asarray(positions)))
        self._starts = np.asarray(starts)[order]
        self._repeats = np.asarray(repeats)[order]
        self._sort_shared_positions(np.asarray(positions)[order], np.asarray(names)[order])
        counts = Counter(states)
        self.states: Mapping[State, int] = {_STATES[number]: count for number, count in counts.items()}

    def _sort_shared_positions(self, positions: Any, names: Any) -> None:
        """Order items at one position by their ids, which only those need."""
        bounds = np.flatnonzero(np.diff(positions, prepend=positions[:1] - 1, append=positions[-1:] + 1))
        for first, end in itertools.pairwise(bounds.tolist()):
            if end - first > 1 and names[first] != names[end - 1]:
                starts, repeats = self._starts[first:end].copy(), self._repeats[first:end].copy()
                ids = [entry.item.id for entry in self._read(starts.tolist())]
                order = sorted(range(end - first), key=lambda at: (ids[at], repeats[at]))
                self._starts[first:end], self._repeats[first:end] = starts[order], repeats[order]

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Entry, ...]: ...

    def __getitem__(self, index: int | slice) -> Entry | tuple[Entry, ...]:
        if isinstance(index, slice):
            return tuple(self._read(self._starts[index].tolist()))
        return read_at(self._path, int(self._starts[index]))

    def __iter__(self) -> Iterator[Entry]:
        return self._all(b"")

    def naming(self, key: str) -> Iterator[Entry]:
        """Yield the entries in whose lines a key occurs, at whatever place; the lines of others are not parsed."""
        return self._all(f'"{key}":'.encode())

    def _all(self, mark: bytes) -> Iterator[Entry]:
        for first in range(0, len(self), 4096):
            yield from self._read(self._starts[first : first + 4096].tolist(), mark)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def _read(self, starts: Sequence[int], mark: bytes = b"") -> Iterator[Entry]:
        """Yield the entries that begin at some bytes and whose lines hold a mark."""
        if not starts:
            return
        try:
            with self._path.open("rb") as file:
                for start in starts:
                    if not mark or mark in _line_at(file, start):
                        yield read_entry_at(file, start, path=self._path)
        except OSError as error:
            raise unusable(self._path, error, doing="read") from error


def _line_at(file: BinaryIO, start: int) -> bytes:
    file.seek(start)
    return file.readline()


def load_entries(path: Path) -> Sequence[Entry]:
    """Return the entries of a journal that count, in the order of the input: held if it is short, else on the disk.

    Raises:
        RunError: if the journal cannot be read, or a line is damaged.
    """
    try:
        is_long = path.stat().st_size > HELD_BYTES
    except OSError:
        is_long = False  # whoever reads it says what is wrong
    if is_long:
        return JournalEntries(path)
    return in_input_order(read_journal(path))


def in_input_order(written: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries of a journal that count, in the order of the input."""
    entries = latest(written).values()
    return tuple(sorted(entries, key=lambda entry: (entry.item.position, entry.item.id, entry.repeat)))


def entries_naming(entries: Iterable[Entry], key: str) -> Iterator[Entry]:
    """Yield the entries that may hold a key of the payload or the evidence: all that do, and perhaps others."""
    return entries.naming(key) if isinstance(entries, JournalEntries) else iter(entries)


def count_states(entries: Sequence[Entry]) -> Mapping[State, int]:
    """Return the number of entries in each state."""
    if isinstance(entries, JournalEntries):
        return entries.states
    return Counter(entry.outcome.state for entry in entries)
