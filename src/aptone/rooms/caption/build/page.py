"""SURABench's distribution, drawn: where its recordings lie in valence and arousal, and how they came to be picked."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version

from aptone.report.bench_page import Section, bench_page
from aptone.report.phrase import Phrase
from aptone.report.plots.plane import PlanePoint, plane_figure
from aptone.report.result_table import Column, ResultTable, TableCell
from aptone.report.words import words
from aptone.rooms.caption.build.surabench import Built, Picked
from aptone.rooms.caption.build.ratings import HIGHEST, LOWEST
from aptone.rooms.caption.build.selection import SelectionSettings
from aptone.types import Language

PAGE = "distribution.html"
PHRASES: Mapping[str, Phrase] = {
    "title": Phrase("SURABench", "SURABench"),
    "byline": Phrase("{count} recordings, picked from {given}", "共 {count} 段录音，选自 {given} 段"),
    "plane": Phrase("Where the recordings lie", "录音的分布"),
    "plane_note": Phrase(
        "One point a recording, at the mean of its raters. The bars count recordings by column and row of the "
        "{grid} × {grid} grid; at most {most} come from one cell.",
        "每点为一段录音，位于评分者的平均值处。条形为 {grid} × {grid} 网格各列、各行的录音数；每格最多 {most} 段。",
    ),
    "valence": Phrase("valence", "效价"),
    "arousal": Phrase("arousal", "唤醒度"),
    "dominance": Phrase("dominance", "支配度"),
    "yields": Phrase("From the corpus to the benchmark", "从语料到基准"),
    "step": Phrase("step", "步骤"),
    "in": Phrase("in", "输入"),
    "out": Phrase("out", "保留"),
    "quadrants": Phrase("Recordings by quadrant", "各象限的录音"),
    "quadrant": Phrase("quadrant", "象限"),
    "count": Phrase("recordings", "录音数"),
    "high": Phrase("high {name}", "{name}高"),
    "low": Phrase("low {name}", "{name}低"),
    "audio": Phrase("can be read", "可以读取"),
    "length": Phrase("{shortest:g} to {longest:g} s long", "长 {shortest:g} 至 {longest:g} 秒"),
    "agreement": Phrase("raters agree: deviation of at most {largest:g}", "评分者一致：标准差不超过 {largest:g}"),
    "grid": Phrase("place in its cell of the grid", "网格中有位置"),
    "caption": Phrase("has a caption", "有描述"),
}


def distribution_page(built: Built, settings: SelectionSettings, *, language: Language = "en") -> str:
    """The page of a benchmark: the plane, the yields, and how many recordings each quadrant has."""
    word = words(language, PHRASES)
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
    limits = {
        "shortest": settings.shortest,
        "longest": settings.longest,
        "largest": settings.largest_deviation,
    }
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
    word = words(language, PHRASES)
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
