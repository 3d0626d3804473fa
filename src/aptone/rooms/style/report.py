"""One clip against several descriptions, as a table."""

import math
from collections.abc import Sequence

from aptone.messages import words
from aptone.report.numbers import UNDEFINED
from aptone.report.result_table import Column, ResultTable, TableCell
from aptone.rooms.style.api import Described
from aptone.types import Language


def ranked(judged: Sequence[Described]) -> list[Described]:
    """Descriptions in the order of how well they fit; those without a score last."""
    return sorted(judged, key=lambda one: -_score(one, "cosine") if one.outcome.scores else math.inf)


def described_table(judged: Sequence[Described], *, language: Language) -> ResultTable:
    """One row a description, the best first."""
    word = words(language, "style")
    scaled = any("fit" in one.outcome.scores for one in judged)
    columns = [Column(word("description"), number=False)]
    columns += [Column(word("fit"))] if scaled else []
    columns.append(Column(word("cosine")))
    rows = []
    for place, one in enumerate(ranked(judged)):
        cells = [TableCell(one.description, strong=place == 0 and len(judged) > 1)]
        cells += [TableCell(_shown(_score(one, "fit"), 2))] if scaled else []
        rows.append((*cells, TableCell(_shown(_score(one, "cosine"), 3))))
    return ResultTable("", tuple(columns), tuple(rows))


def _score(one: Described, name: str) -> float:
    return one.outcome.scores[name].value if name in one.outcome.scores else math.nan


def _shown(value: float, places: int) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.{places}f}"
