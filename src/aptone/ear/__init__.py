"""What a clip sounds like.

Names are loaded when they are used: whoever trains the ear needs its grid, not its tracker.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aptone.ear.perceive import Ear, ear_name, load_ear

__all__ = ["Ear", "ear_name", "load_ear"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'aptone.ear' has no attribute {name!r}")
    return getattr(importlib.import_module("aptone.ear.perceive"), name)
