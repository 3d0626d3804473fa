"""Surroundings in which Python keeps the modules that it compiled, as it does for an installed package.

Where it may not write beside the sources, as in many containers, each process compiles every module again: half a
second for `aptone score`, which users do not wait for.
"""

from pathlib import Path


def kept_bytecode(folder: Path) -> dict[str, str]:
    """Return environment variables by which compiled modules are kept in a folder; run a command once to fill it."""
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder)}
