"""Perception of a clip by ear; the ears there are, their sizes and their licences.

The latter is known without loading any of them. Other names are loaded when they are used: whoever trains the ear needs
its grid, not its tracker.
"""

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from aptone.messages import message

if TYPE_CHECKING:
    from aptone.ear.perceive import Ear, ear_name, load_ear

__all__ = ["LICENCES", "PARAMETERS", "Ear", "ear_and_licence", "ear_name", "load_ear"]

LICENCES: Mapping[str, str] = {"full": "CC-BY-NC-SA-4.0", "permissive": "Apache-2.0"}
"""Ear to the SPDX name of its licence. The weights state the same in their metadata; a test compares the two."""

PARAMETERS: Mapping[str, int] = {"full": 5_003_466, "permissive": 4_976_544}
"""Ear to how many numbers its network and the stem before it hold; a test counts them."""


def ear_and_licence(name: str) -> str:
    """An ear and its licence, as reports say it; for a registered one also those of the built-in ear beside it.

    >>> ear_and_licence("permissive")
    'ear: permissive (Apache-2.0)'
    """
    if name not in LICENCES:
        from aptone.ear.other import other_and_licence

        return other_and_licence(name)
    return message("ear.licence", ear=name, licence=LICENCES[name])


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'aptone.ear' has no attribute {name!r}")
    return getattr(importlib.import_module("aptone.ear.perceive"), name)
