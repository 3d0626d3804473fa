"""Two runs side by side: the paired difference, and item by item what changed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from aptone.errors import AptoneError
from aptone.messages import message
from aptone.report.clips import EmbeddedClip
from aptone.report.groups import counted_score, counted_scores
from aptone.report.item_card import language_tag
from aptone.report.item_view import plan_of, shown_state
from aptone.report.plan_text import emotion_text
from aptone.run.index import PAIRED_ORDERS, PairedIndexes, PairedRow
from aptone.types import Entry, Estimate, Language, Score
from aptone.view.estimates import difference_estimate
from aptone.view.rendering import language_of, page
from aptone.view.runs.addresses import run_of
from aptone.view.runs.asked import Asked, read_asked
from aptone.view.runs.kept import Kept
from aptone.view.runs.recordings import served_clips
from aptone.view.runs.run_page import choices_of
from aptone.view.shelf import ShelvedRun
from aptone.web.refusals import NotUnderstoodError

PER_PAGE = 20
MOST_CHANGES = 8
SMALLEST_CHANGE = 0.005
"""Difference of two scores below which they look the same."""

_HEADS: Kept["Head"] = Kept(32)


@dataclass(frozen=True, slots=True)
class Head:
    """What two runs differ by, over the items that both have scored."""

    difference: Estimate
    first: float
    second: float
    better: int
    worse: int
    same: int
    only_first: tuple[int, list[str]]
    only_second: tuple[int, list[str]]
    judges: int


@dataclass(frozen=True, slots=True)
class Side:
    """An item in one run."""

    run: str
    number: int
    score: Score | None
    state: str
    plan: str
    rationale: str
    clips: tuple[EmbeddedClip, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """An item in both runs, and the other scores that changed, the largest change first."""

    row: PairedRow
    sides: tuple[Side, Side]
    others: tuple[tuple[str, Score, Score], ...]
    language: str

    @property
    def is_other_plan(self) -> bool:
        """Check that the plans differ."""
        return self.sides[0].plan != self.sides[1].plan


def show_comparison(request: Request) -> Response:
    """Reply with the page that compares the runs ``a`` and ``b``.

    Raises:
        NotUnderstoodError: if it is not told which two.
    """
    keys = [request.query_params.get(name, "") for name in "ab"]
    if not all(keys):
        raise NotUnderstoodError(message("view.two-runs-needed"), next=message("view.go-back-runs"))
    first, second = (run_of(request, key) for key in keys)
    names = [scale.name for scale in first.index.score_names()]
    shared = [name for name in names if name in {scale.name for scale in second.index.score_names()}]
    asked = read_asked(request.query_params, scores=shared, orders=PAIRED_ORDERS)
    pairs = PairedIndexes(first.index, second.index, asked.score)
    count = pairs.count(asked.wanted)
    rows = pairs.rows(asked.wanted, sort=asked.sort or "change", offset=(asked.page - 1) * PER_PAGE, limit=PER_PAGE)
    language = language_of(request)
    return page(
        request,
        "compare.html.j2",
        a=first,
        b=second,
        asked=asked,
        head=_head(first, second, asked.score),
        scale=next((scale for scale in first.index.score_names() if scale.name == asked.score), None),
        shared=shared,
        orders=PAIRED_ORDERS,
        choices=choices_of(first.labels(), asked),
        count=count,
        last_page=max(1, math.ceil(count / PER_PAGE)),
        changed=[_changed(first, second, row, asked.score, language) for row in rows],
        link=partial(asked_query, asked, first.key, second.key),
        swapped=asked_query(asked, second.key, first.key, page=1),
    )


def _head(first: ShelvedRun, second: ShelvedRun, score: str) -> Head:
    key = (first.folder, first.index.revision, second.folder, second.index.revision, score)
    return _HEADS.get(key, lambda: make_head(first, second, score))


def make_head(first: ShelvedRun, second: ShelvedRun, score: str) -> Head:
    """Work out the paired difference of two runs."""
    pairs = PairedIndexes(first.index, second.index, score)
    one, two = pairs.values()
    apart = two - one
    scale = next((scale for scale in first.index.score_names() if scale.name == score), None)
    sign = -1.0 if scale is not None and scale.higher_is_better is False else 1.0
    better, worse = (int((side * sign * apart > SMALLEST_CHANGE).sum()) for side in (1, -1))
    return Head(
        difference_estimate(apart),
        float(one.mean()) if one.size else math.nan,
        float(two.mean()) if two.size else math.nan,
        better,
        worse,
        apart.size - better - worse,
        pairs.only_first(),
        pairs.swapped().only_first(),
        len(first.index.signatures().keys() | second.index.signatures().keys()),
    )


def _changed(first: ShelvedRun, second: ShelvedRun, row: PairedRow, score: str, language: Language) -> Changed:
    entries = [_entry(run, number) for run, number in zip((first, second), row.numbers, strict=True)]
    sides = [
        _side(run, number, entry, score, language)
        for run, number, entry in zip((first, second), row.numbers, entries, strict=True)
    ]
    scores = [{} if entry is None else counted_scores(entry) for entry in entries]
    shown = entries[0] or entries[1]
    tag = language_tag(shown.item.payload) if shown is not None else ""
    return Changed(row, (sides[0], sides[1]), _other_changes(scores[0], scores[1], score), tag)


def _entry(run: ShelvedRun, number: int) -> Entry | None:
    try:
        return run.index.entry(number)
    except (AptoneError, KeyError):
        return None  # the journal is another one by now


def _side(run: ShelvedRun, number: int, entry: Entry | None, score: str, language: Language) -> Side:
    if entry is None:
        return Side(run.key, number, None, "failed", "", "", ())
    plan = plan_of(entry)
    return Side(
        run.key,
        number,
        counted_score(entry, score),
        shown_state(entry, score),
        emotion_text(plan, language=language) if plan is not None and plan.emotions else "",
        entry.outcome.rationale,
        served_clips(run, number, entry)[0][:2],
    )


def _other_changes(
    first: Mapping[str, Score], second: Mapping[str, Score], score: str
) -> tuple[tuple[str, Score, Score], ...]:
    both = [(name, one, second[name]) for name, one in first.items() if name in second and name != score]
    apart = [
        (name, one, two)
        for name, one, two in both
        if one.is_defined and two.is_defined and abs(two.value - one.value) >= SMALLEST_CHANGE
    ]
    apart.sort(key=lambda change: -abs(change[2].value - change[1].value))
    return tuple(apart[:MOST_CHANGES])


def asked_query(asked: Asked, a: str, b: str, **changed: object) -> str:
    """The query of the same comparison, with some of it changed."""
    inner = asked.query(**changed).removeprefix("?")
    return f"?{urlencode({'a': a, 'b': b})}" + (f"&{inner}" if inner else "")
