"""What the rows of an ablation reached: LCC and ACC with intervals, and how far rows that differ in one thing differ.

Items of one speaker (or one story) are not independent, so intervals are bootstrapped over speakers: whole speakers are
drawn, with all their items. What a row could not answer legibly is left out of its figures and counted beside them; two
rows are compared on the items that both answered, and not at all where they were asked about different ones.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError, UsageError
from aptone.files import write_whole
from aptone.messages import message, words
from aptone.stats import bootstrap, pearson, tolerance_accuracy
from aptone.train.ablation.rows import CONTROLS, ROWS, Recipe
from aptone.types import Estimate, Json, Language, dumps, loads

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
"""LCC and ACC in percent that the paper's Table 4 reports, on other data and a model of 7 billion parameters."""


@dataclass(frozen=True, slots=True)
class RowResult:
    """What a row said about every item.

    Args:
        row: of the table.
        control: empty, or what was changed for a control.
        truth: the score of each item.
        given: what the row gave; NaN where its reply could not be read.
        groups: whose item it is: a speaker or a story.
    """

    row: int
    control: str
    truth: Floats
    given: Floats
    groups: tuple[str, ...]

    @property
    def unreadable(self) -> int:
        """Items without a legible reply."""
        return int(np.isnan(self.given).sum())


def write_result(path: Path, result: RowResult) -> None:
    """Write a result as JSON, whole or not at all.

    Raises:
        RunError: if it cannot be written.
    """
    record: dict[str, Json] = {
        "row": result.row,
        "control": result.control,
        "truth": result.truth.tolist(),
        "given": [None if math.isnan(value) else value for value in result.given.tolist()],
        "groups": list(result.groups),
    }
    write_whole(path, dumps(record) + "\n")


def read_result(path: Path) -> RowResult:
    """A result as it was written.

    Raises:
        RecordError: if the file holds something else.
    """
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
    """The linear correlation; NaN where it is undefined."""
    return pearson(given, truth).value


def acc(given: Floats, truth: Floats) -> float:
    """The share of scores within 1 of the truth."""
    return tolerance_accuracy(given, truth).value


def by_group(statistic: Callable[[npt.NDArray[np.int64]], float], groups: Sequence[str]) -> Estimate:
    """A statistic of items, with an interval over groups of them.

    Args:
        statistic: of the places of items, some of them several times.
        groups: of each item.
    """
    names = sorted(set(groups))
    members = [np.flatnonzero([group == name for group in groups]) for name in names]

    def of_groups(chosen: npt.NDArray[np.int64]) -> float:
        return statistic(np.concatenate([members[number] for number in chosen.tolist()]))

    return bootstrap(of_groups, np.arange(len(names)), seed=SEED, resamples=RESAMPLES)


def figure_of(result: RowResult, figure: Figure) -> Estimate:
    """A figure of a row, over the items that it answered."""
    there = np.flatnonzero(~np.isnan(result.given))
    if not there.size:
        return Estimate(math.nan, reason=message("train.no-reply-readable", count=len(result.given)))
    groups = [result.groups[place] for place in there.tolist()]
    given, truth = result.given[there], result.truth[there]
    return by_group(lambda places: figure(given[places], truth[places]), groups)


def same_items(first: RowResult, second: RowResult) -> bool:
    """Whether two rows judged the same items, as far as groups and truth tell."""
    return first.groups == second.groups and np.array_equal(first.truth, second.truth)


def _different(first: RowResult, second: RowResult) -> str:
    return f"rows {first.row} and {second.row} judged different items"


def difference(first: RowResult, second: RowResult, figure: Figure) -> Estimate:
    """By how much the second row's figure lies above the first's, on the items that both answered.

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


SWITCHES = ("distilled", "CoT", "planner", "bias", "RL")
"""Of a recipe, as the table has them."""
SHUFFLED, TOPLINE, ALL, AT_ONCE = "shuffled", "true", "all", "at-once"
"""Controls of a row: the clips of other pairs; the true plan in the place of the planner's; all lines, also those that
no planner reads right; and, of a judge that was taught both, the score without the reasoning."""
EXPECTED = "expected"
"""What is said of the mean over the scores that a judge thinks possible, in the place of its likeliest reply."""
CONTROLLED = (SHUFFLED, TOPLINE, ALL, AT_ONCE, EXPECTED)
"""Words of controls; one with another name is another judge on the same items."""


def ablation_record(results: Sequence[RowResult]) -> dict[str, Json]:
    """Everything that a result file says about rows: figures, and differences between rows with one thing changed."""
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
    """`difference`, undefined where rows judged different items.

    A line whose reasons were refused has no question that asks for them: the table is not lost for that.
    """
    if not same_items(first, second):
        return Estimate(math.nan, reason=_different(first, second))
    return difference(first, second, figure)


def switches(recipe: Recipe) -> dict[str, Json]:
    """The switches of a recipe as the paper's table has them."""
    return {
        "trained": recipe.trained,
        "distilled": recipe.distilled,
        "CoT": recipe.thinking,
        "planner": recipe.planned,
        "bias": recipe.bias,
        "RL": recipe.reinforced,
    }


def ablation_lines(record: Mapping[str, Any], *, language: Language = "en") -> list[str]:
    """A record as lines of Markdown: the table of the paper with ours, and the differences."""
    word = words(language, "train.ablation")
    cell = partial(_cell, undefined=word("undefined"))
    said = {True: word("yes"), False: word("no")}
    lines = [
        word("rows"),
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
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
        told = word("changed", what=word(what), rows=rows) if colon and what in CONTROLS else name
        told = told.replace(" to ", word("to"))
        lines.append(f"| {told} | {cell(found['LCC'], signed=True)} | {accuracy} |")
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
