"""The project folder, and its lock: the second server is refused, a killed one loses it."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from aptone.errors import UsageError
from aptone.studio import project as module
from aptone.studio.project import Project, lock_project
from aptone.studio.server.serve import run_studio
from aptone.studio.store.database import Database, sqlite_url
from aptone.types import dumps
from aptone.web.refusals import NotFoundError
from benchmarks.postgres_server import restart


def test_a_folder_becomes_a_project_with_its_database_inside(tmp_path: Path) -> None:
    with Project.open(tmp_path / "new" / "project") as project:
        assert sorted(path.name for path in project.folder.iterdir() if path.is_dir()) == ["clips"]
        assert (project.folder / "studio.sqlite").is_file()
        assert project.path("studio.sqlite").is_file()
        with pytest.raises(NotFoundError):
            project.path("../studio.sqlite")


def test_a_file_cannot_be_a_project(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot hold a project"):
        Project.open(tmp_path / "file")


def test_other_users_of_the_machine_cannot_read_the_database(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with Project.open(tmp_path / "study") as project:
            project.people.invite("annotator", name="Ada").result()
            modes = {file.name: file.stat().st_mode & 0o077 for file in project.folder.glob("studio.sqlite*")}
    finally:
        os.umask(before)
    assert "studio.sqlite" in modes
    assert set(modes.values()) == {0}


HOLDER = """
import sys, time
from aptone.studio.store.database import Database
from aptone.studio.project import lock_project
with lock_project(Database(sys.argv[1]), address="http://127.0.0.1:8765"):
    print("held", flush=True)
    time.sleep(900)
"""


OTHER = dumps({"process": 4711, "machine": "elsewhere", "address": "http://127.0.0.1:9999", "since": 0.0})
WAITING = 300.0
"""Seconds that a busy machine may take."""


def address(database_url: str, folder: Path) -> str:
    return database_url or sqlite_url(folder / "studio.sqlite")


@pytest.fixture
def database(tmp_path: Path, database_url: str) -> Iterator[Database]:
    with closing(Database(address(database_url, tmp_path))) as opened:
        yield opened


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)


@pytest.fixture
def watchful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WATCHED_EVERY", 0.05)


def wait_until(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + WAITING
    while not happened():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.05)


def holding_process(postgres_url: str) -> int | None:
    """The process of PostgreSQL whose connection holds the lock."""
    query = text("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted")
    with closing(Database(postgres_url)) as database, database.reading() as connection:
        return connection.execute(query).scalar_one_or_none()


@contextmanager
def in_the_place_of_the_holder(postgres_url: str) -> Iterator[int]:
    """The connection that holds the lock is cut, and one that waited for it has it; gives the process of the former."""
    engine = create_engine(postgres_url.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT")
    former = holding_process(postgres_url)
    assert former is not None
    with engine.connect() as waiting, engine.connect() as operator, ThreadPoolExecutor(1) as pool:
        got = pool.submit(
            waiting.execute,
            text("SELECT pg_advisory_lock(:number, hashtext(current_schema()))"),
            {"number": module._FIRST_NUMBER},
        )
        blocked = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        wait_until(lambda: bool(operator.execute(blocked).scalar_one()))
        operator.execute(text("SELECT pg_terminate_backend(:former)"), {"former": former})
        got.result(timeout=WAITING)
        yield former
    engine.dispose()


@pytest.mark.usefixtures("impatient")
def test_a_second_server_is_told_who_has_the_project_and_what_to_do(database: Database) -> None:
    with lock_project(database, address="http://127.0.0.1:8765"):
        with pytest.raises(UsageError) as refusal, lock_project(database, address="http://127.0.0.1:9999"):
            pytest.fail("it is held")
        told = str(refusal.value)
        assert f"process {os.getpid()} on " in told
        assert "Open http://127.0.0.1:8765 in the browser, or end that one first" in told
    with lock_project(database, address="http://127.0.0.1:9999"):
        pass


def test_a_server_that_was_killed_holds_nothing_and_the_next_one_starts(
    database: Database, tmp_path: Path, database_url: str
) -> None:
    command = [sys.executable, "-c", HOLDER, address(database_url, tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "held\n"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "PATIENCE", 0.0)
            with pytest.raises(UsageError, match=f"process {server.pid} "), lock_project(database, address=""):
                pytest.fail("it is held")
        server.send_signal(signal.SIGKILL)
        server.wait()
    with lock_project(database, address=""):
        pass


def test_what_works_on_a_project_without_serving_it_needs_no_lock(tmp_path: Path, database_url: str) -> None:
    with Project.open(tmp_path, database_url=database_url) as project, lock_project(project.database, address=""):
        with Project.open(tmp_path, database_url=database_url) as other:
            other.people.invite("annotator", name="Ann").result()
        assert project.people.invite("annotator", name="Bea").result().token


@pytest.mark.usefixtures("impatient")
def test_a_holder_that_has_not_said_who_it_is_is_told_as_such(database: Database) -> None:
    with lock_project(database, address=""):
        with database.writing() as connection:
            connection.execute(text("DELETE FROM properties WHERE name = 'server'"))
        with pytest.raises(UsageError, match="End it first, or try again"), lock_project(database, address=""):
            pytest.fail("it is held")


@pytest.mark.usefixtures("impatient")
def test_two_projects_in_schemas_of_one_database_have_a_server_each(postgres_url: str) -> None:
    with closing(Database(postgres_url)) as whole, whole.writing() as connection:
        for schema in ("first", "second"):
            connection.execute(text(f"DROP SCHEMA IF EXISTS {schema} CASCADE"))
            connection.execute(text(f"CREATE SCHEMA {schema}"))
    urls = [f"{postgres_url}&options=-csearch_path%3D{schema}" for schema in ("first", "second")]
    with (
        closing(Database(urls[0])) as first,
        closing(Database(urls[1])) as second,
        lock_project(first, address=""),
        lock_project(second, address=""),
        second.reading() as connection,
    ):
        assert connection.execute(text("SELECT current_schema()")).scalar_one() == "second"


def test_a_project_stays_held_when_its_database_is_restarted(postgres_url: str, watchful: None) -> None:
    with closing(Database(postgres_url)) as database, lock_project(database, address="http://127.0.0.1:8765") as hold:
        restart(postgres_url)
        wait_until(lambda: holding_process(postgres_url) is not None)
        with pytest.raises(UsageError, match=r"Open http://127\.0\.0\.1:8765"), lock_project(database, address=""):
            pytest.fail("it is held")
        hold.check()
    assert holding_process(postgres_url) is None


def test_who_finds_another_server_after_a_restart_is_told_which(
    postgres_url: str, watchful: None, impatient: None
) -> None:
    with (
        closing(Database(postgres_url)) as database,
        lock_project(database, address="") as hold,
        in_the_place_of_the_holder(postgres_url),
    ):
        assert not hold.lost.wait(0.5), "nobody else has said so: it may be the connection that broke"
        with database.writing() as connection:
            connection.execute(text("UPDATE properties SET value = :other WHERE name = 'server'"), {"other": OTHER})
        assert hold.lost.wait(WAITING)
        with pytest.raises(UsageError, match=r"process 4711 on elsewhere, .*this one has stopped") as refusal:
            hold.check()
        assert "http://127.0.0.1:9999" in str(refusal.value)


def test_a_lock_that_the_broken_connection_kept_is_waited_for(postgres_url: str, watchful: None) -> None:
    with closing(Database(postgres_url)) as database, lock_project(database, address="") as hold:
        with in_the_place_of_the_holder(postgres_url) as gone:
            time.sleep(0.3)
        wait_until(lambda: holding_process(postgres_url) is not None)
        assert holding_process(postgres_url) not in (None, gone)
        hold.check()


def test_a_server_whose_project_went_to_another_stops_and_says_so(
    tmp_path: Path, postgres_url: str, watchful: None
) -> None:
    ready = threading.Event()
    told: list[str] = []

    def serve_it() -> None:
        try:
            run_studio(tmp_path, database_url=postgres_url, ready=lambda _: ready.set())
        except UsageError as error:
            told.append(str(error))

    server = threading.Thread(target=serve_it, daemon=True)
    server.start()
    assert ready.wait(WAITING)
    with in_the_place_of_the_holder(postgres_url), closing(Database(postgres_url)) as database:
        with database.writing() as connection:
            connection.execute(text("UPDATE properties SET value = :other WHERE name = 'server'"), {"other": OTHER})
        server.join(WAITING)
    assert ["process 4711 on elsewhere" in one for one in told] == [True]


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "studio.lock").mkdir()
    with (
        closing(Database(sqlite_url(tmp_path / "studio.sqlite"))) as database,
        pytest.raises(UsageError, match=r"studio.lock: cannot be locked"),
        lock_project(database, address=""),
    ):
        pytest.fail("it is no file")
