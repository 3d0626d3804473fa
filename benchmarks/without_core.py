"""Import this first: what runs on a machine with a GPU may find nothing there but torch and transformers.

These packages import what Aptone's core install brings as soon as they are touched, for none of which the networks have
a use; where that is not installed, they are entered without it.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

SOURCE = Path(__file__).resolve().parents[1] / "src" / "aptone"

if importlib.util.find_spec("rich") is None:
    for name in ("models", "run"):
        bare = ModuleType(f"aptone.{name}")
        bare.__path__ = [str(SOURCE / name)]
        sys.modules[f"aptone.{name}"] = bare
