"""Plot of a perception over time: waveform, sounds, pitch, loudness and emotion on one axis; as SVG or a page."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Literal

import numpy as np
from rich.cells import cell_len

from aptone.errors import AptoneError
from aptone.messages import words
from aptone.report.clips import LONGEST_CLIP, sound_uri, source_name
from aptone.report.hearing.findings import event_times, hearing_headline, hearing_phrase, hearing_sections
from aptone.report.notation import figure, named, one_line
from aptone.report.page import assets, content_policy, drawing_style, render
from aptone.report.plots.geometry import Frame, Tick
from aptone.report.plots.timeline import (
    Axis,
    Columns,
    Floats,
    band_path,
    frequency_ticks,
    line_path,
    note_ticks,
    outline_path,
    reduce_to_columns,
    time_ticks,
)
from aptone.report.room_report import Figure
from aptone.types import Audio, AudioRef, Language, Perception, Segment, SoundEvent, Tracks, Trajectory

MOST_DRAWN_EVENTS = 300
"""Sounds besides words that are drawn, the most certain first."""

MOST_LANES = 4
"""Rows of such sounds, so that their names do not overlap."""

QUIETEST, LOUDEST = -90.0, 20.0
"""dBFS at which the axis of loudness ends at the latest; what lies beyond is drawn at the end."""

LOWEST_PITCH, HIGHEST_PITCH = 10.0, 10_000.0
"""Hz beyond which a number is no pitch, and is not drawn."""

LONGEST_DRAWN = 1e6
"""Seconds beyond which a perception says how long a clip is, and cannot be right: eleven days."""

CELL = 6.9
"""Width of half a Mandarin character, which is about that of a Latin letter, at 12 units of height."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes of a drawing: how wide it is, what stands beside the panels, and how high they are."""

    width: float
    left: float
    right: float
    waveform: float
    pitch: float
    loudness: float
    emotion: float
    gap: float = 30.0
    lane: float = 22.0


WIDE = Layout(width=960, left=52, right=36, waveform=86, pitch=130, loudness=76, emotion=120)
NARROW = Layout(width=360, left=40, right=30, waveform=60, pitch=110, loudness=64, emotion=110)


@dataclass(frozen=True, slots=True)
class Curve:
    """A path and the class that gives it its colour; `name` and `at` are those of its entry in the legend."""

    kind: str
    path: str
    name: str = ""
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Panel:
    """One quantity over time; `empty` says why nothing is drawn."""

    title: str
    frame: Frame
    y_ticks: tuple[Tick, ...] = ()
    notes: tuple[Tick, ...] = ()
    areas: tuple[Curve, ...] = ()
    curves: tuple[Curve, ...] = ()
    empty: str = ""


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of time: where it is drawn, and the name above it (empty where there is no room)."""

    x: float
    y: float
    width: float
    height: float
    name: str = ""
    name_at: float = 0.0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of text above or below the panels."""

    kind: Literal["heading", "phrase", "", "small"]
    text: str
    y: float


@dataclass(frozen=True, slots=True)
class Drawing:
    """The whole picture."""

    frame: Frame
    title: str
    headings: tuple[Heading, ...]
    panels: tuple[Panel, ...]
    speech: tuple[Mark, ...]
    events: tuple[Mark, ...]
    x_ticks: tuple[Tick, ...]


def draw(
    perception: Perception,
    audio: Audio | None,
    *,
    clip: AudioRef | None,
    speech: Sequence[Segment] = (),
    language: Language,
    layout: Layout,
    headings: bool = False,
) -> Drawing:
    """Lay out the plot; arguments as `hearing_svg`, and with or without text above and below the panels.

    Without the sound there is no waveform, and the perception says how long the clip is.

    Raises:
        ValueError: if there is nothing to draw: neither sound nor anything that is heard over time.
    """
    word = words(language, "report")
    title = "" if clip is None else source_name(clip, limit=100)
    seconds = perception.seconds if audio is None else audio.seconds
    if audio is None and not is_over_time(perception):
        raise ValueError("a perception without tracks, trajectory and events has nothing to draw over time.")
    lines: list[Heading] = list(_headings(perception, title, language, layout)) if headings else []
    y = lines[-1].y + 10 if lines else 0.0

    def place(height: float) -> Frame:
        nonlocal y
        top = y + layout.gap
        y = top + height
        return Frame(layout.width, y, layout.left, layout.right, top, 0.0)

    panels = [] if audio is None else [_waveform(audio, place(layout.waveform), language)]
    shaded = _speech(speech, seconds, panels[0].frame) if panels else ()
    events: tuple[Mark, ...] = ()
    if perception.events:
        along = Frame(layout.width, y, layout.left, layout.right)
        events, lanes = _events(perception.events, seconds, along, y + layout.gap, layout, language)
        panels.append(Panel(word("events_panel"), place(layout.lane * lanes)))
    if perception.tracks is not None and perception.tracks.step > 0:
        panels.append(_pitch(perception.tracks, seconds, place(layout.pitch), language))
        panels.append(_loudness(perception.tracks, seconds, place(layout.loudness), language))
    if perception.trajectory is not None:
        panels.append(_emotion(perception.trajectory, seconds, place(layout.emotion), language))
    height = y + 32
    if headings and (ear := " · ".join(filter(None, (perception.signature, perception.licence)))):
        lines.append(Heading("small", one_line(ear, limit=130), y + 46))
        height = y + 60
    frame = Frame(layout.width, height, layout.left, layout.right, panels[0].frame.top, height - y)
    return Drawing(frame, title, tuple(lines), tuple(panels), shaded, events, time_ticks(frame, seconds))


def is_over_time(perception: Perception) -> bool:
    """Check that a perception holds something that can be drawn over time without the sound."""
    tracked = perception.tracks is not None and perception.tracks.step > 0
    return 0 < perception.seconds <= LONGEST_DRAWN and bool(perception.events or tracked or perception.trajectory)


def _headings(perception: Perception, title: str, language: Language, layout: Layout) -> Iterator[Heading]:
    yield Heading("heading", title, 34.0)
    yield Heading("phrase", one_line(hearing_phrase(perception, language=language), limit=110), 60.0)
    y = 60.0
    for line in _wrapped(hearing_headline(perception, language=language), layout.width - layout.left - layout.right):
        y += 20
        yield Heading("", line, y)


def _wrapped(parts: Iterable[str], width: float) -> Iterator[str]:
    line = ""
    for part in parts:
        longer = f"{line} · {part}" if line else part
        if line and CELL * cell_len(longer) > width:
            yield line
            longer = part
        line = longer
    yield line


def _waveform(audio: Audio, frame: Frame, language: Language) -> Panel:
    word = words(language, "report")
    peak = float(np.abs(audio.samples).max())
    shown = word("waveform_panel", peak=figure(round(20 * math.log10(peak), 1))) if peak > 0 else word("silent_panel")
    outline = outline_path(frame, audio.samples, columns=int(frame.end - frame.left))
    return Panel(shown, frame, areas=(Curve("outline", outline),))


def _speech(speech: Sequence[Segment], seconds: float, frame: Frame) -> tuple[Mark, ...]:
    """Stretches of speech behind the waveform; those that would touch are one."""
    marks: list[Mark] = []
    for segment in speech:
        x, end = (frame.across(min(1.0, time / seconds)) for time in (segment.start, segment.end))
        if marks and x - (marks[-1].x + marks[-1].width) < 0.5:
            marks[-1] = replace(marks[-1], width=round(end - marks[-1].x, 2))
        else:
            marks.append(Mark(x, frame.top, round(end - x, 2), round(frame.base - frame.top, 2)))
    return tuple(marks)


def _events(
    events: Sequence[SoundEvent], seconds: float, frame: Frame, top: float, layout: Layout, language: Language
) -> tuple[tuple[Mark, ...], int]:
    """Sounds in rows, each with its name where there is room for it, and how many rows that takes."""
    drawn = sorted(events, key=lambda event: -event.confidence)[:MOST_DRAWN_EVENTS]
    ends = [-math.inf] * MOST_LANES
    marks = []
    for event in sorted(drawn, key=lambda event: event.start):
        x, end = (frame.across(min(1.0, max(0.0, time / seconds))) for time in (event.start, event.end))
        width = round(max(2.0, end - x), 2)
        name = one_line(named(event.name, language), limit=24)
        name_at = round(max(frame.left, min(x, frame.end - CELL * cell_len(name))), 2)
        row = next((row for row in range(MOST_LANES) if ends[row] <= min(x, name_at)), None)
        if row is None:  # no room for the name: the bar alone, where it hides least
            row, name = min(range(MOST_LANES), key=lambda row: ends[row]), ""
        ends[row] = max(ends[row], x + width, name_at + CELL * cell_len(name)) + 4
        said = f"{one_line(named(event.name, language), limit=80)}, {event_times(event)}"
        marks.append(Mark(x, round(top + row * layout.lane, 2) + 16, width, 4.0, name, name_at, said))
    return tuple(marks), sum(end > -math.inf for end in ends)


def _pitch(tracks: Tracks, seconds: float, frame: Frame, language: Language) -> Panel:
    word = words(language, "report")
    hertz = np.asarray(tracks.pitch, dtype=np.float64)
    heard = (hertz >= LOWEST_PITCH) & (hertz <= HIGHEST_PITCH)
    columns = _columns(np.where(heard, hertz, np.nan), tracks.step, seconds, frame)
    if columns.is_empty:
        return Panel(word("pitch_panel"), frame, empty=word("nothing_here"))
    low, high = float(np.nanmin(columns.low)), float(np.nanmax(columns.high))
    centre, octaves = math.sqrt(low * high), max(1.0, math.log2(high / low) + 1 / 6)  # a semitone on either side
    axis = Axis(centre * 2 ** (-octaves / 2), centre * 2 ** (octaves / 2), logarithmic=True)
    return Panel(
        word("pitch_panel"),
        frame,
        y_ticks=frequency_ticks(frame, axis),
        notes=note_ticks(frame, axis),
        areas=_areas(frame, columns, axis),
        curves=(Curve("", line_path(frame, columns.at, axis.parts(columns.middle))),),
    )


def _loudness(tracks: Tracks, seconds: float, frame: Frame, language: Language) -> Panel:
    word = words(language, "report")
    level = np.asarray(tracks.loudness, dtype=np.float64)
    columns = _columns(np.clip(level, QUIETEST, LOUDEST), tracks.step, seconds, frame)
    if columns.is_empty:
        return Panel(word("loudness_panel"), frame, empty=word("nothing_here"))
    high = max(QUIETEST + 20.0, 10.0 * math.ceil(float(np.nanmax(columns.high)) / 10))
    axis = Axis(min(high - 20.0, 10.0 * math.floor(float(np.nanmin(columns.low)) / 10)), high)
    step = 10.0 if high - axis.low <= 30 else 20.0
    marks = np.arange(high, axis.low - 1e-9, -step).tolist()
    return Panel(
        word("loudness_panel"),
        frame,
        y_ticks=tuple(Tick(frame.up(axis.part(mark)), figure(mark)) for mark in marks),
        areas=_areas(frame, columns, axis, kind="loudness"),
        curves=(Curve("loudness", line_path(frame, columns.at, axis.parts(columns.middle))),),
    )


def _emotion(trajectory: Trajectory, seconds: float, frame: Frame, language: Language) -> Panel:
    word = words(language, "report")
    names = {kind: named(kind, language) for kind in ("valence", "arousal", "dominance")}
    entries = [34 + CELL * (cell_len(name) + 1) for name in names.values()]
    title, axis = word("vad_panel"), Axis(-1.0, 1.0)
    begin = CELL * (cell_len(title) + 3)
    if frame.left + begin + sum(entries) > frame.width:  # the legend says enough
        title, begin = "", 0.0
    width = int((frame.end - frame.left) / 4)  # wide columns: many changes of a dashed line could not be followed
    curves = []
    for index, (kind, name) in enumerate(names.items()):
        columns = reduce_to_columns(getattr(trajectory, kind), step=trajectory.step, seconds=seconds, columns=width)
        at = round(frame.left + begin + sum(entries[:index]), 1)
        curves.append(Curve(kind, line_path(frame, columns.at, axis.parts(columns.middle)), name, at))
    ticks = tuple(Tick(frame.up(axis.part(mark)), figure(mark)) for mark in (-1.0, 0.0, 1.0))
    empty = "" if any(curve.path for curve in curves) else word("nothing_here")
    return Panel(title, frame, y_ticks=ticks, curves=tuple(curves), empty=empty)


def _columns(values: Floats, step: float, seconds: float, frame: Frame) -> Columns:
    """A column for every unit of the drawing."""
    return reduce_to_columns(values, step=step, seconds=seconds, columns=int(frame.end - frame.left))


def _areas(frame: Frame, columns: Columns, axis: Axis, *, kind: str = "") -> tuple[Curve, ...]:
    """The spread within the columns, where they hold more than one value."""
    if not columns.is_reduced:
        return ()
    return (Curve(kind, band_path(frame, columns.at, axis.parts(columns.low), axis.parts(columns.high))),)


FINE_STEP, COARSE_STEP = 0.25, 1.0
"""Seconds between two points of a drawn trajectory: of clips up to two minutes, and of longer ones."""


def drawn_step(seconds: float) -> float:
    """Seconds between two points of a trajectory that is drawn for a clip of this length."""
    return FINE_STEP if seconds <= 120 else COARSE_STEP


def hearing_figure(
    perception: Perception, audio: Audio, *, clip: AudioRef, speech: Sequence[Segment] = (), language: Language = "en"
) -> Figure:
    """The picture for a page that has the report's style sheets and a player of its own; arguments as `hearing_svg`."""
    drawings = {
        name: draw(perception, audio, clip=clip, speech=speech, language=language, layout=layout)
        for name, layout in {"wide": WIDE, "narrow": NARROW}.items()
    }
    phrase = hearing_phrase(perception, language=language)
    markup = render("hearing_figure.html.j2", drawings=drawings, phrase=phrase)
    headline = " · ".join(hearing_headline(perception, language=language))
    return Figure(phrase, markup, note=headline, is_wide=True, is_result=True)


MOST_SOUND = 4_000_000
"""Characters of sound that a page holds; a longer recording is drawn, but cannot be played."""


def hearing_svg(
    perception: Perception, audio: Audio, *, clip: AudioRef, speech: Sequence[Segment] = (), language: Language = "en"
) -> str:
    """The picture as one SVG file, light or dark as the viewer is.

    Nothing in it points outside, there is no script in it, and text from files is escaped.

    Args:
        perception: perception with tracks and trajectory; what it lacks is not drawn.
        speech: stretches to shade.
    """
    drawing = draw(perception, audio, clip=clip, speech=speech, language=language, layout=WIDE, headings=True)
    word = words(language, "report")
    return str(render("hearing.svg.j2", drawing=drawing, word=word, language=language, style=drawing_style()))


def hearing_html(
    perception: Perception, audio: Audio, *, clip: AudioRef, speech: Sequence[Segment] = (), language: Language = "en"
) -> str:
    """The picture as one page with a player, and everything that was heard below it; arguments as `hearing_svg`.

    As in the report, a policy forbids the browser to load anything or to run any script but ours.
    """
    style = assets("palette.css", "plots.css", "report.css", "hearing.css")
    script = assets("problems.js", "players.js", "hearing.js")
    uri, problem = _sound(audio, language)
    page = render(
        "hearing.html.j2",
        drawings={
            name: draw(perception, audio, clip=clip, speech=speech, language=language, layout=layout)
            for name, layout in {"wide": WIDE, "narrow": NARROW}.items()
        },
        title=source_name(clip, limit=200),
        phrase=hearing_phrase(perception, language=language),
        headline=hearing_headline(perception, language=language),
        sections=hearing_sections(perception, language=language),
        uri=uri,
        problem=problem,
        word=words(language, "report"),
        language=language,
        version=version("aptone"),
        style=style,
        script=script,
        policy=content_policy(style=style, script=script),
    )
    return str(page)


def _sound(audio: Audio, language: Language) -> tuple[str, str]:
    """The clip as a data URI, or else why there is none."""
    word = words(language, "report")
    if audio.seconds > LONGEST_CLIP:
        return "", word("too_large")
    try:
        uri = sound_uri(audio)
    except AptoneError as error:
        return "", one_line(str(error), limit=300)
    return (uri, "") if len(uri) <= MOST_SOUND else ("", word("too_large"))
