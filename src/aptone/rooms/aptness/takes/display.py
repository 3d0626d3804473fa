"""Rankings in notebooks: the line, its plan, and its takes in order with players and reasons."""

import math
from dataclasses import dataclass

from aptone.messages import translate
from aptone.report.clips import ClipEmbedder, EmbeddedClip
from aptone.report.displays import render_display
from aptone.report.displays.outcome import LONGEST_CLIP, ROOM
from aptone.report.displays.plan import plan_view
from aptone.report.notation import UNDEFINED
from aptone.rooms.aptness.report import displayed_aspects, points, rank_text, score_text
from aptone.rooms.aptness.takes.rank import RankedLine
from aptone.rooms.aptness.takes.ranking import aspect_name
from aptone.run.payload import Clip
from aptone.types import Language

MOST_TAKES = 12
"""Takes that are listed, the best first."""

MOST_ASPECTS = 4
"""Columns of aspects, those in which the takes differ most."""


@dataclass(frozen=True, slots=True)
class TakeRow:
    """A take in the table; `aspects` in the order of the columns, `heard` the emotion in words, or a `reason`."""

    rank: str
    name: str
    score: str
    aspects: tuple[str, ...]
    heard: str
    reason: str
    is_best: bool
    clip: EmbeddedClip | None


def show_ranking(ranked: RankedLine, *, language: Language) -> str:
    """Return a ranking: a row for each take, with a player where its recording is there and short."""
    ranking = ranked.ranking
    names = displayed_aspects(ranking, most=MOST_ASPECTS)
    embedder = ClipEmbedder(room=ROOM, longest=LONGEST_CLIP)
    rows = [
        TakeRow(
            rank=rank_text(ranking, rank) if rank else UNDEFINED,
            name=take.id,
            score=score_text(take) if take.scores else UNDEFINED,
            aspects=tuple(points(take.aspects.get(name, math.nan)) for name in names),
            heard=take.heard.get("emotion", ""),
            reason=translate(take.reason, language),
            is_best=rank == 1,
            clip=embedder.embed(Clip("take", clip)) if (clip := ranked.recordings.get(take.id)) else None,
        )
        for take, rank in list(zip(ranking.takes, ranking.ranks, strict=True))[:MOST_TAKES]
    ]
    return render_display(
        "ranking_display.html.j2",
        room="aptone.rooms.aptness",
        language=language,
        target=ranked.target,
        story_language="zh-Hans" if ranked.language == "zh" else "en",
        plan=None if ranked.plan is None else plan_view(ranked.plan, language=language),
        rationale=ranked.rationale,
        heads=[aspect_name(name, language) for name in names],
        rows=rows,
        further=len(ranking.takes) - len(rows),
    )
