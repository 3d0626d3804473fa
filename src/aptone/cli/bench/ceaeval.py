"""``aptone bench ceaeval``."""

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import click

from aptone.cli.options.language import lang_option
from aptone.cli.options.run import Running, WithinLimits, running_options
from aptone.cli.options.values import (
    EXISTING,
    LANGUAGES,
    PART,
    PATH,
    choice_option,
    output_option,
    several_option,
    shown_option,
)
from aptone.cli.output import json_option, print_json, print_rich, print_text, stop_code
from aptone.files import make_folder
from aptone.messages import words
from aptone.report.people_agreement import human_ceiling
from aptone.report.result_table import terminal_table
from aptone.rooms.aptness.bench.ceaeval import CLIPS, bench_ceaeval, by_rater, grid_cells, result_json
from aptone.rooms.aptness.bench.contestants import (
    CONTEXT_SIZES,
    GUIDES,
    PLANNER,
    Contestant,
    Grid,
    Guide,
    read_judge,
    read_judges,
)
from aptone.rooms.aptness.bench.page import REPORT, STATISTICS, ceaeval_page, result_notes, set_facts, statistics_page
from aptone.rooms.aptness.bench.results import TOLERANCE, BenchResult
from aptone.rooms.aptness.bench.statistics import set_statistics
from aptone.rooms.aptness.bench.tables import count_tables, judges_table, main_table, paired_tables, planner_table
from aptone.rooms.aptness.calibration import read_ratings
from aptone.rooms.aptness.rated_lines import RatedSet, read_rated, with_ratings
from aptone.run import typed_command, write_whole
from aptone.run.consent import ask_consent
from aptone.types import Json, Language, to_json

REASONING = {"both": (False, True), "with": (True,), "without": (False,)}


@click.command()
@click.argument("source", metavar="SET", type=EXISTING)
@output_option("Folder of the benchmark", "<name of the set>-ceaeval")
@click.option(
    "--judge",
    "judges",
    multiple=True,
    metavar=PART,
    help="An engine or a judge, with its options; name= and parameters= are for the tables. May be given several "
    "times. By default the built-in one.",
)
@click.option("--judges", "judges_file", type=PATH, help="TOML or JSON file with judges, see the guide.")
@shown_option("--planner", default=PLANNER, metavar=PART, help="Planner for all judges that bring none of their own.")
@several_option(
    "--context-size",
    "context_sizes",
    type=click.IntRange(0),
    default=CONTEXT_SIZES,
    help="Lines of the story that are shown; 0 is context-free.",
)
@several_option(
    "--guide",
    "guides",
    type=click.Choice(GUIDES),
    default=GUIDES,
    help="Guide of the judges: the raw story, a plan made from it, the plan in the record.",
)
@choice_option(
    "--reasoning", "reasoning", list(REASONING), "With or without thinking aloud (CoT), for judges with that switch."
)
@shown_option(
    "--prompt-language",
    "prompt_languages",
    type=LANGUAGES,
    multiple=True,
    default=("en", "zh"),
    help="Language of the instructions, for judges that have some. May be given several times; the better one counts.",
)
@shown_option("--split", default="test", help="Split of the set.")
@click.option("--data-root", type=PATH, help="Base folder for relative paths of recordings.")
@click.option(
    "--ratings",
    type=PATH,
    help="What people gave the lines, by id, in place of the set's own scores: the marks of a view "
    "(RUN/ratings.jsonl), ratings of the studio, or a table with id and rating.",
)
@click.option("--statistics", "only_statistics", is_flag=True, help="Print the composition of the set; judge nothing.")
@lang_option("Language of the report", default="en", also="--language", name="language")
@running_options
@json_option
def ceaeval(
    source: Path,
    output: Path | None,
    judges: Sequence[str],
    judges_file: Path | None,
    planner: str,
    context_sizes: Sequence[int],
    guides: Sequence[Guide],
    reasoning: str,
    prompt_languages: Sequence[Language],
    split: str,
    data_root: Path | None,
    ratings: Path | None,
    only_statistics: bool,
    language: Language,
    running: Running,
    as_json: bool,
) -> int:
    """Measure how well judges agree with people on lines in their stories.

    SET is CEAEval-D as released (a folder or a file), any other set with human scores, or a manifest. Every judge is
    tried with 0, 5, 10 and 15 lines of context, with and without CoT, with the raw story and with a plan, with English
    and Mandarin prompts, as far as it can, as in CEAEval. Each of these is a run that can be killed and resumed.

    \b
    aptone bench ceaeval CEAEval-Data/ -o bench/
    aptone bench ceaeval CEAEval-Data/ -o bench/ --judge built-in --judge api:model=qwen3-omni,parameters=30B
    """  # noqa: D301  (\b keeps click from joining the lines)
    output = output or Path(f"{source.resolve().name.removesuffix(source.suffix)}-ceaeval")
    rated = read_rated(source, split=split, data_root=data_root, unpack_to=output / CLIPS)
    if ratings is not None:
        rated = with_ratings(rated, read_ratings(ratings))
    if only_statistics:
        return _show_statistics(rated, output, language=language, as_json=as_json)
    contestants = [read_judge(text, planner=planner) for text in judges]
    contestants += read_judges(judges_file, planner=planner) if judges_file else []
    contestants = contestants or [read_judge("built-in", planner=planner)]
    grid = Grid(tuple(context_sizes), tuple(guides), REASONING[reasoning], tuple(prompt_languages))
    result = bench_ceaeval(
        rated,
        contestants,
        folder=output,
        grid=grid,
        seed=running.seed,
        language=language,
        carry_out=WithinLimits(running),
        command=typed_command(),
        consent=_consent(rated, contestants, grid, output, agreed=running.yes),
        batch_checked=running.batch_check,
    )
    report = output / REPORT
    write_whole(report, ceaeval_page(result, language=language))
    if as_json:
        print_json({"folder": str(output), "report": str(report), **result_json(result)})
    else:
        _print(result, report, language=language)
    failed = any(cell.failed for cell in result.cells) or not any(cell.scored for cell in result.cells)
    return stop_code(result.stopped, failed=failed)


def _consent(
    rated: RatedSet, contestants: Sequence[Contestant], grid: Grid, output: Path, *, agreed: bool
) -> dict[str, tuple[str, ...]]:
    """Ask once for each judge that would send recordings to another machine."""
    clips = len(rated.rated_lines)
    given: dict[str, tuple[str, ...]] = {}
    with_plans = any(line.sample.plan is not None for line in rated.rated_lines)
    for cell in grid_cells(contestants, grid, with_plans=with_plans):
        if cell.contestant.name not in given:
            machines = cell.contestant.step(cell.condition).about.sends_audio_to
            given[cell.contestant.name] = ask_consent(machines, clips=clips, folder=output / cell.folder, agreed=agreed)
    return given


def _show_statistics(rated: RatedSet, output: Path, *, language: Language, as_json: bool) -> int:
    statistics = set_statistics(rated, language=language)
    ceiling = human_ceiling(by_rater(rated.lines), tolerance=TOLERANCE)
    report = output / STATISTICS
    page = statistics_page(
        statistics, source=rated.source, ceiling=ceiling, version=version("aptone"), language=language
    )
    make_folder(output)
    write_whole(report, page)
    if as_json:
        people: dict[str, Json] = {name: to_json(estimate) for name, estimate in ceiling.items()}
        print_json({"report": str(report), "statistics": to_json(statistics), "ceiling": people})
        return 0
    for name, value in set_facts(statistics, source=rated.source, ceiling=ceiling, language=language).items():
        print_text(f"{name}: {value}")
    print_rich(*map(terminal_table, count_tables(statistics, language=language)))
    print_text(words(language, "report")("report_is_at", path=report))
    return 0


def _print(result: BenchResult, report: Path, *, language: Language) -> None:
    tables = [main_table(result, language=language), planner_table(result, language=language)]
    tables += [*paired_tables(result, language=language), judges_table(result, language=language)]
    print_rich(*(terminal_table(table) for table in tables if table is not None))
    for note in result_notes(result, language=language):
        print_text(f"! {note}")
    if result.stopped:
        print_text(words(language, "report")("go_on"))
    print_text(words(language, "report")("report_is_at", path=report))
