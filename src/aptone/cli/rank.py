"""``aptone rank``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from aptone.cli.commands import CommandWithRenames
from aptone.cli.options.engine import Parts, engine_options, read_plan_option
from aptone.cli.options.language import lang_option
from aptone.cli.options.run import Running, dry_run_option, running_options
from aptone.cli.options.source import ENDINGS, SOURCE, SourceChoice, say_reading, source_options
from aptone.cli.options.values import LANGUAGES, output_option, shown_option
from aptone.cli.output import complete, json_option, print_about, print_forecast, print_json, print_rich, print_text
from aptone.errors import UsageError
from aptone.report.plan_text import plan_table
from aptone.rooms.aptness.api import line_of_story
from aptone.rooms.aptness.data import is_manifest, make_items
from aptone.rooms.aptness.forecast import forecast_scoring
from aptone.rooms.aptness.operations import rank_reply
from aptone.rooms.aptness.report import LEAST_LEAD_SETTING, RankingTable, aptness_figures, ranking_json
from aptone.rooms.aptness.sources import read_lines
from aptone.rooms.aptness.step import ONE_CLIP, AptnessStep
from aptone.rooms.aptness.takes.rank import (
    LineOfTakes,
    RankedLine,
    group_takes,
    judge_takes,
    judging_step,
    plan_once,
    rank_line,
    rank_lines,
    takes_of_line,
)
from aptone.rooms.aptness.takes.ranking import LEAST_LEAD
from aptone.run.sources.lines import MANIFEST
from aptone.run.sources.remote import local
from aptone.run.sources.source import find_source
from aptone.types import Language

RENAMED = {"--least-lead": "--min-lead"}


@click.command(cls=CommandWithRenames, renamed=RENAMED)
@click.argument("source", metavar="STORY_OR_LIST", type=SOURCE)
@click.argument("takes", nargs=-1, type=SOURCE)
@click.option("--line", help="Words of the line, as they stand in the story.")
@click.option("--occurrence", type=click.IntRange(1), help="Number of the line among several with these words.")
@click.option("--role", help="Speaker of the line; by default the one that the story names.")
@click.option("--plan", help="Plan of how it should sound: JSON, or a file with JSON; by default the planner makes it.")
@click.option("--language", type=LANGUAGES, help="Language of the story; by default detected from its characters.")
@lang_option("Language of tables, reasons and report", otherwise="that of the story")
@shown_option(
    "--min-lead",
    "least_lead",
    type=click.FloatRange(0),
    default=LEAST_LEAD,
    help="Points by which a take must lead to be called better.",
)
@source_options
@output_option("Folder of the run, with a report", "<its name>-rank", when="for a list")
@engine_options
@running_options
@dry_run_option
@json_option
def rank(
    source: Path,
    takes: Sequence[Path],
    line: str | None,
    occurrence: int | None,
    role: str | None,
    plan: str | None,
    language: Language | None,
    lang: Language | None,
    least_lead: float,
    listed: SourceChoice,
    output: Path | None,
    parts: Parts,
    running: Running,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Find the best of several takes of a line.

    All takes are judged by one plan. You get their order, what decides it, and what is too close to call: with
    --repeat 3 also by how far the judge strays when it is asked again. A folder stands for the takes in it. A list (a
    manifest, a table, a dataset, a list of another toolkit; --source) ranks many lines at once; its records with the
    same line are takes, named by "take".

    \b
    aptone rank story.txt --line "Is anybody there?" take1.wav take2.wav take3.wav
    aptone rank story.txt --line "Is anybody there?" takes/
    aptone rank takes.jsonl -o ranked/
    """  # noqa: D301  (\b keeps click from joining the lines)
    if takes:
        takes = [local(take) for take in takes]
        sample = line_of_story(source, line=line or "", occurrence=occurrence, role=role, language=language)
        groups = [takes_of_line(replace(sample, plan=read_plan_option(plan) or sample.plan), takes)]
    else:
        groups = _groups_of_list(
            source,
            listed,
            given={"--line": line, "--occurrence": occurrence, "--role": role, "--plan": plan, "--language": language},
        )
        output = output or Path(f"{source.resolve().stem}-rank")
    samples = [sample for group in groups for sample in group.samples]
    shown = lang or groups[0].samples[0].language
    if dry_run:
        return print_forecast(forecast_scoring(parts.step(), samples, repeats=running.repeat), shown, as_json=as_json)
    step = parts.with_reference(parts.step(lang=lang), samples, folder=output)
    about = step.about_scoring(samples)
    consent = running.consent(about, clips=len(samples), folder=output)
    if output is None:
        replace(running, repeat=1).refuse_without_folder()
        return _rank_at_once(groups[0], step, running, least_lead=least_lead, lang=lang, as_json=as_json)
    with running.opened_cache() as store:
        planned = [plan_once(group, step.planner, seed=running.seed, store=store) for group in groups]
    config = running.config(
        "rank",
        parts.engine,
        {**parts.recorded(step), LEAST_LEAD_SETTING: least_lead},
        about,
        inputs=[source, *takes],
        consent=consent,
    )
    items = list(make_items(sample for group in planned for sample in group.samples))
    width = parts.load_engine().width
    ended = running.run(items, judging_step(step), folder=output, config=config, width=width, label="rank")
    figures = aptness_figures(ended.run, language=shown, lang=lang)
    done = complete(ended, items, judging_step(step), running, order=ONE_CLIP, language=shown, figures=figures)
    ranked = rank_lines(ended.run.entries, source=str(output), least_lead=least_lead, lang=lang)
    if as_json:
        print_json({**done.json(), "lines": [ranking_json(one) for one in ranked]})
    else:
        for one in ranked:
            _print_line(one, shown)
        done.print(shown)
    return done.exit_code


def _is_story(source: Path, listed: SourceChoice) -> bool:
    """Check that a JSON file holds the lines of a story, and no records."""
    if listed.kind or listed.mapping or source.suffix.lower() not in (".json", ".jsonl"):
        return False
    return find_source(source).title == MANIFEST.title and not is_manifest(source)


def _groups_of_list(source: Path, listed: SourceChoice, *, given: Mapping[str, str | int | None]) -> list[LineOfTakes]:
    if not listed.is_list(source) or _is_story(source, listed):
        raise UsageError(
            f"{source}: which takes? Give the recordings behind the story, or a list whose records name a line and its "
            f"audio (it ends in {', '.join(ENDINGS)})."
        )
    if clash := [name for name, value in given.items() if value]:
        raise UsageError(f"{clash[0]} describes one line; in a list every record has its own.")
    samples, reading = read_lines(source, listed.options())
    say_reading(reading)
    return group_takes(samples, source=str(source))


def _rank_at_once(
    group: LineOfTakes, step: AptnessStep, running: Running, *, least_lead: float, lang: Language | None, as_json: bool
) -> int:
    with running.opened_cache() as store:
        planned = plan_once(group, step.planner, seed=running.seed, store=store)
        entries = judge_takes(planned, step, repeats=running.repeat, seed=running.seed, store=store)
    ranked = rank_line(planned, entries, least_lead=least_lead, lang=lang)
    about = step.about_scoring(group.samples)
    if as_json:
        print_json(rank_reply(ranked, about))
    else:
        language = lang or ranked.language
        _print_line(ranked, language)
        print_about(about, language=language)
    return int(any(not take.scores for take in ranked.ranking.takes))


def _print_line(ranked: RankedLine, language: Language) -> None:
    target = ranked.target
    print_text(f"{target.role}: {target.text}" if target.role else target.text)
    if ranked.plan is not None:
        print_rich(plan_table(ranked.plan, language=language, windows=False))
    print_rich(RankingTable(ranked, language))
    print_text(ranked.rationale)
    print_text("")
