"""Files and pieces of an index: which recordings a folder holds, and the parts of long ones."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import RECORDINGS
from aptone.rooms.style.embedding.vectors import key_of
from aptone.run.folder import is_run_folder
from aptone.types import AudioRef, Json, is_finite_number


@dataclass(frozen=True, slots=True)
class Piece:
    """A clip in the index, a file or a part of one; its path is relative to the folder."""

    path: str
    ref: AudioRef
    key: bytes


def walk(folder: Path, runs: list[Path]) -> Iterator[Path]:
    """Yield the recordings of a folder; those that runs keep are left out, and their folders are added to `runs`."""
    for root, folders, names in os.walk(folder):
        seen = sorted(name for name in folders if not name.startswith("."))
        kept_by_runs = [name for name in seen if is_run_folder(Path(root, name))]
        runs += [Path(root, name) for name in kept_by_runs]
        folders[:] = [name for name in seen if name not in kept_by_runs]
        for name in names:
            path = Path(root, name)
            if not name.startswith(".") and path.suffix.lower() in RECORDINGS and not path.is_symlink():
                yield path


def pieces_of(folder: Path, path: str, about: tuple[int, int, str, tuple[tuple[float, float], ...]]) -> list[Piece]:
    """Return the pieces of a file by its entry in the list of files."""
    digest, parts = about[2], about[3]
    whole = str(folder / path)
    if not parts:
        return [Piece(path, AudioRef(whole), key_of(digest))]
    return [Piece(path, AudioRef(whole, start, end), key_of(digest, start, end)) for start, end in parts]


def readable(data: Mapping[str, Json]) -> Iterator[tuple[str, tuple[int, int, str, tuple[tuple[float, float], ...]]]]:
    """The entries of a list of files that can be understood; others are rebuilt."""
    for path, about in data.items():
        match about:
            case [int(size), int(time), str(digest), list(parts)]:
                spans = [(float(part[0]), float(part[1])) for part in parts if _is_span(part)]
                if len(spans) == len(parts) and len(digest) == 64:
                    yield path, (size, time, digest, tuple(spans))


def _is_span(part: Json) -> bool:
    if not isinstance(part, Sequence) or isinstance(part, str) or len(part) != 2:
        return False
    numbers = [value for value in part if is_finite_number(value)]
    return len(numbers) == 2 and 0 <= numbers[0] < numbers[1]
