"""Page of a production report: one HTML file with the lines worth recording again, players and directions."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import jinja2
from markupsafe import Markup
from rich import box
from rich.table import Table
from rich.text import Text

from aptone.files import write_whole
from aptone.messages import translate, words
from aptone.report.clips import ClipEmbedder, EmbeddedClip
from aptone.report.groups import ReasonGroups
from aptone.report.notation import NARRATION, clock, figure, group_name, named, one_line, unnamed_group
from aptone.report.page import assets, content_policy, new_environment
from aptone.report.plan_text import evidence_rows, plan_digest
from aptone.report.room_report import Figure
from aptone.rooms.aptness.production.direction import changes
from aptone.rooms.aptness.production.files import UNITS, Production, character_name
from aptone.rooms.aptness.production.retakes import LineApart, Retake
from aptone.run import Run
from aptone.run.payload import Clip
from aptone.types import Language

PAGE = "production.html"
"""Name of the page in the folder of the run."""

MOST_CARDS = 120
"""Lines that the page shows in full; the table in ``production/retakes.csv`` has all."""

MOST_PLAYED = 60
"""Lines of those that have a player."""

ROOM = 12_000_000
"""Bytes of the page that players may take."""

MOST_OUTLIERS = 40
"""Lines out of the usual that the page lists."""

FIRST = 5
"""Lines in the figure of the run's own report."""


@dataclass(frozen=True, slots=True)
class RetakeCard:
    """A retake as the page shows it."""

    rank: int
    retake: Retake
    chapter: str
    character: str
    place: str
    changes: tuple[str, ...]
    plan: str
    evidence: tuple[str, ...]
    clip: EmbeddedClip | None = None

    @property
    def gain(self) -> str:
        """Expected gain in points, with its interval."""
        return f"+{self.retake.gain:.1f}"

    @property
    def interval(self) -> str:
        """95 % interval of the gain."""
        return f"{self.retake.low:.1f}–{self.retake.high:.1f}"


@dataclass(frozen=True, slots=True)
class Tally:
    """Retakes of a chapter or character: lines, retakes that surely gain, points in all, and the first of them."""

    name: str
    lines: int
    sure: int
    gain: float
    first: RetakeCard | None


def write_production_page(run: Run, production: Production, *, language: Language) -> Path:
    """Write the page into the folder of a run and return its path."""
    path = run.folder / PAGE
    title = run.folder.resolve().name
    write_whole(path, production_page(production, title=title, folder=run.folder, language=language))
    return path


def production_page(production: Production, *, title: str, folder: Path | None, language: Language) -> str:
    """Return the page: summaries by chapter and character, retakes with players, lines apart, voices.

    Like every report it loads nothing from elsewhere, and whatever comes from the book is escaped.
    """
    embedder = ClipEmbedder(room=ROOM, folder=folder)
    retakes = production.retakes.retakes
    cards = [
        make_card(rank, retake, language, embedder if rank <= MOST_PLAYED else None)
        for rank, retake in enumerate(retakes[:MOST_CARDS], start=1)
    ]
    style = assets("palette.css", "plots.css", "report.css") + _asset("production.css")
    script = assets("problems.js", "players.js") + _asset("production.js")
    return _template(PAGE).render(
        title=title,
        language=language,
        say=words(language, "production"),
        cards=cards,
        further=len(retakes) - len(cards),
        chapters=_tallies(production, cards, language, by="chapter"),
        characters=_tallies(production, cards, language, by="character"),
        fine=len(production.retakes.fine),
        lines=len(production.lines),
        apart=_apart(production.retakes.apart, language),
        habits=_habits(production, language),
        drifts=_drifts(production, language),
        outliers=_outliers(production, language),
        style=style,
        script=script,
        policy=content_policy(style=style, script=script),
    )


def retake_figure(production: Production, *, language: Language) -> Figure | None:
    """Return the first retakes as a figure of the run's own report, with a link to the page; ``None`` without any."""
    if not production.retakes.retakes:
        return None
    cards = [
        make_card(rank, retake, language, None)
        for rank, retake in enumerate(production.retakes.retakes[:FIRST], start=1)
    ]
    say = words(language, "production")
    markup = _template("retakes.html.j2").render(cards=cards, say=say, page=PAGE)
    return Figure(say("record_again"), Markup(markup), note=say("gain_note"), is_wide=True, is_result=True)  # noqa: S704


def retake_table(production: Production, *, language: Language, limit: int) -> Table:
    """Return the first retakes as a table for the terminal: gain, line, what to change."""
    say = words(language, "production")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=say("record_again"), title_justify="left")
    table.add_column(say("gain"), justify="right", no_wrap=True)
    table.add_column(say("line"), overflow="fold", ratio=2)
    table.add_column(say("change"), overflow="fold", ratio=3)
    for retake in production.retakes.retakes[:limit]:
        line = retake.line
        text = Text(one_line(f"{character_name(line, language)}: {line.text}", limit=80))
        if line.has_place:
            text.append(f"\n{one_line(line.recording, limit=30)} {clock(line.start)}", style="dim")
        directed = say("semicolon").join(changes(line, language=language)[:2])
        table.add_row(f"+{retake.gain:.1f}", text, Text(one_line(directed, limit=160)))
    if (further := len(production.retakes.retakes) - limit) > 0:
        table.caption = say("further", count=further)
    return table


def make_card(rank: int, retake: Retake, language: Language, embedder: ClipEmbedder | None) -> RetakeCard:
    """Return a retake as it is shown."""
    line = retake.line
    say = words(language, "production")
    player = line.clip is not None and embedder is not None
    place = (
        say("place", recording=line.recording, start=clock(line.start), end=clock(line.end)) if line.has_place else ""
    )
    return RetakeCard(
        rank,
        retake,
        chapter=group_name(line.chapter, language),
        character=character_name(line, language),
        place=place,
        changes=tuple(changes(line, language=language)),
        plan=plan_digest(line.plan, language=language).partition(" — ")[0] if line.plan else "",
        evidence=tuple(evidence_rows(line.plan, language=language)) if line.plan else (),
        clip=embedder.embed(Clip("take", line.clip)) if player and embedder is not None else None,
    )


def _tallies(production: Production, cards: Sequence[RetakeCard], language: Language, *, by: str) -> list[Tally]:
    counts: defaultdict[str, int] = defaultdict(int)
    for line in production.lines:
        counts[group_name(line.chapter, language) if by == "chapter" else character_name(line, language)] += 1
    gains: defaultdict[str, list[Retake]] = defaultdict(list)
    for retake in production.retakes.retakes:
        line = retake.line
        gains[group_name(line.chapter, language) if by == "chapter" else character_name(line, language)].append(retake)
    first = {getattr(card, by): card for card in reversed(cards)}
    tallies = [
        Tally(
            name,
            lines,
            sum(retake.low > 0.0 for retake in gains[name]),
            sum(retake.gain for retake in gains[name]),
            first.get(name),
        )
        for name, lines in counts.items()
    ]
    return tallies if by == "chapter" else sorted(tallies, key=lambda one: -one.gain)


def _apart(lines: Iterable[LineApart], language: Language) -> list[tuple[str, int, list[tuple[str, str, str]]]]:
    groups: ReasonGroups[tuple[str, str, str]] = ReasonGroups()
    for one in lines:
        shown = (group_name(one.line.chapter, language), character_name(one.line, language), one.line.text)
        groups.add(one.reason, shown)
    return [(translate(group.reason, language), group.count, group.members) for group in groups.groups()]


def _habits(production: Production, language: Language) -> list[tuple[str, str, str, int]]:
    return [
        (_voice(one.role, language), named(one.measure, language), _value(one.median, one.measure, language), one.lines)
        for one in production.voices.habits
    ]


def _drifts(production: Production, language: Language) -> list[tuple[str, str, str, str]]:
    return [
        (
            _voice(one.habit.role, language),
            group_name(one.chapter, language),
            named(one.habit.measure, language),
            _signed(one.difference, one.habit.measure, language),
        )
        for one in production.voices.drifts
    ]


def _outliers(production: Production, language: Language) -> list[tuple[str, str, str, str, str]]:
    return [
        (
            character_name(one.line, language),
            one.line.text,
            f"{one.line.recording} {clock(one.line.start)}" if one.line.has_place else "",
            named(one.habit.measure, language),
            _signed(one.difference, one.habit.measure, language),
        )
        for one in production.voices.outliers[:MOST_OUTLIERS]
    ]


def _voice(role: str, language: Language) -> str:
    return role or unnamed_group(NARRATION, language)


def _value(value: float, measure: str, language: Language) -> str:
    unit = "semitones above 100 Hz" if measure == "pitch level" else "dBFS" if measure == "loudness" else UNITS[measure]
    return f"{figure(round(value, 1))} {named(unit, language)}"


def _signed(value: float, measure: str, language: Language) -> str:
    return f"{value:+.1f} {named(UNITS[measure], language)}".replace("-", "−")


def _asset(name: str) -> str:
    return resources.files("aptone.rooms.aptness").joinpath("pages", name).read_text(encoding="utf-8")


@cache
def _template(name: str) -> jinja2.Template:
    return new_environment("aptone.rooms.aptness").get_template(f"{name}.j2" if name == PAGE else name)
