"""The tables of a run over answers, for the terminal and for the report."""

import math
from collections.abc import Sequence

from aptone.messages import message, translate, words
from aptone.report.notation import UNDEFINED, named
from aptone.report.result_table import Column, ResultTable, TableCell, estimate_cell, percent_cell, with_best
from aptone.rooms.answer.bench.validation import REPORTED_CORRELATIONS, PeopleCheck
from aptone.rooms.answer.data import CATEGORIES, Dimension, Source
from aptone.rooms.answer.report.results import AnswerResults, SystemResult
from aptone.rooms.answer.score import OVERALL, PARTS, PairMeasure
from aptone.types import Estimate, Language

BETWEEN = {"en": ", ", "zh": "、"}
CORPORA = {Source.IEMOCAP.value: "IEMOCAP", Source.MELD.value: "MELD"}
NOTHING = Estimate(float("nan"), reason=message("answer.none"))


def part_name(part: str, language: Language) -> str:
    """A part of the benchmark, or all of it, as people call it."""
    return words(language, "answer")("all") if part == OVERALL else CORPORA.get(part) or named(part, language)


def systems_table(results: AnswerResults, *, language: Language = "en") -> ResultTable:
    """The systems: a column for each part, the average, and the contrast pairs."""
    word = words(language, "answer")
    parts = [part for part in PARTS if any(part in system.average.parts for system in results.systems)]
    with_gaps = any(system.scored < system.asked for system in results.systems)
    with_pairs = any(system.margins for system in results.systems)
    columns = [Column(word("system"), number=False), Column(word("answers"))]
    columns += [Column(part_name(part, language)) for part in parts]
    columns += [Column(word("average"))]
    columns += [Column(word("worst_case"))] if with_gaps else []
    columns += [Column(word("pairs_won")), Column(word("margin"))] if with_pairs else []
    rows = []
    for system in results.systems:
        cells = [TableCell(system.name), TableCell(_answers(system, language))]
        cells += [estimate_cell(system.average.parts.get(part, NOTHING)) for part in parts]
        cells += [estimate_cell(system.average.value)]
        cells += [estimate_cell(system.worst_case)] if with_gaps else []
        if with_pairs:
            cells += [percent_cell(system.pairs[OVERALL].won), estimate_cell(system.pairs[OVERALL].margin, signed=True)]
        rows.append(tuple(cells))
    missing = [part_name(part, language) for part in PARTS if part not in parts]
    absent = word("not_there", names=BETWEEN[language].join(missing)) if missing else ""
    note = " ".join(filter(None, (word("systems_note"), absent)))
    return ResultTable(word("systems"), tuple(columns), with_best(rows, range(2, len(columns))), note)


def categories_table(results: AnswerResults, *, language: Language = "en") -> ResultTable | None:
    """Mean fitness by speaking style; ``None`` where nothing was judged."""
    word = words(language, "answer")
    order = [name for dimension in Dimension for name in CATEGORIES[dimension]]
    found = {key for system in results.systems for key in system.categories}
    keys = sorted(found, key=lambda key: (PARTS.index(key[0]), order.index(key[1])))
    if not keys:
        return None
    columns = (
        Column(word("system"), number=False),
        *(Column(named(category, language), group=part_name(part, language)) for part, category in keys),
    )
    rows = [
        (TableCell(system.name), *(estimate_cell(system.categories.get(key, NOTHING)) for key in keys))
        for system in results.systems
    ]
    return ResultTable(word("categories"), columns, with_best(rows, range(1, len(columns))))


def pairs_table(results: AnswerResults, *, language: Language = "en") -> ResultTable | None:
    """The pair measure by dimension; ``None`` where there are no contrast pairs."""
    word = words(language, "answer")
    rows = [
        (TableCell(system.name), TableCell(part_name(name, language)), *_pair_cells(measure))
        for system in results.systems
        for name, measure in system.pairs.items()
        if system.margins
    ]
    if not rows:
        return None
    names = ("system", "dimension", "counted", "won", "tied", "lost", "margin", "changed")
    columns = tuple(Column(word(name), number=place >= 2) for place, name in enumerate(names))
    return ResultTable(word("pairs"), columns, tuple(rows), word("pairs_note"))


def compared_table(results: AnswerResults, *, language: Language = "en") -> ResultTable | None:
    """Every two systems on the contrast pairs; ``None`` where there is nothing to compare."""
    word = words(language, "answer")
    if not results.compared:
        return None
    names = ("first", "second", "first_larger", "second_larger", "tied", "difference")
    columns = tuple(Column(word(name), number=place >= 2) for place, name in enumerate(names))
    rows = tuple(
        (
            TableCell(one.first),
            TableCell(one.second),
            percent_cell(one.pairs.first),
            TableCell(str(one.pairs.second_larger)),
            TableCell(str(one.pairs.ties)),
            estimate_cell(one.pairs.difference, signed=True),
        )
        for one in results.compared
    )
    return ResultTable(word("compared"), columns, rows, word("compared_note"))


def people_table(results: AnswerResults, *, language: Language = "en") -> ResultTable | None:
    """Agreement with people by part, with its ceiling; ``None`` where nobody rated."""
    word = words(language, "answer")
    if not results.people:
        return None
    judge, ceiling = word("judge_people"), word("ceiling")
    statistics = (("Pearson", judge), ("Spearman", judge), ("Pearson", ceiling), ("ICC(2,1)", ceiling))
    columns = (
        *(Column(word(name), number=name != "part") for name in ("part", "rated", "raters")),
        *(Column(name, group=group) for name, group in statistics),
        Column(word("reported")),
    )
    rows = tuple(_people_row(name, check, language) for name, check in results.people.items())
    return ResultTable(word("people"), columns, rows, word("people_note"))


def checks_table(results: AnswerResults, *, language: Language = "en") -> ResultTable | None:
    """Values that were to be reproduced, and the style-blind system; ``None`` where nothing was to be checked."""
    word = words(language, "answer")
    rows: list[tuple[TableCell, ...]] = []
    for name, one in results.reproductions.items():
        is_known = not math.isnan(one.difference)
        verdict = word("reproduced" if one.is_reproduced else "not_reproduced" if is_known else "not_decided")
        if is_known and one.missing:
            missing = BETWEEN[language].join(part_name(part, language) for part in one.missing)
            verdict += word("another_average", names=missing)
        known = TableCell(word("within", value=f"{one.expected:g}", within=f"{one.within:g}"))
        named_cell = TableCell(word("reproduction", name=name))
        rows.append((named_cell, known, estimate_cell(one.measured), TableCell(verdict)))
    for name, check in results.blind.items():
        pairs = check.pairs
        count = pairs.first_larger + pairs.second_larger + pairs.ties
        counts = word("larger_in", first=pairs.first_larger, all=count, second=pairs.second_larger)
        verdict = word("passed" if check.is_passed else "not_passed" if count else "not_decided")
        rows.append(tuple(map(TableCell, (word("beats_blind", name=name), word("more_pairs"), counts, verdict))))
    if not rows:
        return None
    columns = tuple(Column(word(name), number=False) for name in ("check", "expected", "measured", "verdict"))
    return ResultTable(word("checks"), columns, tuple(rows))


def result_tables(results: AnswerResults, *, language: Language = "en") -> list[ResultTable]:
    """All tables that there is something to say in, the systems first."""
    tables = (
        systems_table(results, language=language),
        pairs_table(results, language=language),
        compared_table(results, language=language),
        categories_table(results, language=language),
        people_table(results, language=language),
        checks_table(results, language=language),
    )
    return [table for table in tables if table is not None]


def result_notes(systems: Sequence[SystemResult], *, language: Language = "en") -> list[str]:
    """Return a note for each reason why a system's means leave answers or pairs out."""
    word = words(language, "answer")
    notes = []
    for system in systems:
        for reason, count in system.unscored.items():
            notes.append(word("note_unscored", system=system.name, count=count, why=translate(reason, language)))
        for reason, count in system.pairs[OVERALL].undefined.items():
            notes.append(word("note_pairs", system=system.name, count=count, why=translate(reason, language)))
    return notes


def _answers(system: SystemResult, language: Language) -> str:
    if system.scored == system.asked:
        return str(system.asked)
    return words(language, "answer")("of", scored=system.scored, asked=system.asked)


def _pair_cells(measure: PairMeasure) -> tuple[TableCell, ...]:
    return (
        TableCell(str(measure.pairs)),
        percent_cell(measure.won),
        TableCell(str(measure.ties)),
        TableCell(str(measure.lost)),
        estimate_cell(measure.margin, signed=True),
        percent_cell(measure.changed),
    )


def _people_row(name: str, check: PeopleCheck, language: Language) -> tuple[TableCell, ...]:
    reported = REPORTED_CORRELATIONS.get(name)
    return (
        TableCell(part_name(name, language)),
        TableCell(str(check.rated)),
        TableCell(str(check.raters)),
        estimate_cell(check.agreement.get("LCC", NOTHING)),
        estimate_cell(check.agreement.get("Spearman", NOTHING)),
        estimate_cell(check.ceiling.get("LCC", NOTHING)),
        estimate_cell(check.ceiling.get("ICC(2,1)", NOTHING)),
        TableCell(UNDEFINED if reported is None else f"{reported:.2f}"),
    )
