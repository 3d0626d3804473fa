"""``aptone bench paras2s``."""

from collections.abc import Sequence
from pathlib import Path

import click

from aptone.cli.options.answer import Hearing, Inputs, hearing_options, input_options
from aptone.cli.options.run import Running, WithinLimits, running_options
from aptone.cli.options.values import EXISTING, FOLDER, PART, output_option
from aptone.cli.output import exit_code, has_failed, json_option, print_json, print_rich, print_text, say_limit
from aptone.errors import UsageError
from aptone.files import make_folder
from aptone.messages import message, translate, with_messages, words
from aptone.models.parts import typed_part
from aptone.report.result_table import terminal_table
from aptone.report.run_report import finish_card
from aptone.rooms.answer.bench.paras2s import (
    REPORT,
    RESULTS,
    JudgedRun,
    folder_of,
    judge_swaps,
    paras2s_json,
    paras2s_notes,
    paras2s_page,
    paras2s_tables,
)
from aptone.rooms.answer.report.results import answer_results
from aptone.rooms.answer.step import answer_items
from aptone.run import write_whole
from aptone.run.probes import PROBED_ITEMS, batch_check
from aptone.types import Json, Language, dumps

ANSWERS, JUDGES = "answers", "judges"
BUILT_IN = "built-in"
CHECK_FAILED = message("answer.check-failed")


@click.command()
@click.argument("source", metavar="MANIFEST", type=EXISTING)
@output_option("Folder of the benchmark", "<name of the manifest>-paras2s", type=FOLDER)
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar=PART,
    help="built-in, api or local, with its options; name= is for the tables. May be given several times: then the "
    "judges are compared on the same answers. By default the built-in one.",
)
@input_options
@hearing_options
@running_options
@json_option
def paras2s(
    source: Path,
    output: Path | None,
    judges: Sequence[str],
    inputs: Inputs,
    hearing: Hearing,
    running: Running,
    as_json: bool,
) -> int:
    """Measure how well systems answer in the way they are asked.

    MANIFEST is a benchmark of aptone build paras2s, or any other of its form. Every system is asked once; all judges
    judge the same answers. The average weighs the four dimensions and the two corpora alike; contrast pairs show
    whether an answer changes when only the way of asking does.

    \b
    aptone bench paras2s bench/manifest.jsonl --system "mine=python answer.py {input} {output}" -o out/
    aptone bench paras2s bench/manifest.jsonl --system answers/ --judge built-in --judge api:model=qwen3-32b
    """  # noqa: D301  (\b keeps click from joining the lines)
    folder = output or Path(f"{source.resolve().stem}-paras2s")
    systems = inputs.under_test()
    samples = inputs.samples(source, systems)
    shown: Language = inputs.lang or samples[0].prompt.language
    items = list(answer_items(samples, systems))
    if given := [name for name in hearing.options if name.startswith("judge.")]:
        raise UsageError(f"--set {given[0]}: options of a judge stand behind its name here: --judge api:model=….")
    answers = (folder / ANSWERS).absolute()
    steps = {
        label: (engine, hearing.step(engine, samples, language=shown, judge=own, systems=systems, answers=answers))
        for label, engine, own in _judges(judges)
    }
    make_folder(folder)
    carry_out = WithinLimits(running)
    runs, codes, stopped = [], [], ""
    for label, (engine, step) in steps.items():
        place = folder / JUDGES / folder_of(label)
        clips = len(samples)
        config = hearing.config("bench paras2s", engine, step, running, source=source, folder=place, clips=clips)
        ended = carry_out(items, step, folder=place, config=config, width=hearing.width(engine), label=label)
        batch = batch_check(items[:PROBED_ITEMS], step, seed=running.seed) if running.batch_check else None
        finish_card(ended.run, stopped=ended.stopped, batch=batch)
        known = dict.fromkeys(sample.ids["system"] for sample in samples)
        results = answer_results(ended.run.entries, expected=inputs.averages(), blind=inputs.blind, systems=known)
        runs.append(JudgedRun(label, ended.run, results, step.about.notes))
        codes.append(exit_code(ended) or int(not results.checks_hold or has_failed(batch)))
        stopped = stopped or ended.stopped
    say_limit(stopped)
    swaps = judge_swaps(runs)
    write_whole(folder / REPORT, paras2s_page(runs, swaps, source=source.resolve().parent.name, language=shown))
    found: dict[str, Json] = {"stopped": stopped, **paras2s_json(runs, swaps)}
    write_whole(folder / RESULTS, dumps(with_messages(found, of=(stopped, runs, swaps)), indent=1) + "\n")
    if as_json:
        print_json({"folder": str(folder), "report": str(folder / REPORT), **found})
    else:
        print_rich(*map(terminal_table, paras2s_tables(runs, swaps, language=shown)))
        for note in paras2s_notes(runs, language=shown):
            print_text(f"! {note}")
        print_text(words(shown, "report")("report_is_at", path=folder / REPORT))
        if not all(one.results.checks_hold for one in runs):
            print_text(f"! {translate(CHECK_FAILED, shown)}")
    return max(codes)


def _judges(given: Sequence[str]) -> list[tuple[str, str, dict[str, Json]]]:
    """Name in tables, engine and options of each judge."""
    found: dict[str, tuple[str, str, dict[str, Json]]] = {}
    for text in given or (BUILT_IN,):
        engine, options = typed_part(text, what="--judge")
        label = str(options.pop("name", None) or options.get("model") or engine)
        if label in found or folder_of(label) in map(folder_of, found):
            raise UsageError(f"--judge {text}: the name {label!r} is taken; give another with name=.")
        found[label] = label, engine, {f"judge.{name}": value for name, value in options.items()}
    return list(found.values())
