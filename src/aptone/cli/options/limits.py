"""Several runs of one command, within the limits of that command."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from aptone.cli.options.run import Running
from aptone.run import AnyStep, Ended, RunConfig
from aptone.types import Item


@dataclass(slots=True)
class WithinLimits:
    """Runs one after the other so that the limits of the command hold for all of them together."""

    running: Running
    cost: float = 0.0
    worked: int = 0
    begun: float = field(default_factory=time.monotonic)

    def __call__(
        self, items: Sequence[Item], step: AnyStep, *, folder: Path, config: RunConfig, width: int, label: str
    ) -> Ended:
        """One of the runs; see `Running.run`."""
        left = replace(
            self.running,
            max_cost=max(0.0, self.running.max_cost - self.cost),
            max_items=None if self.running.max_items is None else max(0, self.running.max_items - self.worked),
            max_seconds=max(0.0, self.running.max_seconds - (time.monotonic() - self.begun)),
        )
        ended = left.run(items, step, folder=folder, config=config, width=width, label=label)
        self.cost += sum(entry.cost for entry in ended.run.entries)
        self.worked += ended.worked
        return replace(ended, stopped=self._told(ended.stopped))

    def _told(self, stopped: str) -> str:
        """Why a cell ended early, with the limit of the command instead of what was left of it."""
        limits = {
            "--max-cost": self.running.max_cost,
            "--max-items": self.running.max_items,
            "--max-seconds": self.running.max_seconds,
        }
        reached = next((name for name in limits if stopped.startswith(name)), "")
        return f"{reached} {limits[reached]:g} reached" if reached else stopped
