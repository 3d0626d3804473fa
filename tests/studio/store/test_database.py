"""Engines and migrations."""

import contextlib
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from aptone.errors import UsageError
from aptone.studio.store import schema
from aptone.studio.store.database import Database, Writer, sqlite_url
from aptone.studio.store.people import People, token_hash
from aptone.studio.store.schema import migrations
from aptone.web.refusals import BusyError
from tests.tables import for_each


def address(database_url: str, folder: Path) -> str:
    return database_url or sqlite_url(folder / "studio.sqlite")


def test_steps_are_numbered_from_one_without_gaps() -> None:
    assert [step.number for step in migrations()] == list(range(1, len(migrations()) + 1))


def test_every_step_is_taken_once_and_recorded_with_its_hash(tmp_path: Path, database_url: str) -> None:
    for _ in range(2):
        opened = Database(address(database_url, tmp_path))
        with opened.reading() as connection:
            rows = connection.execute(text("SELECT number, sha256 FROM migrations ORDER BY number")).all()
        opened.close()
        assert [tuple(row) for row in rows] == [(step.number, step.sha256) for step in migrations()]


def test_a_database_of_a_newer_aptone_is_refused_with_the_next_step(tmp_path: Path, database_url: str) -> None:
    opened = Database(address(database_url, tmp_path))
    with opened.writing() as connection:
        connection.execute(text("INSERT INTO migrations VALUES (9999, '9999_later.sql', 'x', 0)"))
    opened.close()
    with pytest.raises(UsageError, match=r"newer Aptone \(step 9999_later.sql\).*Install it: .*\[studio\]"):
        Database(address(database_url, tmp_path))


def test_a_step_that_was_changed_later_is_noticed(tmp_path: Path, database_url: str) -> None:
    opened = Database(address(database_url, tmp_path))
    with opened.writing() as connection:
        connection.execute(text("UPDATE migrations SET sha256 = 'x' WHERE number = 1"))
    opened.close()
    with pytest.raises(UsageError, match=r"0001_people.* differs"):
        Database(address(database_url, tmp_path))


def test_a_step_that_fails_leaves_nothing_behind(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = migrations()[0], schema.Migration(2, "0002_bad.sql", ("CREATE TABLE half (a INTEGER)", "NONSENSE"), "x")
    with monkeypatch.context() as patch:
        patch.setattr(schema, "migrations", lambda: (good, bad))
        with pytest.raises(UsageError, match="cannot be used"):
            Database(address(database_url, tmp_path))
    opened = Database(address(database_url, tmp_path))  # all tables can be made: none was left
    opened.close()


def test_what_older_projects_hold_is_counted_when_they_are_opened(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = migrations()[:3]
    with monkeypatch.context() as patch:
        patch.setattr(schema, "migrations", lambda: older)
        opened = Database(address(database_url, tmp_path))
    with opened.writing() as connection:
        for statement in (
            "INSERT INTO people VALUES ('p', 'R1', 'Ann', 'annotator', 'en', 1, 0, 0)",
            "INSERT INTO tasks VALUES ('t', '{}', 1, 1, 0)",
            "INSERT INTO items VALUES ('t', 'i', 0, '{}', '{}'), ('t', 'j', 1, '{}', '{}')",
            "INSERT INTO assignments VALUES ('a', 't', 'i', 'p', 'rating', 'open', 0, '{}', 0, NULL, NULL),"
            " ('b', 't', 'j', 'p', 'rating', 'open', 1, '{}', 0, NULL, NULL)",
            "INSERT INTO changes VALUES ('c1', 'a', 'fit', '3.0', 1, 0), ('c2', 'a', 'fit', 'null', 2, 0)",
        ):
            connection.exec_driver_sql(statement)
    opened.close()
    opened = Database(address(database_url, tmp_path))
    with opened.reading() as connection:
        rows = connection.execute(text("SELECT id, changes, signs FROM assignments ORDER BY id")).all()
    opened.close()
    assert [tuple(row) for row in rows] == [("a", 2, 7), ("b", 0, 0)]


def test_whoever_is_signed_in_stays_so_when_an_older_project_is_opened(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = migrations()[:4]
    with monkeypatch.context() as patch:
        patch.setattr(schema, "migrations", lambda: older)
        opened = Database(address(database_url, tmp_path))
    with opened.writing() as connection:
        for statement in (
            "INSERT INTO people VALUES ('p', 'R-2222', 'Ann', 'annotator', 'en', 1, 0, 0)",
            "INSERT INTO invitations VALUES ('i', 'x', 'annotator', 'Ann', 'p', 0, 1, 0)",
            f"INSERT INTO sessions VALUES ('{token_hash('token')}', 'p', 'i', 'csrf', 0, 4e9)",
        ):
            connection.exec_driver_sql(statement)
    opened.close()
    opened = Database(address(database_url, tmp_path))
    writer = Writer(opened)
    session = People(opened, writer).session("token")
    writer.close()
    opened.close()
    assert (session.person.name, session.csrf, session.invitation) == ("Ann", "csrf", "i")
    assert session.id


def test_sqlite_is_set_to_survive_power_loss(tmp_path: Path) -> None:
    opened = Database(sqlite_url(tmp_path / "studio.sqlite"))
    with opened.writing() as connection:
        found = [connection.execute(text(f"PRAGMA {name}")).scalar() for name in ("journal_mode", "synchronous")]
    opened.close()
    assert found == ["wal", 2], "2 is FULL"


def test_postgresql_is_set_to_survive_power_loss(postgres_url: str) -> None:
    opened = Database(postgres_url)
    with opened.writing() as connection:
        assert connection.execute(text("SHOW synchronous_commit")).scalar() == "on"
    opened.close()


@for_each("url", ["mysql://a@b/c", "nonsense", "sqlite://", "sqlite:///:memory:", "postgresql://a:b@c:port/d"])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(UsageError, match="--database-url"):
        Database(url)


def test_a_server_that_is_not_there_is_named_without_its_password(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be used") as caught:
        Database(f"postgresql://ann:secret-word@/studio?host={tmp_path}")
    assert "secret-word" not in str(caught.value)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "studio.sqlite").write_text("not a database, but a letter to the reader" * 40)
    with pytest.raises(UsageError, match="cannot be used"):
        Database(sqlite_url(tmp_path / "studio.sqlite"))


def test_when_all_connections_are_taken_the_reader_is_told_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Database(sqlite_url(tmp_path / "studio.sqlite"))
    monkeypatch.setattr(opened._reading.pool, "_timeout", 0.01)
    with contextlib.ExitStack() as held:
        for _ in range(15):  # five that are kept, and ten besides
            held.enter_context(opened.reading())
        with pytest.raises(BusyError):
            held.enter_context(opened.reading())
    opened.close()


def test_a_database_that_cannot_hold_every_text_is_refused(postgres_url: str) -> None:
    engine = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("CREATE DATABASE western ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"))
        with pytest.raises(UsageError, match=r"encoding LATIN1.*createdb --encoding UTF8"):
            Database(postgres_url.replace("/postgres?", "/western?"))
        connection.execute(text("DROP DATABASE western"))
    engine.dispose()


def test_a_database_that_may_only_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Database(sqlite_url(tmp_path / "studio.sqlite")).close()
    monkeypatch.setattr("os.access", lambda *_: False)  # as root, everything may be written
    with pytest.raises(UsageError, match=r"studio\.sqlite: the database cannot be written to"):
        Database(sqlite_url(tmp_path / "studio.sqlite"))
