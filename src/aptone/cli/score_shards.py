"""``aptone score --executor ray`` of shards, by Ray Data."""

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from aptone.cli.options.engine import Parts
from aptone.cli.options.run import Running
from aptone.cli.options.source import say_reading
from aptone.cli.output import print_json, print_text, stop_code
from aptone.ear.reference import SELF
from aptone.errors import UsageError
from aptone.messages import message, translate
from aptone.rooms.aptness.sources import NAMES, ShardLines
from aptone.run import display_for
from aptone.run.sharded.driver import EndedShards, run_shards
from aptone.run.sharded.shards import SourceShard, find_shards
from aptone.run.sharded.work import ShardWork
from aptone.run.sources.audio_cache import is_address
from aptone.run.sources.records import SourceOptions, read_source
from aptone.types import Language, State

WORKERS = 2
"""Workers on Ray where nobody says how many."""


def refuse_with_shards(asked: Mapping[str, object]) -> None:
    """Complain about the first of some options that was given; a run over shards cannot have them.

    Raises:
        UsageError: if one was.
    """
    if given := [name for name, value in asked.items() if value]:
        raise UsageError(message("cli.not-with-shards", name=given[0]))


def score_shards(
    sources: Sequence[Path],
    options: SourceOptions,
    parts: Parts,
    running: Running,
    folder: Path,
    *,
    results: str | None,
    lang: Language | None,
    as_json: bool,
) -> int:
    """Score the shards of a source on Ray, and say what was done and what is left."""
    refuse_with_shards(
        {
            "--reference self": parts.reference == SELF,
            "--batch-check": running.batch_check,
            "--max-cost": math.isfinite(running.max_cost),
            "--max-items": running.max_items is not None,
            "--export": running.export,
            "--hook": running.hooks,
        }
    )
    if results is not None and not is_address(results):
        raise UsageError(message("cli.results-no-address", name=results))
    shards = find_shards(sources)
    _say_first(shards[0], options)
    step = parts.with_reference(parts.step(lang=lang), (), folder=folder)
    consent = running.consent(step.about, clips=None, folder=folder)
    places = [shard.place for shard in shards]
    config = running.config("score", parts.engine, parts.recorded(step), step.about, consent=consent)
    ended = run_shards(
        shards,
        ShardWork(
            ShardLines(_absolute(options)),
            step,
            replace(config, inputs=tuple(places)),
            repeats=running.repeat,
            width=parts.load_engine().width,
        ),
        folder=folder,
        workers=running.workers or WORKERS,
        address=os.environ.get("RAY_ADDRESS"),
        cache=running.cache_file,
        results=results or "",
        max_seconds=running.max_seconds,
        display=display_for(label="score, shards"),
    )
    states = Counter[str]()
    for done in ended.done.values():
        states.update(done.states)
    if as_json:
        print_json(
            folder=str(folder),
            shards=len(shards),
            done=len(ended.done),
            worked=list(ended.worked),
            problems=dict(ended.problems),
            left=ended.left,
            stopped=ended.stopped,
            states=dict(states),
            cost=sum(done.cost for done in ended.done.values()),
            cpu_seconds=sum(done.cpu_seconds for done in ended.done.values()),
        )
    else:
        _print(ended, shards=len(shards), states=states, language=lang or "en")
    failed = bool(ended.problems) or states[State.FAILED] > 0 or not states[State.DONE]
    return stop_code(ended.stopped, failed=failed)


def _print(ended: EndedShards, *, shards: int, states: Counter[str], language: Language) -> None:
    for name, problem in ended.problems.items():
        click.echo(f"aptone: {name}: {translate(problem, language)}", err=True)
    counts = {"done": len(ended.done), "count": shards, "worked": len(ended.worked), "folder": ended.folder}
    counted = {state.value: states[state] for state in State}
    text = message("cli.shards-done", **counts, **{f"{name}_items": count for name, count in counted.items()})
    print_text(translate(text, language))
    if ended.problems or ended.left:
        print_text(translate(message("cli.shards-left", count=len(ended.problems) + ended.left), language))


def _say_first(shard: SourceShard, options: SourceOptions) -> None:
    """Say as what the first shard is read, if that is here: a shard on another machine is fetched by its worker."""
    if not is_address(shard.place):
        say_reading(read_source(shard.path, NAMES, options))


def _absolute(options: SourceOptions) -> SourceOptions:
    """The same for workers, which run in another folder."""
    return replace(options, data_root=options.data_root and options.data_root.absolute())
