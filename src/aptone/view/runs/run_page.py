"""The page of a run: its items in pages, filtered and sorted by the index, and what they sum up to."""

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from aptone.messages import message, words
from aptone.report.groups import Group, Grouping
from aptone.report.item_view import json_text
from aptone.report.plots.geometry import Histogram, ScoreColumn, histogram
from aptone.report.trust import agreement_rows, trust_rows
from aptone.run.index import IndexedRow, ScoreScale, ScoreSummary
from aptone.stats.intervals import normal_mean
from aptone.types import Estimate, Score, to_json
from aptone.view.rendering import language_of, page
from aptone.view.runs.addresses import run_of
from aptone.view.runs.asked import STATES, Asked, read_asked
from aptone.view.runs.kept import Kept
from aptone.view.runs.run_list import listed_run
from aptone.view.shelf import ShelvedRun

PER_PAGE = 100
MOST_COLUMNS = 6
"""Scores with a column of the list, the main one first; the page of an item has all."""
MOST_CHOICES = 10
"""Labels that get a choice among the filters, and a table of groups."""
MOST_GROUPS = 30

_SCALES: Kept[list[ScoreScale]] = Kept(64)
_OVERVIEWS: Kept["Overview"] = Kept(16)


@dataclass(frozen=True, slots=True)
class Overview:
    """What the items of a run sum up to."""

    plot: Histogram
    groupings: tuple[Grouping, ...]


def show_run(request: Request) -> Response:
    """Reply with the page of a run, or with a part of it: ``?part=items``, ``?part=byline`` or ``?part=overview``."""
    run, part = run_of(request), request.query_params.get("part", "")
    if part == "overview":
        return _show_overview(request, run)
    if part == "byline":
        return page(request, "run_byline.html.j2", one=listed_run(run, language_of(request)))
    scales = _SCALES.get((run.folder, run.index.revision), lambda: given_scales(run))
    asked = read_asked(request.query_params, scores=[scale.name for scale in scales])
    count = run.index.count(asked.wanted)
    last = max(1, math.ceil(count / PER_PAGE))
    rows = run.index.rows(asked.wanted, sort=asked.sort, offset=(asked.page - 1) * PER_PAGE, limit=PER_PAGE)
    shown: dict[str, Any] = {
        "run": run.key,
        "asked": asked,
        "rows": [ListedItem(row, scales) for row in rows],
        "columns": scales[:MOST_COLUMNS],
        "count": count,
        "first": (asked.page - 1) * PER_PAGE + 1,
        "last_page": last,
    }
    if part == "items":
        return page(request, "item_rows.html.j2", **shown)
    facts = listed_run(run, language_of(request))
    choices = choices_of(run.labels(), asked)
    return page(request, "run.html.j2", one=facts, choices=choices, states=STATES, scales=scales, **shown)


def given_scales(run: ShelvedRun) -> list[ScoreScale]:
    """The scores that at least one item has a number for; the main one first."""
    scales = run.index.score_names()
    return [scale for scale in scales if run.index.has_numbers(scale.name)] or scales[:1]


class ListedItem:
    """A row of the list, with scores as templates show them."""

    def __init__(self, row: IndexedRow, scales: list[ScoreScale]) -> None:
        self.row = row
        self.scores = [_score(row.scores.get(scale.name), scale) for scale in scales[:MOST_COLUMNS]]


def _score(value: float | None, scale: ScoreScale) -> Score | None:
    if value is None:
        return None
    return Score(value, range=scale.range, higher_is_better=scale.higher_is_better, unit=scale.unit)


def choices_of(labels: Mapping[str, Mapping[str, int]], asked: Asked) -> dict[str, dict[str, int]]:
    """The labels that tell items apart, and those that are asked for anyway."""
    told = {key: dict(values) for key, values in labels.items() if len(values) > 1 or key in asked.labels}
    sharing = sorted(told, key=lambda key: (key not in asked.labels, max(told[key].values(), default=0) == 1))
    return {key: told[key] for key in sharing[:MOST_CHOICES]}


def _show_overview(request: Request, run: ShelvedRun) -> Response:
    language, card = language_of(request), run.trust()
    overview = _OVERVIEWS.get((run.folder, run.index.revision), lambda: make_overview(run))
    return page(
        request,
        "overview.html.j2",
        word=words(language, "report"),
        plot=overview.plot,
        groupings=overview.groupings,
        score=run.index.main_score(),
        run=run.key,
        other_keys=(),
        card=card,
        trust=trust_rows(card, language=language) if card is not None else [],
        agreement=agreement_rows(card, language=language) if card is not None else [],
        config=json_text(to_json(run.config)),
        no_card=message("view.no-trust-card"),
        signatures=run.index.signatures(),
    )


def make_overview(run: ShelvedRun) -> Overview:
    """Work out the distribution of the main score, and its means by label."""
    index, name = run.index, run.index.main_score()
    scale = next((one for one in index.score_names() if one.name == name), ScoreScale(name, None, None))
    states = index.states()
    column = ScoreColumn(
        items=sum(states.values()),
        values=array("d", index.values(name).tobytes()),
        not_needed=states.get("not-needed", 0),
        unit=scale.unit,
        ranges={scale.range},
    )
    keys = [key for key, values in run.labels().items() if 1 < len(values) <= MOST_GROUPS and max(values.values()) > 1]
    groupings = tuple(_grouping(run, key, scale) for key in keys[:MOST_CHOICES])
    return Overview(histogram(name, column), groupings)


def _grouping(run: ShelvedRun, key: str, scale: ScoreScale) -> Grouping:
    """Means by the values of a label, the best first; intervals are those of the normal distribution."""
    sums, held = run.index.groups(key, scale.name), run.labels()[key]
    groups = [Group(value, count, _mean(sums.get(value))) for value, count in held.items()]
    sign = 1.0 if scale.higher_is_better is False else -1.0
    groups.sort(key=lambda group: (not group.mean.is_defined, sign * group.mean.value if group.mean.is_defined else 0))
    ends = scale.range
    if ends is None and (seen := [group.mean.value for group in groups if group.mean.is_defined]):
        ends = min(seen), max(seen)
    return Grouping(key, tuple(groups), sum(run.index.states().values()) - sum(held.values()), ends)


def _mean(found: ScoreSummary | None) -> Estimate:
    if found is None:
        return normal_mean(0, math.nan, math.nan)
    return normal_mean(found.count, found.mean, found.deviation)
