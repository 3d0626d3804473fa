"""Replies of models, kept by what was asked: a call is paid for once, also over several runs.

The key is the hash of everything that a reply depends on: model, prompt, audio, parameters, seed, and also the number
of the repeat and of the try. Without the last two, a repeat probe would measure this cache instead of the model, and a
retry would replay the reply that could not be read.
"""

import hashlib
import sqlite3
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from aptone.errors import RunError
from aptone.types import Json, dumps, from_json, loads, to_json


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked.

    Args:
        model: name and revision.
        prompt: all text that it is shown, system prompt included.
        audio_hash: of the sound that it is given; empty for none.
        parameters: temperature and the like.
    """

    model: str
    prompt: str
    audio_hash: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict)

    def key(self, *, seed: int, repeat: int, attempt: int) -> str:
        """Hash under which the reply is kept."""
        prompt_hash = hashlib.sha256(self.prompt.encode("utf-8", "surrogatepass")).hexdigest()
        parts: dict[str, Json] = {
            "model": self.model,
            "prompt": prompt_hash,
            "audio": self.audio_hash,
            "parameters": self.parameters,
            "seed": seed,
            "repeat": repeat,
            "attempt": attempt,
        }
        return hashlib.sha256(dumps(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Args:
        text: as it came.
        cost: of this call.
        details: what else came with it: token counts, finish reason, revision.
    """

    text: str
    cost: float = 0.0
    details: Mapping[str, Json] = field(default_factory=dict)


class ReplyStore(Protocol):
    """Where replies are kept: on this machine, or behind a worker's connection to the machine that has them."""

    def get(self, key: str) -> Reply | None:
        """The reply under a key, or ``None``."""
        ...

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; on return it is on the disk. The first reply under a key stays."""
        ...


class ReplyCache:
    """Replies in one SQLite file. Several threads, processes and runs may share it.

    Args:
        path: the file; it and its folder are made if they do not exist.

    Raises:
        RunError: if the file is not a cache of ours or cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(path, timeout=60.0, check_same_thread=False, isolation_level=None)
            self._connection.execute("PRAGMA journal_mode=WAL")
            # FULL: committed means on the disk. The journal's line comes after, so it never claims a lost reply.
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL) WITHOUT ROWID"
            )
        except (sqlite3.Error, OSError) as error:
            raise RunError(
                f"{path}: cannot be used as a reply cache ({error}). Delete it, or name another file."
            ) from error

    def get(self, key: str) -> Reply | None:
        """The reply under a key, or ``None``."""
        with self._lock:
            row = self._connection.execute("SELECT reply FROM replies WHERE key = ?", (key,)).fetchone()
        return None if row is None else from_json(Reply, loads(row[0], what=f"{self.path}, {key}"))

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; on return it is on the disk. The first reply under a key stays."""
        text = dumps(to_json(reply))
        with self._lock:
            self._connection.execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, text))

    def __len__(self) -> int:
        with self._lock:
            row = self._connection.execute("SELECT count(*) FROM replies").fetchone()
        return int(row[0])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
