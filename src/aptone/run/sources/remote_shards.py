"""Shards that lie on other machines: fetched when they are needed, and only a few kept.

A folder with a file ``shards.txt``, one address (http or https) a line, stands for a corpus that need not fit on the
disk. What is fetched goes to ``cache`` in it; the shards that were longest not asked for make room for new ones.
Processes that share the folder share what was fetched.
"""

import hashlib
import http.client
import os
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from filelock import FileLock

from aptone.errors import RecordError, RunError
from aptone.files import make_folder, unusable, whole_file
from aptone.run.sources.shards import shard_files

LIST, CACHE = "shards.txt", "cache"
KEPT = 64  # shards on the disk: four groups of those that are shuffled together
LARGEST_SHARD = 16 << 30  # bytes
TRIES = 5
TIMEOUT = 60.0
"""Seconds without a byte."""
_BLOCK = 1 << 20
_ADDRESS = re.compile(r"https?://[^\s]+")


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
        if _ADDRESS.fullmatch(address) is None:
            raise RecordError(f"{listed}: expected an address (http or https) a line, got {address[:100]!r}.")
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


class _BrokenOffError(Exception):
    """The other side stopped sending; another try may succeed."""


def fetch(address: str, path: Path) -> None:
    """Fetch the file behind an http or https address; what is cut off or refused for now is tried again.

    Raises:
        RecordError: if it is larger than `LARGEST_SHARD`.
        RunError: if it cannot be fetched or written.
    """
    for attempt in range(TRIES):
        try:
            _fetch_once(address, path)
            return
        except (_BrokenOffError, urllib.error.URLError, TimeoutError, http.client.HTTPException) as error:
            refused = isinstance(error, urllib.error.HTTPError) and 300 <= error.code < 500 and error.code != 429
            if refused or attempt == TRIES - 1:
                raise RunError(f"{address}: cannot be fetched ({error}). Fix that, run the same command.") from error
            time.sleep(_wait(attempt))


def _wait(attempt: int) -> float:
    return 2.0**attempt


class _Elsewhere(urllib.request.HTTPRedirectHandler):
    """Goes where a server points, as long as that is an address of the web, and no less safe than the one asked."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if _ADDRESS.fullmatch(newurl) is None or (req.type == "https" and not newurl.startswith("https:")):
            raise RunError(f"{req.full_url}: points to {newurl[:100]!r}, which is not followed; list where it leads.")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _fetch_once(address: str, path: Path) -> None:
    opened = urllib.request.build_opener(_Elsewhere).open(address, timeout=TIMEOUT)  # its scheme was looked at
    with opened as answer, whole_file(path) as partial, partial.open("xb") as file:
        for block in _blocks(answer, address):
            file.write(block)


def _blocks(answer: http.client.HTTPResponse, address: str) -> Iterator[bytes]:
    promised, got = answer.headers.get("Content-Length", ""), 0
    while True:
        try:
            block = answer.read(_BLOCK)
        except (OSError, http.client.HTTPException) as error:
            raise _BrokenOffError(str(error)) from error
        if not block:
            break
        got += len(block)
        if got > LARGEST_SHARD:
            raise RecordError(f"{address}: is larger than the {LARGEST_SHARD} bytes of a shard; cut it up.")
        yield block
    if promised.isdigit() and got != int(promised):
        raise _BrokenOffError(f"{got} of {promised} bytes came")
