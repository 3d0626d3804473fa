"""Spoken lines in reports: rankings of takes, chapters of books."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
import numpy as np
from markupsafe import Markup

from aptone.messages import words
from aptone.report.figures import Figure
from aptone.report.groups import Group, group_by
from aptone.report.html import render_html
from aptone.report.item_view import line_of
from aptone.report.names import group_name
from aptone.report.numbers import UNDEFINED, clock, figure, interval_in_points, share
from aptone.report.page import new_environment
from aptone.report.people_agreement import number_or_nan
from aptone.report.plots.geometry import Frame, Tick
from aptone.report.plots.timeline import Axis, line_path, time_ticks
from aptone.report.room_report import RoomReport
from aptone.report.safe_text import one_line
from aptone.report.trust import main_score_name, trust_card
from aptone.report.unscored import counted_score
from aptone.rooms.aptness.books.book import ALIGNMENT, is_book_entry
from aptone.rooms.aptness.takes.display import ranking_figures
from aptone.rooms.aptness.takes.rank import rank_lines
from aptone.rooms.aptness.takes.ranking import LEAST_LEAD
from aptone.run import Run, write_whole
from aptone.types import Entry, Language, to_json

PAGES = "chapters"
"""Folder of the chapters' pages within that of the run."""

SMOOTHED = 9
"""Lines over which the curve takes its median."""

FRAME = Frame(width=900, height=240, left=44, right=14, top=16, bottom=34)
SCALE = Axis(0.0, 5.0)

_UNSAFE = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of a book.

    Args:
        page: its file, relative to the run.
        entries: entries of its lines, in order, repeats included.
    """

    title: str
    page: str
    entries: tuple[Entry, ...]


def chapters_of(run: Run) -> tuple[Chapter, ...]:
    """The chapters of a run over a book, in order; none for other runs."""
    members: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in run.entries:
        ids = entry.item.payload.get("ids")
        if is_book_entry(entry.item.payload) and isinstance(ids, Mapping):
            members[str(ids.get("chapter", ""))].append(entry)
    return tuple(
        Chapter(title, f"{PAGES}/{number:03d}-{_UNSAFE.sub('-', title).strip('-')[:40]}.html", tuple(entries))
        for number, (title, entries) in enumerate(members.items(), start=1)
    )


def book_figures(run: Run, *, language: Language) -> list[Figure]:
    """The table of chapters and aptness over the whole book; nothing for runs over something else."""
    chapters = chapters_of(run)
    if not chapters:
        return []
    word = words(language, "report")
    entries = [entry for chapter in chapters for entry in chapter.entries]
    timeline = timeline_figure(entries, title=word("book_timeline"), language=language)
    if len(chapters) == 1:
        return [timeline]
    return [_table(chapters, run, language), timeline]


def write_chapter_pages(run: Run, *, language: Language) -> tuple[Path, ...]:
    """A report for each chapter beside that of the run; none where there is only one."""
    chapters = chapters_of(run)
    if len(chapters) < 2:
        return ()
    (run.folder / PAGES).mkdir(exist_ok=True)
    pages = []
    word = words(language, "report")
    for chapter in chapters:
        card = trust_card(
            chapter.entries, version=run.config.version, notes=run.config.notes, licence=run.config.licence
        )
        page = render_html(
            chapter.entries,
            card,
            to_json(run.config),
            title=f"{group_name(chapter.title, language)} · {run.folder.resolve().name}",
            language=language,
            figures=[timeline_figure(chapter.entries, title=word("chapter_timeline"), language=language)],
            groups=["role"],
            folder=run.folder,
        )
        path = run.folder / chapter.page
        write_whole(path, page)
        pages.append(path)
    return tuple(pages)


def timeline_figure(entries: Sequence[Entry], *, title: str, language: Language) -> Figure:
    """Aptness over time: a dot for each line, and as a curve the median over neighbouring lines."""
    word = words(language, "report")
    first = [entry for entry in entries if entry.repeat == 0]
    name = main_score_name(first)
    placed = [(time, _value(entry, name), entry) for entry in first if not math.isnan(time := _time(entry))]
    unplaced = len(first) - len(placed)
    note = word("timeline_unplaced", count=unplaced) if unplaced else ""
    if not placed:
        return Figure(title, Markup("<p>{}</p>").format(word("nothing_to_plot")), note=note)
    placed.sort(key=lambda line: line[0])
    times = np.array([time for time, _, _ in placed])
    begin, length = float(times[0]), max(1.0, float(times[-1] - times[0]))
    at = (times - begin) / length
    values = np.array([value for _, value, _ in placed])
    dots = [
        {
            "x": FRAME.across(float(x)),
            "y": FRAME.up(SCALE.part(value)),
            "label": f"{clock(time)} · {figure(round(value, 2))} · {line_of(entry.item.payload)}",
        }
        for x, (time, value, entry) in zip(at, placed, strict=True)
        if not math.isnan(value)
    ]
    markup = (
        _templates()
        .get_template("book_timeline.svg.j2")
        .render(
            frame=FRAME,
            title=title,
            dots=dots,
            curve=line_path(FRAME, at, SCALE.parts(_smoothed(values))),
            x_ticks=time_ticks(FRAME, length),
            y_ticks=[Tick(FRAME.up(SCALE.part(mark)), figure(mark)) for mark in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)],
        )
    )
    caption = word("timeline_note", count=SMOOTHED, begin=clock(begin))
    return Figure(title, Markup(markup), note=f"{caption} {note}".strip(), is_wide=True, is_result=True)  # noqa: S704  (from a template that escapes)


def _smoothed(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The median of each value and its neighbours; NaN where all of them are."""
    reach = SMOOTHED // 2
    found = []
    for place in range(values.size):
        near = values[max(0, place - reach) : place + reach + 1]
        known = near[~np.isnan(near)]
        found.append(float(np.median(known)) if known.size else math.nan)
    return np.array(found)


def _table(chapters: Sequence[Chapter], run: Run, language: Language) -> Figure:
    word = words(language, "report")
    first = [entry for chapter in chapters for entry in chapter.entries if entry.repeat == 0]
    name = main_score_name(first)
    grouping = group_by(first, "chapter", score=name)
    groups = {group.name: group for group in grouping.groups}
    rows = [_row(chapter, groups[chapter.title], name, language) for chapter in chapters]
    heads = [word(key) for key in ("chapter", "group_mean", "group_interval", "group_scored", "worst_line")]
    markup = _templates().get_template("chapters.html.j2").render(heads=heads, rows=rows)
    return Figure(word("chapters"), Markup(markup), note=word("chapters_note"), is_wide=True, is_result=True)  # noqa: S704


def _row(chapter: Chapter, group: Group, name: str, language: Language) -> dict[str, object]:
    scored = [(value, entry) for entry in chapter.entries if not math.isnan(value := _value(entry, name))]
    worst = min(scored, key=lambda pair: pair[0], default=None)
    lowest = UNDEFINED if worst is None else f"{figure(round(worst[0], 2))} · {line_of(worst[1].item.payload)}"
    mean = group.mean.value
    return {
        "title": group_name(chapter.title, language),
        "page": chapter.page,
        "mean": figure(round(mean, 2)) if group.mean.is_defined else UNDEFINED,
        "interval": interval_in_points(group.mean),
        "scored": f"{group.mean.count if group.mean.is_defined else 0} / {group.items}",
        "width": round(100 * share(mean, SCALE.low, SCALE.high), 2) if group.mean.is_defined else 0.0,
        "worst": one_line(lowest, limit=90),
    }


@cache
def _templates() -> jinja2.Environment:
    return new_environment("aptone.rooms.aptness")


def _value(entry: Entry, name: str) -> float:
    score = counted_score(entry, name)
    return score.value if score is not None else math.nan


def _time(entry: Entry) -> float:
    found = entry.item.payload.get(ALIGNMENT)
    return number_or_nan(found.get("at")) if isinstance(found, Mapping) else math.nan


LEAST_LEAD_SETTING = "least_lead"
"""Where the configuration of a run keeps the points by which a take must lead."""


def aptness_figures(run: Run, *, score: str = "", language: Language, lang: Language | None = None) -> list[Figure]:
    """Return the figures above the items of a run, by the verb that made it; none for most verbs.

    Args:
        score: score to rank items by; the figures of this room have their own.
        lang: language of the reasons of rankings; by default that of their stories.
    """
    if run.config.verb != "rank":
        return book_figures(run, language=language)
    least_lead = number_or_nan(run.config.settings.get(LEAST_LEAD_SETTING, LEAST_LEAD))
    ranked = rank_lines(run.entries, source=str(run.folder), least_lead=least_lead, lang=lang)
    return ranking_figures(ranked, language=language, folder=run.folder)


REPORT = RoomReport(figures=aptness_figures, pages=write_chapter_pages)
