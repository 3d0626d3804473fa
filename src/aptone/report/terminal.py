"""Tables for the terminal. They fit narrow windows and double-width text, and say in words what they say in colour.

Everything here returns a rich renderable; the command line prints it. Rich leaves colour out by itself where
``NO_COLOR`` is set or the output is no terminal. Text of items and models goes in as text, never as rich's markup.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from aptone.messages import translate, words
from aptone.report.groups import counted_score
from aptone.report.item_view import short_why, shown_state
from aptone.report.notation import UNDEFINED, band, figure, interval, named, one_line, score_figure, score_name
from aptone.report.trust import agreement_rows, in_order, main_score_name, trust_rows
from aptone.run.compare import Change
from aptone.run.payload import line_field, line_of
from aptone.types import Entry, Estimate, Language, Score, State, TrustCard

_BAND_STYLE = {"low": "red", "middle": "yellow", "high": "green", "": ""}
_TONE_STYLE = {"good": "green", "bad": "red", "neutral": "dim"}
_STATE_STYLE = {"done": "", "not-needed": "dim", "unscored": "yellow", "failed": "red"}

LONGEST_WHY = 120
"""Characters of a reason in the table; the report has the rest."""

LONGEST_CELL = 400
"""Characters of one cell that are handed to rich, which wraps or cuts them to the window."""

LARGEST_P = 0.05
"""Of the permutation test, up to which a change is called sure."""


@dataclass(frozen=True, slots=True)
class DoctorRow:
    """One thing that was looked at.

    Args:
        state: fine, worth a look (``attention``), or something that nobody needs unless they want it (``optional``).
        next_step: action to take; empty when there is nothing to do.
    """

    name: str
    state: Literal["fine", "attention", "optional"]
    finding: str
    next_step: str = ""


def verdict_table(
    entries: Sequence[Entry],
    *,
    score: str | None = None,
    language: Language = "en",
    limit: int | None = None,
    beside: tuple[str, Callable[[Entry], str]] | None = None,
    also: Callable[[Entry], None] | None = None,
) -> RenderableType:
    """One row for each item, in the order of the input: id, line, score, state (unless all are scored), and why.

    "Why" is the reason for an item without a score; else the aspect that fits worst; without aspects, the rationale. It
    is left out where no item has any, and so is the column of lines.

    Args:
        entries: entries of a run; repeats are left out.
        score: name of the score; ``None`` for the first one of the first item that has any.
        limit: the most rows; a line below says how many there are besides.
        beside: heading and content of a further column beside the score, such as a verdict in words.
        also: called with every entry, so that one round over a long journal serves two tables.
    """
    word = words(language, "report")
    name = main_score_name(entries) if score is None else score
    rows: list[_VerdictRow] = []
    states: set[str] = set()
    items = 0
    for entry in in_order(entries):
        if also is not None:
            also(entry)
        if entry.repeat:
            continue
        items += 1
        states.add(state := shown_state(entry, name))
        if limit is None or items <= limit:
            why = one_line(short_why(entry, name, language=language), limit=LONGEST_WHY)
            text = _text(beside[1](entry)) if beside is not None else Text()
            payload, given = entry.item.payload, _scored(counted_score(entry, name), language)
            rows.append(_VerdictRow(entry.item.id, line_field(payload), line_of(payload), given, text, state, why))
    all_scored = states == {State.DONE.value}
    has_lines, has_reasons = any(row.line for row in rows), any(row.why for row in rows)
    table = Table(box=box.SIMPLE_HEAD, expand=True, pad_edge=False)
    table.add_column(word("id"), overflow="fold", ratio=5, min_width=12)
    if has_lines:
        heading = _line_heading({row.field for row in rows}, language)
        table.add_column(heading, overflow="ellipsis", no_wrap=True, ratio=5)
    table.add_column(_text(score_name(name, language)), justify="right", no_wrap=True, overflow="ellipsis")
    if beside is not None:
        table.add_column(_text(beside[0]), overflow="fold", ratio=3, min_width=12)
    if not all_scored:
        table.add_column(word("state"), no_wrap=True, overflow="ellipsis")
    if has_reasons:
        table.add_column(word("why"), overflow="fold", ratio=9)
    for row in rows:
        cells = [_text(row.id), *([_text(row.line)] if has_lines else []), row.scored]
        cells += [] if beside is None else [row.beside]
        cells += [] if all_scored else [Text(word(f"state_{row.state}"), style=_STATE_STYLE[row.state])]
        table.add_row(*cells, *([Text(row.why)] if has_reasons else []))
    if items > len(rows):
        return Group(table, Text(word("further_rows", count=items - len(rows)), style="dim"))
    return table


class _VerdictRow(NamedTuple):
    """Cells of an item; `field` is that of its payload which holds the line."""

    id: str
    field: str
    line: str
    scored: Text
    beside: Text
    state: str
    why: str


def trust_panel(card: TrustCard, *, language: Language = "en") -> RenderableType:
    """The trust card: notes first, then one row a question, then agreement with people beside its ceiling."""
    word = words(language, "report")
    warnings = [one_line(translate(note, language)) for note in card.notes]
    if card.stopped:
        warnings.append(word("stopped", why=one_line(translate(card.stopped, language))))
    if len(card.signatures) > 1:
        warnings.append(word("many_signatures", count=len(card.signatures)))
    noted = Table.grid(padding=(0, 1, 0, 0))  # in columns: Mandarin has no spaces, and would leave the sign alone
    noted.add_column()
    noted.add_column(overflow="fold")
    for warning in warnings:
        noted.add_row(Text("!", style="bold yellow"), Text(warning, style="bold yellow"))
    parts: list[RenderableType] = [noted] if warnings else []
    table = Table(box=None, show_header=False, pad_edge=False, expand=True)
    table.add_column(overflow="fold", ratio=3)
    table.add_column(overflow="fold", ratio=5)
    for row in trust_rows(card, language=language):
        answer = Text(f"{row.badge} " if row.badge else "", style=_TONE_STYLE[row.tone])
        answer.append(one_line(row.value), style="default")
        for reason, count in (row.reasons or {}).items():
            answer.append(f"\n{count:>4} {one_line(reason, limit=LONGEST_CELL)}", style="dim")
        if row.hint:
            answer.append(f"\n→ {row.hint}", style="dim")
        table.add_row(Text(row.title, style="bold"), answer)
    parts.append(table)
    parts.append(_agreement(card, language))
    return Panel(Group(*parts), title=Text(word("trust")), title_align="left", box=box.ROUNDED)


def _agreement(card: TrustCard, language: Language) -> RenderableType:
    word = words(language, "report")
    rows = agreement_rows(card, language=language)
    if not rows:
        return Text(word("no_labels"), style="dim")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=word("row_agreement"), title_justify="left", expand=True)
    for key in ("statistic", "judge_with_people", "interval", "rests_on", "people_with_people"):
        table.add_column(word(key), overflow="fold")
    for row in rows:
        table.add_row(*map(_text, (row.name, row.judge, row.interval, row.count, row.people)))
    return table


def comparison_table(
    rows: Sequence[Change],
    *,
    difference: Estimate,
    p_value: float,
    names: tuple[str, str] = ("A", "B"),
    higher_is_better: bool | None = True,
    score: str = "",
    language: Language = "en",
    limit: int | None = 20,
) -> RenderableType:
    """Two runs over the same items: the mean difference with its interval, then the items that changed most.

    Args:
        rows: one for each item that is shown; NaN where a run has no score for it.
        difference: mean of second minus first, with its interval.
        p_value: p-value of the paired test; NaN when there was none.
        higher_is_better: direction of the score; ``None`` leaves out the words "better" and "worse".
        limit: the most rows; a line below says how many there are besides. ``None`` shows all.
    """
    word = words(language, "report")
    first, second = (one_line(name, limit=40) for name in names)
    of_what = f"{score_name(score, language)} · " if score else ""
    head = Text(of_what + word("difference", first=first, second=second) + ": ", style="bold")
    head.append(f"{figure(difference.value)} {interval(difference)}")
    if difference.reason:
        head.append(f" ({one_line(difference.reason)})", style="dim")
    if not math.isnan(p_value):
        head.append(f", {word('p_value', value=figure(p_value))}")
    head.append(f", {word('items_count', count=difference.count)}")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column(word("id"), overflow="fold", ratio=4, min_width=12)
    lined = any(row.line for row in rows)
    if lined:
        table.add_column(word("line"), overflow="ellipsis", no_wrap=True, ratio=5)
    table.add_column(first, justify="right", overflow="fold")
    table.add_column(second, justify="right", overflow="fold")
    table.add_column(word("change"), justify="right", no_wrap=True)
    changed_most = sorted(rows, key=lambda row: math.inf if math.isnan(size := abs(row.second - row.first)) else -size)
    for row in changed_most[:limit]:
        change = _change(row.second - row.first, higher_is_better, language)
        table.add_row(
            _text(row.id), *([_text(row.line)] if lined else []), figure(row.first), figure(row.second), change
        )
    parts: list[RenderableType] = [head]
    if verdict := verdict_on(difference, p_value, second, higher_is_better, language):
        parts.append(Text(verdict))
    parts.append(table)
    if limit is not None and len(rows) > limit:
        parts.append(Text(word("further_rows", count=len(rows) - limit), style="dim"))
    return Group(*parts)


def doctor_table(rows: Sequence[DoctorRow], *, language: Language = "en") -> RenderableType:
    """Return a table of what works on this machine; below, over the whole width, what to do about the rest.

    Commands and addresses that stand there are to be copied, and a narrow column would break them.
    """
    word = words(language, "report")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column(word("check"), overflow="fold", ratio=3)
    table.add_column(word("state"), no_wrap=True)
    table.add_column(word("finding"), overflow="fold", ratio=7)
    styles = {"fine": "green", "attention": "bold yellow", "optional": "dim"}
    for row in rows:
        table.add_row(_text(row.name), Text(word(row.state), style=styles[row.state]), _text(row.finding))
    steps = [row for row in rows if row.next_step]
    if not steps:
        return table
    parts: list[RenderableType] = [table, Text(word("next_steps"))]
    for row in steps:
        parts += [Text(f"- {one_line(row.name)}", style=styles[row.state]), Padding(_text(row.next_step), (0, 0, 0, 2))]
    return Group(*parts)


def _text(text: str) -> Text:
    return Text(one_line(text, limit=LONGEST_CELL))


def _scored(score: Score | None, language: Language) -> Text:
    place = band(score)
    said = f" {words(language, 'report')(f'band_{place}')}" if place else ""
    return Text(score_figure(score) + said, style=_BAND_STYLE[place])


def _line_heading(fields: set[str], language: Language) -> str:
    """Return the heading for the texts of the items: "line", unless all are of another kind such as descriptions."""
    field = fields.pop() if len(fields) == 1 else "line"
    if field in ("line", "text"):
        return words(language, "report")("line")
    return named(field, language).capitalize()


def verdict_on(
    difference: Estimate, p_value: float, name: str, higher_is_better: bool | None, language: Language
) -> str:
    """Return the verdict of interval and test: better, worse, different, or nothing sure; empty without an interval.

    The bootstrap is too narrow for a handful of items, and the permutation test is not: a change is sure only where
    both say so.
    """
    word = words(language, "report")
    if math.isnan(difference.low) or math.isnan(difference.high):
        return ""
    if difference.low <= 0.0 <= difference.high:
        return word("no_sure_change")
    if p_value > LARGEST_P:
        return word("no_sure_test", value=figure(p_value))
    if higher_is_better is None:
        return word("surely_other", name=name)
    return word("surely_better" if (difference.value > 0) == higher_is_better else "surely_worse", name=name)


def _change(change: float, higher_is_better: bool | None, language: Language) -> Text:
    if math.isnan(change):
        return Text(UNDEFINED)
    word = words(language, "report")
    signed = ("+" if change > 0 else "") + figure(change)
    if change == 0:
        return Text(f"{signed} {word('same')}", style="dim")
    if higher_is_better is None:
        return Text(signed)
    better = (change > 0) == higher_is_better
    return Text(f"{signed} {word('better' if better else 'worse')}", style="green" if better else "red")
