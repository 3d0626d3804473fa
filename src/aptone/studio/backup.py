"""Backup of a project as one file, and its way back.

The file is a tar archive: ``studio.sqlite``, a copy of the database as of one moment, also while people save, and also
where the database is in PostgreSQL; clips; and as its last member ``manifest.json`` with size and SHA-256 of all
others, so that a file which breaks off has none. Nothing is restored unless every byte is as the manifest says and the
database is sound.
"""

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import BinaryIO, cast

from sqlalchemy import text

from aptone.errors import RecordError, UsageError
from aptone.files import make_folder, sync_folder, unusable, whole_file
from aptone.messages import message
from aptone.studio.folder import CLIPS, path_inside
from aptone.studio.project import DATABASE
from aptone.studio.store.copying import check_empty, copy_rows
from aptone.studio.store.database import Database, sqlite_url
from aptone.web.refusals import NotFoundError

MANIFEST = "manifest.json"
SCHEMA = "aptone.StudioBackup/1"
LARGEST_MANIFEST = 256 * 1024 * 1024
PIECE = 1 << 20
"""Bytes copied at a time."""
MOST_NAMED = 20
"""Files that a message names."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """Size and SHA-256 of a file in a backup."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Backup:
    """Contents of a backup; `missing` are clips of tasks that were not in the project folder."""

    created: str
    files: Mapping[str, StoredFile]
    missing: Sequence[str]

    @property
    def clips(self) -> int:
        """Number of clips."""
        return len(self.files) - 1


def back_up(folder: Path, target: Path, *, database_url: str = "") -> Backup:
    """Write a backup of a project, also while it is being served.

    Args:
        database_url: ``postgresql://USER:PASSWORD@HOST/NAME``; empty for SQLite inside the folder.

    Raises:
        UsageError: if the folder holds no such project, or the target is there already.
        RunError: if it cannot be written.
    """
    folder = folder.resolve()
    if not (folder / CLIPS).is_dir() if database_url else not (folder / DATABASE).is_file():
        raise UsageError(message("studio.no-project-to-back-up", name=folder, database=DATABASE))
    if target.exists():
        raise UsageError(message("studio.backup-exists", name=target))
    make_folder(target.absolute().parent)
    with tempfile.TemporaryDirectory(prefix="aptone-backup-", dir=target.absolute().parent) as place:
        database = Path(place) / DATABASE
        try:
            named = (
                _copy_server(database_url, database) if database_url else _copy_database(folder / DATABASE, database)
            )
        except (OSError, sqlite3.Error) as error:
            raise UsageError(message("studio.database-not-copied", name=folder / DATABASE, what=error)) from error
        present, missing = _clips(folder, named)
        created = datetime.now(UTC).isoformat(timespec="seconds")
        with whole_file(target) as partial:
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with tarfile.open(partial, "w", format=tarfile.PAX_FORMAT) as archive:
                files = {name: _add(archive, name, path) for name, path in {DATABASE: database, **present}.items()}
                _add_manifest(archive, Backup(created, files, missing))
    return Backup(created, files, missing)


def _copy_database(source: Path, target: Path) -> set[str]:
    """Copy a database as of one moment; return the clips that its items name."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with (
        contextlib.closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as original,
        contextlib.closing(sqlite3.connect(target)) as copy,
    ):
        original.backup(copy)  # all pages in one step: writers go on, and are not in it
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
        _check_database(copy, name=str(source))
        return _named_clips(copy)


def _copy_server(url: str, target: Path) -> set[str]:
    """Copy a database of a server into a file, as of one moment; return the clips that its items name."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    source, copy = Database(url), Database(sqlite_url(target))
    with contextlib.closing(source), contextlib.closing(copy):
        with source.snapshot() as reading, copy.writing() as writing:
            copy_rows(reading, writing, name=source.name)
        copy.empty_log()
    with contextlib.closing(sqlite3.connect(target)) as database:
        database.execute("PRAGMA journal_mode=DELETE")
        _check_database(database, name=source.name)
        return _named_clips(database)


def _check_database(database: sqlite3.Connection, *, name: str) -> None:
    found = [*database.execute("PRAGMA integrity_check(1)"), *database.execute("PRAGMA foreign_key_check")]
    if found != [("ok",)]:
        raise RecordError(message("studio.database-damaged", name=name, what=str(found[0])))


def _named_clips(database: sqlite3.Connection) -> set[str]:
    records = (json.loads(record) for (record,) in database.execute("SELECT record FROM items"))
    return {str(clip["path"]) for record in records for clip in record["audio"].values()}


def _clips(folder: Path, named: set[str]) -> tuple[dict[str, Path], list[str]]:
    """Return the clips that are there, those that no task names yet included, and the names of missing ones."""
    stored = {path.relative_to(folder).as_posix() for path in (folder / CLIPS).rglob("*") if path.is_file()}
    present, missing = {}, []
    for name in sorted(named | stored):
        try:
            present[name] = path_inside(folder, name)
        except NotFoundError:
            missing.append(name)
    return present, missing


class _Hashed:
    """File that is hashed as it is read or written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self._bytes = 0

    def read(self, size: int = -1) -> bytes:
        return self._noted(self._file.read(size))

    def write(self, data: bytes) -> int:
        return self._file.write(self._noted(data))

    def stored(self) -> StoredFile:
        return StoredFile(self._bytes, self._hash.hexdigest())

    def _noted(self, data: bytes) -> bytes:
        self._hash.update(data)
        self._bytes += len(data)
        return data


def _add(archive: tarfile.TarFile, name: str, path: Path) -> StoredFile:
    with path.open("rb") as file:
        state = os.fstat(file.fileno())
        about = _member(name, state.st_size)
        about.mtime = int(state.st_mtime)
        hashed = _Hashed(file)
        archive.addfile(about, cast("BinaryIO", hashed))
    return hashed.stored()


def _add_manifest(archive: tarfile.TarFile, backup: Backup) -> None:
    record = {"schema": SCHEMA, "aptone": version("aptone"), **asdict(backup)}
    data = json.dumps(record, indent=1).encode()
    archive.addfile(_member(MANIFEST, len(data)), BytesIO(data))


def _member(name: str, size: int) -> tarfile.TarInfo:
    about = tarfile.TarInfo(name)
    about.size, about.mode = size, 0o600
    return about


def restore(archive: Path, folder: Path, *, database_url: str = "") -> Backup:
    """Restore a project from a backup, into a new or empty folder. Sessions in it have ended.

    Args:
        database_url: empty database of a server that gets the rows; by default SQLite inside the folder. Backups of
            either kind of database go into either.

    Raises:
        UsageError: if the folder or the database holds something.
        RecordError: if the file is no backup, is damaged or breaks off, or its database is damaged; nothing is left.
        RunError: if the folder cannot be written.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(message("studio.restore-into-new-folder", name=folder))
    folder = folder.absolute()
    make_folder(folder.parent)
    partial = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.partial")
    try:
        partial.mkdir(mode=0o700)
        backup = _unpack(archive, partial)
        _check_restored(partial, backup, name=archive)
        if database_url:
            _to_server(database_url, partial, folder, name=archive)
        else:
            _put(partial, folder)
    except OSError as error:
        raise unusable(folder, error) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return backup


def _put(partial: Path, folder: Path) -> None:
    if folder.exists():
        folder.rmdir()
    partial.rename(folder)
    sync_folder(folder.parent)


def _to_server(url: str, partial: Path, folder: Path, *, name: Path) -> None:
    """Move the rows of a restored database to a server, and the folder to its place: both, or neither."""
    source, target = Database(sqlite_url(partial / DATABASE)), Database(url)
    with contextlib.closing(source), contextlib.closing(target):
        try:
            with target.writing() as writing:
                check_empty(writing, name=target.name)
                with source.snapshot() as reading:
                    copy_rows(reading, writing, name=str(name))
                source.close()
                for file in partial.glob(f"{DATABASE}*"):
                    file.unlink()
                _put(partial, folder)
        except BaseException:
            if not partial.exists():
                shutil.rmtree(folder, ignore_errors=True)
            raise


def _unpack(path: Path, folder: Path) -> Backup:
    """Write the files of an archive into a folder, and compare them with its manifest."""
    found: dict[str, StoredFile] = {}
    manifest = b""
    try:
        with tarfile.open(path, "r:") as archive:
            for member, file in _members(archive, name=path):
                if member.name == MANIFEST:
                    manifest = file.read(LARGEST_MANIFEST)
                else:
                    found[member.name] = _write(file, folder / member.name)
    except (tarfile.TarError, EOFError) as error:
        raise RecordError(message("studio.not-a-backup", name=path, what=str(error))) from error
    except OSError as error:
        if error.filename == os.fspath(path):
            raise unusable(path, error, doing="read") from error
        raise
    backup = _read_manifest(manifest, name=path)
    wrong = sorted(name for name in {*found, *backup.files} if found.get(name) != backup.files.get(name))
    if wrong:
        names = ", ".join(wrong[:MOST_NAMED])
        raise RecordError(message("studio.backup-differs", name=path, count=len(wrong), names=names))
    return backup


def _members(archive: tarfile.TarFile, *, name: Path) -> Iterator[tuple[tarfile.TarInfo, BinaryIO]]:
    """Yield the files of an archive; what is no plain file below the folder, or comes twice, is an error."""
    seen: set[str] = set()
    for member in archive:
        place = PurePosixPath(member.name)
        is_plain = member.isreg() and not place.is_absolute() and ".." not in place.parts and "\0" not in member.name
        # holes fill the disk from nothing, and SQLite would play a journal beside the database
        is_plain = is_plain and not member.issparse() and not member.name.startswith(f"{DATABASE}-")
        if not is_plain or place.as_posix() != member.name or member.name in seen:
            raise RecordError(message("studio.not-a-backup", name=name, what=repr(member.name)))
        seen.add(member.name)
        file = archive.extractfile(member)
        assert file is not None
        yield member, cast("BinaryIO", file)


def _write(file: BinaryIO, path: Path) -> StoredFile:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as target:
        path.chmod(0o600)
        hashed = _Hashed(target)
        while piece := file.read(PIECE):
            hashed.write(piece)
        target.flush()
        os.fsync(target.fileno())
    return hashed.stored()


def _read_manifest(data: bytes, *, name: Path) -> Backup:
    try:
        record = json.loads(data)
        if record["schema"] != SCHEMA:
            raise ValueError(record["schema"])
        files = {str(file): StoredFile(int(one["bytes"]), str(one["sha256"])) for file, one in record["files"].items()}
        backup = Backup(str(record["created"]), files, [str(one) for one in record["missing"]])
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise RecordError(message("studio.backup-without-manifest", name=name)) from error
    if DATABASE not in backup.files:
        raise RecordError(message("studio.backup-without-manifest", name=name))
    return backup


def _check_restored(folder: Path, backup: Backup, *, name: Path) -> None:
    """Check the database of a restored project, that its clips are there, and end all sessions."""
    try:
        with contextlib.closing(sqlite3.connect(folder / DATABASE)) as database:
            _check_database(database, name=str(name))
            gone = _named_clips(database) - {*backup.files, *backup.missing}
    except (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RecordError(message("studio.database-damaged", name=name, what=error)) from error
    if gone:
        names = ", ".join(sorted(gone)[:MOST_NAMED])
        raise RecordError(message("studio.backup-differs", name=name, count=len(gone), names=names))
    (folder / CLIPS).mkdir(exist_ok=True)
    opened = Database(sqlite_url(folder / DATABASE))
    with contextlib.closing(opened), opened.writing() as connection:
        connection.execute(text("DELETE FROM sessions"))
        connection.execute(text("DELETE FROM properties WHERE name = 'server'"))
