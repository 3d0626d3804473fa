"""The page of a benchmark: tables and figures in sections, as one HTML file like the report of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from aptone.messages import words
from aptone.report.page import assets, content_policy, render
from aptone.report.result_table import ResultTable
from aptone.report.room_report import Figure
from aptone.types import Language


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Args:
        name: name of its anchor: letters and dashes.
        facts: short answers, name to value.
        figures: shown side by side, above the tables.
        folded: whether its tables are shown only when asked for.
        wide: whether its figures need room, so that two stand side by side.
    """

    name: str
    title: str
    intro: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[ResultTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    folded: bool = False
    wide: bool = False


def bench_page(
    title: str,
    *,
    byline: str,
    notes: Sequence[str],
    sections: Sequence[Section],
    version: str,
    language: Language = "en",
    eyebrow: str = "",
    with_players: bool = False,
) -> str:
    """A benchmark as one HTML document; nothing in it points outside, as in `aptone.report.run_report`.

    Args:
        sections: sections in order; those without anything to show are left out.
        eyebrow: kind of the page; by default a benchmark.
        with_players: whether figures hold sound.
    """
    style = assets("palette.css", "plots.css", "report.css", "bench.css", "contrasts.css")
    script = assets("problems.js", "players.js") if with_players else assets("problems.js")
    shown = [section for section in sections if section.tables or section.figures or section.facts]
    page = render(
        "bench.html.j2",
        title=title,
        eyebrow=eyebrow or words(language, "report")("benchmark"),
        byline=byline,
        notes=notes,
        sections=shown,
        version=version,
        language=language,
        word=words(language, "report"),
        style=style,
        script=script,
        policy=content_policy(style=style, script=script),
    )
    return str(page)
