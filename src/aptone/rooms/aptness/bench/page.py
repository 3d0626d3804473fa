"""The page of CEAEval's benchmark: tables, the paper's Figure 4 and Figure 2, and what must be known to trust them."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from aptone.messages import translate, words
from aptone.report.notation import UNDEFINED, duration, interval
from aptone.report.plots.counts import box_figure, count_figure
from aptone.report.plots.trend import MOST_SERIES, trend_figure
from aptone.report.result_table import Section, bench_page
from aptone.report.room_report import Figure
from aptone.rooms.aptness.bench.results import BenchResult, CellResult
from aptone.rooms.aptness.bench.statistics import SetStatistics
from aptone.rooms.aptness.bench.tables import cells_table, judges_table, main_table, paired_tables, planner_table
from aptone.types import Estimate, Language

REPORT, STATISTICS = "report.html", "statistics.html"


def ceaeval_page(result: BenchResult, *, language: Language = "en") -> str:
    """The benchmark as one HTML document."""
    word = words(language, "aptness.ceaeval")
    main, planner = main_table(result, language=language), planner_table(result, language=language)
    trends, tests = tuple(trend_figures(result, language=language)), tuple(paired_tables(result, language=language))
    sections = [
        Section(
            "main",
            word("main_proxy" if result.proxy else "main"),
            intro=word("brackets"),
            tables=(main,) if main else (),
        ),
        Section("trends", word("trends"), intro=word("trends_intro"), figures=trends, wide=True),
        Section("planner", word("planner"), tables=(planner,) if planner else ()),
        Section("tests", word("tests"), intro=word("tests_intro"), tables=tests),
        Section("judges", word("judges"), tables=(judges_table(result, language=language),)),
        _set_section(result.statistics, result.source, result.ceiling, language),
        Section("cells", word("cells"), tables=(cells_table(result, language=language),), folded=True),
    ]
    byline = word(
        "byline",
        lines=result.statistics.rated,
        judges=len(result.judges),
        cells=len(result.cells),
        wanted=result.cells_wanted,
        seed=result.seed,
    )
    notes = result_notes(result, language=language)
    title = page_title(result.source, language)
    return bench_page(title, byline=byline, notes=notes, sections=sections, version=result.version, language=language)


def statistics_page(
    statistics: SetStatistics, *, source: str, ceiling: Mapping[str, Estimate], version: str, language: Language = "en"
) -> str:
    """Statistics of a set as one HTML document, for a set that no judge has scored yet."""
    byline = words(language, "aptness.ceaeval")("rated_of", rated=statistics.rated, lines=statistics.lines)
    section, title = _set_section(statistics, source, ceiling, language), page_title(source, language)
    return bench_page(title, byline=byline, notes=(), sections=[section], version=version, language=language)


def _set_section(
    statistics: SetStatistics, source: str, ceiling: Mapping[str, Estimate], language: Language
) -> Section:
    facts = set_facts(statistics, source=source, ceiling=ceiling, language=language)
    figures = tuple(set_figures(statistics, language=language))
    return Section("set", words(language, "aptness.ceaeval")("set"), facts=facts, figures=figures)


def page_title(source: str, language: Language) -> str:
    """The heading of a page about a set."""
    word = words(language, "aptness.ceaeval")
    return word("title", source=Path(source).name or word("untitled"))


def result_notes(result: BenchResult, *, language: Language = "en") -> list[str]:
    """Return the notes that belong above the results."""
    word = words(language, "aptness.ceaeval")
    notes = [word("note_proxy")] if result.proxy else []
    if result.stopped:
        notes.append(word("note_stopped", why=translate(result.stopped, language)))
    if unrated := result.statistics.lines - result.statistics.rated:
        notes.append(word("note_unrated", count=unrated))
    if any(judge.language_means for judge in result.judges):
        notes.append(word("note_language"))
    said: dict[str, list[str]] = {}
    for judge in result.judges:
        licence = [word("note_licence", licence=translate(judge.licence, language))] if judge.licence else []
        for note in [*(translate(note, language) for note in judge.notes), *licence]:
            said.setdefault(note, []).append(judge.name)
    comma = "、" if language == "zh" else ", "
    return notes + [word("note_judge", judge=comma.join(names), note=note) for note, names in said.items()]


def trend_figures(result: BenchResult, *, language: Language = "en") -> list[Figure]:
    """Like the paper's Figure 4: LCC and ACC against the context size, a line a judge, a drawing a kind of condition.

    The given plan, which has no context size, stands apart on the right of the drawing for plans.
    """
    word = words(language, "aptness.ceaeval")
    cells = result.chosen
    kinds = dict.fromkeys(
        (cell.condition.guide, cell.condition.reasoning) for cell in cells if cell.condition.context_size is not None
    )
    figures: list[Figure | None] = []
    for guide, reasoning in kinds:
        shown = [
            cell
            for cell in cells
            if cell.condition.reasoning == reasoning
            and (cell.condition.guide == guide or (guide == "plan" and cell.condition.guide == "given"))
        ]
        for statistic in ("LCC", "ACC"):
            bare = {"statistic": statistic, "guide": word(guide)}
            title = word("trend_bare", **bare)
            if reasoning is not None:
                title = word("trend_title", reasoning=word("cot_with" if reasoning else "cot_without"), **bare)
            figures += _trends(title, shown, statistic, result, language)
    return [figure for figure in figures if figure is not None]


def _trends(
    title: str, cells: Sequence[CellResult], statistic: str, result: BenchResult, language: Language
) -> list[Figure | None]:
    word = words(language, "aptness.ceaeval")
    sizes = sorted({size for cell in cells if (size := cell.condition.context_size) is not None})
    given = [word("given")] if any(cell.condition.context_size is None for cell in cells) else []
    series: dict[str, dict[str, Estimate]] = {}
    for cell in cells:
        place = word("given") if cell.condition.context_size is None else str(cell.condition.context_size)
        series.setdefault(cell.judge, {})[place] = cell.lcc if statistic == "LCC" else cell.acc
    ceiling = result.ceiling.get(statistic)
    names = list(series)
    parts = [names[start : start + MOST_SERIES] for start in range(0, len(names), MOST_SERIES)]
    return [
        trend_figure(
            title if len(parts) == 1 else word("part_of", title=title, part=number),
            {name: series[name] for name in part},
            places=[*map(str, sizes), *given],
            apart=given,
            x_label=word("cts"),
            y_label=statistic,
            ceiling=ceiling.value if ceiling is not None else math.nan,
            ceiling_label=word("ceiling"),
        )
        for number, part in enumerate(parts, start=1)
    ]


def set_facts(
    statistics: SetStatistics, *, source: str, ceiling: Mapping[str, Estimate], language: Language = "en"
) -> dict[str, str]:
    """The set in short answers."""
    word = words(language, "aptness.ceaeval")
    facts = {word("source"): source} if source else {}
    facts[word("rated_lines")] = word("rated_of", rated=statistics.rated, lines=statistics.lines)
    if statistics.raters:
        facts[word("raters")] = str(statistics.raters)
    if ceiling:
        facts[word("agreement")] = " · ".join(
            f"{name} {one.value:.2f} {interval(one)}".removesuffix(f" {UNDEFINED}")
            for name, one in ceiling.items()
            if one.is_defined
        )
    seconds = statistics.seconds
    if seconds.count:
        facts[word("durations")] = word(
            "durations_are",
            total=duration(seconds.mean * seconds.count),
            median=duration(seconds.median),
            least=duration(seconds.least),
            most=duration(seconds.most),
        )
    if statistics.unreadable:
        unread = word("unreadable", count=statistics.unreadable)
        facts[word("durations")] = " · ".join(filter(None, [facts.get(word("durations"), ""), unread]))
    if statistics.passed_over:
        facts[word("passed_over")] = ", ".join(f"{name} ({count})" for name, count in statistics.passed_over.items())
    return facts


def set_figures(statistics: SetStatistics, *, language: Language = "en") -> list[Figure]:
    """Like the paper's Figure 2: characters of context against CTS, scores, and the classes of each dimension."""
    word = words(language, "aptness.ceaeval")
    boxes = [
        (size, (spread.least, spread.low, spread.median, spread.high, spread.most))
        for size, spread in statistics.context_characters.items()
        if spread.count
    ]
    figures = [
        box_figure(
            word("characters_plot"),
            sorted(boxes, key=lambda box: int(box[0])),
            x_label=word("cts"),
            y_label=word("characters"),
            note=word("characters_note"),
        ),
        count_figure(word("scores_plot"), statistics.bands, others=word("other_classes")),
    ]
    for name, counted in statistics.classes.items():
        said = [word("as_planned")] if counted.planned else []
        if counted.unanswered:
            said.append(word("unanswered", count=counted.unanswered))
        figures.append(count_figure(word(name), counted.counts, others=word("other_classes"), note=" ".join(said)))
    return [figure for figure in figures if figure is not None]
