"""Columns of indexes as arrays, kept while an index stays as it is: filters and orders of many items without SQL.

An array has one value for each number of an entry, 8 bytes at most, and all of them together have a size limit; what
was used longest ago goes first.
"""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
"""Numbers of entries."""
Array = npt.NDArray[Any]

LARGEST = 64 * 2**20
"""Bytes of all arrays that are kept."""


class KeptArrays:
    """The arrays that were used last, up to a size. Threads may share it."""

    def __init__(self, largest: int = LARGEST) -> None:
        self._largest = largest
        self._arrays: OrderedDict[Hashable, Array] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Array]) -> Array:
        """The array of this key; made where it is not there, by two threads at once where both ask."""
        with self._lock:
            if key in self._arrays:
                self._arrays.move_to_end(key)
                return self._arrays[key]
        made = make()
        made.flags.writeable = False
        with self._lock:
            if key not in self._arrays:
                self._arrays[key] = made
                self._size += made.nbytes
            while self._size > self._largest and len(self._arrays) > 1:
                self._size -= self._arrays.popitem(last=False)[1].nbytes
        return made


KEPT = KeptArrays()


def fetch_numbers(connection: sqlite3.Connection, question: str, values: Sequence[object] = ()) -> Numbers:
    """The first column of an answer."""
    return np.fromiter((row[0] for row in connection.execute(question, values)), dtype=np.int64)


def mask_of(numbers: Numbers, size: int) -> npt.NDArray[np.bool_]:
    """Array that is true at these numbers."""
    mask = np.zeros(size, dtype=np.bool_)
    mask[numbers] = True
    return mask


def at_numbers(column: Floats, numbers: Numbers) -> Floats:
    """Values of a column at some numbers; NaN where they are newer than the column."""
    found = np.full(numbers.size, np.nan)
    known = numbers < column.size
    found[known] = column[numbers[known]]
    return found


def in_order(values: Floats, numbers: Numbers, *, descending: bool) -> Numbers:
    """Those of some numbers that have a value, by value, then by number; and then the others as they stand."""
    own = values[numbers]
    has_none = np.isnan(own)
    numbered = numbers[~has_none]
    numbered = numbered[np.lexsort((numbered, own[~has_none]))]
    return np.concatenate([numbered[::-1] if descending else numbered, numbers[has_none]])
