"""Spoken lines for people and for machines: chapters of books and rankings of takes in reports, tables, JSON."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jinja2
import numpy as np
from markupsafe import Markup
from rich import box
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from aptone.judge.chat.expectation import LOGPROBS
from aptone.judge.rationale import NAMES
from aptone.messages import message, translate, words
from aptone.report.clips import ClipEmbedder
from aptone.report.groups import Group, counted_score, group_by
from aptone.report.notation import UNDEFINED, clock, figure, group_name, interval_in_points, one_line, share
from aptone.report.page import new_environment
from aptone.report.people_agreement import number_or_nan
from aptone.report.plots.geometry import Frame, Tick
from aptone.report.plots.timeline import Axis, line_path, time_ticks
from aptone.report.room_report import Figure, RoomReport
from aptone.report.run_report import render_html
from aptone.report.trust import main_score_name, trust_card
from aptone.rooms.aptness.books.book import ALIGNMENT, is_book_entry
from aptone.rooms.aptness.production.files import production_of, write_production_files
from aptone.rooms.aptness.production.page import retake_figure, write_production_page
from aptone.rooms.aptness.takes.rank import RankedLine, rank_lines
from aptone.rooms.aptness.takes.ranking import LEAST_LEAD, Ranking, Take, aspect_name
from aptone.run import Run, write_whole
from aptone.run.entries import entries_naming
from aptone.run.payload import Clip, line_of
from aptone.types import Entry, Json, Language, Outcome, to_json

PAGES = "chapters"
"""Folder of the chapters' pages within that of the run."""

SMOOTHED = 9
"""Lines over which the curve takes its median."""

FRAME = Frame(width=900, height=240, left=44, right=14, top=16, bottom=34)
SCALE = Axis(0.0, 5.0)
_UNSAFE = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of a book: its page, relative to the run, and the entries of its lines in order, repeats included."""

    title: str
    page: str
    entries: tuple[Entry, ...]


def chapters_of(run: Run) -> tuple[Chapter, ...]:
    """The chapters of a run over a book, in order; none for other runs."""
    members: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries_naming(run.entries, ALIGNMENT):
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
    found = production_of(run)
    retakes = None if found is None else retake_figure(found, language=language)
    table = None if len(chapters) == 1 else _table(chapters, language)
    return [one for one in (retakes, table, timeline) if one is not None]


def write_book_pages(run: Run, *, language: Language) -> tuple[Path, ...]:
    """The pages and files beside the report of a book: its production report, and a page for each chapter."""
    found = production_of(run)
    if found is None:
        return ()
    write_production_files(run, found, language=language)
    return (write_production_page(run, found, language=language), *write_chapter_pages(run, language=language))


def write_chapter_pages(run: Run, *, language: Language) -> tuple[Path, ...]:
    """A report for each chapter beside that of the run; none where there is only one."""
    chapters = chapters_of(run)
    if len(chapters) < 2:
        return ()
    (run.folder / PAGES).mkdir(exist_ok=True)
    title = words(language, "report")("chapter_timeline")
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
            figures=[timeline_figure(chapter.entries, title=title, language=language)],
            groups=["role"],
            folder=run.folder,
        )
        write_whole(run.folder / chapter.page, page)
    return tuple(run.folder / chapter.page for chapter in chapters)


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
    markup = _template("book_timeline.svg.j2").render(
        frame=FRAME,
        title=title,
        dots=dots,
        curve=line_path(FRAME, at, SCALE.parts(_smoothed(values))),
        x_ticks=time_ticks(FRAME, length),
        y_ticks=[Tick(FRAME.up(SCALE.part(mark)), figure(mark)) for mark in (0.0, 1.0, 2.0, 3.0, 4.0, 5.0)],
    )
    caption = word("timeline_note", count=SMOOTHED, begin=clock(begin))
    return Figure(title, Markup(markup), note=f"{caption} {note}".strip(), is_wide=True, is_result=True)  # noqa: S704  (from a template that escapes)


def _smoothed(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """The median of each value and its neighbours; NaN where all of them are."""
    reach = SMOOTHED // 2
    nearby = [values[max(0, place - reach) : place + reach + 1] for place in range(values.size)]
    known = [near[~np.isnan(near)] for near in nearby]
    return np.array([float(np.median(near)) if near.size else math.nan for near in known])


def _table(chapters: Sequence[Chapter], language: Language) -> Figure:
    word = words(language, "report")
    first = [entry for chapter in chapters for entry in chapter.entries if entry.repeat == 0]
    name = main_score_name(first)
    groups = {group.name: group for group in group_by(first, "chapter", score=name).groups}
    rows = [_row(chapter, groups[chapter.title], name, language) for chapter in chapters]
    heads = [word(key) for key in ("chapter", "group_mean", "group_interval", "group_scored", "worst_line")]
    markup = _template("chapters.html.j2").render(heads=heads, rows=rows)
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
def _template(name: str) -> jinja2.Template:
    return new_environment("aptone.rooms.aptness").get_template(name)


def _value(entry: Entry, name: str) -> float:
    score = counted_score(entry, name)
    return score.value if score is not None else math.nan


def _time(entry: Entry) -> float:
    found = entry.item.payload.get(ALIGNMENT)
    return number_or_nan(found.get("at")) if isinstance(found, Mapping) else math.nan


WIDE = 1000
"""Columns in which any table has room."""

ROOM = 12_000_000
"""Bytes of the report that the players of all takes may take."""

MOST_COLUMNS, NARROWEST_TAKE = 4, 18
"""Aspects in the table on a terminal that is wide enough; columns for the name of a take, below which an aspect gives
way (longer names are folded)."""


@dataclass(frozen=True, slots=True)
class RankingTable:
    """One row for each take: rank, score, and the aspects in which takes differ most; the report has all.

    On a narrow terminal it has fewer aspects rather than cut figures.
    """

    ranked: RankedLine
    language: Language

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The table with as many aspects as there is room for."""
        for most in range(MOST_COLUMNS, 0, -1):
            narrowest = _ranking_table(self.ranked, self.language, most=most, widest_take=NARROWEST_TAKE)
            # measured as if there were room, since a measure is never wider than what there is
            if console.measure(narrowest, options=options.update(width=WIDE)).minimum <= options.max_width:
                yield _ranking_table(self.ranked, self.language, most=most)
                return
        yield _ranking_table(self.ranked, self.language, most=0)


def _ranking_table(ranked: RankedLine, language: Language, *, most: int, widest_take: int | None = None) -> Table:
    ranking, word = ranked.ranking, words(language, "report")
    names = displayed_aspects(ranking, most=most)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(word("rank"), justify="right", no_wrap=True)
    table.add_column(word("take"), overflow="fold", max_width=widest_take)
    table.add_column(word("aptness"), justify="right", no_wrap=True)
    for name in names:
        table.add_column(aspect_name(name, language).replace(" ", "\n"), justify="right", no_wrap=True)
    for take, rank in zip(ranking.takes, ranking.ranks, strict=True):
        if not take.scores:
            table.add_row(UNDEFINED, Text(one_line(take.id), style="yellow"), UNDEFINED)
            continue
        style = "bold" if rank == 1 else ""
        aspects = [points(take.aspects.get(name, math.nan)) for name in names]
        table.add_row(rank_text(ranking, rank), Text(one_line(take.id), style=style), score_text(take), *aspects)
    return table


def ranking_figure(ranked: RankedLine, embedder: ClipEmbedder, *, language: Language) -> Figure:
    """The same as a picture for the report, with a player for each take as far as there is room, and the rationale."""
    ranking, word = ranked.ranking, words(language, "report")
    names = displayed_aspects(ranking)
    rows = [
        {
            "rank": rank_text(ranking, rank) if rank else UNDEFINED,
            "take": take.id,
            "score": score_text(take) if take.scores else UNDEFINED,
            "aspects": [points(take.aspects.get(name, math.nan)) for name in names],
            "reason": translate(take.reason, language),
            "is_best": rank == 1,
            "clip": embedder.embed(Clip("take", clip))
            if (clip := ranked.recordings.get(take.id)) is not None
            else None,
        }
        for take, rank in zip(ranking.takes, ranking.ranks, strict=True)
    ]
    heads = [word("rank"), word("take"), word("aptness"), *(aspect_name(name, language) for name in names)]
    markup = _template("ranking.html.j2").render(heads=heads, rows=rows, gone=word("gone"))
    target = ranked.target
    title = f"{target.role}: {target.text}" if target.role else target.text
    return Figure(
        one_line(title, limit=120),
        Markup(markup),  # noqa: S704  (from a template that escapes)
        note=ranked.rationale,
        is_wide=True,
        is_result=True,
    )


def ranking_json(ranked: RankedLine) -> dict[str, Json]:
    """Everything that was found, for a machine."""
    ranking = ranked.ranking
    takes: list[Json] = [
        {
            "take": take.id,
            "rank": rank or None,
            "score": take.score if take.scores else None,
            "scores": list(take.scores),
            "aspects": dict(take.aspects),
            "reason": take.reason,
        }
        for take, rank in zip(ranking.takes, ranking.ranks, strict=True)
    ]
    leads: list[Json] = [
        {
            "better": lead.better,
            "worse": lead.worse,
            "difference": lead.difference,
            "margin": lead.margin,
            "clear": lead.is_clear,
            "aspects": {aspect.name: aspect.difference for aspect in lead.aspects},
        }
        for lead in ranking.leads
    ]
    return {
        "line": to_json(ranked.target),
        "language": ranked.language,
        "plan": None if ranked.plan is None else to_json(ranked.plan),
        "best": [take.id for take in ranking.best],
        "too_close_to_call": len(ranking.best) > 1,
        "takes": takes,
        "leads": leads,
        "deviation": None if math.isnan(ranking.deviation) else ranking.deviation,
        "least_lead": ranking.least_lead,
        "rationale": ranked.rationale,
    }


def displayed_aspects(ranking: Ranking, *, most: int | None = None) -> list[str]:
    """The aspects that some take has a score for, in their usual order; the `most` in which the takes differ most."""
    found = {name for take in ranking.takes for name in take.aspects}
    ordered = [*(name for name in NAMES if name in found), *sorted(found - set(NAMES))]
    scores = {name: [take.aspects[name] for take in ranking.takes if name in take.aspects] for name in ordered}
    kept = sorted(ordered, key=lambda name: min(scores[name]) - max(scores[name]))[:most]
    return [name for name in ordered if name in kept]


def rank_text(ranking: Ranking, rank: int) -> str:
    """Format a rank; shared ones have an equals sign.

    >>> from aptone.rooms.aptness.takes.ranking import rank_takes
    >>> rank_text(rank_takes([Take("a", (4.0,)), Take("b", (3.9,))]), 1)
    '=1'
    """
    return f"={rank}" if ranking.ranks.count(rank) > 1 else str(rank)


def score_text(take: Take) -> str:
    """Format the score of a take, with its spread where it was judged more than once."""
    mean = points(take.score)
    if len(take.scores) < 2:
        return mean if take.asked == 1 else f"{mean} (1/{take.asked})"
    missing = f" ({len(take.scores)}/{take.asked})" if take.asked > len(take.scores) else ""
    low, high = points(min(take.scores)), points(max(take.scores))
    return f"{mean}{missing}" if low == high else f"{mean} [{low}, {high}]{missing}"


def points(number: float) -> str:
    """Format points of a score so that they stand below each other; NaN as a dash."""
    return UNDEFINED if math.isnan(number) else f"{number:.2f}"


def ranking_figures(lines: Sequence[RankedLine], *, language: Language, folder: Path | None = None) -> list[Figure]:
    """The pictures of a run, one a line; takes that are not where it says are looked for by its folder."""
    embedder = ClipEmbedder(room=ROOM, folder=folder)
    return [ranking_figure(ranked, embedder, language=language) for ranked in lines]


LEAST_LEAD_SETTING = "least_lead"
"""Key of a run's configuration for the points by which a take must lead."""


def aptness_figures(run: Run, *, score: str = "", language: Language, lang: Language | None = None) -> list[Figure]:
    """Figures above the items of a run, by its verb, reasons in `lang` or that of the story; none for most verbs."""
    if run.config.verb != "rank":
        return book_figures(run, language=language)
    least_lead = number_or_nan(run.config.settings.get(LEAST_LEAD_SETTING, LEAST_LEAD))
    ranked = rank_lines(run.entries, source=str(run.folder), least_lead=least_lead, lang=lang)
    return ranking_figures(ranked, language=language, folder=run.folder)


def aptness_notes(outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """Return a note where probabilities of tokens were asked for and some replies had none."""
    asked = [kept for one in outcomes if isinstance(kept := one.evidence.get(LOGPROBS), Mapping)]
    without = sum("expected" not in kept for kept in asked)
    return (message("aptness.no-logprobs", without=without, asked=len(asked)),) if without else ()


REPORT = RoomReport(figures=aptness_figures, notes=aptness_notes, notes_key=LOGPROBS, pages=write_book_pages)
