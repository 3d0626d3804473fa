"""``aptone calibrate``."""

from importlib.metadata import version
from pathlib import Path

import click
from rich import box
from rich.table import Table

from aptone.cli.options.language import lang_option
from aptone.cli.options.values import PATH, number_option, shown_option
from aptone.cli.output import json_option, print_json, print_rich, print_text
from aptone.errors import UsageError
from aptone.messages import translate, words
from aptone.ratings.people import read_people
from aptone.report.notation import figure, interval
from aptone.rooms.aptness.calibration import CalibrationResult, fit_calibration, rated_items, read_ratings
from aptone.run import Run, load_run, write_whole
from aptone.types import Language, dumps, to_json


@click.command()
@click.argument("run", type=PATH)
@click.option(
    "--ratings",
    type=PATH,
    help="Table (.csv, .tsv) with the columns id and rating, or a manifest; by default what a study brought "
    "(aptone studio apply), or what the run's items bring.",
)
@shown_option("-o", "--output", type=PATH, default=Path("calibration.json"), help="File of the calibration.")
@click.option("--group-by", help='Key of the items\' "ids" whose items stay together in a fold; none for no such key.')
@click.option("--force", is_flag=True, help="Write the preferred mapping even if no gain is sure.")
@lang_option("Language of the output", default="en", also="--language", name="language")
@number_option("--seed", 0, "Random seed of folds and intervals.", least=0)
@json_option
def calibrate(
    run: Path,
    ratings: Path | None,
    output: Path,
    group_by: str | None,
    force: bool,
    language: Language,
    seed: int,
    as_json: bool,
) -> None:
    """Fit a judge's scores to your own ratings.

    RUN is the folder of a run over lines that you have rated. The mapping is chosen and measured by cross-validation;
    where it brings no sure gain, scores stay as they are. Use the file with --calibration; it belongs to this judge.

    \b
    aptone score manifest.jsonl -o run/
    aptone calibrate run/ --ratings ratings.csv -o calibration.json
    aptone score new.jsonl -o new-run/ --calibration calibration.json
    """  # noqa: D301  (\b keeps click from joining the lines)
    loaded = load_run(run)
    given = (read_people(run).means() or None) if ratings is None else read_ratings(ratings)
    fitted = fit_calibration(
        rated_items(loaded, given, group_by=group_by),
        judge=_signature(loaded, "judge"),
        planner=_signature(loaded, "planner"),
        seed=seed,
        force=force,
        version=version("aptone"),
    )
    write_whole(output, dumps(to_json(fitted.calibration), indent=2) + "\n")
    if as_json:
        print_json(
            file=str(output),
            chosen=fitted.chosen.kind,
            gain=fitted.has_gain,
            groups=fitted.groups,
            shares=fitted.shares,
            calibration=to_json(fitted.calibration),
        )
        return
    _print(fitted, output, language)


def _signature(run: Run, part: str) -> str:
    signature = run.config.settings.get(part)
    if not isinstance(signature, str):
        raise UsageError(f"{run.folder}: the run does not say what its {part} was; score the lines with aptone score.")
    if signature.startswith("judge:calibrated"):
        raise UsageError(f"{run.folder}: its scores are calibrated already; calibrate on a run without --calibration.")
    return signature


def _print(fitted: CalibrationResult, output: Path, language: Language) -> None:
    word = words(language, "report")
    calibration = fitted.calibration
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for key in ("statistic", "calibration_before", "calibration_after"):
        table.add_column(word(key))
    for name, before in calibration.before.items():
        after = calibration.after[name]
        table.add_row(name, f"{figure(before.value)} {interval(before)}", f"{figure(after.value)} {interval(after)}")
    print_rich(table)
    kept = word("calibration_groups", count=fitted.groups) if fitted.groups else ""
    print_text(word("calibration_how", count=calibration.ratings, kind=word(f"kind_{fitted.chosen.kind}")) + kept)
    print_text(translate(calibration.note, language))
    if calibration.kind == "identity" != fitted.chosen.kind:
        print_text(word("calibration_force", kind=word(f"kind_{fitted.chosen.kind}")))
    print_text(word("calibration_written", path=output))
