from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def lines() -> list[str]:
    """Logged lines."""
    return []


@pytest.fixture
def log(lines: list[str]) -> Callable[[str], None]:
    return lines.append


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"
