"""Figures and tables of a run over dialogues: systems side by side, feelings over time, scores against people's."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

import jinja2
import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from aptone.messages import message, translate, words
from aptone.report.groups import LONGEST_REASON, count_reasons, counted_score
from aptone.report.notation import figure, interval, interval_in_points, one_line, score_name
from aptone.report.page import new_environment
from aptone.report.room_report import Figure
from aptone.rooms.dialogue.report.drawing import draw_dialogue, exchanges_of, zone_of
from aptone.rooms.dialogue.report.explained import EXPLAINED, explanations, headline, verdicts_of
from aptone.run import Run
from aptone.stats import bootstrap
from aptone.types import Entry, Estimate, Language, State

MOST_DRAWN = 8
"""Dialogues that are drawn, half of them the worst and half of them the best."""


def dialogue_figures(run: Run, *, score: str, language: Language) -> tuple[Figure, ...]:
    """Figures of a finished run from its journal, the worst and best by `score`; none for runs without dialogues."""
    heard = [entry for entry in run.entries if entry.repeat == 0 and exchanges_of(entry)]
    if not heard:
        return ()
    word = words(language, "report")
    rows = compare_systems(run.entries)  # those that failed too: the report counts what the terminal counts
    table = _template("systems.html.j2").render(
        rows=rows,
        names=list(rows[0].means),
        notes=gap_notes(rows, language=language),
        headline=headline(language),
        explanations=explanations(rows[0].means, language),
        language=language,
        shown_name=partial(shown_name, language=language),
        dialogues_shown=partial(dialogues_shown, language=language),
        word=word,
    )
    systems = Figure(word("systems"), Markup(table), word("systems_note"), is_wide=True, is_result=True)  # noqa: S704 (our template escapes)
    return (systems, *(_picture(entry, score, language) for entry in _chosen(heard, score)))


def _chosen(entries: Sequence[Entry], score: str) -> list[Entry]:
    """The worst and the best, the worst first; those without a number last, where there is room."""

    def value(entry: Entry) -> float:
        given = counted_score(entry, score)
        return given.value if given is not None and given.is_defined else float("inf")

    ranked = sorted(entries, key=value)
    half = MOST_DRAWN // 2
    return ranked if len(ranked) <= MOST_DRAWN else ranked[:half] + ranked[-half:]


def _picture(entry: Entry, score: str, language: Language) -> Figure:
    word = words(language, "report")
    given = counted_score(entry, score)
    number = f" · {score} {figure(round(given.value, 2))}" if given is not None else ""
    title = word("trajectories_of", name=one_line(entry.item.id, limit=80) + number)
    drawing = draw_dialogue(
        exchanges_of(entry), extreme=zone_of(entry, "extreme"), shift=zone_of(entry, "shift"), language=language
    )
    markup = _template("dialogue.svg.j2").render(drawing=drawing, title=title, word=word)
    left_out = f" {word('turns_left_out', count=drawing.left_out)}" if drawing.left_out else ""
    return Figure(title, Markup(markup), word("trajectories_note") + left_out, is_wide=True)  # noqa: S704 (likewise)


@cache
def _template(name: str) -> jinja2.Template:
    environment = new_environment("aptone.rooms.dialogue")
    environment.globals.update(interval_in_points=interval_in_points)
    return environment.get_template(name)


SCORES = EXPLAINED
OVER_TURNS = ("EBS", "CT-EBS")
"""Scores whose mean is one over turns: those that needed balancing."""

BY_TABLE = ("categorical", "reaction")
"""Scores by the table of emotions."""

RESAMPLES, SEED = 1000, 0


@dataclass(frozen=True, slots=True)
class Gap:
    """Scores missing in some scored dialogues of a system, with reasons and their counts, the most frequent first."""

    scores: tuple[str, ...]
    reasons: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One system.

    Args:
        name: name of the system; empty where the dialogues name none.
        scored: number of dialogues that have scores, which the means rest on.
        means: score to its mean, for the scores that some dialogue has.
        unscored: reasons why the others have none, with the number of dialogues for each.
        gaps: scores missing in dialogues that were scored; what is not needed is not missing.
        in_kind: number of dialogues in which anger is answered in kind and that raises the score.
    """

    name: str
    dialogues: int
    scored: int
    means: Mapping[str, Estimate]
    unscored: Mapping[str, int] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()
    in_kind: int = 0


def compare_systems(entries: Sequence[Entry]) -> tuple[SystemRow, ...]:
    """The systems of a run, in the order in which they come; repeats are left out.

    Means are over dialogues, with bootstrap intervals (95 %, a fixed seed). EBS and CT-EBS are means over all turns
    that needed balancing; dialogues are what is resampled all the same, since the turns of one belong together.
    """
    systems: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.repeat == 0:
            ids = entry.item.payload.get("ids")
            name = ids.get("system") if isinstance(ids, Mapping) else None
            systems[name if isinstance(name, str) else ""].append(entry)
    names = [name for name in SCORES if any(counted_score(entry, name) is not None for entry in entries)]
    return tuple(_row(system, members, names) for system, members in systems.items())


def _row(system: str, entries: Sequence[Entry], names: Sequence[str]) -> SystemRow:
    scored = [entry for entry in entries if entry.outcome.state is State.DONE]
    unscored = count_reasons(entry.outcome.reason for entry in entries if entry.outcome.state is not State.DONE)
    means = {name: _mean(scored, name) for name in names}
    in_kind = sum(any(one.lifts for one in verdicts_of(entry.outcome)) for entry in scored)
    return SystemRow(system, len(entries), len(scored), means, unscored, _gaps(scored, names), in_kind)


def _gaps(entries: Sequence[Entry], names: Sequence[str]) -> tuple[Gap, ...]:
    """Scores that lack a number for the very same reasons are reported together."""
    by_reasons: defaultdict[tuple[tuple[str, int], ...], list[str]] = defaultdict(list)
    for name in names:
        scores = [score for entry in entries if (score := counted_score(entry, name)) is not None]
        missing = Counter(score.reason for score in scores if score.needed and not score.is_defined)
        if missing:
            by_reasons[tuple(missing.most_common())].append(name)
    return tuple(Gap(tuple(members), dict(reasons)) for reasons, members in by_reasons.items())


def _mean(entries: Sequence[Entry], name: str) -> Estimate:
    totals, counts = np.array([_sum_and_count(entry, name) for entry in entries]).reshape(-1, 2).T
    if not counts.any():
        return Estimate(float("nan"), reason=message("report.no-dialogue-number"))

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
    """The systems as a table for the terminal: blocks of scores of one turn, across turns, and by the table."""
    names = list(rows[0].means) if rows else []
    across = [name for name in names if name.startswith("CT-")]
    blocks = [[name for name in names if name not in (*across, *BY_TABLE)], across, [*filter(BY_TABLE.count, names)]]
    notes = [Text(note, style="dim") for note in gap_notes(rows, language=language)]
    return Group(*(_block(rows, block, language) for block in blocks if block), *notes)


def dialogues_shown(row: SystemRow, *, language: Language = "en") -> str:
    """State how many dialogues a system has, and how many of them the means rest on where that is not all."""
    if row.scored == row.dialogues:
        return str(row.dialogues)
    return words(language, "report")("scored_of", scored=row.scored, count=row.dialogues)


def gap_notes(rows: Sequence[SystemRow], *, language: Language = "en") -> tuple[str, ...]:
    """List the dialogues and scores that the means leave out, and why: a sentence for each system and reason."""
    return tuple(note for row in rows for note in _notes(row, language))


def _notes(row: SystemRow, language: Language) -> Iterator[str]:
    word, system = words(language, "report"), shown_name(row, language=language)
    if row.in_kind:
        yield words(language, "dialogue")("system_in_kind", system=system, count=row.in_kind, all=row.scored)
    for reason, count in row.unscored.items():
        why = one_line(translate(reason, language), limit=LONGEST_REASON)
        yield word("dialogues_unscored", system=system, count=count, why=why)
    for gap in row.gaps:
        why = one_line(translate(next(iter(gap.reasons)), language), limit=LONGEST_REASON)
        key = "scores_missing_variously" if len(gap.reasons) > 1 else "scores_missing"
        scores = ", ".join(score_name(name, language) for name in gap.scores)
        yield word(key, system=system, scores=scores, count=sum(gap.reasons.values()), why=why)


def shown_name(row: SystemRow, *, language: Language = "en") -> str:
    """The name of a system as it is shown; dialogues that name none are "all"."""
    return one_line(row.name, limit=80) or words(language, "report")("all_systems")


def _block(rows: Sequence[SystemRow], names: Sequence[str], language: Language) -> RenderableType:
    word = words(language, "report")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column(word("system"), overflow="fold", ratio=3)
    table.add_column(word("dialogues"), justify="right")
    for name in names:
        table.add_column(score_name(name, language), justify="right", ratio=3)
    for row in rows:
        cells = [Text(f"{figure(row.means[name].value)}\n{interval_in_points(row.means[name])}") for name in names]
        shown = shown_name(row, language=language)
        table.add_row(Text(shown), Text(dialogues_shown(row, language=language)), *cells)
    return table


def validation_tables(
    correlations: Sequence[tuple[str, str, Estimate, Estimate]],
    flattery: Sequence[tuple[str, str, Estimate]],
    drops: Sequence[tuple[str, str, Estimate]],
    *,
    language: Language,
) -> RenderableType:
    """Correlation with people, automatic minus people, and one turn minus several; what is empty is left out.

    Args:
        correlations: system, score, linear and rank correlation.
        flattery: system, score, mean difference; so are the rows of `drops`.
    """
    word = words(language, "report")
    parts: list[RenderableType] = []
    if correlations:
        table = _table(word("validation"), (word("system"), word("score"), "LCC", "Spearman"))
        for system, score, *both in correlations:
            cells = [Text(f"{figure(one.value)} {interval(one)}") for one in both]
            table.add_row(_name(system, language), _text(score), *cells)
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
