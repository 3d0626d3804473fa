"""Results of an ablation: LCC and ACC of each row with intervals, and differences between rows.

Items of one speaker (or one story) are not independent, so intervals are bootstrapped over speakers: whole speakers are
resampled, with all their items. Unreadable replies are left out of a row's figures and counted; two rows are compared
on the items that both answered, and not at all if they judged different ones.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.files import make_folder, write_whole
from aptone.messages import message, words
from aptone.stats import bootstrap, pearson, tolerance_accuracy
from aptone.train.ablation.rows import CONTROLS, ROWS, Recipe
from aptone.types import Estimate, Json, Language, dumps, loads

if TYPE_CHECKING:  # brings torch along
    from aptone.train.judge.evaluate import Verdict

SEED, RESAMPLES = 1, 2000

Floats = npt.NDArray[np.float64]
Figure = Callable[[Floats, Floats], float]

PAPER: Mapping[int, tuple[float, float]] = {
    0: (0.09, 28.83),
    1: (0.45, 48.49),
    2: (0.53, 56.55),
    3: (0.58, 63.47),
    4: (0.61, 64.11),
    5: (0.63, 65.03),
    6: (0.65, 66.86),
    7: (0.40, 49.09),
    8: (0.41, 50.17),
    9: (0.47, 54.44),
    10: (0.61, 64.07),
    11: (0.64, 67.33),
    12: (0.72, 70.80),
}
"""LCC and ACC in percent of the paper's Table 4, on other data and with a model of 7 billion parameters."""
SWITCHES = ("distilled", "CoT", "planner", "bias", "RL")
"""Columns of a recipe in the table."""
SHUFFLED, TOPLINE, ALL, AT_ONCE = "shuffled", "true", "all", "at-once"
"""Controls of a row: clips of other pairs; the true plan in the place of the planner's; all lines, also those that no
planner reads right; and, of a judge that was trained on both, the score without the reasoning."""
EXPECTED = "expected"
"""Name of results that use the mean over possible scores in the place of the likeliest reply."""
CONTROLLED = (SHUFFLED, TOPLINE, ALL, AT_ONCE, EXPECTED)
"""Names of controls; another name is another judge on the same items."""
SHOWN = 6
"""Number of replies that are saved as text."""


@dataclass(frozen=True, slots=True)
class RowResult:
    """Scores of a row, or of a `control` (else empty), for every item; NaN for an unreadable reply."""

    row: int
    control: str
    truth: Floats
    given: Floats
    groups: tuple[str, ...]

    @property
    def unreadable(self) -> int:
        """Number of items without a readable reply."""
        return int(np.isnan(self.given).sum())


def write_result(path: Path, result: RowResult) -> None:
    """Write a result as JSON, atomically; raises `RunError` if it cannot be written."""
    record: dict[str, Json] = {
        "row": result.row,
        "control": result.control,
        "truth": result.truth.tolist(),
        "given": [None if math.isnan(value) else value for value in result.given.tolist()],
        "groups": list(result.groups),
    }
    write_whole(path, dumps(record) + "\n")


def read_result(path: Path) -> RowResult:
    """Read a result; raises `RecordError` if the file holds something else."""
    try:
        record: Any = loads(path.read_bytes(), what=str(path))
        result = RowResult(
            int(record["row"]),
            str(record["control"]),
            np.array(record["truth"], dtype=np.float64),
            np.array([math.nan if value is None else value for value in record["given"]], dtype=np.float64),
            tuple(map(str, record["groups"])),
        )
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{path}: no result of a row ({error!r}); score it again.") from error
    if not len(result.truth) == len(result.given) == len(result.groups) or result.row not in ROWS:
        raise RecordError(f"{path}: no result of a row; score it again.")
    return result


def lcc(given: Floats, truth: Floats) -> float:
    """Return the linear correlation; NaN if it is undefined."""
    return pearson(given, truth).value


def acc(given: Floats, truth: Floats) -> float:
    """Return the share of scores within 1 of the truth."""
    return tolerance_accuracy(given, truth).value


def by_group(statistic: Callable[[npt.NDArray[np.int64]], float], groups: Sequence[str]) -> Estimate:
    """Return a statistic, a function of item indices with repetitions, with an interval over groups of items."""
    names = sorted(set(groups))
    members = [np.flatnonzero([group == name for group in groups]) for name in names]

    def of_groups(chosen: npt.NDArray[np.int64]) -> float:
        return statistic(np.concatenate([members[number] for number in chosen.tolist()]))

    return bootstrap(of_groups, np.arange(len(names)), seed=SEED, resamples=RESAMPLES)


def figure_of(result: RowResult, figure: Figure) -> Estimate:
    """Return a figure of a row, over the items that it answered."""
    there = np.flatnonzero(~np.isnan(result.given))
    if not there.size:
        return Estimate(math.nan, reason=message("train.no-reply-readable", count=len(result.given)))
    groups = [result.groups[place] for place in there.tolist()]
    given, truth = result.given[there], result.truth[there]
    return by_group(lambda places: figure(given[places], truth[places]), groups)


def same_items(first: RowResult, second: RowResult) -> bool:
    """Return true if two rows judged the same items, as far as groups and truth show."""
    return first.groups == second.groups and np.array_equal(first.truth, second.truth)


def _different(first: RowResult, second: RowResult) -> str:
    return f"rows {first.row} and {second.row} judged different items"


def difference(first: RowResult, second: RowResult, figure: Figure) -> Estimate:
    """Return the second row's figure minus the first's, on the items that both answered.

    Raises:
        UsageError: if they did not judge the same items.
    """
    if not same_items(first, second):
        raise UsageError(f"{_different(first, second)}; score both on the same.")
    there = np.flatnonzero(~np.isnan(first.given) & ~np.isnan(second.given))
    if not there.size:
        return Estimate(math.nan, reason=message("train.no-item-by-both"))
    groups = [first.groups[place] for place in there.tolist()]
    one, other, truth = first.given[there], second.given[there], first.truth[there]
    return by_group(lambda places: figure(other[places], truth[places]) - figure(one[places], truth[places]), groups)


def ablation_record(results: Sequence[RowResult]) -> dict[str, Json]:
    """Return the record of a result file: figures of all rows, and differences of rows with one change."""
    said = {(result.row, result.control): result for result in results}
    rows: dict[str, Json] = {}
    for result in sorted(results, key=lambda one: (one.row, one.control)):
        name = f"{result.row} {result.control}".strip()
        rows[name] = {
            "recipe": switches(ROWS[result.row]),
            "LCC": _shown(figure_of(result, lcc)),
            "ACC": _shown(figure_of(result, acc)),
            "unreadable": result.unreadable,
            "items": len(result.truth),
        }
    differences: dict[str, Json] = {}
    for what, pairs in CONTROLS.items():
        for asked in ("", EXPECTED, AT_ONCE, f"{AT_ONCE} {EXPECTED}"):
            for without, using in pairs:
                if (without, asked) in said and (using, asked) in said:
                    one, other = said[without, asked], said[using, asked]
                    differences[f"{what}: {without} to {using}{f' ({asked})' if asked else ''}"] = {
                        "LCC": _shown(_compared(one, other, lcc)),
                        "ACC": _shown(_compared(one, other, acc)),
                    }
    for result in results:
        usual = EXPECTED if result.control.endswith(f" {EXPECTED}") else ""
        known = said.get((result.row, usual))
        if result.control and known is not None and result.groups == known.groups:
            differences[f"{result.row} {result.control} to {f'{result.row} {usual}'.strip()}"] = {
                "LCC": _shown(difference(result, known, lcc))
            }
    return {"rows": rows, "differences": differences}


def _compared(first: RowResult, second: RowResult, figure: Figure) -> Estimate:
    """Return `difference`, undefined if rows judged different items.

    A line whose reasonings were refused has no prompt that asks for them: the table is not lost for that.
    """
    if not same_items(first, second):
        return Estimate(math.nan, reason=_different(first, second))
    return difference(first, second, figure)


def switches(recipe: Recipe) -> dict[str, Json]:
    """Return the switches of a recipe under the names of the paper's table."""
    return {
        "trained": recipe.trained,
        "distilled": recipe.distilled,
        "CoT": recipe.thinking,
        "planner": recipe.planned,
        "bias": recipe.bias,
        "RL": recipe.reinforced,
    }


def ablation_lines(record: Mapping[str, Any], *, language: Language = "en") -> list[str]:
    """Return a record as lines of Markdown: the paper's table with our figures, and the differences."""
    word = words(language, "train.ablation")
    cell = partial(_cell, undefined=word("undefined"))
    said = {True: word("yes"), False: word("no")}
    lines = [word("rows"), "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for name, row in record["rows"].items():
        one = row["recipe"]
        number, _, control = name.partition(" ")
        known = PAPER[int(number)] if not control else ("", "")
        cells = [said[one[switch]] if isinstance(one[switch], bool) else one[switch] for switch in SWITCHES]
        if control.partition(" ")[0] == TOPLINE:
            cells[SWITCHES.index("planner")] = TOPLINE
        elif control and not set(control.split()) <= set(CONTROLLED):
            cells = ["" for _ in SWITCHES]  # another judge
        figures = (cell(row["LCC"]), cell(row["ACC"], scale=100, digits=1), row["unreadable"], *known)
        lines.append(f"| {' | '.join(map(str, (name, *cells, *figures)))} |")
    lines += ["", word("changes"), "| --- | --- | --- |"]
    for name, found in record["differences"].items():
        accuracy = cell(found["ACC"], scale=100, digits=1, signed=True) if "ACC" in found else ""
        what, colon, rows = name.partition(": ")
        change = word("changed", what=word(what), rows=rows) if colon and what in CONTROLS else name
        change = change.replace(" to ", word("to"))
        lines.append(f"| {change} | {cell(found['LCC'], signed=True)} | {accuracy} |")
    return lines


def _shown(estimate: Estimate) -> Json:
    if math.isnan(estimate.value):
        return {"value": None, "reason": estimate.reason}
    ends = [None if math.isnan(end) else round(end, 4) for end in (estimate.low, estimate.high)]
    return {"value": round(estimate.value, 4), "interval": list(ends)}


def _cell(
    figure: Mapping[str, Any], *, scale: float = 1.0, digits: int = 2, signed: bool = False, undefined: str
) -> str:
    if figure["value"] is None:
        return undefined
    sign = "+" if signed else ""
    value = f"{scale * figure['value']:{sign}.{digits}f}"
    if None in figure["interval"]:
        return value
    low, high = (f"{scale * end:{sign}.{digits}f}" for end in figure["interval"])
    return f"{value} [{low}, {high}]"


def result_path(folder: Path, row: int, part: str, control: str = "") -> Path:
    """Return the path of a row's result."""
    return folder / f"row-{row:02d}-{part}{f'-{control}' if control else ''}.json"


def write_row_results(
    out: Path, said: "Sequence[Verdict]", *, row: int, control: str, truth: Floats, groups: tuple[str, ...]
) -> str:
    """Write the scores of a row, expected scores, some replies, and last the result itself; return a log line."""
    result = RowResult(row, control, truth, np.array([one.value for one in said]), groups)
    weighed = RowResult(row, f"{control} {EXPECTED}".strip(), truth, np.array([one.expected for one in said]), groups)
    make_folder(out.parent)
    write_whole(out.with_suffix(".txt"), "\n\n".join(one.reply for one in said[:SHOWN]) + "\n")
    write_result(out.with_name(f"{out.stem}-{EXPECTED}.json"), weighed)
    write_result(out, result)
    return (
        f"{out.stem}: LCC {lcc(result.given, truth):.3f}, expected {lcc(weighed.given, truth):.3f}, "
        f"{result.unreadable} of {len(truth)} unreadable"
    )
