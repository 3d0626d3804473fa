"""Makes `tests.models.mock_server` importable, and starts one for each test that asks for it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.models.mock_server import MockServer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockServer]:
    """A server on this machine that answers by a script."""
    pytest.importorskip("httpx", reason="the extra llm is not installed")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with MockServer() as running:
        yield running
