"""Selection of a system under test by an address, a command, or a folder."""

import math
import re
from pathlib import Path

from aptone.errors import UsageError
from aptone.run.system.command import CommandSystem
from aptone.run.system.folder import FolderSystem
from aptone.run.system.http import ServedSystem
from aptone.run.system.protocol import TIMEOUT, System


def make_system(text: str, *, timeout: float = TIMEOUT) -> System:
    """The system that a user names: an address, a command with ``{input}`` and ``{output}``, or a folder.

    Raises:
        UsageError: if it is none of these.
    """
    if not 0 < timeout < math.inf:
        raise UsageError(f"a time-out is a positive number of seconds, got {timeout}.")
    if re.match(r"https?://", text, re.IGNORECASE):
        return ServedSystem(text, timeout=timeout)
    if "{input}" in text or "{output}" in text:
        return CommandSystem(text, timeout=timeout)
    if Path(text).is_dir():
        return FolderSystem(Path(text))
    raise UsageError(
        f"{text[:80]!r} is no system: expected an address (http://…), a command with {{input}} and {{output}} in it, "
        "or a folder of answers, and there is no folder of that name."
    )
