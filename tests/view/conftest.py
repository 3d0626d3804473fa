"""Makes `tests.view.odd_operations` importable here and in processes that tests start."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
