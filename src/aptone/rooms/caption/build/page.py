"""SURABench's distribution, drawn: where its recordings lie in valence and arousal, and how they came to be picked."""

from collections.abc import Sequence
from importlib.metadata import version

from aptone.messages import words
from aptone.report.bench_page import Section, bench_page
from aptone.report.plots.plane import PlanePoint, plane_figure
from aptone.report.result_table import Column, ResultTable, TableCell
from aptone.rooms.caption.build.ratings import HIGHEST, LOWEST
from aptone.rooms.caption.build.selection import SelectionSettings
from aptone.rooms.caption.build.surabench import Built, Picked
from aptone.types import Language

PAGE = "distribution.html"


def distribution_page(built: Built, settings: SelectionSettings, *, language: Language = "en") -> str:
    """The page of a benchmark: the plane, the yields, and how many recordings each quadrant has."""
    word = words(language, "caption.build")
    points = [PlanePoint(clip.valence, clip.arousal, clip.dominance, clip.id) for clip in built.clips]
    plane = plane_figure(
        word("plane"),
        points,
        scale=(LOWEST, HIGHEST),
        cells=settings.grid,
        x_label=word("valence"),
        y_label=word("arousal"),
        shade_label=word("dominance"),
        note=word("plane_note", grid=settings.grid, most=settings.most_in_cell),
    )
    limits = {"shortest": settings.shortest, "longest": settings.longest, "largest": settings.largest_deviation}
    rows = tuple(
        (TableCell(word(step, **limits)), TableCell(str(counts["in"])), TableCell(str(counts["out"])))
        for step, counts in built.yields.items()
    )
    columns = (Column(word("step"), number=False), Column(word("in")), Column(word("out")))
    given = next(iter(built.yields.values()))["in"]
    return bench_page(
        word("title"),
        byline=word("byline", count=len(built.clips), given=given),
        notes=(),
        sections=[
            Section("plane", word("plane"), figures=(plane,) if plane else (), wide=True),
            Section("yields", word("yields"), tables=(ResultTable(word("yields"), columns, rows),)),
            Section("quadrants", word("quadrants"), tables=(_quadrants(built.clips, language),)),
        ],
        version=version("aptone"),
        language=language,
    )


def _quadrants(clips: Sequence[Picked], language: Language) -> ResultTable:
    word = words(language, "caption.build")
    middle = (LOWEST + HIGHEST) / 2
    rows = []
    for valence in (False, True):
        for arousal in (False, True):
            named = [
                word("high" if high else "low", name=word(name))
                for name, high in (("valence", valence), ("arousal", arousal))
            ]
            count = sum((clip.valence >= middle, clip.arousal >= middle) == (valence, arousal) for clip in clips)
            rows.append((TableCell(("，" if language == "zh" else ", ").join(named)), TableCell(str(count))))
    columns = (Column(word("quadrant"), number=False), Column(word("count")))
    return ResultTable(word("quadrants"), columns, tuple(rows))
