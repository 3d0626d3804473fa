"""Makes the modules beside the tests importable; a project on each of the two databases."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.studio.studies import Clock, Study  # noqa: E402


def _load(name: str) -> object:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server that runs for all tests; they are skipped where none is installed."""
    starter = _load("postgres_server")
    if reason := starter.missing():  # type: ignore[attr-defined]
        pytest.skip(reason)
    with starter.postgres_server() as url:  # type: ignore[attr-defined]
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
def study(tmp_path: Path, database_url: str) -> Iterator[Study]:
    """A project with a clip, on a clock that the test moves."""
    with Study.open(tmp_path, database_url=database_url, clock=Clock()) as opened:
        yield opened


@pytest.fixture
def small_study(tmp_path: Path) -> Iterator[Study]:
    """The same on SQLite only, for what does not depend on the database."""
    with Study.open(tmp_path, database_url="", clock=Clock()) as opened:
        yield opened
