"""What ``aptone build paras2s`` says, English and Mandarin side by side."""

from collections.abc import Mapping

from aptone.messages import words
from aptone.report.result_table import Column, ResultTable, TableCell
from aptone.rooms.answer.build.collect import Built
from aptone.rooms.answer.records import PUBLISHED_PROMPTS, Dimension, Source
from aptone.types import Language

_IN, _OUT = "sentences in", "sentences out"
_ORDER = ("candidates", "filters", "disjointness", "speech", "kept")


def counted(counts: Mapping[str, int], language: Language) -> str:
    """Counts with their names.

    >>> counted({"emotion": 2, "age": 1}, "en")
    'emotion 2, age 1'
    """
    word = words(language, "answer.build")
    return ("，" if language == "zh" else ", ").join(f"{word(name)} {count}" for name, count in counts.items())


def real_note(source: Source, count: int, *, language: Language) -> str:
    """How many lines of a corpus there are, beside how many the paper has.

    >>> real_note(Source.MELD, 781, language="en")
    'MELD: 781 lines, as published.'
    """
    word = words(language, "answer.build")
    published = PUBLISHED_PROMPTS[source, Dimension.EMOTION]
    name = "real_as_published" if count == published else "real_count"
    return word(name, corpus=word(source.value), count=count, published=published)


def built_table(built: Built, *, language: Language) -> ResultTable:
    """What went into each stage, what came out, and what became of the rest."""
    word = words(language, "answer.build")
    rows = []
    for stage in _ORDER:
        counts = dict(built.yields.get(stage, {}))
        given = counts.pop(_IN, None)
        left = counts.pop(_OUT, None)
        if stage == "candidates":
            left = counts.pop("sentences")
        if stage == "kept":
            left = sum(counts.values())
        if "unfinished" in counts:
            counts["unfinished count"] = counts.pop("unfinished")
        shown = {name: count for name, count in counts.items() if count or name.startswith("refused")}
        cells = [word(f"stage_{stage}"), _number(given), _number(left), counted(shown, language)]
        rows.append(tuple(TableCell(cell) for cell in cells))
    if built.real:
        cells = [word("stage_real"), "", str(sum(built.real.values())), counted(built.real, language)]
        rows.append(tuple(TableCell(cell) for cell in cells))
    columns = (Column(word("stage"), number=False), Column(word("in")), Column(word("out")))
    return ResultTable(word("stages"), (*columns, Column(word("details"), number=False, roomy=True)), tuple(rows))


def _number(count: int | None) -> str:
    return "" if count is None else str(count)
