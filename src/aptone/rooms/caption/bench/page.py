"""The tables and the page of EmoSURA's comparison of caption metrics."""

import math
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version

import numpy as np

from aptone.report.bench_page import Section, bench_page
from aptone.report.figures import Figure
from aptone.report.numbers import UNDEFINED
from aptone.report.phrase import Phrase
from aptone.report.plots.counts import box_figure
from aptone.report.plots.points import Place, points_figure, round_step
from aptone.report.result_table import Column, ResultTable, TableCell, estimate_cell, percent_cell, with_best
from aptone.report.told import told
from aptone.report.words import words
from aptone.rooms.caption.bench.emosura import Comparison, kind_of
from aptone.rooms.caption.bench.four_captions import Kind
from aptone.rooms.caption.bench.rivals import MetricScores
from aptone.types import Language

REPORT, RESULTS = "report.html", "results.json"
QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
PHRASES: Mapping[str, Phrase] = {
    "title": Phrase("Caption metrics against {ratings}", "描述指标与{ratings}的比较"),
    "people": Phrase("people", "人工评分"),
    "order": Phrase("a known order", "已知次序"),
    "byline": Phrase("{captions} captions of {clips} recordings", "{clips} 段录音的 {captions} 条描述"),
    "table": Phrase("Agreement", "一致性"),
    "metric": Phrase("metric", "指标"),
    "samplewise": Phrase("sample-wise τ", "样本内 τ"),
    "pairs": Phrase("pairs right %", "次序正确 %"),
    "length": Phrase("with length ρ", "与长度 ρ"),
    "scored": Phrase("captions", "描述数"),
    "table_note": Phrase(
        "Brackets, in the report, are 95 % intervals (bootstrap over recordings). Pairs right: of two captions of one "
        "recording with different ratings, how often the better one scores higher; a tie counts half. With length: "
        "rank correlation of score and characters over captions that are equally right; 0 is best.",
        "报告中方括号内为 95 % 区间（按录音自助抽样）。次序正确：同一录音的两条描述评分不同时，"
        "较好者得分较高的比例，平局计半。与长度：同样正确的描述中得分与字符数的秩相关，0 为最佳。",
    ),
    "people_length": Phrase("With length is over all captions here.", "此处“与长度”包含全部描述。"),
    "order_note": Phrase(
        "Nobody rated these captions: true, long and concise ones are equally right, sabotaged ones are not. τ-b "
        "counts the three as ties, so a metric that scores them differently cannot reach 1.",
        "这些描述没有人工评分：属实、冗长和简短的同样正确，被篡改的不正确。"
        "τ-b 将前三者视为平局，因此对其打分不一的指标达不到 1。",
    ),
    "could_not": Phrase("{name} could not run: {why}", "{name} 无法运行：{why}"),
    "kinds_table": Phrase("Mean score by kind of caption", "各类描述的平均得分"),
    "apart": Phrase("long − concise", "冗长 − 简短"),
    "near": Phrase("within 0.05 %", "相差 0.05 内 %"),
    "kinds_note": Phrase(
        "Long − concise: mean distance between both scores of a recording, CIDEr and SPIDEr brought to 0–1.",
        "冗长 − 简短：同一录音两者得分的平均距离，CIDEr 与 SPIDEr 换算到 0–1。",
    ),
    "distributions": Phrase("Distributions", "分布"),
    "distributions_intro": Phrase(
        "Least, quartiles and most of each metric, by kind of caption.", "各指标按描述类别的最小值、四分位数和最大值。"
    ),
    "all_captions": Phrase("all captions", "全部描述"),
    "scatter": Phrase("Against people", "与人工评分"),
    "rating": Phrase("people's rating", "人工评分"),
    "score": Phrase("score", "得分"),
    "lengths": Phrase("Dependence on length", "对长度的依赖"),
    "lengths_intro": Phrase(
        "A line that rises or falls means that the metric goes by how long a caption is.",
        "上升或下降的直线表示该指标受描述长度影响。",
    ),
    "characters": Phrase("characters", "字符数"),
}


def agreement_table(compared: Comparison, *, language: Language = "en") -> ResultTable:
    """Like the paper's Table 1, with intervals; metrics that could not run have no numbers."""
    word = words(language, PHRASES)
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
    columns = (
        Column(word("metric"), number=False),
        Column("Pearson"),
        Column("Kendall τ"),
        Column(word("samplewise")),
        Column(word("pairs")),
        Column(word("length")),
        Column(word("scored")),
    )
    note = word("table_note") + (" " + word("people_length") if compared.by_people else "")
    return ResultTable(word("table"), columns, with_best(rows, (1, 2, 3, 4)), note)


def kinds_table(compared: Comparison, *, language: Language = "en") -> ResultTable | None:
    """Mean scores by kind of caption; ``None`` where kinds are not known."""
    word = words(language, PHRASES)
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
    """What must be read first: whose order it is, and which metrics could not run and why."""
    word = words(language, PHRASES)
    notes = [] if compared.by_people else [word("order_note")]
    return notes + [
        word("could_not", name=result.name, why=told(result.reason, language))
        for result in compared.results
        if result.reason
    ]


def emosura_page(compared: Comparison, *, notes: Sequence[str] = (), language: Language = "en") -> str:
    """The whole comparison as one HTML file, with notes on how its captions came about."""
    word = words(language, PHRASES)
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
        name = words(language, PHRASES)("all_captions") if kind is None else kind.label(language)
        groups.setdefault(name, []).append(place)
    return groups


def _boxes(metric: MetricScores, compared: Comparison, language: Language) -> Figure | None:
    word = words(language, PHRASES)
    boxes = []
    for name, places in _by_kind(compared, language).items():
        own = [metric.values[place] for place in places if math.isfinite(metric.values[place])]
        if own:
            boxes.append((name, [float(number) for number in np.quantile(own, QUARTILES)]))
    top = max((numbers[-1] for _, numbers in boxes), default=0.0)
    least = round_step(top / 4) if top > 0 else 1.0
    return box_figure(metric.name, boxes, x_label="", y_label=word("score"), top=math.ceil(top / least) * least or 1.0)


def _scatter(metric: MetricScores, compared: Comparison, language: Language) -> Figure | None:
    word = words(language, PHRASES)
    places = [
        Place(sample.human_score, value, sample.id)
        for sample, value in zip(compared.samples, metric.values, strict=True)
    ]
    return points_figure(metric.name, {"": places}, x_label=word("rating"), y_label=word("score"), fitted=True)


def _lengths(metric: MetricScores, compared: Comparison, language: Language) -> Figure | None:
    word = words(language, PHRASES)
    groups = {
        name: [
            Place(float(len(compared.samples[place].caption)), metric.values[place], compared.samples[place].id)
            for place in places
        ]
        for name, places in _by_kind(compared, language).items()
        if compared.by_people or name != Kind.SABOTAGED.label(language)
    }
    return points_figure(metric.name, groups, x_label=word("characters"), y_label=word("score"), fitted=True)
