"""Reports of the room: one clip against several descriptions, search results, and counts of a build's steps."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import jinja2
from markupsafe import Markup

from aptone.messages import name_in, translate, words
from aptone.report.clips import ClipEmbedder, source_name
from aptone.report.groups import without_path
from aptone.report.item_view import Clip
from aptone.report.notation import UNDEFINED
from aptone.report.page import new_environment
from aptone.report.result_table import Column, ResultTable, Section, TableCell, bench_page
from aptone.report.room_report import Figure
from aptone.rooms.style.api import Described
from aptone.rooms.style.search import Found, IndexUpdate
from aptone.types import Json, Language, to_json


def ranked(judged: Sequence[Described]) -> list[Described]:
    """Descriptions in the order of how well they fit; those without a score last."""
    return sorted(judged, key=lambda one: -_score(one, "cosine") if one.outcome.scores else math.inf)


def described_table(judged: Sequence[Described], *, language: Language) -> ResultTable:
    """One row a description, the best first."""
    word = words(language, "style")
    scaled = any("fit" in one.outcome.scores for one in judged)
    columns = [Column(word("description"), number=False)]
    columns += [Column(word("fit"))] if scaled else []
    columns.append(Column(word("cosine")))
    rows = []
    for place, one in enumerate(ranked(judged)):
        cells = [TableCell(one.description, strong=place == 0 and len(judged) > 1)]
        cells += [TableCell(_shown(_score(one, "fit"), 2))] if scaled else []
        rows.append((*cells, TableCell(_shown(_score(one, "cosine"), 3))))
    return ResultTable("", tuple(columns), tuple(rows))


def _score(one: Described, name: str) -> float:
    return one.outcome.scores[name].value if name in one.outcome.scores else math.nan


def _shown(value: float, places: int) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.{places}f}"


def counts_text(counts: Mapping[str, int], language: Language) -> str:
    """Return the counts of a build's step, in words.

    >>> counts_text({"recordings": 70, "too short": 2}, "en"), counts_text({"recordings": 70, "too short": 2}, "zh")
    ('recordings 70, too short 2', '录音 70，过短 2')
    """
    comma = {"en": ", ", "zh": "，"}[language]
    return comma.join(f"{name_in(language, name, 'style.counted')} {count}" for name, count in counts.items())


MOST_NAMED = 10
"""Files that are named when they are left out; the others are counted."""

ROOM = 12_000_000
"""Bytes of the page that players may take."""


def found_table(found: Sequence[Found], *, language: Language) -> ResultTable:
    """Return the table of search results, the best first."""
    word = words(language, "style")
    scaled = any(one.fit.is_defined for one in found)
    columns = [Column(word("rank")), Column(word("clip"), number=False)]
    columns += [Column(word("fit"))] if scaled else []
    columns.append(Column(word("cosine")))
    rows = []
    for place, one in enumerate(found, start=1):
        cells = [TableCell(str(place)), TableCell(_name(one), strong=place == 1)]
        cells += [TableCell(_number(one.fit.value))] if scaled else []
        rows.append((*cells, TableCell(f"{one.cosine:.3f}")))
    return ResultTable("", tuple(columns), tuple(rows), note="" if scaled or not found else word("uncalibrated"))


def search_page(
    found: Sequence[Found], updated: IndexUpdate, *, description: str, folder: str, model: str, language: Language
) -> str:
    """The same as one HTML file with a player for each clip, as far as there is room."""
    word = words(language, "style")
    embedder = ClipEmbedder(room=ROOM)
    rows = [
        {
            "rank": place,
            "take": _name(one),
            "score": _number(one.fit.value) if one.fit.is_defined else f"{one.cosine:.3f}",
            "aspects": [f"{one.cosine:.3f}"] if one.fit.is_defined else [],
            "reason": "",
            "is_best": place == 1,
            "clip": embedder.embed(Clip("clip", one.audio)),
        }
        for place, one in enumerate(found, start=1)
    ]
    scaled = any(one.fit.is_defined for one in found)
    heads = [word("rank"), word("clip"), *([word("fit")] if scaled else []), word("cosine")]
    markup = Markup(_template().render(heads=heads, rows=rows))  # noqa: S704  (from a template that escapes)
    figure = Figure(
        word("fitting_best", count=len(found)), markup, note="" if scaled else word("uncalibrated"), is_wide=True
    )
    notes = left_out_notes(updated.problems, folder=Path(folder), language=language)
    notes += runs_note(updated, language=language)
    return bench_page(
        description,
        byline=word("search_byline", clips=updated.clips, folder=folder, model=model),
        notes=notes,
        sections=[Section("found", word("found"), figures=(figure,), wide=True)],
        version=version("aptone"),
        language=language,
        eyebrow=word("search"),
        with_players=True,
    )


def found_json(found: Sequence[Found], updated: IndexUpdate) -> dict[str, Json]:
    """The same for a machine."""
    return {
        "clips": updated.clips,
        "embedded": updated.embedded,
        "problems": dict(updated.problems),
        "runs_left_out": list(updated.runs),
        "found": [
            {"path": one.path, "audio": to_json(one.audio), "cosine": one.cosine, "fit": to_json(one.fit)}
            for one in found
        ],
    }


def left_out_notes(problems: Mapping[str, str], *, folder: Path, language: Language) -> list[str]:
    """List the files that were left out, each with its reason, as far as a reader wants that; empty without any."""
    word = words(language, "style")
    named = [(path, without_path(translate(why, language), str(folder / path))) for path, why in problems.items()]
    if len(named) < 2:
        return [word("left_out_one", path=path, why=why) for path, why in named]
    notes = [word("left_out", count=len(named))]
    notes += [word("left_out_file", path=path, why=why) for path, why in named[:MOST_NAMED]]
    return notes + ([word("left_out_more", count=len(named) - MOST_NAMED)] if len(named) > MOST_NAMED else [])


def runs_note(updated: IndexUpdate, *, language: Language) -> list[str]:
    """State which folders of runs were passed over; nothing if there are none."""
    named = ", ".join(f"{name}/" for name in updated.runs[:MOST_NAMED])
    further = ", …" if len(updated.runs) > MOST_NAMED else ""
    return [words(language, "style")("runs_left_out", names=named + further)] if named else []


def _name(one: Found) -> str:
    folder, slash, _ = one.path.rpartition("/")
    return f"{folder}{slash}{source_name(one.audio)}"


def _number(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:.2f}"


@cache
def _template() -> jinja2.Template:
    return new_environment().get_template("ranking.html.j2")
