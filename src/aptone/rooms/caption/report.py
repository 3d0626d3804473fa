"""Captions in reports: claims marked in their texts, notes for the trust card, a table for the terminal.

What the journal says about the units of a caption is read with care: it may come from anywhere.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from aptone.ear.claims.verification import Verdict
from aptone.messages import message, translate, words
from aptone.report.notation import one_line, score_figure, score_name
from aptone.report.room_report import SYMBOLS, MarkedText, RoomReport, ShownUnit, marked_text
from aptone.types import Entry, Json, Language, Outcome

MISSED = "missed"
FOUND = "found"
"""Outcomes of a unit of the reference."""
MOST_UNREAD = 12
"""Unread words that the terminal names."""


@dataclass(frozen=True, slots=True)
class CaptionEvidence:
    """The units behind the scores of a caption.

    Args:
        reference: units of the reference; empty where there is none.
        dropped: units that a model gave whose words are not in the text.
        format_failures: answers of a model that were neither yes nor no.
        coverage: share of the caption's content words that were read; NaN where it is not known.
        unread: places of the content words that were not read.
        doubtful: unread words that may be claims: with any, a perfect score is one of what was read only.
    """

    units: tuple[ShownUnit, ...]
    reference: tuple[ShownUnit, ...] = ()
    dropped: int = 0
    format_failures: int = 0
    coverage: float = math.nan
    unread: tuple[tuple[int, int], ...] = ()
    doubtful: tuple[str, ...] = ()

    @property
    def is_partly_perfect(self) -> bool:
        """True if everything that was read holds, and words are left over that may be claims."""
        return bool(self.doubtful and self.units) and all(unit.state == Verdict.TRUE.value for unit in self.units)


def caption_evidence(outcome: Outcome) -> CaptionEvidence | None:
    """The units in the evidence of an outcome; ``None`` where it is about no caption, or cannot be read."""
    evidence = outcome.evidence
    if "units" not in evidence or "dropped_units" not in evidence:
        return None
    units = _units(evidence["units"], _verdict)
    reference = _units(evidence.get("reference_units", ()), _missed)
    if units is None or reference is None:
        return None
    share, unread = _coverage(evidence.get("coverage"))
    return CaptionEvidence(
        units,
        reference,
        _count(evidence["dropped_units"]),
        _count(evidence.get("format_failures", 0)),
        share,
        unread,
        _doubtful(evidence.get("coverage")),
    )


def _coverage(data: Json) -> tuple[float, tuple[tuple[int, int], ...]]:
    """The share that was read and the places that were not; runs of earlier editions have neither."""
    if not isinstance(data, Mapping):
        return math.nan, ()
    share, unread = data.get("share"), data.get("unread")
    places = []
    for one in unread if isinstance(unread, Sequence) and not isinstance(unread, str) else ():
        start, end = (one.get("start"), one.get("end")) if isinstance(one, Mapping) else (None, None)
        if type(start) is int and type(end) is int and 0 <= start < end:
            places.append((start, end))
    is_share = isinstance(share, int | float) and not isinstance(share, bool) and 0.0 <= share <= 1.0
    return float(share) if is_share and isinstance(share, int | float) else math.nan, tuple(places)


def _doubtful(data: Json) -> tuple[str, ...]:
    """The unread words that may be claims; runs of earlier editions do not name them."""
    words = data.get("may_be_claims") if isinstance(data, Mapping) else None
    return tuple(word for word in words if isinstance(word, str)) if isinstance(words, list | tuple) else ()


def coverage_note(evidence: CaptionEvidence) -> str:
    """Say how much of the caption was read, or that it was not fully read; empty where that is not known.

    The latter is said of captions of which all that was read holds: their score is perfect, they may not be.
    """
    if math.isnan(evidence.coverage):
        return ""
    if evidence.is_partly_perfect:
        named = ", ".join(dict.fromkeys(evidence.doubtful[:MOST_UNREAD]))
        return message("caption.not-fully-read", share=100.0 * evidence.coverage, words=named)
    return message("caption.coverage-note", share=100.0 * evidence.coverage)


def caption_marks(entry: Entry, *, longest: int) -> tuple[MarkedText, ...]:
    """Return the texts of an item about a caption, cut to `longest` characters, with their units marked; else empty."""
    evidence = caption_evidence(entry.outcome)
    if evidence is None:
        return ()
    given = {"caption": evidence.units, "reference": evidence.reference}
    texts = {name: entry.item.payload.get(name) for name in given}
    unread = {"caption": evidence.unread, "reference": ()}
    note = {"caption": coverage_note(evidence), "reference": ""}
    return tuple(
        marked_text(name, text, given[name], longest=longest, unread=unread[name], note=note[name])
        for name, text in texts.items()
        if isinstance(text, str) and text
    )


def caption_notes(outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """Return notes on the scores of a run: how much was read, and those of `reply_notes`."""
    listed = list(outcomes)
    found = [one for outcome in listed if (one := caption_evidence(outcome)) is not None]
    notes = []
    shares = [one.coverage for one in found if not math.isnan(one.coverage)]
    if shares:
        notes.append(message("caption.mean-coverage", count=len(shares), share=100.0 * math.fsum(shares) / len(shares)))
    if partly := sum(one.is_partly_perfect for one in found):
        notes.append(message("caption.perfect-in-part", count=partly))
    return (*notes, *reply_notes(listed))


def reply_notes(outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """Return notes on what models replied: units that were dropped, answers that could not be read."""
    found = [one for outcome in outcomes if (one := caption_evidence(outcome)) is not None]
    units = sum(len(one.units) for one in found)
    dropped, failures = sum(one.dropped for one in found), sum(one.format_failures for one in found)
    notes = []
    if dropped:
        notes.append(message("report.units-dropped", dropped=dropped))
    if failures:
        share = 100.0 * failures / units
        notes.append(message("report.unclear-answers", failures=failures, units=units, share=share))
    return tuple(notes)


def _units(data: Json, state: Callable[[Mapping[str, Json]], str]) -> tuple[ShownUnit, ...] | None:
    if not isinstance(data, Sequence) or isinstance(data, str):
        return None
    found = []
    for one in data:
        if not isinstance(one, Mapping):
            return None
        fact, evidence, start, end = (one.get(name) for name in ("fact", "evidence", "start", "end"))
        measured = one.get("measured", "")
        known = state(one)
        if not (isinstance(fact, str) and isinstance(evidence, str) and isinstance(measured, str) and known):
            return None
        if not (type(start) is int and type(end) is int and 0 <= start < end):
            return None
        found.append(ShownUnit(fact, evidence, start, end, known, measured))
    return tuple(found)


def _verdict(unit: Mapping[str, Json]) -> str:
    given = unit.get("verdict")
    return next((verdict.value for verdict in Verdict if verdict.value == given), "")


def _missed(unit: Mapping[str, Json]) -> str:
    given = unit.get("missed")
    return (MISSED if given else FOUND) if isinstance(given, bool) else ""


def _count(value: Json) -> int:
    return value if type(value) is int and value >= 0 else 0


LONGEST_CELL = 300
_STYLES = {"true": "green", "false": "red", "undecided": "yellow", "missed": "magenta", "found": "green"}


def caption_table(outcome: Outcome, *, language: Language = "en", caption: str = "") -> RenderableType:
    """Every unit with its verdict and what was measured, missing units of the reference, the scores, and what was read.

    Args:
        caption: text of the caption, to name the words that were not read.
    """
    word = words(language, "report")
    evidence = caption_evidence(outcome)
    parts: list[RenderableType] = []
    if evidence is not None and evidence.units:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
        table.add_column(word("unit_verdict"), no_wrap=True)
        table.add_column(word("unit_words"), overflow="fold", ratio=3)
        table.add_column(word("unit_fact"), overflow="fold", ratio=5)
        units = (*evidence.units, *[unit for unit in evidence.reference if unit.state == MISSED])
        measured = any(unit.measured for unit in units)
        if measured:
            table.add_column(word("unit_measured"), overflow="fold", ratio=5)
        for unit in units:
            table.add_row(*_cells(unit, language), *([_text(unit.measured)] if measured else []))
        parts.append(table)
    scores = Text()
    for name, score in outcome.scores.items():
        scores.append(f"{score_name(name, language)} ", style="bold")
        scores.append(f"{score_figure(score)}  ")
    for reason in dict.fromkeys(score.reason for score in outcome.scores.values() if score.reason):
        scores.append(f"\n{one_line(translate(reason, language))}", style="dim")
    parts.append(scores)
    if evidence is not None and (said := coverage_note(evidence)):
        read = Text(translate(said, language), style="dim")
        unread = list(dict.fromkeys(caption[start:end] for start, end in evidence.unread if caption[start:end]))
        if unread:
            named = {"en": ", ", "zh": "、"}[language].join(unread[:MOST_UNREAD])
            more = "…" if len(unread) > MOST_UNREAD else ""
            read.append("\n" + one_line(translate(message("caption.unread-words", words=named + more), language)))
        parts.append(read)
    return Group(*parts)


def _cells(unit: ShownUnit, language: Language) -> tuple[Text, ...]:
    verdict = Text(
        f"{SYMBOLS[unit.state]} {words(language, 'report')(f'unit_{unit.state}')}", style=_STYLES[unit.state]
    )
    return verdict, _text(unit.evidence), _text(unit.fact)


def _text(text: str) -> Text:
    return Text(one_line(text, limit=LONGEST_CELL))


REPORT = RoomReport(marks=caption_marks, notes=caption_notes)
