"""Options that every verb with a run has, what they mean to the runner, and options that name systems under test."""

import contextlib
import math
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

import click
from platformdirs import user_cache_path

from aptone.cli.commands import Command, gather_options
from aptone.cli.options.values import PATH, choice_option, several_option, shown_option
from aptone.errors import UsageError
from aptone.files import PRIVATE_FILE
from aptone.messages import message, words
from aptone.models import About
from aptone.run import (
    AnyStep,
    Budget,
    Ended,
    Executor,
    InProcess,
    Processes,
    ReplyCache,
    ReplyStore,
    RunConfig,
    display_for,
    run_items,
    surroundings,
    typed_command,
)
from aptone.run.consent import ask_consent
from aptone.run.executors.ray import OnRay
from aptone.run.export import check_export, export_run
from aptone.run.hooks import make_hook
from aptone.run.progress import reached_limit
from aptone.run.system import RECORDED, TIMEOUT, FolderSystem, Limits, System, make_system
from aptone.types import Item, Json

_PRICES = ("input_price", "output_price", "audio_price", "prices", "price_per_minute")
"""Options of parts that say what a call costs."""


@dataclass(frozen=True, slots=True)
class Running:
    """Options of a run."""

    repeat: int
    batch_check: bool
    max_cost: float
    max_items: int | None
    max_seconds: float
    workers: int | None
    executor: str
    cache: Path | None
    no_cache: bool
    seed: int
    yes: bool
    export: Path | None = None
    hooks: tuple[str, ...] = ()
    fsync: str = "every"

    def run(
        self, items: Iterable[Item], step: AnyStep, *, folder: Path, config: RunConfig, width: int, label: str
    ) -> Ended:
        """Run a step over items with these options."""
        ended = run_items(
            items,
            step,
            folder=folder,
            config=config,
            executor=self._executor(self.workers or width),
            cache=self.cache_file,
            repeats=self.repeat,
            budget=Budget(max_cost=self.max_cost, max_items=self.max_items, max_seconds=self.max_seconds),
            display=display_for(label=label),
            hooks=[make_hook(text) for text in self.hooks],
            sync_interval=0.0 if self.fsync == "every" else 0.1,
        )
        for problem in ended.hook_problems:
            click.echo(f"aptone: {message('cli.hook-failed', why=problem)}", err=True)
        if self.export is not None:
            count = export_run(ended.run, self.export)
            click.echo(f"aptone: {words('en', 'report')('exported_to', count=count, path=self.export)}", err=True)
        return ended

    @property
    def cache_file(self) -> Path | None:
        """File of the reply cache; ``None`` for none."""
        return None if self.no_cache else self.cache or default_cache()

    def consent(self, about: About, *, clips: int | None, folder: Path | None) -> tuple[str, ...]:
        """Make sure that the user agrees to where recordings go; see `ask_consent`."""
        return ask_consent(about.sends_audio_to, clips=clips, folder=folder, agreed=self.yes)

    def config(
        self,
        verb: str,
        engine: str,
        settings: Mapping[str, Json],
        about: About,
        *,
        inputs: Iterable[Path] = (),
        consent: tuple[str, ...] = (),
    ) -> RunConfig:
        """Return the configuration of a run; `about` has the notes and the licence of its parts.

        Prices are no part of it: they change no score, and may be given when a run goes on.

        Raises:
            UsageError: if cost is limited, and the price of a model is unknown.
        """
        if math.isfinite(self.max_cost) and about.unpriced:
            raise UsageError(message("cli.max-cost-unpriced", names=", ".join(about.unpriced)))
        return RunConfig(
            verb=verb,
            engine=engine,
            settings={name: value for name, value in settings.items() if name.rpartition(".")[2] not in _PRICES},
            seed=self.seed,
            version=version("aptone"),
            inputs=tuple(map(str, inputs)),
            command=typed_command(),
            surroundings=surroundings(),
            consent=consent,
            notes=about.notes,
            licence=about.licence,
        )

    def refuse_without_folder(self) -> None:
        """Complain about options that only a run in a folder can have."""
        asked = {
            "--repeat": self.repeat > 1,
            "--batch-check": self.batch_check,
            "--max-cost": math.isfinite(self.max_cost),
            "--max-items": self.max_items is not None,
            "--max-seconds": math.isfinite(self.max_seconds),
            "--workers": self.workers is not None,
            "--executor": self.executor != "local",
            "--export": self.export is not None,
            "--hook": bool(self.hooks),
        }
        if given := [name for name, is_given in asked.items() if is_given]:
            raise UsageError(f"{given[0]} needs a run folder; name one with -o.")

    @contextlib.contextmanager
    def opened_cache(self) -> Iterator[ReplyStore | None]:
        """The reply cache for a single call."""
        if self.cache_file is None:
            yield None
            return
        cache = ReplyCache(self.cache_file)
        try:
            yield cache
        finally:
            cache.close()

    def _executor(self, width: int) -> Executor:
        if self.executor == "ray":
            return OnRay(width, address=os.environ.get("RAY_ADDRESS"))
        return Processes(width) if self.executor == "processes" else InProcess(width)


def default_cache() -> Path:
    """Return the default path of the reply cache: ``APTONE_CACHE``, or a file in the user's cache folder."""
    named = os.environ.get("APTONE_CACHE")
    if named:
        return Path(named)
    path = user_cache_path("aptone") / "replies.sqlite"
    with contextlib.suppress(OSError):  # earlier versions let everybody read it
        path.chmod(PRIVATE_FILE)
    return path


def _checked_export(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    if path is not None:
        check_export(path)  # before the work, not after it
    return path


export_option = click.option(
    "--export",
    type=PATH,
    callback=_checked_export,
    metavar="FILE|DIR",
    help="Write the results to a .parquet or .csv file, or to a folder as a dataset for Hugging Face's tools.",
)

dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Say items, seconds, calls, tokens and cost at most, and send nothing."
)

CACHE_OPTIONS = (
    click.option("--cache", type=PATH, help="File of the reply cache."),
    click.option("--no-cache", is_flag=True, help="Keep no replies."),
    shown_option("--seed", type=int, default=0, help="Random seed."),
)

_OPTIONS = (
    click.option(
        "--repeat",
        type=click.IntRange(1),
        default=1,
        help="Judge each item this often, to see how far the judge agrees with itself.",
    ),
    click.option("--batch-check", is_flag=True, help="Check that scores do not depend on the batch size."),
    click.option(
        "--max-cost",
        type=click.FloatRange(0),
        default=math.inf,
        help="Stop before the run has cost more than this (exit code 3); needs the prices of its models.",
    ),
    click.option("--max-items", type=click.IntRange(0), help="Stop after this many items (exit code 3)."),
    click.option(
        "--max-seconds", type=click.FloatRange(0), default=math.inf, help="Stop after this many seconds (exit code 3)."
    ),
    click.option(
        "--workers", type=click.IntRange(1), help="Number of concurrent items; by default what suits the engine."
    ),
    choice_option(
        "--executor",
        "executor",
        ["local", "processes", "ray"],
        "Executor: this process, several processes, or a Ray cluster.",
    ),
    export_option,
    several_option(
        "--hook",
        "hooks",
        metavar="NAME[=SETTING:VALUE,…]",
        help="Log the run to a tracker: mlflow, wandb, tensorboard, or a hook of a plugin.",
    ),
    choice_option(
        "--fsync",
        "fsync",
        ["every", "100ms"],
        "Sync the journal after every item, or every 100 ms: then up to 100 ms of finished items are lost and done "
        "again if the machine (not the process) dies.",
    ),
    *CACHE_OPTIONS,
    click.option(
        "--yes", is_flag=True, help="Agree that audio is sent to another machine, where the engine does that."
    ),
)

running_options = gather_options(Running, argument="running", options=_OPTIONS)
"""Adds the options of `Running` to a verb, which receives them as its argument ``running``."""


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
        return replace(ended, stopped=self._stop_reason(ended.stopped))

    def _stop_reason(self, stopped: str) -> str:
        """Return why a cell ended early, with the limit of the command instead of what was left of it."""
        limits = {
            "max-cost": self.running.max_cost,
            "max-items": self.running.max_items,
            "max-seconds": self.running.max_seconds,
        }
        reached = reached_limit(stopped)
        return message(f"run.{reached}-reached", limit=limits[reached]) if reached else stopped


def system_option(what: str) -> Callable[[Command], Command]:
    """Add ``--system``, which a verb receives as its argument ``systems``; `what` they answer is for the help."""
    return several_option(
        "--system",
        "systems",
        metavar="COMMAND|URL|DIR",
        help=f"Let a system answer {what}: a command with {{input}} and {{output}}, an address that wav files are "
        "posted to, or a folder of answers. NAME=… gives it a name.",
    )


timeout_option = shown_option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=TIMEOUT,
    help="Seconds that a system may take for an answer.",
)


system_env_option = several_option(
    "--system-env",
    "system_env",
    metavar="NAME",
    help="Environment variable that a command after --system gets; besides paths, language and the like it gets none.",
)
system_memory_option = click.option(
    "--system-memory",
    type=click.FloatRange(0, min_open=True),
    metavar="GB",
    help="Memory that a command after --system may take; by default three quarters of the machine's (Linux only).",
)


def named_systems(
    given: Sequence[str], timeout: float, *, environment: Sequence[str] = (), memory: float | None = None
) -> dict[str, System]:
    """The systems that were typed, by their names; `memory` is in GB.

    Raises:
        UsageError: if one cannot be used, or two have one name.
    """
    found: dict[str, System] = {}
    limits = Limits(memory=int(1e9 * (memory or 0)))
    for text in given:
        name, equals, rest = text.partition("=")
        is_named = bool(equals) and re.fullmatch(r"[\w.-]+", name) is not None
        system = make_system(rest if is_named else text, timeout=timeout, environment=tuple(environment), limits=limits)
        chosen = name if is_named else Path(text).name if isinstance(system, FolderSystem) else text
        if chosen in found or chosen == RECORDED:
            raise UsageError(f"--system: the name {chosen!r} is taken; give another with NAME=…")
        found[chosen] = system
    return found
