"""Files of the project folder: paths that stay inside it, and clips copied into it.

A clip is stored once, under a name made of its bytes, which reveals nothing about its source.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from aptone.audio import probe
from aptone.errors import AudioError
from aptone.files import make_folder, unusable, whole_file
from aptone.messages import message, replaced
from aptone.types import AudioRef, RatingItem
from aptone.web.refusals import NotFoundError

CLIPS = "clips"
"""Folder for uploaded and imported clips, inside the project folder."""
CACHE = "cache"
"""Folder for cut or converted clips; it may be deleted at any time."""

_SUFFIX = re.compile(r"\.[a-z0-9]{1,5}")
_NAME_LENGTH = 32


class ClipStorage:
    """Copies recordings into a project folder, the same bytes once, or hard-links them where the disk allows that."""

    def __init__(self, folder: Path, *, base: Path, link: bool = False) -> None:
        self._folder = folder
        self._base = base
        self._link = link
        self._stored: dict[Path, str] = {}

    def add(self, audio: AudioRef) -> AudioRef:
        """Copy a recording, and return it with its path relative to the project folder."""
        source = self._base / audio.path
        if source not in self._stored:
            self._stored[source] = self._written(source)
        return replace(audio, path=self._stored[source], sha256="")

    def add_all(self, items: Iterable[RatingItem]) -> list[RatingItem]:
        """Copy all clips of items."""
        return [replace(item, audio={name: self.add(audio) for name, audio in item.audio.items()}) for item in items]

    def _written(self, source: Path) -> str:
        if source.exists() and not source.is_file():
            raise AudioError(message("studio.not-a-file", name=source))
        try:
            with source.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise AudioError(message("studio.clip-unreadable", name=source, what=error.strerror)) from error
        probe(source)  # a file that is no recording is refused by its own name
        suffix = source.suffix.lower()
        name = f"{CLIPS}/{digest[:_NAME_LENGTH]}{suffix if _SUFFIX.fullmatch(suffix) else ''}"
        place = self._folder / name
        if not place.is_file():
            make_folder(place.parent)
            self._put(source, place)
        return name

    def _put(self, source: Path, place: Path) -> None:
        if self._link:
            try:
                os.link(source.resolve(), place)
                return
            except OSError:  # another disk, or a file system without hard links
                pass
        try:
            with whole_file(place) as partial:
                shutil.copyfile(source, partial)
        except OSError as error:
            raise unusable(place, error) from error


def path_inside(folder: Path, name: str) -> Path:
    """Resolve a name to a file inside a folder.

    Args:
        folder: absolute path without symbolic links.
        name: relative to it, with ``/`` between its parts.

    Raises:
        NotFoundError: if the name is empty, absolute, climbs with ``..``, holds a NUL, leads out of the folder by a
            symbolic link, or means no file.
    """
    refusal = NotFoundError(
        message("studio.no-file-project-folder", name=repr(name[:200])),
        code="no-such-file",
        next=message("studio.put-file-into-project-folder"),
    )
    given = Path(name) if "\0" not in name else Path()
    if not given.parts or given.is_absolute() or ".." in given.parts:
        raise refusal
    try:
        path = (folder / given).resolve(strict=True)
    except (OSError, RuntimeError, ValueError):  # missing, a circle of links, or a name that no file can have
        raise refusal from None
    if not path.is_relative_to(folder) or not path.is_file():
        raise refusal
    return path


def without_folder(error: Exception, folder: Path) -> str:
    """Text of an error with paths relative to a folder, so that a reply does not reveal where it lies.

    >>> without_folder(ValueError("/srv/study/clips/a.wav: the file is empty."), Path("/srv/study"))
    'clips/a.wav: the file is empty.'
    """
    return replaced(replaced(str(error), f"{folder}/", ""), str(folder), message("studio.the-project"))
