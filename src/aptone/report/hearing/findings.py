"""Perception in words for people: sections of findings, and tables of them for the terminal."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from aptone.messages import translate, words
from aptone.report.clips import source_name
from aptone.report.groups import group_by_reason, without_path
from aptone.report.notation import UNDEFINED, clock, duration, figure, named, one_line, percent, score_figure
from aptone.types import AudioRef, Json, Language, Perception, Score, SoundEvent, Trajectory, to_json

MOST_EMOTIONS = 4
"""Emotions that are listed, the likeliest first."""

MOST_EVENTS = 12
"""Sounds besides words that are listed, in the order of time; the others are counted."""

LONGEST_NAME = 80
"""Characters of a name that are shown."""

LONGEST_WORDS = 300
"""Characters of a phrase or a reason that are shown."""

BAR_CELLS = 20
"""Width of a bar on the terminal."""

MEASURES: Mapping[str, tuple[str, ...]] = {
    "pitch": ("pitch level", "pitch range", "pitch slope"),
    "tempo": ("speech rate", "articulation rate", "pause share", "pauses per minute", "longest pause"),
    "loudness": ("loudness", "loudness range"),
    "texture": ("jitter", "shimmer", "HNR", "spectral tilt", "high band", "voiced share"),
}
"""Sections of measured quantities; others that an ear measures stand under the last one."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A clip, and what was heard in it, or why it could not be heard.

    Raises:
        ValueError: if it has neither a perception nor an error, or both.
    """

    clip: AudioRef
    perception: Perception | None = None
    error: str = ""

    def __post_init__(self) -> None:
        if (self.perception is None) == (not self.error):
            raise ValueError(f"{self.clip.path}: either a perception or an error is expected.")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was heard, in words with unit or probability; its bar begins at `low`, 0 to 1, NaN for none."""

    name: str
    value: str
    low: float = math.nan
    high: float = math.nan

    @property
    def has_bar(self) -> bool:
        """Check that a bar is shown beside it."""
        return not math.isnan(self.low + self.high)


@dataclass(frozen=True, slots=True)
class Section:
    """Findings that belong together."""

    title: str
    findings: tuple[Finding, ...]


def hearing_json(heard: Heard) -> dict[str, Json]:
    """One row for machines: the clip, the part of it that was meant, and the perception or the error."""
    row: dict[str, Json] = {"clip": heard.clip.path}
    if heard.clip.start:
        row["start"] = heard.clip.start
    if heard.clip.end is not None:
        row["end"] = heard.clip.end
    if heard.perception is None:
        return {**row, "error": heard.error}
    return {**row, "perception": to_json(heard.perception)}


def hearing_phrase(perception: Perception, *, language: Language) -> str:
    """The emotion in words: the ear's own phrase, or else the likeliest name, or else why there is none."""
    if phrase := perception.phrase.get(language):
        return one_line(phrase, limit=LONGEST_WORDS)
    if perception.emotion:
        return _likely(perception.emotion, language, most=1)
    why = translate(perception.unjudged.get("emotion", ""), language)
    return one_line(words(language, "report")("no_emotion", why=why or UNDEFINED), limit=LONGEST_WORDS)


def hearing_headline(perception: Perception, *, language: Language) -> tuple[str, ...]:
    """The main findings besides the emotion, each a few words: duration, voice, delivery, recording."""
    word = words(language, "report")
    covered = perception.speech_coverage
    parts = [duration(perception.seconds)]
    if not math.isnan(covered):
        parts.append(word("speech_share", share=_percent(covered)))
    likeliest = _distributions(perception, "sex", "age", "rhythm", "intonation", "recording_condition")
    parts += [_likely(distribution, language, most=1) for distribution in likeliest.values() if distribution]
    if perception.music >= 0.5:
        parts.append(word("with_music", share=_percent(perception.music)))
    if not math.isnan(perception.naturalness):
        parts.append(word("natural", value=figure(perception.naturalness)))
    return tuple(parts)


def hearing_sections(perception: Perception, *, language: Language) -> tuple[Section, ...]:
    """Everything that was heard, what could not be judged grouped by its reason, and which ear heard it.

    A section without findings is left out.
    """
    word = words(language, "report")
    found = {
        word("emotion"): _emotion(perception, language),
        word("delivery"): tuple(_chosen(perception, language, "rhythm", "intonation")),
        **{word(title): tuple(_measures(perception, title, language)) for title in MEASURES},
        word("voice"): _voice(perception, language),
        word("recording"): _recording(perception, language),
        word("events"): _events(perception, language),
        word("unjudged"): _unjudged(perception, language),
        word("ear"): _ear(perception, language),
    }
    return tuple(Section(title, findings) for title, findings in found.items() if findings)


def hearing_table(heard: Heard, *, language: Language = "en") -> RenderableType:
    """One clip in full; an error stands in the place of what was heard."""
    name = Text(source_name(heard.clip, limit=LONGEST_NAME), style="bold")
    if heard.perception is None:
        return Group(name, Text(one_line(heard.error, limit=LONGEST_WORDS), style="red"))
    table = Table(box=None, show_header=False, pad_edge=False, expand=True)
    table.add_column(no_wrap=True, style="bold", ratio=None)
    table.add_column(overflow="fold", max_width=28)
    table.add_column(overflow="fold", ratio=1)
    for section in hearing_sections(heard.perception, language=language):
        for index, finding in enumerate(section.findings):
            table.add_row("" if index else section.title, Text(finding.name, style="dim"), _valued(finding))
    head = Text(hearing_phrase(heard.perception, language=language), style="cyan")
    return Group(name, head, Padding(table, (1, 0, 0, 0)))


def hearings_table(rows: Sequence[Heard], *, language: Language = "en") -> RenderableType:
    """Many clips, a line each: length, emotion in words, and the likeliest rhythm, intonation, sex and condition.

    A question mark stands behind what is less likely than everything else together.
    """
    word = words(language, "report")
    folder = _common_folder(rows)
    title = Text(one_line(str(folder), limit=LONGEST_WORDS), style="dim") if folder != Path() else None
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True, title=title, title_justify="left")
    table.add_column(word("clip"), overflow="fold", ratio=4, min_width=12)
    table.add_column(word("length"), justify="right", no_wrap=True)
    table.add_column(word("heard"), overflow="fold", ratio=6)
    table.add_column(word("delivery"), overflow="fold", ratio=5)
    for row in rows:
        path = row.clip.path if folder == Path() else str(Path(row.clip.path).relative_to(folder))
        name = Text(one_line(path, limit=LONGEST_WORDS))
        heard = row.perception
        if heard is None:
            why = one_line(without_path(translate(row.error, language), row.clip.path), limit=LONGEST_WORDS)
            table.add_row(name, "", Text(word("error", why=why), style="red"))
            continue
        judged = _distributions(heard, "rhythm", "intonation", "sex", "recording_condition").values()
        delivery = word("comma").join(_likeliest(distribution, language) for distribution in judged if distribution)
        phrase = Text(hearing_phrase(heard, language=language))
        table.add_row(name, duration(heard.seconds), phrase, Text(delivery or UNDEFINED))
    return table


def trajectory_table(trajectory: Trajectory, *, language: Language = "en", limit: int = 40) -> RenderableType:
    """Valence, arousal and dominance over time, a line a point; a line below says how many there are besides."""
    word = words(language, "report")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(word("time_axis"), justify="right")
    for name in ("valence", "arousal", "dominance"):
        table.add_column(named(name, language), justify="right")
    for index, point in enumerate(trajectory.points[:limit]):
        time = f"{figure((index + 0.5) * trajectory.step)} s"
        table.add_row(time, *(_signed(value) for value in (point.valence, point.arousal, point.dominance)))
    if len(trajectory) <= limit:
        return table
    return Group(table, Text(word("further_rows", count=len(trajectory) - limit), style="dim"))


def _emotion(perception: Perception, language: Language) -> tuple[Finding, ...]:
    found = [
        Finding(_name(name, language), _percent(share), 0.0, min(1.0, max(0.0, share)))
        for name, share in _ranked(perception.emotion)[:MOST_EMOTIONS]
    ]
    if perception.vad is not None:
        for name in ("valence", "arousal", "dominance"):
            value: float = getattr(perception.vad, name)
            place = (value + 1) / 2
            found.append(Finding(named(name, language), _signed(value), min(0.5, place), max(0.5, place)))
    if not math.isnan(perception.intensity):
        found.append(Finding(named("intensity", language), f"{perception.intensity:.2f}", 0.0, perception.intensity))
    return tuple(found)


def _chosen(perception: Perception, language: Language, *names: str) -> list[Finding]:
    """Return the choices from closed lists with their probabilities, as far as they were judged."""
    judged = _distributions(perception, *names).items()
    return [Finding(named(name, language), _likely(chances, language)) for name, chances in judged if chances]


def _measures(perception: Perception, title: str, language: Language) -> Iterator[Finding]:
    names = [name for name in MEASURES[title] if name in perception.measures]
    if title == list(MEASURES)[-1]:
        listed = {name for group in MEASURES.values() for name in group}
        names += [name for name in perception.measures if name not in listed]
    for name in names:
        if (score := perception.measures[name]).is_defined:
            yield Finding(_name(name, language), _measured(score, language))


def _measured(score: Score, language: Language) -> str:
    if score.range == (0.0, 1.0) and score.unit in ("", "share"):
        return _percent(score.value)
    shown = score_figure(replace(score, unit=_name(score.unit, language)))
    if score.unit == "semitones above 100 Hz" and abs(score.value) < 1000:
        return f"{shown}, {figure(round(100 * 2 ** (score.value / 12)))} Hz"
    return shown


def _voice(perception: Perception, language: Language) -> tuple[Finding, ...]:
    found = _chosen(perception, language, "sex", "age")
    if not math.isnan(perception.naturalness):
        found.append(Finding(named("naturalness", language), f"{figure(perception.naturalness)} / 5"))
    return tuple(found)


def _recording(perception: Perception, language: Language) -> tuple[Finding, ...]:
    word = words(language, "report")
    found = _chosen(perception, language, "recording_condition")
    if not math.isnan(perception.music):
        key = "music_heard" if perception.music >= 0.5 else "no_music_heard"
        found.append(Finding(named("music", language), word(key, share=_percent(perception.music))))
    shown = duration(perception.seconds)
    if not math.isnan(perception.speech_seconds):
        speech, covered = duration(perception.speech_seconds), _percent(perception.speech_coverage)
        shown = word("speech_covers", speech=speech, all=shown, share=covered)
    found.append(Finding(named("speech", language), shown))
    return tuple(found)


def _events(perception: Perception, language: Language) -> tuple[Finding, ...]:
    in_time = sorted(perception.events, key=lambda event: event.start)
    found = [
        Finding(_name(event.name, language), f"{event_times(event)}, {_percent(event.confidence)}")
        for event in in_time[:MOST_EVENTS]
    ]
    if len(in_time) > MOST_EVENTS:
        found.append(Finding("", words(language, "report")("further_events", count=len(in_time) - MOST_EVENTS)))
    return tuple(found)


def event_times(event: SoundEvent) -> str:
    """Return the start and end of an event as text.

    >>> event_times(SoundEvent("laugh", 1.25, 2.0, 0.9)), event_times(SoundEvent("cough", 3725.0, 3726.5, 0.9))
    ('1.25 – 2 s', '1:02:05.0 – 1:02:06.5')
    """
    if not (0 <= event.start <= event.end < math.inf and event.end >= 60):
        return f"{figure(event.start)} – {figure(event.end)} s"
    return " – ".join(f"{clock(time)}.{int(10 * time) % 10}" for time in (event.start, event.end))


def _unjudged(perception: Perception, language: Language) -> tuple[Finding, ...]:
    undefined = {name: score.reason for name, score in perception.measures.items() if not score.is_defined}
    reasons = {**perception.unjudged, **undefined}
    groups = group_by_reason((translate(reason, language) or UNDEFINED, name) for name, reason in reasons.items())
    comma = words(language, "report")("comma")
    return tuple(
        Finding(one_line(comma.join(_name(name, language) for name in names), limit=LONGEST_WORDS), reason)
        for reason, names in groups.items()
    )


def _ear(perception: Perception, language: Language) -> tuple[Finding, ...]:
    word = words(language, "report")
    both = {word("signature"): perception.signature, word("licence"): perception.licence}
    return tuple(Finding(name, one_line(text, limit=LONGEST_WORDS)) for name, text in both.items() if text)


def _distributions(perception: Perception, *names: str) -> dict[str, dict[str, float]]:
    """Fields that map a name to a probability, with plain text as keys."""
    return {name: {str(key): share for key, share in getattr(perception, name).items()} for name in names}


def _ranked(distribution: Mapping[str, float]) -> list[tuple[str, float]]:
    return sorted(distribution.items(), key=lambda pair: -math.inf if math.isnan(pair[1]) else -pair[1])


def _likely(distribution: Mapping[str, float], language: Language, *, most: int = 3) -> str:
    """The likeliest names with their probabilities: the first, and those that have at least a tenth; or a dash."""
    ranked = [pair for place, pair in enumerate(_ranked(distribution)) if place == 0 or pair[1] >= 0.1]
    comma = words(language, "report")("comma")
    return comma.join(f"{_name(name, language)} {_percent(share)}" for name, share in ranked[:most]) or UNDEFINED


def _likeliest(distribution: Mapping[str, float], language: Language) -> str:
    name, share = _ranked(distribution)[0]
    return _name(name, language) + ("" if share >= 0.5 else "?")


def _percent(share: float) -> str:
    return UNDEFINED if math.isnan(share) else percent(share, 1)


def _common_folder(rows: Sequence[Heard]) -> Path:
    """The folder that several clips lie in; the current one where they have none in common."""
    if len(rows) < 2:
        return Path()
    try:
        return Path(os.path.commonpath([Path(row.clip.path).parent for row in rows]))
    except ValueError:  # some paths are absolute and some are not
        return Path()


def _signed(value: float) -> str:
    return UNDEFINED if math.isnan(value) else f"{value:+.2f}"


def _name(name: str, language: Language) -> str:
    return one_line(named(name, language), limit=LONGEST_NAME)


def _valued(finding: Finding) -> Text:
    if not finding.has_bar:
        return Text(finding.value)
    cells = [(cell + 0.5) / BAR_CELLS for cell in range(BAR_CELLS)]
    bar = "".join("█" if finding.low <= middle <= finding.high else "░" for middle in cells)
    return Text.assemble(f"{finding.value:>7} ", (bar, "cyan"))
