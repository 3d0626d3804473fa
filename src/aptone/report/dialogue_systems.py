"""Dialogue systems side by side: the mean of every score with its interval."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from aptone.report.counted import counted_score
from aptone.report.dialogue_evidence import exchanges_of
from aptone.report.figures import figure, interval_in_points
from aptone.report.visible import one_line
from aptone.report.words import words
from aptone.stats import bootstrap
from aptone.types import Entry, Estimate, Language

SCORES = ("ECS", "EBS", "ESS", "ERS", "CT-ECS", "CT-EBS", "CT-ESS", "CT-ERS", "categorical")
OVER_TURNS = ("EBS", "CT-EBS")
"""Scores whose mean is one over turns: those that needed balancing."""

RESAMPLES = 1000
SEED = 0


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system.

    Args:
        name: of the system; empty where the dialogues name none.
        dialogues: how many there are.
        means: score to its mean, for the scores that some dialogue has.
    """

    name: str
    dialogues: int
    means: Mapping[str, Estimate]


def compare_systems(entries: Sequence[Entry]) -> tuple[SystemRow, ...]:
    """The systems of a run, in the order in which they come; repeats are left out.

    Means are over dialogues, with bootstrap intervals (95 %, a fixed seed). EBS and CT-EBS are means over all turns
    that needed balancing; dialogues are what is drawn anew all the same, since the turns of one belong together.
    """
    systems: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.repeat == 0:
            systems[_system(entry)].append(entry)
    names = [name for name in SCORES if any(counted_score(entry, name) is not None for entry in entries)]
    return tuple(
        SystemRow(system, len(members), {name: _mean(members, name) for name in names})
        for system, members in systems.items()
    )


def _system(entry: Entry) -> str:
    ids = entry.item.payload.get("ids")
    name = ids.get("system") if isinstance(ids, Mapping) else None
    return name if isinstance(name, str) else ""


def _mean(entries: Sequence[Entry], name: str) -> Estimate:
    pairs = [_sum_and_count(entry, name) for entry in entries]
    totals, counts = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    if not counts.any():
        return Estimate(float("nan"), reason="no dialogue has a number")

    def ratio(total: npt.NDArray[np.float64], count: npt.NDArray[np.float64]) -> float:
        return float(total.sum() / count.sum()) if count.sum() else float("nan")

    with_number = counts > 0
    return bootstrap(ratio, totals[with_number], counts[with_number], seed=SEED, resamples=RESAMPLES)


def _sum_and_count(entry: Entry, name: str) -> tuple[float, float]:
    score = counted_score(entry, name)
    if score is None or not score.is_defined:
        return 0.0, 0.0
    if name in OVER_TURNS:
        turns = [one.scores["EBS"].value for one in exchanges_of(entry) if "EBS" in one.scores and one.extreme]
        defined = [value for value in turns if value == value]
        if defined:
            return sum(defined), float(len(defined))
    return score.value, 1.0


def systems_table(rows: Sequence[SystemRow], *, language: Language = "en") -> RenderableType:
    """The systems as a table for the terminal: a block of scores of one turn, one of scores across turns."""
    names = list(rows[0].means) if rows else []
    blocks = [[name for name in names if name.startswith("CT-") is across] for across in (False, True)]
    return Group(*(_block(rows, block, language) for block in blocks if block))


def _block(rows: Sequence[SystemRow], names: Sequence[str], language: Language) -> RenderableType:
    word = words(language)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column(word("system"), overflow="fold", ratio=3)
    table.add_column(word("dialogues"), justify="right")
    for name in names:
        table.add_column(name, justify="right", ratio=3)
    for row in rows:
        cells = [Text(f"{figure(row.means[name].value)}\n{interval_in_points(row.means[name])}") for name in names]
        shown = one_line(row.name, limit=60) or word("all_systems")
        table.add_row(Text(shown), str(row.dialogues), *cells)
    return table
