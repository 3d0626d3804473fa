"""A ranking for people and for machines: a table on the terminal, a picture in the report, JSON."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from aptone.judge.rationale import NAMES
from aptone.messages import translate, words
from aptone.report.clips import ClipEmbedder, EmbeddedClip
from aptone.report.figures import Figure
from aptone.report.item_view import Clip
from aptone.report.numbers import UNDEFINED
from aptone.report.page import new_environment
from aptone.report.safe_text import one_line
from aptone.rooms.aptness.takes.rank import RankedLine
from aptone.rooms.aptness.takes.ranking import Ranking, Take, aspect_name
from aptone.types import AudioRef, Json, Language, to_json

LONGEST_TITLE = 120

WIDE = 1000
"""Columns in which any table has room."""

ROOM = 12_000_000
"""Bytes of the report that the players of all takes may take."""

MOST_COLUMNS = 4
"""Aspects in the table on a terminal that is wide enough."""

NARROWEST_TAKE = 18
"""Columns for the name of a take, below which an aspect gives way; longer names are folded."""


@dataclass(frozen=True, slots=True)
class RankingTable:
    """One row for each take: rank, score, and the aspects in which takes differ most; the report has all.

    On a narrow terminal it has fewer aspects rather than cut figures.
    """

    ranked: RankedLine
    language: Language

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table with as many aspects as there is room for."""
        for most in range(MOST_COLUMNS, 0, -1):
            narrowest = _table(self.ranked, self.language, most=most, widest_take=NARROWEST_TAKE)
            # measured as if there were room, since a measure is never wider than what there is
            if console.measure(narrowest, options=options.update(width=WIDE)).minimum <= options.max_width:
                yield _table(self.ranked, self.language, most=most)
                return
        yield _table(self.ranked, self.language, most=0)


def _table(ranked: RankedLine, language: Language, *, most: int, widest_take: int | None = None) -> Table:
    word = words(language, "report")
    ranking = ranked.ranking
    names = displayed_aspects(ranking, most=most)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(word("rank"), justify="right", no_wrap=True)
    table.add_column(word("take"), overflow="fold", max_width=widest_take)
    table.add_column(word("aptness"), justify="right", no_wrap=True)
    for name in names:
        table.add_column(aspect_name(name, language).replace(" ", "\n"), justify="right", no_wrap=True)
    for take, rank in zip(ranking.takes, ranking.ranks, strict=True):
        if not take.scores:
            table.add_row(UNDEFINED, Text(one_line(take.id), style="yellow"), UNDEFINED)
            continue
        style = "bold" if rank == 1 else ""
        aspects = [_figure(take.aspects.get(name, math.nan)) for name in names]
        table.add_row(rank_text(ranking, rank), Text(one_line(take.id), style=style), score_text(take), *aspects)
    return table


def ranking_figure(ranked: RankedLine, embedder: ClipEmbedder, *, language: Language) -> Figure:
    """The same as a picture for the report, with a player for each take as far as there is room, and the rationale."""
    ranking = ranked.ranking
    names = displayed_aspects(ranking)
    word = words(language, "report")
    rows = [
        {
            "rank": rank_text(ranking, rank) if rank else UNDEFINED,
            "take": take.id,
            "score": score_text(take) if take.scores else UNDEFINED,
            "aspects": [_figure(take.aspects.get(name, math.nan)) for name in names],
            "reason": translate(take.reason, language),
            "is_best": rank == 1,
            "clip": _clip(ranked.recordings.get(take.id), embedder),
        }
        for take, rank in zip(ranking.takes, ranking.ranks, strict=True)
    ]
    heads = [word("rank"), word("take"), word("aptness"), *(aspect_name(name, language) for name in names)]
    markup = _template().render(heads=heads, rows=rows, gone=word("gone"))
    target = ranked.target
    title = f"{target.role}: {target.text}" if target.role else target.text
    return Figure(
        one_line(title, limit=LONGEST_TITLE),
        Markup(markup),  # noqa: S704  (from a template that escapes)
        note=ranked.rationale,
        is_wide=True,
        is_result=True,
    )


def _clip(recording: AudioRef | None, embedder: ClipEmbedder) -> EmbeddedClip | None:
    return embedder.embed(Clip("take", recording)) if recording is not None else None


@cache
def _template() -> jinja2.Template:
    return new_environment().get_template("ranking.html.j2")


def ranking_json(ranked: RankedLine) -> dict[str, Json]:
    """Everything that was found, for a machine."""
    ranking = ranked.ranking
    takes: list[Json] = [
        {
            "take": take.id,
            "rank": rank or None,
            "score": take.score if take.scores else None,
            "scores": list(take.scores),
            "aspects": dict(take.aspects),
            "reason": take.reason,
        }
        for take, rank in zip(ranking.takes, ranking.ranks, strict=True)
    ]
    leads: list[Json] = [
        {
            "better": lead.better,
            "worse": lead.worse,
            "difference": lead.difference,
            "margin": lead.margin,
            "clear": lead.is_clear,
            "aspects": {aspect.name: aspect.difference for aspect in lead.aspects},
        }
        for lead in ranking.leads
    ]
    return {
        "line": to_json(ranked.target),
        "language": ranked.language,
        "plan": None if ranked.plan is None else to_json(ranked.plan),
        "best": [take.id for take in ranking.best],
        "too_close_to_call": len(ranking.best) > 1,
        "takes": takes,
        "leads": leads,
        "deviation": None if math.isnan(ranking.deviation) else ranking.deviation,
        "least_lead": ranking.least_lead,
        "rationale": ranked.rationale,
    }


def displayed_aspects(ranking: Ranking, *, most: int | None = None) -> list[str]:
    """The aspects that some take has a score for, in their usual order.

    Args:
        most: number of aspects; those in which the takes differ most.
    """
    found = {name for take in ranking.takes for name in take.aspects}
    ordered = [*(name for name in NAMES if name in found), *sorted(found - set(NAMES))]
    kept = sorted(ordered, key=lambda name: -_spread(ranking, name))[:most]
    return [name for name in ordered if name in kept]


def _spread(ranking: Ranking, name: str) -> float:
    scores = [take.aspects[name] for take in ranking.takes if name in take.aspects]
    return max(scores) - min(scores)


def rank_text(ranking: Ranking, rank: int) -> str:
    """Format a rank; shared ones have an equals sign.

    >>> from aptone.rooms.aptness.takes.ranking import rank_takes
    >>> rank_text(rank_takes([Take("a", (4.0,)), Take("b", (3.9,))]), 1)
    '=1'
    """
    return f"={rank}" if ranking.ranks.count(rank) > 1 else str(rank)


def score_text(take: Take) -> str:
    """Format the score of a take, with its spread where it was judged more than once."""
    mean = _figure(take.score)
    if len(take.scores) < 2:
        return mean if take.asked == 1 else f"{mean} (1/{take.asked})"
    missing = f" ({len(take.scores)}/{take.asked})" if take.asked > len(take.scores) else ""
    low, high = _figure(min(take.scores)), _figure(max(take.scores))
    return f"{mean}{missing}" if low == high else f"{mean} [{low}, {high}]{missing}"


def _figure(number: float) -> str:
    return UNDEFINED if math.isnan(number) else f"{number:.2f}"


def ranking_figures(lines: Sequence[RankedLine], *, language: Language, folder: Path | None = None) -> list[Figure]:
    """The pictures of a run, one a line; takes that are not where it says are looked for by its folder."""
    embedder = ClipEmbedder(room=ROOM, folder=folder)
    return [ranking_figure(ranked, embedder, language=language) for ranked in lines]
