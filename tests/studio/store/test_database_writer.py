"""The thread that writes: many to a commit, acknowledged after it, never before."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from aptone.studio.store.database import Database, Writer, sqlite_url
from aptone.web.refusals import BusyError


@pytest.fixture
def database(tmp_path: Path, database_url: str) -> Iterator[Database]:
    opened = Database(database_url or sqlite_url(tmp_path / "studio.sqlite"))
    with opened.writing() as connection:
        connection.execute(text("CREATE TABLE numbers (number INTEGER PRIMARY KEY)"))
    yield opened
    opened.close()


def insert(connection: Connection, number: int) -> int:
    connection.execute(text("INSERT INTO numbers VALUES (:number)"), {"number": number})
    return number


def inserting(number: int) -> Callable[[Connection], int]:
    return lambda connection: insert(connection, number)


def numbers(database: Database) -> list[int]:
    with database.reading() as connection:
        return list(connection.execute(text("SELECT number FROM numbers ORDER BY number")).scalars())


class Gate:
    """Work that holds the writer until it is let go, so that other work piles up."""

    def __init__(self, writer: Writer) -> None:
        self._go = threading.Event()
        entered = threading.Event()

        def hold(connection: Connection) -> bool:
            entered.set()
            return self._go.wait(10)

        self.future = writer.call(hold)
        assert entered.wait(10)

    def open(self) -> None:
        self._go.set()
        assert self.future.result(10)


def test_what_waits_is_written_in_one_commit_and_in_order(database: Database) -> None:
    writer = Writer(database)
    sizes = []

    def perform(connection: Connection, pieces: Sequence[int]) -> list[int | Exception]:
        sizes.append(len(pieces))
        return [insert(connection, piece) for piece in pieces]

    gate = Gate(writer)
    waiting = [writer.add(perform, number) for number in range(20)]
    assert not any(future.done() for future in waiting)
    gate.open()
    assert [future.result(10) for future in waiting] == list(range(20))
    assert (sizes, numbers(database)) == ([20], list(range(20)))
    writer.close()


def test_work_that_fails_is_undone_alone(database: Database) -> None:
    writer = Writer(database)
    gate = Gate(writer)

    def fail(connection: Connection) -> None:
        insert(connection, 2)
        raise ValueError("no")

    good, bad, last = (writer.call(inserting(1)), writer.call(fail), writer.call(inserting(3)))
    gate.open()
    assert isinstance(bad.exception(10), ValueError)
    assert (good.result(10), last.result(10), numbers(database)) == (1, 3, [1, 3])
    writer.close()


def test_work_that_spoils_the_transaction_does_not_take_others_with_it(database: Database) -> None:
    writer = Writer(database)
    gate = Gate(writer)
    works = [1, 1, 2]
    waiting = [writer.call(inserting(number)) for number in works]
    waiting.append(writer.call(lambda connection: int(connection.execute(text("SELECT * FROM nowhere")).scalar_one())))
    gate.open()
    errors = [type(future.exception(10)).__name__ for future in waiting]
    # SQLite calls a table that is not there an operational error, PostgreSQL one of the program.
    assert errors[:3] == ["NoneType", "IntegrityError", "NoneType"]
    assert errors[3] in {"BusyError", "ProgrammingError"}
    assert numbers(database) == [1, 2]
    writer.close()


def test_too_much_waiting_is_refused_and_the_rest_is_written(database: Database) -> None:
    writer = Writer(database, most_waiting=3)
    gate = Gate(writer)
    waiting = [writer.call(inserting(number)) for number in range(3)]
    with pytest.raises(BusyError, match="too many"):
        writer.call(inserting(9))
    gate.open()
    assert [future.result(10) for future in waiting] == [0, 1, 2]
    writer.close()


def test_closing_writes_what_waits_and_takes_no_more(database: Database) -> None:
    writer = Writer(database)
    gate = Gate(writer)
    waiting = writer.call(inserting(7))
    closing = threading.Thread(target=writer.close)
    closing.start()
    gate.open()
    closing.join(10)
    assert (waiting.result(0), numbers(database)) == (7, [7])
    with pytest.raises(BusyError, match="closing"):
        writer.call(inserting(8))


def test_work_that_nobody_waits_for_any_more_is_left_out(database: Database) -> None:
    writer = Writer(database)
    gate = Gate(writer)
    unwanted = writer.call(inserting(1))
    assert unwanted.cancel()
    gate.open()
    writer.close()
    assert numbers(database) == []


def test_a_database_that_went_away_for_a_while_is_found_again(postgres_url: str) -> None:
    database = Database(postgres_url)
    writer = Writer(database)
    writer.call(lambda connection: connection.execute(text("CREATE TABLE numbers (number INTEGER)"))).result(10)
    killer = Database(postgres_url)
    with killer.writing() as connection:
        others = "pid <> pg_backend_pid() AND usename = user"
        connection.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}"))
    assert writer.call(inserting(1)).result(10) == 1
    assert numbers(database) == [1]
    writer.close()
    database.close()
    killer.close()


def test_while_another_process_writes_all_that_wait_are_told_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aptone.studio.store.database.PATIENCE", 0.05)
    file = tmp_path / "studio.sqlite"
    database = Database(sqlite_url(file))
    begun = []

    def writing() -> AbstractContextManager[Connection]:
        begun.append(1)
        return Database.writing(database)

    monkeypatch.setattr(database, "writing", writing)
    with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writer = Writer(database)
        waiting = [writer.call(inserting(number)) for number in range(50)]
        assert {type(future.exception(10)) for future in waiting} == {BusyError}
    # The first goes alone, and what came meanwhile together; each by itself would wait fifty times as long.
    assert len(begun) < 10
    writer.close()
    database.close()
