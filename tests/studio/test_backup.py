"""Backups: consistent while people save, compared byte by byte before anything is restored."""

import contextlib
import hashlib
import io
import json
import sqlite3
import stat
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import MetaData, text
from sqlalchemy.exc import DBAPIError

from aptone.audio import write
from aptone.errors import RecordError, RunError, UsageError
from aptone.studio import backup as backup_module
from aptone.studio.backup import MANIFEST, back_up, restore
from aptone.studio.project import Project
from aptone.studio.store.copying import check_empty
from aptone.studio.store.database import Database
from aptone.types import Audio
from aptone.web.refusals import NotSignedInError
from tests.studio.studies import change, rating_task
from tests.tables import for_each


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with a task, an answer and a clip that no task names."""
    place = tmp_path / "study"
    (place / "clips").mkdir(parents=True)
    for name in ("tone", "spare"):
        write(place / "clips" / f"{name}.wav", Audio(np.full(4000, 0.1, dtype=np.float32), 8000))
    with Project.open(place) as project:
        project.tasks.put(rating_task(3, must_listen=False)).result()
        rate(project, "Ann", 4)
    return place


def rate(project: Project, name: str, value: int) -> str:
    """Let somebody new answer an item; return the token of the session."""
    new = project.people.enter(project.people.invite("annotator", name=name).result().token).result()
    view = project.assignments.next("fit", new.session.person.id).result().view
    assert view is not None
    project.assignments.submit(view.id, new.session.person.id, [change("fit", value)]).result()
    return new.token


def test_a_project_comes_back_as_it_was_with_every_session_ended(folder: Path, tmp_path: Path) -> None:
    with Project.open(folder) as project:
        token = rate(project, "Bea", 2)
        made = back_up(folder, tmp_path / "new" / "study.tar")
        before = project.results.ratings("fit")
        rate(project, "Cleo", 1)  # after the backup
    assert (made.clips, made.missing) == (2, [])
    assert stat.S_IMODE((tmp_path / "new" / "study.tar").stat().st_mode) == 0o600
    assert restore(tmp_path / "new" / "study.tar", tmp_path / "again").files == made.files
    with Project.open(tmp_path / "again") as project:
        assert project.results.ratings("fit") == before
        with pytest.raises(NotSignedInError):
            project.people.session(token)
        assert rate(project, "Dan", 3)  # it works
    for clip in ("tone.wav", "spare.wav"):
        assert (tmp_path / "again" / "clips" / clip).read_bytes() == (folder / "clips" / clip).read_bytes()
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["study.tar"]


def test_a_backup_while_people_save_holds_whole_saves_and_stops_nobody(folder: Path, tmp_path: Path) -> None:
    ended = threading.Event()
    with Project.open(folder) as project:
        new = project.people.enter(project.people.invite("annotator", name="Bea").result().token).result()
        person = new.session.person.id
        view = project.assignments.next("fit", person).result().view
        assert view is not None
        saved = 0

        def save() -> None:
            nonlocal saved
            while not ended.is_set():
                both = [change("fit", saved % 5, 2 * saved + 1), change("sure", None, 2 * saved + 2)]
                project.assignments.save(view.id, person, both).result()
                saved += 1

        thread = threading.Thread(target=save)
        thread.start()
        try:
            counts = []
            for number in range(5):
                before = saved
                back_up(folder, tmp_path / f"{number}.tar")
                restore(tmp_path / f"{number}.tar", tmp_path / f"study{number}")
                with contextlib.closing(sqlite3.connect(tmp_path / f"study{number}" / "studio.sqlite")) as copy:
                    (changes,) = copy.execute("SELECT count(*) FROM changes").fetchone()
                counts.append((changes - 1) / 2)  # without the one answer from before; two a save
                assert counts[-1] >= before
        finally:
            ended.set()
            thread.join()
    assert counts == [int(one) for one in counts], "a save is in it whole or not at all"


def edited(archive: Path, edit: Callable[[dict[str, bytes]], None]) -> None:
    """Write an archive again after its files were edited."""
    with tarfile.open(archive) as before:
        files = {one.name: before.extractfile(one).read() for one in before.getmembers()}  # type: ignore[union-attr]
    edit(files)
    with tarfile.open(archive, "w") as after:
        for name, data in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(data)
            after.addfile(about, io.BytesIO(data))


def _flip(files: dict[str, bytes]) -> None:
    data = bytearray(files["clips/tone.wav"])
    data[100] ^= 1
    files["clips/tone.wav"] = bytes(data)


def _damage(files: dict[str, bytes]) -> None:
    """Damage the database, and let the manifest know."""
    files["studio.sqlite"] = files["studio.sqlite"][:4096] + b"\xff" * 4096 + files["studio.sqlite"][8192:]
    _list(files, "studio.sqlite")


def _unlist(files: dict[str, bytes]) -> None:
    """Drop a clip that a task names, from the manifest, too."""
    manifest = json.loads(files[MANIFEST])
    del manifest["files"]["clips/tone.wav"], files["clips/tone.wav"]
    files[MANIFEST] = json.dumps(manifest).encode()


def _misname(files: dict[str, bytes], tmp_path: Path) -> None:
    """Give an item a record without audio."""
    place = tmp_path / "misnamed.sqlite"
    place.write_bytes(files["studio.sqlite"])
    with contextlib.closing(sqlite3.connect(place)) as database, database:
        database.execute("UPDATE items SET record = '[]'")
    files["studio.sqlite"] = place.read_bytes()
    _list(files, "studio.sqlite")


def _list(files: dict[str, bytes], name: str) -> None:
    """Let the manifest know a file."""
    manifest = json.loads(files[MANIFEST])
    manifest["files"][name] = {"bytes": len(files[name]), "sha256": hashlib.sha256(files[name]).hexdigest()}
    files[MANIFEST] = json.dumps(manifest).encode()


def _add_journal(files: dict[str, bytes]) -> None:
    """Put a journal beside the database, which SQLite would play into it."""
    files["studio.sqlite-journal"] = b"x"
    _list(files, "studio.sqlite-journal")


EDITS: dict[str, Callable[[dict[str, bytes]], None]] = {
    r"1 file is not as the manifest says: clips/tone\.wav": _flip,
    r"not as the manifest says: clips/spare\.wav": lambda files: files.__delitem__("clips/spare.wav"),
    r"not as the manifest says: clips/more\.wav": lambda files: files.update({"clips/more.wav": b"more"}),
    r"says: clips/tone\.wav\. Nothing": _unlist,
    "the database is damaged": _damage,
    "has no manifest": lambda files: files.__delitem__(MANIFEST),
    "no manifest": lambda files: files.update({MANIFEST: b"[" * 100_000}),
    "'studio.sqlite-journal'": _add_journal,
    r"'\.\./outside'": lambda files: files.update({"../outside": b"x"}),
    r"'/outside'": lambda files: files.update({"/outside": b"x"}),
    r"'clips/\./x'": lambda files: files.update({"clips/./x": b"x"}),
}


@for_each("why", list(EDITS))
def test_what_was_altered_is_refused_and_nothing_is_left(folder: Path, tmp_path: Path, why: str) -> None:
    back_up(folder, tmp_path / "study.tar")
    edited(tmp_path / "study.tar", EDITS[why])
    with pytest.raises(RecordError, match=why):
        restore(tmp_path / "study.tar", tmp_path / "again")
    assert not [path for path in tmp_path.iterdir() if "again" in path.name]


def test_a_file_that_breaks_off_is_refused_wherever_it_does(folder: Path, tmp_path: Path) -> None:
    back_up(folder, tmp_path / "whole.tar")
    data = (tmp_path / "whole.tar").read_bytes()
    for share in (0.0, 0.2, 0.5, 0.9):
        (tmp_path / "part.tar").write_bytes(data[: int(share * len(data))])
        with pytest.raises(RecordError):
            restore(tmp_path / "part.tar", tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_records_of_items_that_cannot_be_read_are_damage(folder: Path, tmp_path: Path) -> None:
    back_up(folder, tmp_path / "study.tar")
    edited(tmp_path / "study.tar", lambda files: _misname(files, tmp_path))
    with pytest.raises(RecordError, match="the database is damaged"):
        restore(tmp_path / "study.tar", tmp_path / "again")


def test_a_file_with_holes_is_refused_before_it_fills_the_disk(folder: Path, tmp_path: Path) -> None:
    about = tarfile.TarInfo("clips/hole.wav")
    about.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(1 << 50)}
    with tarfile.open(tmp_path / "holes.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(about)
    with pytest.raises(RecordError, match="is no backup"):
        restore(tmp_path / "holes.tar", tmp_path / "again")


def test_a_link_in_an_archive_leads_nowhere(folder: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "links.tar", "w") as archive:
        about = tarfile.TarInfo("clips")
        about.type, about.linkname = tarfile.SYMTYPE, str(tmp_path)
        archive.addfile(about)
    with pytest.raises(RecordError, match="is no backup"):
        restore(tmp_path / "links.tar", tmp_path / "again")


def test_clips_that_are_gone_are_named_and_the_rest_is_kept(folder: Path, tmp_path: Path) -> None:
    (folder / "clips" / "tone.wav").unlink()
    assert back_up(folder, tmp_path / "study.tar").missing == ["clips/tone.wav"]
    assert restore(tmp_path / "study.tar", tmp_path / "again").missing == ["clips/tone.wav"]


def test_nothing_is_overwritten(folder: Path, tmp_path: Path) -> None:
    back_up(folder, tmp_path / "study.tar")
    with pytest.raises(UsageError, match="is there already"):
        back_up(folder, tmp_path / "study.tar")
    with pytest.raises(UsageError, match="holds something"):
        restore(tmp_path / "study.tar", folder)
    with pytest.raises(UsageError, match="no project"):
        back_up(tmp_path / "nowhere", tmp_path / "other.tar")
    (tmp_path / "empty").mkdir()
    restore(tmp_path / "study.tar", tmp_path / "empty")


def rows_of(database: Database) -> dict[str, list[tuple[object, ...]]]:
    """Everything that a database holds, but sessions and who serves it."""
    left_out = {"migrations", "sessions"}
    with database.reading() as connection:
        known = MetaData()
        known.reflect(connection)
        return {
            table.name: sorted((tuple(row) for row in connection.execute(table.select())), key=repr)
            for table in known.sorted_tables
            if table.name not in left_out
        }


@pytest.mark.parametrize("way", ["postgresql to postgresql", "postgresql to sqlite", "sqlite to postgresql"])
def test_a_project_moves_between_databases_whole(way: str, tmp_path: Path, postgres_url: str) -> None:
    before, after = (postgres_url if end == "postgresql" else "" for end in way.split(" to "))
    folder, archive = tmp_path / "study", tmp_path / "study.tar"
    (folder / "clips").mkdir(parents=True)
    write(folder / "clips" / "tone.wav", Audio(np.full(4000, 0.1, dtype=np.float32), 8000))
    with Project.open(folder, database_url=before) as project:
        project.tasks.put(rating_task(3, must_listen=False)).result()
        token = rate(project, "Ann 安 \\ 'x'", 4)
        made = back_up(folder, archive, database_url=before)
        expected = rows_of(project.database)
    assert made.missing == []
    assert len(expected["answers"]) == 1
    if before and after:
        with pytest.raises(UsageError, match="holds people or tasks already"):
            restore(archive, tmp_path / "again", database_url=after)
        assert not (tmp_path / "again").exists()
        with contextlib.closing(Database(after)) as emptied, emptied.writing() as connection:
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
    restore(archive, tmp_path / "again", database_url=after)
    assert (tmp_path / "again" / "studio.sqlite").exists() == (not after)
    with Project.open(tmp_path / "again", database_url=after) as project:
        assert rows_of(project.database) == expected
        with pytest.raises(NotSignedInError):
            project.people.session(token)
        assert rate(project, "Dan", 3)
    assert (tmp_path / "again" / "clips" / "tone.wav").read_bytes() == (folder / "clips" / "tone.wav").read_bytes()


def test_a_backup_of_a_server_is_of_one_moment(tmp_path: Path, postgres_url: str) -> None:
    """While rows are read, a save of two changes commits between two tables; it is in the copy whole or not at all."""
    with Project.open(tmp_path / "study", database_url=postgres_url) as project:
        with project.database.snapshot() as reading:
            people = text("SELECT count(*) FROM people")
            assert reading.execute(people).scalar_one() == 0
            project.people.invite_owner(name="Dora").result()
            project.people.enter(project.people.invite("annotator", name="Ann").result().token).result()
            assert reading.execute(people).scalar_one() == 0
            assert reading.execute(text("SELECT count(*) FROM invitations")).scalar_one() == 0
            with pytest.raises(DBAPIError, match="read-only"):
                reading.execute(text("DELETE FROM people"))
        with project.database.reading() as reading:
            assert reading.execute(people).scalar_one() == 1


def test_a_restore_that_fails_leaves_neither_rows_nor_folder(
    folder: Path, tmp_path: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(folder, tmp_path / "study.tar")

    def fail(folder: Path) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(backup_module, "sync_folder", fail)
    with pytest.raises(RunError):
        restore(tmp_path / "study.tar", tmp_path / "again", database_url=postgres_url)
    assert not [path for path in tmp_path.iterdir() if "again" in path.name]
    with contextlib.closing(Database(postgres_url)) as database, database.writing() as connection:
        check_empty(connection, name="it")
