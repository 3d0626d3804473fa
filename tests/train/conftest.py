from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.train.tiny_corpus import Tiny


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> "Tiny":
    """The tiny corpus, with 40 rows of one second; made once."""
    pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")
    from tests.train.tiny_corpus import make_tiny

    return make_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def lines() -> list[str]:
    """What was logged."""
    return []


@pytest.fixture
def log(lines: list[str]) -> Callable[[str], None]:
    return lines.append


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"
