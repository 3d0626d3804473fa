"""The last act of every run: its trust card, and its report as one HTML file that opens without a network."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from pathlib import Path

import jinja2

from aptone.errors import RunError, UsageError
from aptone.messages import translate, words
from aptone.ratings.people import PeopleRatings, read_people
from aptone.report.clips import MOST_CLIPS, MOST_CLIPS_AN_ITEM, ClipEmbedder
from aptone.report.groups import MOST_KEYS, Grouping, counted_score, make_grouping
from aptone.report.item_card import LONGEST_TEXT, ItemCard, card_columns, item_card, language_tag
from aptone.report.item_view import ASPECTS, json_text, short_why, shown_state, why_no_score
from aptone.report.listeners import ListenerEntries
from aptone.report.notation import (
    band,
    goodness,
    interval,
    interval_in_points,
    mean,
    median,
    named,
    percent,
    share,
    verb_name,
)
from aptone.report.page import assets, content_policy, new_environment
from aptone.report.people_agreement import human_score
from aptone.report.plots.geometry import histogram, scatter
from aptone.report.room_report import SYMBOLS, Figure, Marks, no_marks, report_of
from aptone.report.score_columns import RunColumns, gather_columns, listed_items
from aptone.report.trust import CardTally, agreement_rows, in_order, main_score_name, single_in_order, trust_rows
from aptone.run import Run, read_trust, write_trust, write_whole
from aptone.run.entries import entries_naming
from aptone.run.folder import REPORT
from aptone.run.payload import line_of
from aptone.types import Entry, Json, Language, Probe, Score, TrustCard, to_json

MOST_LISTED = 2_000
"""Items in the table of a report; `aptone view` shows all of any run."""

MOST_POINTS = 2_000
"""Items in the plot of the judge against people."""

MOST_SCORE_COLUMNS = 24
"""Scores that get a column of the table and a plot each, the main one first; the page names the others."""

MOST_OPEN_PLOTS = 6
"""Plots that are shown at once; the others are folded."""

MOST_PRINTED_SCORES = 8
"""Score columns that fit on paper; a printed table says that there are more."""

LONGEST_CONTEXT = 6
"""Lines of the story before the target that are shown at once; earlier ones are folded."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of the table of all items."""

    number: int
    id: str
    line: str
    language: str
    state: str
    scores: tuple[Score | None, ...]
    human: float
    why: str
    rationale: str


@dataclass(frozen=True, slots=True)
class MissingItems:
    """Items that have no score for the same reason: their number, and the first of them."""

    reason: str
    state: str
    count: int
    entries: tuple[Entry, ...]


def render_html(
    entries: Sequence[Entry],
    card: TrustCard,
    config: Mapping[str, Json],
    *,
    title: str,
    language: Language = "en",
    embed: int = 5,
    max_embedded_bytes: int = 12_000_000,
    figures: Sequence[Figure] = (),
    groups: Sequence[str] | None = None,
    folder: Path | None = None,
    marks: Marks = no_marks,
    most_rows: int = MOST_LISTED,
    columns: RunColumns | None = None,
) -> str:
    """A whole run as one HTML document.

    Nothing in it points outside: styles, script and sound are in the file, and a content security policy forbids the
    browser to load anything else or to run any script but ours. Whatever comes from items and models is escaped, and
    characters that a browser would obey are made visible (`aptone.report.notation`).

    Args:
        entries: one for each journal line that counts, repeats included, in any order.
        card: the trust card of the same run; its `score` is the one that items are ranked by.
        config: config of the run; shown folded at the end.
        language: language of the page's own words; items stay as they are.
        embed: number of the worst and number of the best items that are shown in full, with players.
        max_embedded_bytes: room for all recordings together, as base64 text. What does not fit is named, not played.
        figures: pictures of the room's own, shown above the items; those that are the result stand above all else.
        groups: keys of the items' ``ids`` for which means by group are shown; ``None`` for every key that groups them
            (`aptone.report.groups`).
        folder: folder of the run, by which recordings are looked for that are not where its items say.
        most_rows: the most items in the table; where there are more, it holds the worst, the best and those without
            a score, and says how to see the others.
        columns: columns of these entries by the score of the card, where they are gathered already.

    Raises:
        UsageError: if `embed` is negative, the room is negative, or the language is not known.
    """
    if embed < 0 or max_embedded_bytes < 0 or most_rows < 0:
        raise UsageError(
            "expected embed, max_embedded_bytes and most_rows of 0 or more, "
            f"got {embed}, {max_embedded_bytes} and {most_rows}."
        )
    if language not in ("en", "zh"):
        raise UsageError(f"the report speaks en and zh, got {language!r}.")
    ordered = in_order(entries)
    columns = columns or gather_columns(ordered, card.score, keys=groups)
    ranked = columns.ranked()

    def entry_of(item: int) -> Entry:
        return ordered[columns.places[item]]

    def shown_card(item: int) -> ItemCard:
        entry = entry_of(item)
        score = counted_score(entry, card.score)
        assert score is not None  # it is ranked
        return item_card(entry, score, language, room, marks=marks)

    keys = columns.group_keys()
    room = ClipEmbedder(room=max_embedded_bytes, folder=folder)
    worst = [shown_card(item) for item in ranked[:embed]]
    best = [shown_card(item) for item in ranked[len(worst) :][::-1][:embed]]
    names, unnamed = columns.names[:MOST_SCORE_COLUMNS], columns.names[MOST_SCORE_COLUMNS:]
    main, values = columns.first_defined, columns.column(card.score).values
    histograms = [histogram(name, columns.column(name)) for name in names]
    drawn = [one for one in histograms if one.bars]
    listed = [name for name, one in zip(names, histograms, strict=True) if one.bars or name == card.score]
    chosen = listed_items(columns, ranked, most=most_rows)
    rows = [_table_row(item + 1, entry_of(item), listed, card.score, language) for item in chosen]
    style = assets("palette.css", "plots.css", "report.css", "claims.css", "contrasts.css")
    script = assets("problems.js", "players.js", "report.js")
    return _template().render(
        title=title,
        language=language,
        word=words(language, "report"),
        translate=partial(translate, language=language),
        named=partial(named, language=language),
        config=json_text(config),
        card=card,
        directed=columns.is_directed,
        main=main,
        mean=mean(values),
        median=median(values),
        finished=moment_text(columns.finished),
        histograms=drawn or histograms,
        empty_scores=[one.name for one in histograms if not one.bars] if drawn else [],
        scatter=scatter(_rated_pairs(columns, entry_of), range=main.range if main else None),
        results=[one for one in figures if one.is_result],
        pictures=[one for one in figures if not one.is_result],
        groupings=[_grouping(columns, key) for key in keys[:MOST_KEYS]],
        other_keys=keys[MOST_KEYS:],
        ranked=len(ranked),
        worst=worst,
        best=best,
        columns=card_columns([*worst, *best]) | _table_columns(rows),
        embed=embed,
        names=listed,
        other_scores=unnamed,
        rows=rows,
        unlisted=len(columns.places) - len(rows),
        run_path=None if folder is None else str(folder),
        missing=_missing(columns, entry_of),
        trust=trust_rows(card, language=language, spread=columns.spread.spread()),
        agreement=agreement_rows(card, language=language),
        style=style,
        script=script,
        policy=content_policy(style=style, script=script),
    )


def _rated_pairs(columns: RunColumns, entry_of: Callable[[int], Entry]) -> list[tuple[str, float, float]]:
    """Items with a score of people, evenly thinned out where there are too many to draw."""
    every = -(-len(columns.rated) // MOST_POINTS)
    return [
        (entry_of(columns.rated[at]).item.id, columns.human[at], columns.judged[at])
        for at in range(0, len(columns.rated), every or 1)
    ]


def _grouping(columns: RunColumns, key: str) -> Grouping:
    members = {name: (group.items, group.values) for name, group in (columns.groups.get(key) or {}).items()}
    without = len(columns.places) - sum(items for items, _ in members.values())
    main = columns.first_defined
    is_lower_better = main is not None and main.higher_is_better is False
    ranges = columns.column(columns.main).ranges
    return make_grouping(key, members, without=without, ranges=ranges, is_lower_better=is_lower_better)


@cache
def _template() -> jinja2.Template:
    return card_environment().get_template("report.html.j2")


def card_environment(package: str = "", *, folder: str = "pages") -> jinja2.Environment:
    """Return our templates with the filters, functions and limits of item cards; arguments as `new_environment`."""
    environment = new_environment(package, folder=folder)
    environment.filters.update(band=band, bar=_bar_share)
    environment.globals.update(percent=percent, interval=interval, interval_in_points=interval_in_points, share=share)
    environment.globals.update(
        longest=LONGEST_TEXT,
        longest_context=LONGEST_CONTEXT,
        most_open_plots=MOST_OPEN_PLOTS,
        most_printed_scores=MOST_PRINTED_SCORES,
        most_clips=MOST_CLIPS,
        most_clips_an_item=MOST_CLIPS_AN_ITEM,
        aspects=ASPECTS,
        symbols=SYMBOLS,
        why_no_score=why_no_score,
    )
    return environment


def moment_text(stamp: str) -> str:
    """A time stamp as people write it, to the minute; text that is none stays as it is."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp
    return f"{moment:%Y-%m-%d %H:%M} {moment.tzname() or ''}".rstrip()


def _bar_share(score: Score | None) -> float:
    """Return the length of a bar, from 0 to 1, for a score on a closed scale; NaN for others."""
    place = goodness(score)
    if score is None or math.isnan(place):
        return math.nan
    return place if score.higher_is_better else 1 - place


def _table_row(number: int, entry: Entry, names: Sequence[str], main: str, language: Language) -> TableRow:
    payload = entry.item.payload
    return TableRow(
        number=number,
        id=entry.item.id,
        line=line_of(payload),
        language=language_tag(payload),
        state=shown_state(entry, main),
        scores=tuple(counted_score(entry, name) for name in names),
        human=human_score(entry),
        why=short_why(entry, main, language=language),
        rationale=entry.outcome.rationale,
    )


def _table_columns(rows: Sequence[TableRow]) -> frozenset[str]:
    """The columns of the table of all items, besides those of scores, that say something; states, where they differ."""
    filled = {
        "line": any(row.line for row in rows),
        "people": not all(math.isnan(row.human) for row in rows),
        "state": any(row.state != "done" for row in rows),
        "why": any(row.why for row in rows),
    }
    return frozenset(name for name, holds in filled.items() if holds)


def _missing(columns: RunColumns, entry_of: Callable[[int], Entry]) -> list[MissingItems]:
    found = [
        MissingItems(group.reason, state, group.count, tuple(map(entry_of, group.members)))
        for state, groups in columns.missing.items()
        for group in groups.groups()
    ]
    return sorted(found, key=lambda group: -group.count)


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """Trust card (also in ``trust.json``), report and the room's own pages of a finished run, such as chapters."""

    card: TrustCard
    report: Path
    pages: tuple[Path, ...] = ()


def finish_run(
    run: Run,
    *,
    stopped: str | None = None,
    batch: Probe | None = None,
    order: Probe | None = None,
    language: Language = "en",
    figures: Sequence[Figure] | None = None,
    most_rows: int = MOST_LISTED,
) -> FinishedRun:
    """Write the trust card and the report of a run.

    Args:
        stopped: reason why it ended early; ``None`` keeps what the card in the folder says.
        batch: the batch probe, if it was just run; otherwise that of the card in the folder is kept.
        order: the order probe, likewise.
        figures: figures above the items; by default those that the room of the run's verb makes of its journal.
        most_rows: the most items in the table of the report, see `render_html`.
    """
    people = read_people(run.folder)
    entries = _entries(run, people)
    tally, columns = CardTally(score := main_score_name(entries), votes=people.votes), RunColumns(score, None)
    for place, entry in enumerate(entries):  # one round for both: to read a journal takes longer than to count it
        tally.add(entry)
        columns.add(place, entry)
    columns.spread.finish()
    card = _completed(tally, run, stopped=stopped, batch=batch, order=order)
    write_trust(run.folder, card)
    report = run.folder / REPORT
    title = f"{verb_name(run.config.verb, language)} · {run.folder.resolve().name}"
    room = report_of(run.config.verb)
    page = render_html(
        entries,
        card,
        to_json(run.config),
        title=title,
        language=language,
        figures=room.figures(run, score=card.score, language=language) if figures is None else figures,
        folder=run.folder,
        marks=room.marks,
        most_rows=most_rows,
        columns=columns,
    )
    write_whole(report, page, private=True)
    return FinishedRun(card=card, report=report, pages=room.pages(run, language=language))


def finish_card(
    run: Run, *, stopped: str | None = None, batch: Probe | None = None, order: Probe | None = None
) -> TrustCard:
    """Write the trust card of a run without its report; arguments as `finish_run`."""
    card = run_card(run, stopped=stopped, batch=batch, order=order)
    write_trust(run.folder, card)
    return card


def run_card(
    run: Run, *, stopped: str | None = None, batch: Probe | None = None, order: Probe | None = None
) -> TrustCard:
    """Return the trust card of a run as it is now, and write nothing; arguments as `finish_run`."""
    people = read_people(run.folder)
    entries = _entries(run, people)
    tally = CardTally(main_score_name(entries), votes=people.votes)
    for entry in entries:
        tally.add(entry)
    return _completed(tally, run, stopped=stopped, batch=batch, order=order)


def _entries(run: Run, people: PeopleRatings) -> Sequence[Entry]:
    """Return the entries of a run in order, with what listeners said where somebody was asked."""
    entries = single_in_order(run.entries)
    return ListenerEntries(entries, people) if people.scores else entries


def _completed(
    tally: CardTally, run: Run, *, stopped: str | None, batch: Probe | None, order: Probe | None
) -> TrustCard:
    """Return the card of a tally with what the config, the room and the card before say; arguments as `finish_run`."""
    before = _card_before(run.folder)
    room = report_of(run.config.verb)
    card = tally.card(version=run.config.version, tolerance=room.tolerance(run.config.settings))
    noted = entries_naming(run.entries, room.notes_key) if room.notes_key else run.entries
    return replace(
        card,
        batch=batch or before.batch,
        order=order or before.order,
        prompt_hashes={
            name.removeprefix("prompt:"): str(value)
            for name, value in run.config.settings.items()
            if name.startswith("prompt:")
        },
        notes=(*run.config.notes, *room.notes(entry.outcome for entry in noted)),
        licence=run.config.licence,
        stopped=before.stopped if stopped is None else stopped,
        pending=max(0, run.config.expected - card.items),
    )


def _card_before(folder: Path) -> TrustCard:
    try:
        return read_trust(folder)
    except RunError:
        return TrustCard(score="", items=0, done=0)
