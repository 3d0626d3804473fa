"""Recordings within a talking book (EPUB): written beside the run, a little at a time, under names of ours."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from aptone.audio.containers import sniff
from aptone.errors import RecordError, RunError, UsageError
from aptone.files import make_folder, unusable, whole_file
from aptone.messages import message
from aptone.rooms.aptness.books.book import find_recordings
from aptone.rooms.aptness.books.formats.archive import BLOCK, BookArchive
from aptone.rooms.aptness.books.formats.epub import WHAT, epub_recordings

FOLDER = "recordings"
"""Folder of the recordings within that of the run."""

LONGEST_NAME = 80
"""Characters of the name of a recording outside its book."""

_UNSAFE = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class ArchivedRecording:
    """Recording within a talking book.

    Args:
        part: its path within the archive, by which media overlays call it.
        name: name of its file outside: without folders, and another one for each recording.
    """

    part: str
    name: str


@dataclass(frozen=True, slots=True)
class BookRecordings:
    """Recordings of a book: files beside it, or those within a talking book, which are not yet there.

    Args:
        paths: where each of them lies, or will lie.
        within: the recordings of a talking book in the same order; empty for files.
        book: path of the talking book.
    """

    paths: tuple[Path, ...]
    within: tuple[ArchivedRecording, ...] = ()
    book: Path | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names by which times of the book may call them."""
        return tuple(one.part for one in self.within) or tuple(path.name for path in self.paths)

    def extract(self) -> None:
        """Write the recordings of a talking book, if it is one, to their paths; errors as of `extract_recordings`."""
        if self.book is not None:
            extract_recordings(self.book, self.within, self.paths[0].parent)


def find_book_recordings(sources: Sequence[Path], folder: Path) -> BookRecordings:
    """Return the recordings that sources name: files, those of a folder, or those within a talking book.

    Args:
        folder: folder of the run, for those of a talking book.

    Raises:
        RecordError: if a talking book is damaged or protected, or has no recordings.
        UsageError: if a folder holds none.
    """
    book = talking_book(sources)
    if book is None:
        return BookRecordings(tuple(find_recordings(sources)))
    within = archived_recordings(book)
    return BookRecordings(tuple(folder / FOLDER / one.name for one in within), within, book)


def talking_book(sources: Sequence[Path]) -> Path | None:
    """Return the EPUB that is given in place of recordings; None if recordings are given.

    Raises:
        UsageError: if an EPUB stands beside other sources.
    """
    books = [source for source in sources if source.suffix.lower() == ".epub"]
    if books and len(sources) > 1:
        raise UsageError(message("books.talking-book-beside-others", name=books[0]))
    return books[0] if books else None


def archived_recordings(path: Path) -> tuple[ArchivedRecording, ...]:
    """Return the recordings within an EPUB, in the order of reading.

    Raises:
        RecordError: if it is damaged or protected, or there are none.
    """
    with BookArchive(path, what=WHAT) as archive:
        parts = epub_recordings(archive)
    if not parts:
        raise RecordError(message("books.no-recordings", name=path))
    taken: set[str] = set()
    found: list[ArchivedRecording] = []
    for part in parts:
        name = _file_name(part)
        if name.casefold() in taken:
            name = f"{len(found) + 1}-{name}"
        taken.add(name.casefold())
        found.append(ArchivedRecording(part, name))
    return tuple(found)


def _file_name(part: str) -> str:
    """Return a file name without folders and characters that file systems refuse.

    >>> _file_name("OEBPS/audio/chapter 1?.mp3"), _file_name("audio/.one.m4a")
    ('chapter-1-.mp3', 'one.m4a')
    """
    name = PurePosixPath(_UNSAFE.sub("-", PurePosixPath(part).name).lstrip(".-") or "recording")
    return f"{name.stem[:LONGEST_NAME]}{name.suffix[:10]}"


def extract_recordings(path: Path, recordings: Sequence[ArchivedRecording], folder: Path) -> list[Path]:
    """Write the recordings of an EPUB into a folder, without those that are there, and return their paths.

    Raises:
        RecordError: if one is damaged, encrypted, no audio that can be read, or larger than the limits.
        RunError: if it cannot be written, or another file of its name is there.
    """
    make_folder(folder)
    written = []
    with BookArchive(path, what=WHAT) as archive:
        for one in recordings:
            target = folder / one.name
            if target.exists() or target.is_symlink():
                if _fingerprint(target) != archive.fingerprint(one.part):
                    raise RunError(message("books.recording-differs", name=target, part=one.part))
            else:
                _extract(archive, one.part, target)
            written.append(target)
    return written


def _extract(archive: BookArchive, part: str, target: Path) -> None:
    with whole_file(target) as partial:
        with partial.open("xb") as file:
            for block in archive.blocks(part):
                file.write(block)
        with partial.open("rb") as file:
            if sniff(file, size=partial.stat().st_size) is None:
                raise RecordError(message("books.recording-no-audio", name=archive.path, part=part))


def _fingerprint(path: Path) -> tuple[int, int]:
    """Return the size of a file and its CRC-32."""
    size = crc = 0
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                size, crc = size + len(block), zlib.crc32(block, crc)
    except OSError as error:
        raise unusable(path, error, doing="read") from error
    return size, crc
