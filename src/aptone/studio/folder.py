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

from aptone.errors import AudioError, MissingExtraError
from aptone.files import make_folder, unusable, whole_file
from aptone.messages import message, replaced
from aptone.studio.decoded_clips import BrokenClip, DecodedClips, broken_list, clip_seconds
from aptone.studio.refusals import NotAnAnswerError
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

    def __init__(self, folder: Path, *, base: Path, link: bool = False, decoded: DecodedClips | None = None) -> None:
        self._folder = folder
        self._base = base
        self._link = link
        self._decoded = decoded or DecodedClips()
        self._stored: dict[Path, str] = {}

    def add(self, audio: AudioRef) -> AudioRef:
        """Copy a recording, and return it with its path relative to the project folder.

        Raises:
            AudioError, MissingExtraError, NotAnAnswerError: if it cannot be read or decoded to its end, or the clip
                that is named cannot be played.
        """
        source = self._base / audio.path
        if source not in self._stored:
            self._stored[source] = self._written(source, audio)
        else:
            clip_seconds(audio, self._decoded.shape(source))
        return replace(audio, path=self._stored[source], sha256="")

    def add_all(self, items: Iterable[RatingItem], *, broken: list[BrokenClip] | None = None) -> list[RatingItem]:
        """Copy all clips of items, and return the items with their paths there.

        Args:
            broken: takes the clips that cannot be played; their items are left out. ``None``: they are an error.

        Raises:
            AudioError: if clips cannot be played, and no item is left or they are an error; it lists them.
        """
        found: list[BrokenClip] = []
        stored = [whole for item in items if (whole := self._whole(item, found)) is not None]
        if broken is not None and stored:
            broken += found
        elif found:
            raise AudioError(message("studio.clips-broken", count=len(found), names=broken_list(found)))
        return stored

    def _whole(self, item: RatingItem, broken: list[BrokenClip]) -> RatingItem | None:
        audio, before = {}, len(broken)
        for name, clip in item.audio.items():
            try:
                audio[name] = self.add(clip)
            except (AudioError, MissingExtraError, NotAnAnswerError) as error:
                broken.append(BrokenClip(item.id, name, str(error)))
        return replace(item, audio=audio) if len(broken) == before else None

    def _written(self, source: Path, audio: AudioRef) -> str:
        if source.exists() and not source.is_file():
            raise AudioError(message("studio.not-a-file", name=source))
        try:
            with source.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise AudioError(message("studio.clip-unreadable", name=source, what=error.strerror)) from error
        clip_seconds(audio, self._decoded.shape(source))  # what cannot be played is refused by its own name
        suffix = source.suffix.lower()
        name = f"{CLIPS}/{digest[:_NAME_LENGTH]}{suffix if _SUFFIX.fullmatch(suffix) else ''}"
        place = self._folder / name
        if not place.is_file():
            make_folder(place.parent)
            self._put(source, place)
        self._decoded.note_copy(source, place)
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
