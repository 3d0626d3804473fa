"""Judged lines of a book, gathered from the entries of a run: what a production report needs, and no more.

A record takes a few kB, so that a novel of twenty thousand lines fits in memory whatever its journal holds.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from aptone.report.groups import counted_score
from aptone.report.item_view import plan_of
from aptone.report.people_agreement import number_or_nan
from aptone.report.trust import why_unscored
from aptone.rooms.aptness.books.book import ALIGNMENT, is_book_entry
from aptone.run.entries import entries_naming
from aptone.run.payload import find_clips
from aptone.types import AudioRef, Entry, Json, Line, Plan, State, from_json

MEASURES = ("pitch level", "articulation rate", "loudness")
"""Measures of a voice that stay near their usual values over a book."""


NARRATION, UNKNOWN = "narration", "unknown"
"""Names of narration, and of speech whose speaker is not known, among characters."""


@dataclass(frozen=True, slots=True)
class Aspect:
    """Score of an aspect, and the likeliest labels asked for and heard (English names); empty where unknown."""

    score: float
    planned: str
    heard: str


@dataclass(frozen=True, slots=True)
class ProductionLine:
    """A line of a recorded book with its verdict.

    Args:
        position: place among the lines of the run.
        role: speaker; empty for narration, and where nobody is known to say it.
        recording: name of the recording; empty where the line has no place.
        start, end: seconds in that recording; NaN where the line has no place.
        placed: share of its words found where it was placed, from 0 to 1.
        scores: aptness, repeats included; empty without a score.
        spread: standard deviation of the aptness over the plans that are possible; 0 for a sure plan.
        agreement: probability that the emotion heard is the one that the plan asks for; NaN where one of them has none.
        reason: why there is no score.
        heard: the emotion that the ear heard in words, by language.
        measures: measures of the voice by name, as far as they are defined.
    """

    id: str
    position: int
    text: str
    chapter: str
    role: str
    is_speech: bool
    recording: str = ""
    start: float = math.nan
    end: float = math.nan
    placed: float = 1.0
    clip: AudioRef | None = None
    scores: tuple[float, ...] = ()
    spread: float = 0.0
    agreement: float = math.nan
    reason: str = ""
    plan: Plan | None = None
    aspects: Mapping[str, Aspect] | None = None
    heard: Mapping[str, str] | None = None
    measures: Mapping[str, float] | None = None

    @property
    def character(self) -> str:
        """Name by which the line is filed: its speaker, ``narration``, or ``unknown``."""
        return self.role or (UNKNOWN if self.is_speech else NARRATION)

    @property
    def score(self) -> float:
        """Mean of the scores; NaN without one."""
        return math.fsum(self.scores) / len(self.scores) if self.scores else math.nan

    @property
    def has_place(self) -> bool:
        """Return true if it is known when the line is spoken."""
        return bool(self.recording) and not math.isnan(self.start) and not math.isnan(self.end)


def gather_lines(entries: Iterable[Entry], score: str) -> list[ProductionLine]:
    """Return the lines of a book in order, repeats of a line joined; none for runs over something else.

    Args:
        score: name of the score that lines are ordered by.
    """
    found: dict[str, ProductionLine] = {}
    for entry in entries_naming(entries, ALIGNMENT):
        if not is_book_entry(entry.item.payload):
            continue
        line, known = _line(entry, score), found.get(entry.item.id)
        if known is None:
            found[line.id] = line
        elif line.scores:
            first = line if not known.scores else known
            found[line.id] = replace(first, scores=(*known.scores, *line.scores))
    return sorted(found.values(), key=lambda line: line.position)


def _line(entry: Entry, score: str) -> ProductionLine:
    payload = entry.item.payload
    ids, place = (_mapping(payload.get(name)) for name in ("ids", ALIGNMENT))
    target = from_json(Line, payload.get("target"))
    given = counted_score(entry, score) if entry.outcome.state is State.DONE else None
    is_scored = given is not None and given.is_defined
    spread = given.spread if given is not None else math.nan
    perception = _mapping(entry.outcome.evidence.get("perception"))
    clips, plan = find_clips(payload), plan_of(entry)
    return ProductionLine(
        id=entry.item.id,
        position=entry.item.position,
        text=target.text,
        chapter=str(ids.get("chapter", "")),
        role=target.role,
        is_speech=target.is_speech,
        recording=str(place.get("recording", "")),
        start=number_or_nan(place.get("start")),
        end=number_or_nan(place.get("end")),
        placed=_share(place.get("confidence")),
        clip=clips[0].ref if clips else None,
        scores=(given.value,) if is_scored and given is not None else (),
        spread=0.0 if math.isnan(spread) else spread,
        agreement=agreement_of(plan, _mapping(perception.get("emotion"))),
        reason="" if is_scored else why_unscored(entry, score) or entry.outcome.reason,
        plan=plan,
        aspects=dict(_aspects(entry.outcome.evidence.get("aspects"), perception)),
        heard={name: str(text) for name, text in _mapping(perception.get("phrase")).items()},
        measures=dict(_measures(perception.get("measures"))),
    )


def agreement_of(plan: Plan | None, heard: Mapping[str, Json]) -> float:
    """Return the probability that the emotion heard is the one asked for: Σ P(asked) · P(heard) over emotions.

    >>> agreement_of(Plan("sad", emotions={"sad": 0.75, "fear": 0.25}, unsaid=0.0), {"sad": 0.5, "fear": 0.5})
    0.5
    """
    if plan is None or not plan.emotions or not heard:
        return math.nan
    shares = (share * number_or_nan(heard.get(name, 0.0)) for name, share in plan.emotions.items())
    return min(1.0, max(0.0, math.fsum(shares)))


def _aspects(given: Json, perception: Mapping[str, Json]) -> Iterator[tuple[str, Aspect]]:
    for name, row in _mapping(given).items():
        score = number_or_nan(_mapping(_mapping(row).get("score")).get("value"))
        heard = {label: number_or_nan(share) for label, share in _mapping(perception.get(name)).items()}
        likeliest = max(heard, key=lambda label: heard[label], default="")
        yield name, Aspect(score, str(_mapping(row).get("planned") or ""), likeliest)


def _measures(given: Json) -> Iterator[tuple[str, float]]:
    for name in MEASURES:
        value = number_or_nan(_mapping(_mapping(given).get(name)).get("value"))
        if not math.isnan(value):
            yield name, value


def _share(value: Json) -> float:
    found = number_or_nan(value)
    return 1.0 if math.isnan(found) else min(1.0, max(0.0, found))


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}
