import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))  # makes `tests.studio.server.world` importable

from tests.studio.server.world import World, new_world


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with new_world(tmp_path / "project") as made:
        yield made


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The same, for tests that leave it as they found it."""
    with new_world(tmp_path_factory.mktemp("shared") / "project") as made:
        yield made
