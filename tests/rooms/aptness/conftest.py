"""Makes `tests.rooms.aptness.bench_judges` importable here and in processes that tests start."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
