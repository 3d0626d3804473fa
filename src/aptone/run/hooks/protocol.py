"""Protocol of a hook, hooks by name, and calls of them that cannot harm a run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from aptone.errors import UsageError
from aptone.registry import find_maker
from aptone.run.folder import RunConfig
from aptone.types import Entry, json_or_text


class Hook(Protocol):
    """An observer of a run, such as a tracker of experiments. Items come in the order in which they are finished."""

    def on_start(self, config: RunConfig, folder: Path) -> None:
        """A session begins."""

    def on_item(self, entry: Entry) -> None:
        """An item is finished, and its journal line is on the disk."""

    def on_end(self, stopped: str) -> None:
        """The session has ended; `stopped` says why it ended early, and is empty when it did not."""


def make_hook(text: str) -> Hook:
    """Make a hook from ``NAME`` or ``NAME=SETTING:VALUE,…``; names are those of the entry point ``aptone.hooks``.

    Raises:
        RegistryError: if the name is unknown.
        UsageError: if it has no such setting, or the text is no list of settings.
    """
    name, equals, given = text.partition("=")
    settings = {}
    for part in given.split(",") if equals else ():
        key, colon, value = part.partition(":")
        if not key or not colon:
            raise UsageError(f"--hook {text}: expected NAME=SETTING:VALUE,…, got {part!r}.")
        settings[key] = json_or_text(value)
    hook: Hook = find_maker("hooks", "hook", name, settings)(**settings)
    return hook


class HookCalls:
    """Calls hooks so that none can harm the run: one that raises is noted in `problems` and not called again."""

    def __init__(self, hooks: Sequence[Hook]) -> None:
        self._hooks = list(hooks)
        self.problems: list[str] = []

    def on_start(self, config: RunConfig, folder: Path) -> None:
        """Call every hook at the start."""
        self._call("on_start", config, folder)

    def on_items(self, entries: Sequence[Entry]) -> None:
        """Call every hook for each of some items."""
        for entry in entries if self._hooks else ():
            self._call("on_item", entry)

    def on_end(self, stopped: str) -> None:
        """Call every hook at the end."""
        self._call("on_end", stopped)

    def _call(self, name: str, *given: object) -> None:
        for hook in list(self._hooks):
            try:
                getattr(hook, name)(*given)
            except Exception as error:
                self._hooks.remove(hook)
                self.problems.append(f"{type(hook).__name__}.{name}: {type(error).__name__}: {error}")
