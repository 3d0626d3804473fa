"""How scores of dialogues stand to people's ratings, as tables for the terminal."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from aptone.messages import words
from aptone.report.numbers import figure, interval, interval_in_points
from aptone.report.safe_text import one_line
from aptone.types import Estimate, Language

CorrelationRow = tuple[str, str, Estimate, Estimate]
"""System, score, linear and rank correlation."""

DifferenceRow = tuple[str, str, Estimate]
"""System, score, mean difference."""


def validation_tables(
    correlations: Sequence[CorrelationRow],
    flattery: Sequence[DifferenceRow],
    drops: Sequence[DifferenceRow],
    *,
    language: Language,
) -> RenderableType:
    """Correlation with people, automatic minus people, and one turn minus several; what is empty is left out."""
    word = words(language, "report")
    parts: list[RenderableType] = []
    if correlations:
        table = _table(word("validation"), (word("system"), word("score"), "LCC", "Spearman"))
        for system, score, linear, by_rank in correlations:
            table.add_row(
                _name(system, language),
                _text(score),
                *(Text(f"{figure(one.value)} {interval(one)}") for one in (linear, by_rank)),
            )
        parts.append(table)
    for key, rows in (("automatic_minus_people", flattery), ("single_minus_several", drops)):
        if rows:
            table = _table(word(key), (word("system"), word("score"), word("mean")))
            for system, score, difference in rows:
                shown = f"{figure(difference.value)} {interval_in_points(difference)}"
                table.add_row(_name(system, language), _text(score), Text(shown))
            parts.append(table)
    return Group(*parts)


def _table(title: str, columns: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=title, title_justify="left")
    for name in columns:
        table.add_column(name, overflow="fold")
    return table


def _text(text: str) -> Text:
    return Text(one_line(text, limit=60))


def _name(system: str, language: Language) -> Text:
    return _text(system) if system else Text(words(language, "report")("all_systems"))
