"""What the installed packages declare, read once and again only where packages came or went.

`importlib.metadata.entry_points` reads the metadata of every installed package whenever it is asked, some hundreds of
files; a command asks for tens of groups.
"""

import sys
from functools import lru_cache
from importlib import metadata
from importlib.metadata import EntryPoints
from pathlib import Path
from typing import Any


def entry_points(*, group: str) -> EntryPoints:
    """Return the entry points of a group, as `importlib.metadata.entry_points` does."""
    found: EntryPoints = _all_points(tuple((place, _changed(place)) for place in sys.path)).select(group=group)
    return found


@lru_cache(maxsize=4)
def _all_points(places: tuple[tuple[str, int], ...]) -> Any:
    """All entry points, for places to import from as they are; a class of its own up to Python 3.11."""
    return metadata.entry_points()


def _changed(place: str) -> int:
    """When something was last put into a folder or taken out of it, in nanoseconds; 0 if it is not there."""
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:
        return 0
