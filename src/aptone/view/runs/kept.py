"""Results that are kept as long as what they were worked out from stays the same: the most recently used ones."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Kept(Generic[Result]):
    """The `most` results that were used last. Threads may share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._results: OrderedDict[Hashable, Result] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """The result of this key; made where it is not there, by two threads at once where both ask."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        made = make()
        with self._lock:
            self._results[key] = made
            while len(self._results) > self._most:
                self._results.popitem(last=False)
        return made
