"""Lifelines of worker processes: they end with their parent, however it ends, in the middle of an item too."""

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import Connection, wait

# A forked child inherits locks that other threads hold; a spawned one starts clean.
CONTEXT = multiprocessing.get_context("spawn")


class Lifeline:
    """The parent's end of a pipe. Workers that hold `end` are gone as soon as it is cut, or this process has died."""

    def __init__(self) -> None:
        self.end, self._held = CONTEXT.Pipe(duplex=False)

    def cut(self) -> None:
        """End all workers at once."""
        self._held.close()

    def close(self) -> None:
        """Let go of both ends, once the workers are gone."""
        self._held.close()
        self.end.close()


def hold(end: Connection) -> None:
    """Tie this worker process to its parent. Ctrl-C reaches the whole group, but only the parent decides."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(end,), daemon=True).start()


def _end_with_parent(end: Connection) -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel, end])
    os._exit(1)
