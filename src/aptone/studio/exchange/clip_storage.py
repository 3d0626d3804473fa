"""Clips taken into a project folder, each once and under a name that is made of its bytes: it tells nobody anything."""

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
from aptone.messages import message
from aptone.types import AudioRef, RatingItem

CLIPS = "clips"
"""Where clips go inside of a project folder."""

_SUFFIX = re.compile(r"\.[a-z0-9]{1,5}")
_NAME_LENGTH = 32


class ClipTaker:
    """Takes recordings into a folder, the same bytes once.

    Args:
        folder: of the project.
        base: what relative paths are relative to.
        link: whether a file gets a second name (a hard link) in place of a copy, where the disk allows that.
    """

    def __init__(self, folder: Path, *, base: Path, link: bool = False) -> None:
        self._folder = folder
        self._base = base
        self._link = link
        self._taken: dict[Path, str] = {}

    def take(self, audio: AudioRef) -> AudioRef:
        """The recording as it is called in the project: by a path relative to its folder.

        Raises:
            AudioError: if it cannot be read.
            RunError: if it cannot be written.
        """
        source = self._base / audio.path
        if source not in self._taken:
            self._taken[source] = self._written(source)
        return replace(audio, path=self._taken[source], sha256="")

    def take_all(self, items: Iterable[RatingItem]) -> list[RatingItem]:
        """Items with all their clips in the project; errors as those of `take`."""
        return [replace(item, audio={name: self.take(audio) for name, audio in item.audio.items()}) for item in items]

    def _written(self, source: Path) -> str:
        if source.exists() and not source.is_file():
            raise AudioError(message("studio.not-a-file", name=source))
        try:
            with source.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise AudioError(message("studio.clip-unreadable", name=source, what=error.strerror)) from error
        probe(source)  # what is no recording is told under its own name, and does not get in
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
