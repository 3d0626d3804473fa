"""The units of a caption as a table for the terminal, with verdict and evidence."""

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from aptone.messages import translate, words
from aptone.report.claim_marks import SYMBOLS, ShownUnit
from aptone.report.names import score_name
from aptone.report.numbers import score_figure
from aptone.report.safe_text import one_line
from aptone.rooms.caption.report.evidence import MISSED, caption_evidence
from aptone.types import Language, Outcome

LONGEST_CELL = 300
_STYLES = {"true": "green", "false": "red", "undecided": "yellow", "missed": "magenta", "found": "green"}


def caption_table(outcome: Outcome, *, language: Language = "en") -> RenderableType:
    """Every unit with its verdict and what was measured, units of the reference that are missing, and the scores."""
    word = words(language, "report")
    evidence = caption_evidence(outcome)
    parts: list[RenderableType] = []
    if evidence is not None and evidence.units:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
        table.add_column(word("unit_verdict"), no_wrap=True)
        table.add_column(word("unit_words"), overflow="fold", ratio=3)
        table.add_column(word("unit_fact"), overflow="fold", ratio=5)
        missing = [unit for unit in evidence.reference if unit.state == MISSED]
        units = (*evidence.units, *missing)
        measured = any(unit.measured for unit in units)
        if measured:
            table.add_column(word("unit_measured"), overflow="fold", ratio=5)
        for unit in units:
            table.add_row(*_cells(unit, language), *([_text(unit.measured)] if measured else []))
        parts.append(table)
    scores = Text()
    for name, score in outcome.scores.items():
        scores.append(f"{score_name(name, language)} ", style="bold")
        scores.append(f"{score_figure(score)}  ")
    reasons = dict.fromkeys(score.reason for score in outcome.scores.values() if score.reason)
    for reason in reasons:
        scores.append(f"\n{one_line(translate(reason, language))}", style="dim")
    parts.append(scores)
    return Group(*parts)


def _cells(unit: ShownUnit, language: Language) -> tuple[Text, ...]:
    verdict = Text(
        f"{SYMBOLS[unit.state]} {words(language, 'report')(f'unit_{unit.state}')}", style=_STYLES[unit.state]
    )
    return verdict, _text(unit.evidence), _text(unit.fact)


def _text(text: str) -> Text:
    return Text(one_line(text, limit=LONGEST_CELL))
