"""WebDataset's tar files, streamed: members with one key are one sample.

``{key}.wav`` (or another recording) with ``{key}.json``, ``.txt`` and ``.cls``. Nothing is unpacked under its own name,
and sizes are looked at before anything is read.
"""

import gzip
import re
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aptone.audio import RECORDINGS
from aptone.errors import RecordError
from aptone.messages import message
from aptone.run.sources.source import Cell, Fit, Recording, Row, beginning, unreadable
from aptone.types import loads

LARGEST_MEMBER = 256 << 20
"""Bytes of a recording in a tar file: half an hour of wav at 48 kHz in 24 bits."""
LARGEST_TEXT = 4 << 20
"""Bytes of what is said of it."""
LARGEST_RATIO = 200
"""Bytes that come out of a compressed tar file for each that goes in."""
LEAST_UNPACKED = 1 << 30
"""Bytes of a compressed tar file that are unpacked whatever the ratio."""
ENDINGS = (".tar", ".tar.gz", ".tgz")
TEXTS = {"txt": "text", "cls": "cls"}
_NAME = re.compile(r"(?P<key>(?:.*/)?[^./][^/.]*)\.(?P<ending>[^/]+)")
_TAR_ERRORS = (tarfile.TarError, EOFError, OverflowError, RecursionError, UnicodeError, ValueError, zlib.error)


@dataclass(frozen=True, slots=True)
class WebDataset:
    """Tar file, or folder of tar files."""

    title: str = "WebDataset tar"
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"audio": ("recording",)})

    def fits(self, path: Path) -> Fit:
        """By its ending and first bytes, or the tar files of a folder."""
        if path.is_dir():
            return Fit.BY_CONTENT if any(_is_shard(file) for file in _children(path)) else Fit.NO
        return Fit.BY_CONTENT if _is_shard(path) else Fit.NO

    def rows(self, path: Path) -> Iterator[Row]:
        """See `Source.rows`; the key is the id."""
        for shard in [file for file in _children(path) if _is_shard(file)] if path.is_dir() else [path]:
            key, cells = "", dict[str, Cell]()
            for name, ending, data in _members(shard):
                if name != key:
                    if cells:
                        yield Row(f"{shard}, {key}", cells, id=key)
                    key, cells = name, {}
                _add(cells, ending, data, where=f"{shard}, {name}.{ending}")
            if cells:
                yield Row(f"{shard}, {key}", cells, id=key)

    def count(self, path: Path) -> int | None:
        """Not known without reading it."""
        return None


def _add(cells: dict[str, Cell], ending: str, data: bytes, *, where: str) -> None:
    last = ending.rpartition(".")[2].lower()
    if f".{last}" in RECORDINGS:
        if "recording" in cells:
            raise RecordError(message("sources.two-recordings", where=where))
        cells["recording"] = Recording(data, where)
    elif last == "json":
        told = loads(data, what=where)
        if not isinstance(told, Mapping):
            raise RecordError(message("sources.no-object", where=where, what=type(told).__name__))
        for name, value in told.items():
            cells.setdefault(name, value)
    elif last in TEXTS:
        try:
            cells[TEXTS[last]] = data.decode("utf-8-sig").strip()
        except UnicodeDecodeError as error:
            raise RecordError(message("sources.not-utf-8", name=where, why=error.reason)) from error


def _members(shard: Path) -> Iterator[tuple[str, str, bytes]]:
    """Key, ending and bytes of the members that are read; those of other kinds are passed over."""
    is_packed = not shard.name.lower().endswith(".tar")
    try:
        most = max(LEAST_UNPACKED, shard.stat().st_size * LARGEST_RATIO) if is_packed else None
        with tarfile.open(shard, "r|gz" if is_packed else "r|") as opened:
            for member in opened:
                if most is not None and member.offset_data + member.size > most:
                    raise RecordError(message("sources.tar-bomb", name=shard, count=LARGEST_RATIO))
                match = _NAME.fullmatch(member.name)
                last = match["ending"].rpartition(".")[2].lower() if match else ""
                is_recording = f".{last}" in RECORDINGS
                if match is None or not (is_recording or last == "json" or last in TEXTS):
                    opened.members.clear()  # type: ignore[attr-defined]
                    continue
                if not member.isreg() or member.issparse():
                    raise RecordError(message("sources.strange-member", name=shard, what=member.name[:100]))
                if member.size > (LARGEST_MEMBER if is_recording else LARGEST_TEXT):
                    raise RecordError(message("sources.member-too-large", name=shard, what=member.name[:100]))
                file = opened.extractfile(member)
                data = file.read() if file is not None else b""
                if len(data) != member.size:
                    raise RecordError(message("sources.tar-cut-off", name=shard, what=member.name[:100]))
                yield match["key"].removeprefix("./"), match["ending"], data
                opened.members.clear()  # type: ignore[attr-defined]  # a list of all would grow with the file
    except OSError as error:
        if isinstance(error, gzip.BadGzipFile):
            raise RecordError(message("sources.damaged-tar", name=shard, why=str(error))) from error
        raise unreadable(shard, error) from error
    except _TAR_ERRORS as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(message("sources.damaged-tar", name=shard, why=str(error))) from error


def _is_shard(path: Path) -> bool:
    if not path.name.lower().endswith(ENDINGS):
        return False
    start = beginning(path, 512)
    return start[257:262] == b"ustar" or start[:2] == b"\x1f\x8b"


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


WEBDATASET = WebDataset()
