"""Makes the modules beside the tests and the benchmarks importable; a project on each of the two databases."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from aptone.studio.store import accounts, passwords
from benchmarks import postgres_server as postgres
from tests.studio.studies import Clock, Study


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server that runs for all tests; they are skipped where none is installed."""
    if reason := postgres.missing():
        pytest.skip(reason)
    with postgres.postgres_server(durable=False) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    """The same, with nothing in its database."""
    engine = create_engine(postgres_server.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return postgres_server


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database: that of the project folder, or one of a server."""
    return "" if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes of passwords that take no time, for tests of what they open; `store/test_passwords.py` takes real ones."""
    monkeypatch.setattr(passwords, "_COST", 2)
    monkeypatch.setattr(accounts, "UNKNOWN", passwords.UNKNOWN.replace("$16384$", "$2$"))


@pytest.fixture
def study(tmp_path: Path, database_url: str) -> Iterator[Study]:
    """A project with a clip, on a clock that the test moves."""
    with Study.open(tmp_path, database_url=database_url, clock=Clock()) as opened:
        yield opened


@pytest.fixture
def small_study(tmp_path: Path) -> Iterator[Study]:
    """The same on SQLite only, for what does not depend on the database."""
    with Study.open(tmp_path, database_url="", clock=Clock()) as opened:
        yield opened
