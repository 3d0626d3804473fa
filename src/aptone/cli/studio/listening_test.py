"""``aptone studio new`` and ``results``: ready listening tests of systems, and what they say."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from aptone.cli.options.studio import database_option, folder_argument, language_option, open_project, require_task
from aptone.cli.options.values import PATH, number_option
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.errors import UsageError
from aptone.files import write_whole
from aptone.messages import translate, words
from aptone.ratings.listening_tests import TESTS
from aptone.report.result_table import Column, ResultTable, TableCell, estimate_cell, terminal_table
from aptone.stats.coarse_scales import TYPICAL_CENTRE, TYPICAL_MOS, scale_points, smallest_rated_difference
from aptone.stats.power import Design
from aptone.types import Json, Language, RatingTask, dumps

if TYPE_CHECKING:
    from aptone.studio.results.report import TestReport
    from aptone.studio.results.tables import Part

ANCHOR_NAMES = ("low", "mid", "telephone", "noise")


@click.command("new")
@folder_argument
@click.argument("systems", metavar="SYSTEM...", nargs=-1, required=True, type=PATH)
@click.option("--test", type=click.Choice(TESTS), required=True, help="Kind of listening test.")
@click.option(
    "--system", "names", multiple=True, help="Name of a system, in the order of SYSTEM; by default its folder's."
)
@click.option("--reference", type=PATH, help="Folder of reference clips (mushra).")
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    type=click.Choice([*ANCHOR_NAMES, "none"]),
    default=("low", "mid"),
    show_default=True,
    help="Anchors made of the reference: low-pass at 3.5 kHz or 7 kHz, telephone band, pink noise at 10 dB (mushra).",
)
@click.option("--stories", type=PATH, help="Manifest of lines by clip name, for folders of clips (aptness).")
@click.option("--name", default="", help="Name of the new task; by default that of the test.")
@click.option("--raters", type=click.IntRange(1), help="Raters per item; by default as in the template.")
@number_option("--quota", 0, "Most items that one person rates; 0 for all.", least=0)
@number_option("--calibration", 0, "Number of first items that everyone rates first, as a training.", least=0)
@number_option("--trials", 1, "Trials of each text (abx).", least=1)
@number_option("--seed", 0, "Random seed.", least=0)
@click.option("--link", is_flag=True, help="Hard-link clips into the project instead of copying them.")
@click.option("--closed", is_flag=True, help="Keep the task closed until an admin opens it.")
@database_option
@language_option
@json_option
def new(
    folder: Path,
    systems: Sequence[Path],
    test: str,
    names: Sequence[str],
    reference: Path | None,
    anchors: Sequence[str],
    stories: Path | None,
    name: str,
    raters: int | None,
    quota: int,
    calibration: int,
    trials: int,
    seed: int,
    link: bool,
    closed: bool,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Make a listening test of systems: SYSTEM is a folder of clips, a run or a manifest; texts go by the same names.

    Raters see blind names, in an order that is balanced for each of them. Text files beside clips are shown.

    \b
    aptone studio new listening/ old/ new/ --test mos
    aptone studio new listening/ old/ new/ --test mushra --reference recorded/
    aptone studio new listening/ run-a/ run-b/ --test aptness
    """  # noqa: D301
    with open_project(folder, database_url, new=True) as project:
        from aptone.studio.decoded_clips import DecodedClips
        from aptone.studio.exchange.system_folders import import_systems

        decoded = DecodedClips()
        made = import_systems(
            test,
            systems,
            folder=project.folder,
            names=names,
            reference=reference,
            anchors=[anchor for anchor in anchors if anchor != "none"],
            stories=stories,
            name=name,
            raters=raters,
            quota=quota,
            calibration=calibration,
            trials=trials,
            seed=seed,
            link=link,
            decoded=decoded,
        )
        project.tasks.put(made.task, open=not closed, decoded=decoded).result()
    task = made.task
    texts = len({str(item.hidden.get("text_id", item.id)) for item in task.items})
    if as_json:
        counts: dict[str, Json] = {"items": len(task.items), "texts": texts, "raters": task.raters_per_item}
        print_json({"name": task.name, "test": test, **counts, "left_out": [*made.left_out]})
        return 0
    word = words(language, "studio")
    print_text(word("imported", task=task.name, items=len(task.items), raters=task.raters_per_item))
    if made.left_out:
        click.echo(word("not_by_all", count=len(made.left_out), names=", ".join(made.left_out[:5])), err=True)
    if test == "mos" and texts > 1 and task.raters_per_item > 1:
        design = _planned_design(task, texts=texts)
        scale = task.controls[0]
        points = scale_points(scale.low, scale.high, scale.step)
        smallest = smallest_rated_difference(TYPICAL_MOS, points, design, centre=TYPICAL_CENTRE)
        if math.isfinite(smallest):
            print_text(word("planned_power", raters=design.raters, items=texts, smallest=f"{smallest:.2f}"))
    print_text(word("next_studio", folder=folder))
    return 0


@click.command("results")
@folder_argument
@click.option("--task", "task_name", required=True, help="Name of a task of the project.")
@click.option(
    "--part",
    type=click.Choice(["systems", "pairs", "ratings"]),
    default="systems",
    show_default=True,
    help="Rows of a CSV file: the leaderboard, differences, or every number by rater and text.",
)
@click.option("-o", "--output", type=PATH, help="Write a file: .csv, .json, or .md for the methods paragraph.")
@database_option
@language_option
@json_option
def results(
    folder: Path,
    task_name: str,
    part: "Part",
    output: Path | None,
    database_url: str,
    language: Language,
    as_json: bool,
) -> int:
    """Report a listening test: systems with intervals over listeners and texts, differences, and a methods paragraph.

    \b
    aptone studio results listening/ --task mos
    aptone studio results listening/ --task mushra -o leaderboard.csv
    aptone studio results listening/ --task mushra -o methods.md --lang zh
    """  # noqa: D301
    with open_project(folder, database_url) as project:
        from aptone.studio.results.methods import methods_paragraph
        from aptone.studio.results.report import result_report
        from aptone.studio.results.tables import csv_text, result_json, result_rows

        require_task(project, task_name)
        task = project.tasks.get(task_name).task
        ratings = [row.rating for row in project.results.ratings(task_name)]
        report = result_report(task, ratings)
        if report is None:
            raise UsageError(
                f"{task_name}: the task compares no systems; make a listening test with: aptone studio new, "
                "or name the system of each item in its hidden fields."
            )
        paragraph = methods_paragraph(report)[language]
        if output is not None:
            kinds: dict[str, Callable[[], str]] = {
                ".csv": lambda: csv_text(result_rows(report, part, task=task, ratings=ratings)),
                ".json": lambda: dumps(result_json(report), indent=1) + "\n",
                ".md": lambda: paragraph + "\n",
            }
            if output.suffix.lower() not in kinds:
                raise UsageError(f"{output}: expected a name that ends with .csv, .json or .md.")
            write_whole(output, kinds[output.suffix.lower()]())
    if as_json:
        print_json(result_json(report))
        return 0
    word = words(language, "studio")
    if output is not None:
        print_text(word("results_written", path=output))
        return 0
    for table in _tables(report, word):
        print_rich(terminal_table(table))
    for rater, why in sorted(report.set_aside.items()):
        print_text(word("set_aside", rater=rater, why=translate(why, language)))
    print_text(paragraph if report.ratings else word("nobody_yet", task=report.task))
    return 0


def _planned_design(task: RatingTask, *, texts: int) -> Design:
    """Who will rate what: everybody everything, or with a quota as many more people a part each."""
    quota, items = task.quota_per_rater, len(task.items)
    if not 0 < quota < items:
        return Design(task.raters_per_item, texts)
    return Design(math.ceil(task.raters_per_item * items / quota), texts, quota / items, paired=False)


def _tables(report: "TestReport", word: Callable[..., str]) -> list[ResultTable]:
    tables = []
    if report.systems:
        tables.append(_leaderboard(report, word))
    if report.pairs:
        rows = tuple(
            (TableCell(f"{one.second} − {one.first}"), estimate_cell(one.difference), _p(one.p_value), _p(one.adjusted))
            for one in report.pairs
        )
        columns = (Column(word("difference_of"), number=False), Column(word("difference"), roomy=True))
        tables.append(ResultTable(word("differences"), (*columns, Column("p"), Column(word("p_holm"))), rows))
    if report.abx:
        trials = tuple(
            (
                TableCell(f"{one.first} / {one.second}"),
                TableCell(f"{one.hits}/{one.trials}"),
                estimate_cell(one.share),
                _p(one.adjusted),
            )
            for one in report.abx
        )
        heads = (Column(word("difference_of"), number=False), Column(word("hits")), Column(word("share"), roomy=True))
        tables.append(ResultTable(word("abx_trials"), (*heads, Column(word("p_holm"))), trials))
    return tables


def _leaderboard(report: "TestReport", word: Callable[..., str]) -> ResultTable:
    columns = (
        Column(word("system"), number=False),
        Column(word("mean_of", unit=word(f"unit_{report.unit.replace('-', '_')}")), roomy=True),
        Column(word("median")),
        Column(word("ratings_count")),
        Column(word("better_than"), number=False),
    )
    rows = tuple(
        (
            TableCell(one.system),
            estimate_cell(one.mean),
            TableCell(f"{one.median.value:.3g}" if one.median.is_defined else ""),
            TableCell(str(one.ratings)),
            TableCell(", ".join(one.better_than)),
        )
        for one in report.systems
    )
    return ResultTable(word("leaderboard_of", task=report.task), columns, rows)


def _p(value: float) -> TableCell:
    return TableCell("" if value != value else "< 0.001" if value < 0.001 else f"{value:.3f}")
