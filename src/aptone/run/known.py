"""Items that earlier sessions of a run worked on, in some 250 bytes each, whatever they hold."""

import json
from array import array
from collections.abc import Iterator
from pathlib import Path

from aptone.run.entries import digest, entry_key, read_at, scan_journal
from aptone.run.progress import countable
from aptone.types import Entry, Item, Json, State
from aptone.types.codec import encode, is_finite_number

_DIGEST = 16


def item_digest(encoded: Json) -> bytes:
    """Return the digest of an item as the journal holds it."""
    return digest(json.dumps(encoded, sort_keys=True, separators=(",", ":")))


def _cost(given: object) -> float:
    """Return a cost as far as it can be added up; ``null`` stands for an undefined one."""
    return countable(float(given)) if is_finite_number(given) else 0.0


class KnownItems:
    """The latest entry of each item and repeat in a journal: whether it failed, and digests of its item.

    Args:
        path: the journal; a missing one holds nothing.

    Raises:
        RunError: if the journal cannot be read, or a line is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: dict[bytes, int] = {}
        self._starts = array("q")
        self._costs = array("d")
        self._failed = bytearray()
        self._seen = bytearray()
        self._contents = bytearray()
        self._items = bytearray()
        for start, line in scan_journal(path):
            item = line["item"]
            row = self._rows.setdefault(entry_key(item["id"], line["repeat"]), len(self._starts))
            if row == len(self._starts):
                self._starts.append(0)
                self._costs.append(0.0)
                for flags in (self._failed, self._seen):
                    flags.append(0)
                self._contents += bytes(_DIGEST)
                self._items += bytes(_DIGEST)
            self._starts[row] = start
            self._costs[row] = _cost(line["cost"])
            self._failed[row] = line["outcome"]["state"] == State.FAILED
            part = slice(row * _DIGEST, (row + 1) * _DIGEST)
            self._contents[part] = digest(item["content_hash"])
            self._items[part] = item_digest(item)

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def cost(self) -> float:
        """Cost of all entries."""
        return sum(self._costs)

    @property
    def paid(self) -> int:
        """Number of entries that cost anything."""
        return sum(cost > 0 for cost in self._costs)

    @property
    def done(self) -> int:
        """Number of entries that did not fail."""
        return len(self) - sum(self._failed)

    def find(self, id: str, repeat: int) -> int | None:
        """Return the row of an item and repeat; ``None`` if nobody worked on it."""
        return self._rows.get(entry_key(id, repeat))

    def is_done(self, id: str, repeat: int) -> bool:
        """Check that an item was worked on and did not fail."""
        row = self.find(id, repeat)
        return row is not None and not self._failed[row]

    def has_failed(self, row: int) -> bool:
        """Check that the work on a row failed."""
        return bool(self._failed[row])

    def mark_seen(self, id: str) -> None:
        """Note that the input names an item; its repeats count as named, too."""
        repeat = 0
        while (row := self.find(id, repeat)) is not None:
            self._seen[row] = 1
            repeat += 1

    def has_content(self, row: int, item: Item) -> bool:
        """Check that an item has the content that was worked on."""
        return self._contents[row * _DIGEST : (row + 1) * _DIGEST] == digest(item.content_hash)

    def is_same(self, row: int, item: Item) -> bool:
        """Check that an item is written as it was then, its position and the places of its files included."""
        return self._items[row * _DIGEST : (row + 1) * _DIGEST] == item_digest(encode(item, "Entry.item", 1))

    def entry(self, row: int) -> Entry:
        """Read the whole entry of a row from the journal."""
        return read_at(self._path, self._starts[row])

    def unseen(self) -> Iterator[str]:
        """Yield the ids of rows that the input did not name, in the order of the journal."""
        ids = (self.entry(row).item.id for row, seen in enumerate(self._seen) if not seen)
        yield from dict.fromkeys(ids)
