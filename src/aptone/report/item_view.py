"""View of one item in a report: its line, its story, plan and perception, and everything else, folded."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from aptone.errors import RecordError
from aptone.messages import translate, words
from aptone.report.groups import counted_score
from aptone.report.notation import UNDEFINED, band, figure, named
from aptone.report.trust import why_unscored
from aptone.types import (
    Entry,
    Json,
    Language,
    Perception,
    Plan,
    Score,
    ScoreState,
    State,
    dumps,
    from_json,
    is_finite_number,
    language_of_text,
)

ASPECTS = ("emotion", "rhythm", "intonation", "recording_condition")
"""Aspects of both a plan and a perception, in the order in which they are shown."""

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class AspectRow:
    """One aspect of a line: how it was to sound, how it sounded, and how well the two fit (``None``: not scored).

    `measured` holds the numbers behind the score, by name.
    """

    name: str
    planned: str = ""
    heard: str = ""
    score: Score | None = None
    measured: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Plan against perception, a row for each aspect, and why the ear could not judge some properties."""

    rows: tuple[AspectRow, ...] = ()
    measures: Mapping[str, Score] | None = None
    unjudged: Mapping[str, str] | None = None


def shown_state(entry: Entry, score: str) -> str:
    """``done``, ``not-needed``, ``unscored`` or ``failed``: as the trust card counts, the last two with a reason."""
    if entry.outcome.state is State.FAILED:
        return State.FAILED.value
    if why_unscored(entry, score):
        return State.UNSCORED.value
    given = counted_score(entry, score)
    return "not-needed" if given is not None and given.state is ScoreState.NOT_NEEDED else State.DONE.value


def why_no_score(entry: Entry, score: str) -> str:
    """Return the reason why an item has no number; empty when it has one."""
    given = counted_score(entry, score)
    return given.reason if given is not None and not given.needed else why_unscored(entry, score)


def other_scores(scores: Mapping[str, Score], main: Score) -> tuple[tuple[tuple[str, ...], Score], ...]:
    """The scores of an item besides the main one; those that are undefined for the same reason stand together.

    >>> alone = Score(math.nan, reason="no reference")
    >>> [names for names, _ in other_scores({"F": alone, "s_p": Score(0.5), "s_r": alone}, Score(1.0))]
    [('F', 's_r'), ('s_p',)]
    """
    together: dict[str, list[str]] = {}
    for name, score in scores.items():
        if score is not main:
            key = f"reason {score.reason}" if score.reason and not score.is_defined else f"name {name}"
            together.setdefault(key, []).append(name)
    return tuple((tuple(names), scores[names[0]]) for names in together.values())


def compare(entry: Entry, *, language: Language) -> Comparison:
    """Plan against perception of an item; what cannot be read as such is left to the folded blocks."""
    perception = _record(Perception, entry.outcome.evidence.get("perception"))
    rows = _aspect_rows(entry, perception, language)
    if perception is None:
        return Comparison(rows)
    return Comparison(rows, measures=perception.measures, unjudged=perception.unjudged)


def plan_of(entry: Entry) -> Plan | None:
    """The plan that an item was judged by; ``None`` where there is none that can be read."""
    return _record(Plan, entry.outcome.evidence.get("plan")) or _record(Plan, entry.item.payload.get("plan"))


def _aspect_rows(entry: Entry, perception: Perception | None, language: Language) -> tuple[AspectRow, ...]:
    evidence = entry.outcome.evidence
    plan = plan_of(entry)
    aspects = evidence.get("aspects")
    scored = aspects if isinstance(aspects, Mapping) else {}
    names = [*ASPECTS, *(name for name in scored if name not in ASPECTS)]
    rows = []
    for name in names:
        given = scored.get(name)
        row = given if isinstance(given, Mapping) else {}
        planned = _text(row.get("planned")) or (_planned(plan, name, language) if plan else "")
        heard = _in_language(_text(row.get("heard")), perception, language)
        heard = heard or (_heard(perception, name, language) if perception else "")
        score = _record(Score, row.get("score"))
        if planned or heard or score:
            rows.append(AspectRow(name, planned, heard, score, _numbers(row.get("measured"))))
    return tuple(rows)


def worst_aspect(entry: Entry, *, language: Language) -> AspectRow | None:
    """The aspect with the lowest score, of those that something was planned for, if any; ``None`` if none is scored."""
    scored = [row for row in _aspect_rows(entry, None, language) if row.score and row.score.is_defined]
    scored = [row for row in scored if row.planned] or scored
    worst = min(scored, key=lambda row: row.score.value if row.score else math.inf, default=None)
    if worst is None or worst.heard:
        return worst
    perception = _record(Perception, entry.outcome.evidence.get("perception"))  # large: read only where it is needed
    return worst if perception is None else replace(worst, heard=_heard(perception, worst.name, language))


def folded_blocks(entry: Entry) -> dict[str, str]:
    """Return what is not shown in words as JSON text by name: evidence, votes, and the item itself.

    The plan, the perception and the aspects are shown in words where they can be read; they are folded all the same,
    because words leave out votes, distributions and signatures.
    """
    blocks: dict[str, Json] = {**entry.outcome.evidence, "item": entry.item.payload}
    return {name: json_text(value) for name, value in blocks.items()}


def json_text(value: Json) -> str:
    """A JSON value as indented text; one that has no JSON form (an infinite number) says so instead of failing."""
    try:
        return dumps(value, indent=2)
    except RecordError as error:
        return str(error)


def _record(kind: type[Record], value: Json) -> Record | None:
    if not isinstance(value, Mapping):
        return None
    try:
        return from_json(kind, value)
    except RecordError:
        return None


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _in_language(heard: str, perception: Perception | None, language: Language) -> str:
    """The ear's phrase in another language, where what was heard is that phrase."""
    phrases = perception.phrase if perception else {}
    return phrases.get(language, heard) if heard in phrases.values() else heard


def _numbers(value: Json) -> dict[str, float]:
    if not isinstance(value, Mapping):
        return {}
    return {name: float(number) for name, number in value.items() if is_finite_number(number)}


def _planned(plan: Plan, aspect: str, language: Language) -> str:
    if aspect in ("rhythm", "intonation"):
        choice = plan.rhythm if aspect == "rhythm" else plan.intonation
        return choice.label(language) if choice else ""
    return {"emotion": plan.emotion, "recording_condition": plan.recording_condition}.get(aspect, "")


def _heard(perception: Perception, aspect: str, language: Language) -> str:
    if aspect == "emotion" and (phrase := perception.phrase.get(language)):
        return phrase
    distributions: dict[str, dict[str, float]] = {
        "emotion": dict(perception.emotion),
        "rhythm": {name.label(language): share for name, share in perception.rhythm.items()},
        "intonation": {name.label(language): share for name, share in perception.intonation.items()},
        "recording_condition": dict(perception.recording_condition),
    }
    likely = sorted(distributions.get(aspect, {}).items(), key=lambda pair: -pair[1])[:2]
    return ", ".join(f"{name} {figure(100 * share)} %" for name, share in likely if share >= 0.1)


def short_why(entry: Entry, score: str, *, language: Language) -> str:
    """The reason for an item without a score; else the aspect that fits worst; without aspects, the rationale.

    Where even that one lies in the upper third of its scale, the line is said as planned.

    Args:
        language: language of the words, where the rationale does not set another one.
    """
    if reason := why_no_score(entry, score):
        return translate(reason, language)
    worst = worst_aspect(entry, language=language)
    if worst is None:
        return entry.outcome.rationale
    # What was planned and heard is shown in the language of the rationale; so is the sentence around it.
    rationale_language = language_of_text(entry.outcome.rationale) if entry.outcome.rationale else language
    word = words(rationale_language, "report")
    if band(worst.score) == "high":  # the ear is never quite sure: a fit of 4.9 is one
        return word("as_planned")
    aspect = word(worst.name) if worst.name in ASPECTS else named(worst.name, rationale_language)
    return word("worst_aspect", aspect=aspect, planned=worst.planned or UNDEFINED, heard=worst.heard or UNDEFINED)
