"""Replies of models, kept by what was asked: a call is paid for once, also over several runs.

The key is the hash of everything that a reply depends on: model, prompt, audio, parameters, seed, and also the number
of the repeat and of the try. Without the last two, a repeat probe would measure this cache instead of the model, and a
retry would replay the reply that could not be read.

Beside each reply stands who paid for it and when. So a run that was killed before it could journal an item still knows
what the replies of that item have cost. A reply that could not be read is kept for that alone, under a key of its own:
no request is answered by it.
"""

import hashlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from aptone.errors import RecordError, RunError, checked_cost
from aptone.files import PRIVATE_FILE, PRIVATE_FOLDER
from aptone.types import Json, dumps, from_json, loads, to_json


@dataclass(frozen=True, slots=True)
class Forecast:
    """Expected usage of a request: estimated input tokens, the limit of the output tokens, and their cost."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Request:
    """Request to a model.

    Args:
        model: name and revision.
        prompt: all text that it is shown, system prompt included.
        audio_hash: hash of the sound that it is given; empty for none.
        forecast: expected usage, computed when it is asked for; ``None`` where unknown. No part of the key.
    """

    model: str
    prompt: str
    audio_hash: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict)
    forecast: Callable[[], Forecast] | None = field(default=None, compare=False, repr=False)

    def key(self, *, seed: int, repeat: int, attempt: int) -> str:
        """Hash under which the reply is kept."""
        parts: dict[str, Json] = {
            "model": self.model,
            "prompt": hashlib.sha256(self.prompt.encode("utf-8", "surrogatepass")).hexdigest(),
            "audio": self.audio_hash,
            "parameters": self.parameters,
            "seed": seed,
            "repeat": repeat,
            "attempt": attempt,
        }
        return hashlib.sha256(dumps(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply of a model, its cost, and further fields: token counts, finish reason, revision.

    Raises:
        ValueError: if the cost is not a finite number of 0 or more.
    """

    text: str
    cost: float = 0.0
    details: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checked_cost(self.cost, of="a reply")


@dataclass(frozen=True, slots=True)
class KeptReply:
    """A reply in the cache.

    Args:
        owner: the piece of work that paid for it: run, repeat and item; empty when nobody is to be charged.
        created: time of arrival in UTC (ISO 8601, milliseconds).
    """

    reply: Reply
    owner: str = ""
    created: str = ""


class ReplyStore(Protocol):
    """Storage of replies: on this machine, or behind a worker's connection to the machine that has them."""

    def get(self, key: str) -> KeptReply | None:
        """The reply under a key, or ``None``."""

    def put(self, key: str, kept: KeptReply) -> None:
        """Keep a reply; on return it is on the disk. The first reply under a key stays."""


def _begins_like_a_database(path: Path) -> bool:
    # SQLite takes a file of a few hundred bytes for an empty database and writes over it, whatever it holds.
    with path.open("rb") as file:
        return _MAGIC.startswith(file.read(len(_MAGIC)))


_MAGIC = b"SQLite format 3\0"

PATIENCE = 60.0  # seconds to wait for another process that is writing
_LATER_COLUMNS = ("owner TEXT NOT NULL DEFAULT ''", "created TEXT NOT NULL DEFAULT ''")


class ReplyCache:
    """Replies in one SQLite file. Several threads, processes and runs may share it; a new one is for its owner alone.

    Raises:
        RunError: if the file is not a cache of ours or cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
            if path.exists() and not _begins_like_a_database(path):
                raise sqlite3.DatabaseError("file is not a database")
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE))  # SQLite would let everybody read a new one
            self._connection = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False, isolation_level=None)
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from error
        try:
            self._share()
            # FULL: committed means on the disk. The journal's line comes after, so it never claims a lost reply.
            self._connection.execute("PRAGMA synchronous=FULL")
            self._make_table()
        except sqlite3.Error as error:
            self._connection.close()
            raise self._unusable(error) from error

    def get(self, key: str) -> KeptReply | None:
        """The reply under a key, or ``None``; raises `RunError` if the file is damaged."""
        row = self._execute("SELECT reply, owner, created FROM replies WHERE key = ?", key)
        if row is None:
            return None
        reply, owner, created = row
        try:
            return KeptReply(from_json(Reply, loads(reply)), owner=str(owner), created=str(created))
        except (RecordError, TypeError) as error:  # TypeError: not even text
            raise self._unusable(error) from error

    def put(self, key: str, kept: KeptReply) -> None:
        """Keep the first reply under a key, on the disk on return; raises `RunError` if the file or disk refuses."""
        self._execute(
            "INSERT OR IGNORE INTO replies (key, reply, owner, created) VALUES (?, ?, ?, ?)",
            key,
            dumps(to_json(kept.reply)),
            kept.owner,
            kept.created,
        )

    def __len__(self) -> int:
        (count,) = self._execute("SELECT count(*) FROM replies") or (0,)
        return int(count)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _share(self) -> None:
        """Let readers and a writer work at once. SQLite ignores its busy timeout for this change, so that we wait."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                    raise
            time.sleep(0.01)

    def _make_table(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")  # several processes may make the file at once
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS replies "
            f"(key TEXT PRIMARY KEY, reply TEXT NOT NULL, {', '.join(_LATER_COLUMNS)}) WITHOUT ROWID"
        )
        if [row[1] for row in self._connection.execute("PRAGMA table_info(replies)")] == ["key", "reply"]:
            for column in _LATER_COLUMNS:  # made before replies had owners: they are kept, and charged to nobody
                self._connection.execute(f"ALTER TABLE replies ADD COLUMN {column}")
        self._connection.execute("COMMIT")
        self._connection.execute("SELECT key, reply, owner, created FROM replies LIMIT 1")  # refuses a foreign table

    def _execute(self, statement: str, *values: str) -> tuple[Any, ...] | None:
        try:
            with self._lock:
                row: tuple[Any, ...] | None = self._connection.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise self._unusable(error) from error
        return row

    def _unusable(self, error: Exception) -> RunError:
        # A full disk or a missing permission is no reason to delete replies that were paid for.
        passing = isinstance(error, OSError | sqlite3.OperationalError)
        advice = "Fix that and run the same command again" if passing else "Delete it"
        return RunError(f"{self.path}: cannot be used as a reply cache ({error}). {advice}, or name another file.")
