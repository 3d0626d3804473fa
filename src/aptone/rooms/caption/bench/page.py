"""The tables and the page of EmoSURA's comparison of caption metrics."""

import math
from collections.abc import Iterable, Sequence
from importlib.metadata import version

import numpy as np

from aptone.messages import translate, words
from aptone.report.notation import UNDEFINED
from aptone.report.plots.counts import box_figure
from aptone.report.plots.points import Place, points_figure, round_step
from aptone.report.result_table import (
    Column,
    ResultTable,
    Section,
    TableCell,
    bench_page,
    estimate_cell,
    percent_cell,
    with_best,
)
from aptone.report.room_report import Figure
from aptone.rooms.caption.bench.emosura import Comparison, kind_of
from aptone.rooms.caption.bench.four_captions import Kind
from aptone.rooms.caption.bench.rivals import MetricScores
from aptone.types import Language

REPORT, RESULTS = "report.html", "results.json"
QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


def agreement_table(compared: Comparison, *, language: Language = "en") -> ResultTable:
    """Like the paper's Table 1, with intervals; metrics that could not run have no numbers."""
    word = words(language, "caption.emosura")
    rows = [
        (
            TableCell(result.name),
            *map(estimate_cell, (result.pearson, result.kendall, result.samplewise)),
            percent_cell(result.pairs),
            estimate_cell(result.length),
            TableCell(str(result.scored)),
        )
        for result in compared.results
    ]
    names = ("Pearson", "Kendall τ", *map(word, ("samplewise", "pairs", "length", "scored")))
    columns = (Column(word("metric"), number=False), *map(Column, names))
    note = word("table_note") + (" " + word("people_length") if compared.by_people else "")
    return ResultTable(word("table"), columns, with_best(rows, (1, 2, 3, 4)), note)


def kinds_table(compared: Comparison, *, language: Language = "en") -> ResultTable | None:
    """Mean scores by kind of caption; ``None`` where kinds are not known."""
    word = words(language, "caption.emosura")
    kinds = [kind for kind in Kind if any(kind.value in result.means for result in compared.results)]
    if not kinds:
        return None
    rows = tuple(
        (
            TableCell(result.name),
            *(
                TableCell(f"{result.means[kind.value]:.3f}" if kind.value in result.means else UNDEFINED)
                for kind in kinds
            ),
            estimate_cell(result.apart, digits=3),
            percent_cell(result.near),
        )
        for result in compared.results
    )
    columns = (
        Column(word("metric"), number=False),
        *(Column(kind.label(language)) for kind in kinds),
        Column(word("apart")),
        Column(word("near")),
    )
    return ResultTable(word("kinds_table"), columns, rows, word("kinds_note"))


def result_notes(compared: Comparison, *, language: Language = "en") -> list[str]:
    """Return the notes to read first: whose order it is, and which metrics could not run and why."""
    word = words(language, "caption.emosura")
    notes = [] if compared.by_people else [word("order_note")]
    return notes + [
        word("could_not", name=result.name, why=translate(result.reason, language))
        for result in compared.results
        if result.reason
    ]


def emosura_page(compared: Comparison, *, notes: Sequence[str] = (), language: Language = "en") -> str:
    """The whole comparison as one HTML file, with notes on how its captions came about."""
    word = words(language, "caption.emosura")
    tables = [agreement_table(compared, language=language), kinds_table(compared, language=language)]
    ran = [one for one in compared.scores if any(map(math.isfinite, one.values))]
    scatter = [_scatter(one, compared, language) for one in ran] if compared.by_people else []
    return bench_page(
        word("title", ratings=word("people" if compared.by_people else "order")),
        byline=word("byline", captions=len(compared.samples), clips=compared.clips),
        notes=[*result_notes(compared, language=language), *notes],
        sections=[
            Section("agreement", word("table"), tables=tuple(table for table in tables if table is not None)),
            Section(
                "distributions",
                word("distributions"),
                intro=word("distributions_intro"),
                figures=_drawn(_boxes(one, compared, language) for one in ran),
                wide=True,
            ),
            Section("scatter", word("scatter"), figures=_drawn(scatter), wide=True),
            Section(
                "lengths",
                word("lengths"),
                intro=word("lengths_intro"),
                figures=_drawn(_lengths(one, compared, language) for one in ran),
                wide=True,
            ),
        ],
        version=version("aptone"),
        language=language,
    )


def _drawn(figures: Iterable[Figure | None]) -> tuple[Figure, ...]:
    return tuple(figure for figure in figures if figure is not None)


def _by_kind(compared: Comparison, language: Language) -> dict[str, list[int]]:
    """Places of captions by the name of their kind; all under one name where kinds are not known."""
    groups: dict[str, list[int]] = {}
    for place, sample in enumerate(compared.samples):
        kind = kind_of(sample)
        name = words(language, "caption.emosura")("all_captions") if kind is None else kind.label(language)
        groups.setdefault(name, []).append(place)
    return groups


def _boxes(metric: MetricScores, compared: Comparison, language: Language) -> Figure | None:
    word = words(language, "caption.emosura")
    boxes = []
    for name, places in _by_kind(compared, language).items():
        own = [metric.values[place] for place in places if math.isfinite(metric.values[place])]
        if own:
            boxes.append((name, [float(number) for number in np.quantile(own, QUARTILES)]))
    top = max((numbers[-1] for _, numbers in boxes), default=0.0)
    least = round_step(top / 4) if top > 0 else 1.0
    return box_figure(metric.name, boxes, x_label="", y_label=word("score"), top=math.ceil(top / least) * least or 1.0)


def _scatter(metric: MetricScores, compared: Comparison, language: Language) -> Figure | None:
    word = words(language, "caption.emosura")
    places = [
        Place(sample.human_score, value, sample.id)
        for sample, value in zip(compared.samples, metric.values, strict=True)
    ]
    return points_figure(metric.name, {"": places}, x_label=word("rating"), y_label=word("score"), fitted=True)


def _lengths(metric: MetricScores, compared: Comparison, language: Language) -> Figure | None:
    word = words(language, "caption.emosura")
    groups = {
        name: [
            Place(float(len(compared.samples[place].caption)), metric.values[place], compared.samples[place].id)
            for place in places
        ]
        for name, places in _by_kind(compared, language).items()
        if compared.by_people or name != Kind.SABOTAGED.label(language)
    }
    return points_figure(metric.name, groups, x_label=word("characters"), y_label=word("score"), fitted=True)
