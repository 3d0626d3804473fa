"""Files on other machines, fetched into the cache: https:// by itself, s3://, gs://, hf:// and more by fsspec."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aptone.errors import AptoneError, MissingExtraError, RecordError
from aptone.files import make_folder, whole_file
from aptone.messages import message
from aptone.run.http.keys import shown_address
from aptone.run.sources.audio_cache import address_of, audio_cache
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
        return path
    with file_system(address) as (opened_system, place):
        size = opened_system.size(place)
        if size is not None and size > LARGEST_FILE:
            raise RecordError(message("sources.file-too-large", name=name, count=LARGEST_FILE >> 30))
        make_folder(path.parent)
        with opened_system.open(place, "rb") as opened, whole_file(path) as partial, partial.open("xb") as file:
            got = 0
            while block := opened.read(_BLOCK):
                got += len(block)
                if got > LARGEST_FILE:
                    raise RecordError(message("sources.file-too-large", name=name, count=LARGEST_FILE >> 30))
                file.write(block)
    return path


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
