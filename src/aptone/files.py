"""Files that are whole or not there, also after a kill or a power cut."""

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from aptone.errors import RunError
from aptone.messages import message

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
"""Permissions of what is for its owner alone."""

_PARTIAL = re.compile(r"(?P<whole>.+)\.[a-z0-9_]+\.partial")
_LONGEST_WRITE = 60.0  # seconds; what was last touched before that is not being written any more

# Some file systems do not sync folders, and some folders may be entered but not read.
_CANNOT_SYNC = {errno.EACCES, errno.EPERM, errno.EINVAL, errno.EBADF, errno.ENOTSUP}


def unusable(path: Path, error: OSError, *, doing: Literal["write", "read", "open", "use"] = "write") -> RunError:
    """The error that says what the system refuses, about which file, and what to do next."""
    return RunError(message(f"run.cannot-{doing}", name=path, what=error.strerror or error))


def write_whole(path: Path, text: str, *, private: bool = False) -> None:
    """Write a text so that a reader sees the old one or the new one, never a part of it.

    Args:
        private: whether a new file is for its owner alone; one that replaces another has the permissions of that.

    Raises:
        RunError: if it cannot be written, for instance because the disk is full; the old file is then as it was.
    """
    write_bytes_whole(path, text.encode(), private=private)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a path for a library to write a large file to, and move it to its place when it is complete.

    It gets the permissions of the file that it replaces, if there is one.

    Raises:
        RunError: if it cannot be written; the old file is then as it was.
    """
    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")
    try:
        try:
            yield partial
            with contextlib.suppress(FileNotFoundError):
                partial.chmod(stat.S_IMODE(path.stat().st_mode))
            with partial.open("rb+") as file:
                os.fsync(file.fileno())
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise unusable(path, error) from error


def write_bytes_whole(path: Path, data: bytes, *, private: bool = False) -> None:
    """The same as `write_whole` for bytes."""
    with whole_file(path) as partial, open(partial, "xb", opener=_private if private else None) as file:
        file.write(data)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, PRIVATE_FILE)


def remove_partials(folder: Path, *, ours: str, shared: tuple[str, ...]) -> None:
    """Remove what a kill in the middle of `write_whole` has left.

    Args:
        ours: name of a file that nobody else writes at present.
        shared: names of files that others may be writing; what they have begun just now is left to them.
    """
    for child in folder.iterdir():
        match = _PARTIAL.fullmatch(child.name)
        whole = match["whole"] if match else ""
        if whole == ours or (whole in shared and time.time() - child.lstat().st_mtime > _LONGEST_WRITE):
            child.unlink(missing_ok=True)


def file_hash(path: Path) -> str:
    """SHA-256 of a file; empty for what is missing or is no regular file, such as a pipe, which would never end."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def natural_order(path: Path) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Sort key of files: numbers by their value, letters without regard to case, ``turn2`` before ``turn10``.

    >>> sorted(map(Path, ["turn10.wav", "Turn2.wav"]), key=natural_order)[0].name
    'Turn2.wav'
    """
    parts = [part for part in re.split(r"(\d+)", path.name.casefold()) if part]
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts), path.name


def make_folder(path: Path, *, private: bool = False) -> None:
    """Make a folder, if need be, and those above it, to survive a power cut; raises `RunError` if that fails.

    Args:
        private: whether a new folder is for its owner alone; those above it are not.
    """
    try:
        new = [folder for folder in (path, *path.parents) if not folder.exists()]
        path.mkdir(
            PRIVATE_FOLDER if private else 0o777, parents=True, exist_ok=True
        )  # another process may make it at the same moment
        for folder in new:
            sync_folder(folder.parent)
    except OSError as error:
        raise RunError(message("run.cannot-made-name-another-folder", name=path, what=error)) from error


def sync_folder(folder: Path) -> None:
    """Make sure that a new or renamed file survives a power cut, where the system allows it."""
    if os.name != "posix":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
