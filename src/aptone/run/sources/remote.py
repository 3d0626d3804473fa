"""Files on other machines, fetched into the cache: https:// by itself, s3://, gs://, hf:// and more by fsspec."""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aptone.errors import AptoneError, MissingExtraError, RecordError
from aptone.files import make_folder, whole_file
from aptone.messages import message
from aptone.run.http.keys import shown_address
from aptone.run.sources.audio_cache import address_of, audio_cache, fetched
from aptone.run.sources.remote_shards import fetch

LARGEST_FILE = 64 << 30
"""Bytes of a file that is fetched."""
PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "hf": "huggingface_hub",
    "abfs": "adlfs",
    "az": "adlfs",
    "sftp": "paramiko",
    "oss": "ossfs",
}
"""Packages from PyPI that fsspec needs for an address."""
STALLED_SECONDS = 300.0
"""Time in which something of a file must come; file systems read some MiB ahead, so that is 17 kB a second."""
_BLOCK = 1 << 20


def local(path: Path, *, say: Callable[[str], None] | None = None) -> Path:
    """The path itself; where it mirrors a file on another machine that is not here yet, that is fetched first.

    Args:
        say: receives a sentence about each file that is fetched.

    Raises:
        MissingExtraError: if fsspec is not installed.
        RecordError, RunError: if the file cannot be fetched.
    """
    address = address_of(path)
    if address is None or path.is_file():
        return path
    name = shown_address(address)
    (say or _on_stderr)(message("sources.fetching", name=name))
    make_folder(audio_cache(), private=True)
    if address.startswith(("http://", "https://")):
        make_folder(path.parent)
        fetch(address, path)
        fetched(path)
        return path
    _watched(lambda watch: _copy(address, path, name, watch), name)
    fetched(path)
    return path


class _Watch:
    """Progress of a download in a thread of its own: no file system of fsspec can be stopped from outside."""

    def __init__(self) -> None:
        self.moved = time.monotonic()
        self.is_given_up = False

    def note(self) -> None:
        """Note that something came; raises `TimeoutError` if nobody waits for it any more."""
        if self.is_given_up:
            raise TimeoutError("given up")
        self.moved = time.monotonic()


def _watched(work: Callable[[_Watch], None], name: str) -> None:
    """Do some work that notes its progress, and give it up if there is none for `STALLED_SECONDS`.

    Raises:
        RecordError: if it was given up. It ends when its file system next answers, and leaves nothing behind.
    """
    watch, ended, failures = _Watch(), threading.Event(), list[BaseException]()

    def run() -> None:
        try:
            work(watch)
        except BaseException as error:
            failures.append(error)
        finally:
            ended.set()

    threading.Thread(target=run, name="fetch", daemon=True).start()
    try:
        while not ended.wait(max(0.0, watch.moved + STALLED_SECONDS - time.monotonic())):
            if time.monotonic() - watch.moved >= STALLED_SECONDS:
                raise RecordError(message("sources.fetch-stalled", name=name, seconds=round(STALLED_SECONDS)))
    finally:
        watch.is_given_up = True
    if failures:
        raise failures[0]


def _copy(address: str, path: Path, name: str, watch: _Watch) -> None:
    """Copy a file behind an address of fsspec to a path, whole or not at all."""
    with file_system(address) as (opened_system, place):
        size = opened_system.size(place)
        if size is not None and size > LARGEST_FILE:
            raise RecordError(message("sources.file-too-large", name=name, count=LARGEST_FILE >> 30))
        watch.note()
        make_folder(path.parent)
        with opened_system.open(place, "rb") as opened, whole_file(path) as partial, partial.open("xb") as file:
            got = 0
            while block := opened.read(_BLOCK):
                watch.note()
                got += len(block)
                if got > LARGEST_FILE:
                    raise RecordError(message("sources.file-too-large", name=name, count=LARGEST_FILE >> 30))
                file.write(block)
            watch.note()


@contextlib.contextmanager
def file_system(address: str) -> Iterator[tuple[Any, str]]:
    """Yield the file system of fsspec behind an address, and the place in it; what it raises is an error of ours.

    Raises:
        MissingExtraError: if fsspec is not installed.
        RecordError: if the file system is unknown, or refuses.
    """
    name = shown_address(address)
    try:
        yield _file_system(address)
    except ImportError as error:
        scheme = address.partition(":")[0]
        package = PACKAGES.get(scheme, scheme)
        raise RecordError(message("sources.needs-package", name=name, package=package)) from error
    except AptoneError:
        raise
    except Exception as error:  # every file system has errors of its own
        why = f"{type(error).__name__}: {error}".replace(address, name)[:300]
        raise RecordError(message("sources.cannot-fetch", name=name, why=why)) from error


def _file_system(address: str) -> tuple[Any, str]:
    if find_spec("fsspec") is None:
        raise MissingExtraError(message("sources.remote-files"), extra="remote")
    try:
        found: tuple[Any, str] = import_module("fsspec.core").url_to_fs(address)
    except ValueError as error:
        raise RecordError(
            message("sources.unknown-protocol", name=shown_address(address), why=str(error)[:200])
        ) from error
    return found


def _on_stderr(text: str) -> None:
    sys.stderr.write(f"aptone: {text}\n")
