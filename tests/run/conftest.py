"""Makes `tests.run.run_steps` importable here and in worker processes, which get the search path of their parent."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
