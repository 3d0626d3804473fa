"""Requirement of ``aptone view``."""

import importlib.util

from aptone.errors import MissingExtraError
from aptone.messages import message

NEEDED = ("anyio", "fastapi", "httptools", "prometheus_client", "pydantic", "python_multipart", "uvicorn")
"""Libraries of the extra that a view cannot do without."""


def require_view() -> None:
    """Make sure that a view can run here."""
    if any(importlib.util.find_spec(name) is None for name in NEEDED):
        raise MissingExtraError(message("cli.the-view"), extra="view")
