"""Makes the modules beside the tests importable, and the server that misbehaves a fixture here."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.models.mock_server import server

__all__ = ["server"]
