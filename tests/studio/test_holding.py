"""One server a project: the second is told who has it, and a killed one has it no longer."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from aptone.errors import UsageError
from aptone.studio import holding
from aptone.studio.database import Database, sqlite_url
from aptone.studio.holding import held
from aptone.studio.project import Project

HOLDER = """
import sys, time
from aptone.studio.database import Database
from aptone.studio.holding import held
with held(Database(sys.argv[1]), address="http://127.0.0.1:8765"):
    print("held", flush=True)
    time.sleep(60)
"""


def address(database_url: str, folder: Path) -> str:
    return database_url or sqlite_url(folder / "studio.sqlite")


@pytest.fixture
def database(tmp_path: Path, database_url: str) -> Iterator[Database]:
    with closing(Database(address(database_url, tmp_path))) as opened:
        yield opened


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "PATIENCE", 0.0)


@pytest.mark.usefixtures("impatient")
def test_a_second_server_is_told_who_has_the_project_and_what_to_do(database: Database) -> None:
    with held(database, address="http://127.0.0.1:8765"):
        with pytest.raises(UsageError) as refusal, held(database, address="http://127.0.0.1:9999"):
            pytest.fail("it is held")
        told = str(refusal.value)
        assert f"process {os.getpid()} on " in told
        assert "Open http://127.0.0.1:8765 in the browser, or end that one first" in told
    with held(database, address="http://127.0.0.1:9999"):
        pass


def test_a_server_that_was_killed_holds_nothing_and_the_next_one_starts(
    database: Database, tmp_path: Path, database_url: str
) -> None:
    command = [sys.executable, "-c", HOLDER, address(database_url, tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "held\n"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(holding, "PATIENCE", 0.0)
            with pytest.raises(UsageError, match=f"process {server.pid} "), held(database, address=""):
                pytest.fail("it is held")
        server.send_signal(signal.SIGKILL)
        server.wait()
    with held(database, address=""):
        pass


def test_what_works_on_a_project_without_serving_it_needs_no_lock(tmp_path: Path, database_url: str) -> None:
    with Project.open(tmp_path, database_url=database_url) as project, held(project.database, address=""):
        with Project.open(tmp_path, database_url=database_url) as other:
            other.people.invite("annotator", name="Ann").result()
        assert project.people.invite("annotator", name="Bea").result().token


@pytest.mark.usefixtures("impatient")
def test_a_holder_that_has_not_said_who_it_is_is_told_as_such(database: Database) -> None:
    with held(database, address=""):
        with database.writing() as connection:
            connection.execute(text("DELETE FROM properties WHERE name = 'server'"))
        with pytest.raises(UsageError, match="End it first, or try again"), held(database, address=""):
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
        held(first, address=""),
        held(second, address=""),
        second.reading() as connection,
    ):
        assert connection.execute(text("SELECT current_schema()")).scalar_one() == "second"


def test_a_folder_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "studio.lock").mkdir()
    with (
        closing(Database(sqlite_url(tmp_path / "studio.sqlite"))) as database,
        pytest.raises(UsageError, match=r"studio.lock: cannot be locked"),
        held(database, address=""),
    ):
        pytest.fail("it is no file")
