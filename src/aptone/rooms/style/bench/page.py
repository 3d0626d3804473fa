"""S3Bench's tables, for the terminal and for a page: the paper's Tables 2 and 3 and Figure 2, and what it has not."""

import math
from collections.abc import Sequence
from pathlib import Path

from aptone.messages import translate, words
from aptone.report.plots.counts import count_figure
from aptone.report.result_table import Column, ResultTable, Section, TableCell, bench_page, estimate_cell, with_best
from aptone.rooms.style.bench.s3bench import ModelRow, S3Result
from aptone.rooms.style.score import Agreement, Correlations
from aptone.types import Language

REPORT = "report.html"
STATISTICS = {"pearson": "Pearson", "spearman": "Spearman", "kendall": "Kendall τ"}


def main_tables(result: S3Result, *, language: Language) -> list[ResultTable]:
    """The paper's Table 3 with the mean of all ratings, and the same with trimmed means."""
    word = words(language, "style")
    if not result.rows:
        return []
    return [
        _correlations(word("raw"), [(row, row.raw) for row in result.rows], language),
        _correlations(word("trimmed"), [(row, row.trimmed) for row in result.rows], language),
    ]


def agreement_table(result: S3Result, *, language: Language) -> ResultTable | None:
    """The paper's Table 2; ``None`` without several ratings of a pair."""
    return alpha_table(result.agreement, language=language)


def alpha_table(agreement: Sequence[Agreement], *, language: Language) -> ResultTable | None:
    """The agreement of raters, raw and trimmed, for all pairs and each language; ``None`` if nothing is known of it."""
    word = words(language, "style")
    if not agreement:
        return None
    levels = list(dict.fromkeys(one.level for one in agreement))
    columns = [Column(word("part"), number=False)]
    columns += [Column(word(f"alpha_{kind}"), word(level)) for level in levels for kind in ("raw", "trimmed")]
    rows = []
    for name in dict.fromkeys(one.language for one in agreement):
        found = {one.level: one for one in agreement if one.language == name}
        cells = [estimate_cell(estimate) for level in levels for estimate in (found[level].raw, found[level].trimmed)]
        rows.append((TableCell(word(name)), *cells))
    return ResultTable(word("agreement"), tuple(columns), tuple(rows))


def retrieval_table(result: S3Result, *, language: Language) -> ResultTable | None:
    """R@k both ways; ``None`` if nothing belongs together."""
    word = words(language, "style")
    if not result.retrieval:
        return None
    names = list(result.retrieval[0].to_clip)
    columns = [Column(word("model"), number=False)]
    columns += [Column(name, word(way)) for way in ("to_clip", "to_description") for name in names]
    rows = []
    for row in result.retrieval:
        cells = [estimate_cell(way[name]) for way in (row.to_clip, row.to_description) for name in names]
        rows.append((TableCell(row.name), *cells))
    return ResultTable(word("retrieval"), tuple(columns), with_best(rows, range(1, len(columns))))


def classification_table(result: S3Result, *, language: Language) -> ResultTable | None:
    """Weighted accuracy and unweighted recall by prompts; ``None`` where nothing was classified."""
    word = words(language, "style")
    if not result.classification:
        return None
    columns = (
        Column(word("model"), number=False),
        Column(word("labelled"), number=False),
        Column(word("classes")),
        Column(word("clips")),
        *(Column(name, word(way)) for way in ("alone", "together") for name in ("WA", "UAR")),
    )
    rows = tuple(
        (
            TableCell(row.name),
            TableCell(row.labelled),
            TableCell(str(row.classes)),
            TableCell(str(row.found.accuracy.count)),
            *(estimate_cell(each) for found in (row.found, row.together) for each in (found.accuracy, found.recall)),
        )
        for row in result.classification
    )
    return ResultTable(word("classification"), columns, rows)


def result_notes(result: S3Result, *, language: Language) -> list[str]:
    """Return the notes that a reader needs first."""
    word = words(language, "style")
    notes = []
    if result.rows and result.rated < result.pairs:
        notes.append(word("note_unrated", count=result.pairs - result.rated))
    for scored in result.rows or result.retrieval:
        for why, count in scored.unscored.items():
            notes.append(word("note_unscored", model=scored.name, count=count, why=translate(why, language)))
    for row in result.rows:
        said = [translate(note, language) for note in row.notes]
        said += [word("note_licence", licence=translate(row.licence, language))] if row.licence else []
        notes += [word("note_model", model=row.name, note=note) for note in said]
    return notes


def s3bench_page(result: S3Result, *, language: Language) -> str:
    """The benchmark as one HTML document."""
    word = words(language, "style")
    agreement, retrieval = agreement_table(result, language=language), retrieval_table(result, language=language)
    classified = classification_table(result, language=language)
    levels = count_figure(word("levels"), result.levels, others=word("others", count="{count}"))
    found = word("retrieval_unrated") if math.isnan(result.matching) else word("retrieval_intro", least=result.matching)
    sections = [
        Section("main", word("main"), intro=word("main_intro"), tables=tuple(main_tables(result, language=language))),
        Section("retrieval", word("retrieval"), intro=found, tables=(retrieval,) if retrieval else ()),
        Section(
            "classification",
            word("classification"),
            intro=word("classification_intro"),
            tables=(classified,) if classified else (),
        ),
        Section(
            "agreement", word("agreement"), intro=word("agreement_intro"), tables=(agreement,) if agreement else ()
        ),
        Section("set", word("set"), facts=_facts(result, language), figures=(levels,) if levels else ()),
    ]
    return bench_page(
        word("s3bench", source=Path(result.source).name),
        byline=word("s3_byline", pairs=result.pairs, rated=result.rated, models=len(_names(result)), seed=result.seed),
        notes=result_notes(result, language=language),
        sections=sections,
        version=result.version,
        language=language,
    )


def _names(result: S3Result) -> set[str]:
    scored = {row.name for row in result.rows if row.kind != "random"}
    return scored | {row.name for row in result.retrieval} | {row.name for row in result.classification}


def _facts(result: S3Result, language: Language) -> dict[str, str]:
    word = words(language, "style")
    facts = {word("source"): result.source, word("pairs"): str(result.pairs)}
    facts[word("languages")] = " · ".join(f"{name} {count}" for name, count in result.languages.items())
    if result.ratings:
        facts[word("ratings")] = word("ratings_are", ratings=result.ratings, raters=result.raters)
    return facts


def _correlations(
    title: str, given: Sequence[tuple[ModelRow, Sequence[Correlations]]], language: Language
) -> ResultTable:
    word = words(language, "style")
    parts = [one.language for one in given[0][1]]
    columns = [Column(word("model"), number=False)]
    columns += [Column(word(part), shown) for shown in STATISTICS.values() for part in parts]
    with_gaps = any(row.unscored for row, _ in given)
    columns += [Column(word("unscored_pairs"))] if with_gaps else []
    rows = []
    for row, found in given:
        cells = [estimate_cell(getattr(one, name)) for name in STATISTICS for one in found]
        cells += [TableCell(str(sum(row.unscored.values())))] if with_gaps else []
        rows.append((TableCell(row.name), *cells))
    return ResultTable(title, tuple(columns), with_best(rows, range(1, len(columns) - with_gaps)))
