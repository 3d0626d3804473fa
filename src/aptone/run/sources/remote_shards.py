"""Shards that lie on other machines: fetched when they are needed, and only a few kept.

A folder with a file ``shards.txt``, one address (http or https) a line, stands for a corpus that need not fit on the
disk. What is fetched goes to ``cache`` in it; the shards that were longest not asked for make room for new ones.
Processes that share the folder share what was fetched.
"""

import hashlib
import http.client
import os
import time
import urllib.error
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from aptone.errors import RecordError, RunError
from aptone.files import make_folder, unusable
from aptone.messages import labelled, message
from aptone.run.http.download import ADDRESS, BrokenOffError, download
from aptone.run.http.keys import shown_address
from aptone.run.http.reading import EncodedReplyError, LargeReplyError, Limits
from aptone.run.sources.shards import shard_files
from aptone.run.system.protocol import one_line

LIST, CACHE = "shards.txt", "cache"
KEPT = 64  # shards on the disk: four groups of those that are shuffled together
LARGEST_SHARD = 16 << 30  # bytes
TRIES = 5
TIMEOUT = 60.0
LEAST = 1 << 20
"""Bytes of a shard that must come within `TIMEOUT` seconds, as long as there are as many."""


@dataclass(frozen=True, slots=True)
class ShardSource:
    """The shards of a folder, wherever they lie.

    Args:
        paths: path of each on this machine, now or once it is fetched.
        addresses: addresses of those that are fetched; empty for shards that are here.
    """

    folder: Path
    paths: tuple[Path, ...]
    addresses: tuple[str, ...] = ()

    @property
    def is_remote(self) -> bool:
        """Check that shards are fetched from another machine."""
        return bool(self.addresses)

    def ready(self, number: int) -> Path:
        """A shard on this machine; fetched if it must be; raises `RunError` if it cannot be fetched or kept."""
        path = self.paths[number]
        if not self.is_remote:
            return path
        make_folder(path.parent)
        with FileLock(path.with_suffix(".lock")):
            if not path.exists():
                _make_room(path.parent)
                fetch(self.addresses[number], path)
            os.utime(path)  # it was asked for now
        return path


def shard_source(folder: Path) -> ShardSource:
    """The shards of a folder: those in it, or those that its ``shards.txt`` lists.

    Raises:
        RecordError: if a line of the list is no address.
        RunError: if the folder or the list cannot be read.
    """
    listed = folder / LIST
    if not listed.is_file():
        return ShardSource(folder, shard_files(folder))
    try:
        lines = [line.strip() for line in listed.read_text(encoding="utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        problem = error if isinstance(error, OSError) else OSError(str(error))
        raise unusable(listed, problem, doing="read") from error
    addresses = tuple(line for line in lines if line and not line.startswith("#"))
    for address in addresses:
        if ADDRESS.fullmatch(address) is None:
            raise RecordError(
                f"{listed}: expected an address (http or https) a line, got {shown_address(address)[:100]!r}."
            )
    marks = (hashlib.sha256(address.encode()).hexdigest()[:12] for address in addresses)
    paths = tuple(folder / CACHE / f"{number:06d}-{mark}.tar" for number, mark in enumerate(marks))
    return ShardSource(folder, paths, addresses)


def _make_room(cache: Path) -> None:
    def asked_for(path: Path) -> float:
        try:
            return path.stat().st_mtime
        except OSError:  # another process has removed it
            return 0.0

    for path in sorted(cache.glob("*.tar"), key=asked_for)[: -KEPT + 1 or None]:
        path.unlink(missing_ok=True)


def fetch(address: str, path: Path) -> None:
    """Fetch the file behind an http or https address; what is cut off or refused for now is tried again.

    Raises:
        RecordError: if it is larger than `LARGEST_SHARD`.
        RunError: if it cannot be fetched or written.
        UsageError: if the proxy that the environment names cannot be used.
    """
    limits, name = Limits(LARGEST_SHARD, TIMEOUT, renewed_by=LEAST), shown_address(address)
    for attempt in range(TRIES):
        try:
            download(address, path, limits)
            return
        except LargeReplyError as error:
            raise RecordError(message("run.shard-too-large", name=name, count=LARGEST_SHARD)) from error
        except EncodedReplyError as error:
            raise RunError(labelled(name, message("run.reply-compressed"))) from error
        except (BrokenOffError, OSError, http.client.HTTPException) as error:
            refused = isinstance(error, urllib.error.HTTPError) and 300 <= error.code < 500 and error.code != 429
            if refused or attempt == TRIES - 1:
                why = one_line(str(error).encode())
                raise RunError(message("run.cannot-fetch", name=name, why=why)) from error
            time.sleep(_wait(attempt))


def _wait(attempt: int) -> float:
    return 2.0**attempt
