"""``aptone score``."""

import asyncio
import math
import sys
from importlib.metadata import version
from pathlib import Path

import click

from aptone.cli.consent import ask_consent
from aptone.cli.output import json_option, print_json, print_rich
from aptone.cli.running import Running, running_options
from aptone.errors import UsageError
from aptone.models import Engine
from aptone.registry import Registry
from aptone.report.finish import finish_run
from aptone.report.terminal import trust_panel, verdict_table
from aptone.rooms.aptness.bench import AptnessStep, make_step
from aptone.rooms.aptness.data import make_items, read_manifest, read_plan, read_story
from aptone.run import INTERRUPTED, Call, RunConfig, surroundings
from aptone.run.probes import batch_check
from aptone.types import (
    AudioRef,
    Entry,
    Item,
    Json,
    Language,
    Line,
    Outcome,
    Probe,
    ProbeState,
    Sample,
    State,
    loads,
    to_json,
)

MANIFESTS = (".jsonl", ".json")
PROBED_ITEMS = 32
ONE_CLIP = Probe(ProbeState.NOT_APPLICABLE, detail="the judge hears one clip at a time")


@click.command()
@click.argument("source", metavar="CLIP_OR_MANIFEST", type=click.Path(path_type=Path))
@click.option("--line", help="The words that are spoken (for a clip).")
@click.option("--role", default="", help="Who speaks them.")
@click.option("--story", type=click.Path(path_type=Path), help="Text file with the story around the line.")
@click.option("--plan", help="How it should sound: JSON, or a file with JSON.")
@click.option(
    "--language", type=click.Choice(["en", "zh"]), default="en", show_default=True, help="Of story and report."
)
@click.option(
    "--data-root", type=click.Path(path_type=Path), help="What relative paths in the manifest are relative to."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder of the run; the same command resumes it.")
@click.option("--engine", default="built-in", show_default=True, help="What judges; see aptone doctor.")
@click.option("--planner", help="Another planner than the engine's.")
@click.option("--judge", help="Another judge than the engine's.")
@running_options
@json_option
def score(
    source: Path,
    line: str | None,
    role: str,
    story: Path | None,
    plan: str | None,
    language: Language,
    data_root: Path | None,
    output: Path | None,
    engine: str,
    planner: str | None,
    judge: str | None,
    running: Running,
    as_json: bool,
) -> int:
    """Does a spoken line sound as the story around it asks?

    Give one recording with --line and --plan, or a manifest (.jsonl) with -o for a resumable run.

    \b
    aptone score clip.wav --line "Run!" --plan '{"emotion": "fear", "rhythm": "tense", "intonation": "rising"}'
    aptone score manifest.jsonl -o run/
    """  # noqa: D301  (\b keeps click from joining the lines)
    if source.suffix.lower() in MANIFESTS:
        given = {"--line": line, "--role": role, "--story": story, "--plan": plan}
        if clash := [name for name, value in given.items() if value]:
            raise UsageError(f"{clash[0]} describes one clip; in a manifest every record has its own.")
        samples = read_manifest(source, data_root=data_root)
        output = output or Path(f"{source.stem}-run")
    else:
        samples = [_one_sample(source, line=line, role=role, story=story, plan=plan, language=language)]
    chosen = Registry("engines", Engine).load(engine)
    step = make_step(chosen, planner=planner, judge=judge)
    consent = ask_consent(chosen, clips=len(samples), folder=output, agreed=running.yes)
    if output is None:
        return _score_at_once(samples[0], step, chosen, as_json=as_json)
    config = RunConfig(
        verb="score",
        engine=engine,
        settings=step.settings(),
        seed=running.seed,
        version=version("aptone"),
        inputs=(str(source),),
        command=tuple(sys.argv[1:]),
        surroundings=surroundings(),
        consent=consent,
        notes=chosen.notes,
        licence=chosen.licence,
    )
    items = list(make_items(samples))
    ended = running.run(items, step, folder=output, config=config, width=chosen.width, label="score")
    batch = batch_check(items[:PROBED_ITEMS], step, seed=running.seed) if running.batch_check else None
    finished = finish_run(ended.run, stopped=ended.stopped, batch=batch, order=ONE_CLIP, language=language)
    if as_json:
        rows = [_row(entry) for entry in ended.run.entries]
        summary: dict[str, Json] = {
            "folder": str(output),
            "report": str(finished.report),
            "worked": ended.worked,
            "stopped": ended.stopped,
            "trust": to_json(finished.card),
            "items": rows,
        }
        print_json(summary)
    else:
        print_rich(verdict_table(ended.run.entries), trust_panel(finished.card))
        click.echo(f"Report: {finished.report}")
    if ended.stopped == INTERRUPTED:
        return 130
    return int(any(entry.outcome.state is State.FAILED for entry in ended.run.entries))


def _one_sample(
    source: Path, *, line: str | None, role: str, story: Path | None, plan: str | None, language: Language
) -> Sample:
    if not line:
        raise UsageError("--line is missing: what is said in the clip?")
    before, after = read_story(story, line=line) if story else ((), ())
    return Sample(
        id=source.name,
        audio=AudioRef(str(source)),
        target=Line(line, role),
        context=before,
        following=after,
        language=language,
        plan=read_plan(_plan_json(plan), where="--plan") if plan else None,
    )


def _plan_json(plan: str) -> Json:
    if plan.lstrip().startswith("{"):
        return loads(plan, what="--plan")
    path = Path(plan)
    try:
        return loads(path.read_bytes(), what=plan)
    except OSError as error:
        raise UsageError(f"--plan: neither JSON nor a file that can be read ({error}).") from error


def _score_at_once(sample: Sample, step: AptnessStep, engine: Engine, *, as_json: bool) -> int:
    outcome = asyncio.run(step.on_sample(sample, Call()))
    if as_json:
        print_json({"id": sample.id, "outcome": to_json(outcome), "notes": engine.notes})
    else:
        item = Item.make(sample.id, to_json(sample))
        print_rich(verdict_table([Entry(item, outcome)]))
        click.echo(outcome.rationale or outcome.reason)
        for note in engine.notes:
            click.echo(f"Note: {note}")
    return int(outcome.state is State.FAILED)


def _row(entry: Entry) -> dict[str, Json]:
    outcome: Outcome = entry.outcome
    return {
        "id": entry.item.id,
        "repeat": entry.repeat,
        "state": outcome.state,
        "reason": outcome.reason,
        "scores": {name: None if math.isnan(score.value) else score.value for name, score in outcome.scores.items()},
        "rationale": outcome.rationale,
    }
