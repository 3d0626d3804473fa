"""``aptone score``."""

import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import click

from aptone.cli.consent import ask_consent
from aptone.cli.names import names_of
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.cli.running import Running, running_options
from aptone.cli.settings import setting
from aptone.errors import UsageError
from aptone.models import Engine
from aptone.registry import Registry
from aptone.report.finish import Finished, finish_run
from aptone.report.terminal import trust_panel, verdict_table
from aptone.rooms.aptness.bench import ONE_CLIP, PROBED_ITEMS, AptnessStep, make_step, score_sample
from aptone.rooms.aptness.data import make_items, read_manifest, read_plan, read_story
from aptone.run import INTERRUPTED, BatchStep, Ended, RunConfig, surroundings
from aptone.run.probes import batch_check
from aptone.types import AudioRef, Entry, Item, Json, Language, Line, Sample, State, loads, to_json

MANIFESTS = (".jsonl", ".json")


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
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Folder of the run; the same command resumes it. By default, for a manifest, <its name>-run.",
)
@click.option(
    "--engine",
    default="built-in",
    show_default=True,
    shell_complete=names_of("engines"),
    help="What judges; see aptone doctor.",
)
@click.option("--planner", shell_complete=names_of("planners"), help="Another planner than the engine's.")
@click.option("--judge", shell_complete=names_of("judges"), help="Another judge than the engine's.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PART.OPTION=VALUE",
    help="An option of the planner or the judge; the value is JSON or text. May be given several times.",
)
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
    settings: Sequence[str],
    running: Running,
    as_json: bool,
) -> int:
    """Does a spoken line sound as the story around it asks?

    Give one recording with --line and --plan, or a manifest (.jsonl or .json) for a resumable run.

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
    parts = dict(map(setting, settings))
    step = make_step(chosen, planner=planner, judge=judge, settings=parts)
    consent = ask_consent(step.about.sends_audio_to, clips=len(samples), folder=output, agreed=running.yes)
    if output is None:
        running.refuse_without_folder()
        return _score_at_once(samples[0], step, running, language=language, as_json=as_json)
    config = RunConfig(
        verb="score",
        engine=engine,
        settings={**step.settings(), **chosen.settings, **parts},
        seed=running.seed,
        version=version("aptone"),
        inputs=(str(source),),
        command=tuple(sys.argv[1:]),
        surroundings=surroundings(),
        consent=consent,
        notes=step.about.notes,
        licence=step.about.licence,
    )
    items = list(make_items(samples))
    ended = running.run(items, step, folder=output, config=config, width=chosen.width, label="score")
    probe_now = running.batch_check or not isinstance(step, BatchStep)  # a step without batches is probed for nothing
    batch = batch_check(items[:PROBED_ITEMS], step, seed=running.seed) if probe_now else None
    finished = finish_run(ended.run, stopped=ended.stopped, batch=batch, order=ONE_CLIP, language=language)
    if as_json:
        _print_run_as_json(ended, finished, output)
    else:
        print_rich(verdict_table(ended.run.entries, language=language), trust_panel(finished.card, language=language))
        _print_what_is_next(ended, finished)
    return _exit_code(ended)


def _one_sample(
    source: Path, *, line: str | None, role: str, story: Path | None, plan: str | None, language: Language
) -> Sample:
    if not line:
        raise UsageError(
            f"{source}: --line is missing: what is said in the clip? (A manifest ends in {' or '.join(MANIFESTS)}.)"
        )
    before, after = read_story(story, line=line) if story else ((), ())
    return Sample(
        id=source.name,
        audio=AudioRef(str(source.absolute())),
        target=Line(line, role),
        context=before,
        following=after,
        language=language,
        plan=read_plan(_plan_json(plan), where="--plan") if plan else None,
    )


def _plan_json(plan: str) -> Json:
    if plan.lstrip().startswith("{"):
        return loads(plan, what="--plan")
    try:
        return loads(Path(plan).read_bytes(), what=plan)
    except OSError as error:
        raise UsageError(f"--plan: neither JSON nor a file that can be read ({error}).") from error


def _score_at_once(sample: Sample, step: AptnessStep, running: Running, *, language: Language, as_json: bool) -> int:
    with running.opened_cache() as store:
        outcome = score_sample(sample, step, seed=running.seed, store=store)
    about = step.about
    if as_json:
        print_json({"id": sample.id, "outcome": to_json(outcome), "notes": about.notes, "licence": about.licence})
    else:
        print_rich(verdict_table([Entry(Item.make(sample.id, to_json(sample)), outcome)], language=language))
        print_text(outcome.rationale or outcome.reason)
        for note in about.notes:
            print_text(f"Note: {note}")
        if about.licence:
            print_text(f"Weights: {about.licence}")
    return int(outcome.state is not State.DONE)


def _print_run_as_json(ended: Ended, finished: Finished, folder: Path) -> None:
    items: list[Json] = [
        {
            "id": entry.item.id,
            "repeat": entry.repeat,
            "state": entry.outcome.state,
            "reason": entry.outcome.reason,
            "scores": {name: score.value for name, score in entry.outcome.scores.items()},
            "rationale": entry.outcome.rationale,
        }
        for entry in ended.run.entries
    ]
    print_json(
        {
            "folder": str(folder),
            "report": str(finished.report),
            "worked": ended.worked,
            "stopped": ended.stopped,
            "left_over": ended.left_over,
            "trust": to_json(finished.card),
            "items": items,
        }
    )


def _print_what_is_next(ended: Ended, finished: Finished) -> None:
    if ended.left_over:
        count = len(ended.left_over)
        print_text(
            f"{count} of these items are from an earlier input and not in this one, such as {ended.left_over[0]}."
        )
    if ended.stopped:
        print_text(f"Ended early: {ended.stopped}. Type the same command to go on.")
    print_text(f"Report: {finished.report}")


def _exit_code(ended: Ended) -> int:
    if ended.stopped == INTERRUPTED:
        return 130
    states = {entry.outcome.state for entry in ended.run.entries}
    return int(State.FAILED in states or State.DONE not in states)
