"""One item in full: its score, its story, its players, and what was planned and heard."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aptone.report.clips import ClipEmbedder, EmbeddedClip
from aptone.report.item_view import Comparison, compare, folded_blocks, other_scores, plan_of
from aptone.report.people_agreement import number_or_nan
from aptone.report.plan_text import emotion_text, evidence_rows
from aptone.report.room_report import MarkedText, Marks, no_marks
from aptone.run.payload import find_clips, lines_of, texts_of
from aptone.types import Entry, Evidence, Json, Language, Line, Plan, Score


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line; `says` is what a marked one says about how the target should sound."""

    text: str
    says: str = ""


@dataclass(frozen=True, slots=True)
class MarkedLine:
    """A line of a story in parts, some of them marked."""

    role: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class MarkedStory:
    """The lines before a target, the target, and those after it."""

    context: tuple[MarkedLine, ...]
    target: tuple[MarkedLine, ...]
    following: tuple[MarkedLine, ...]


def marked_story(payload: Mapping[str, Json], plan: Plan | None) -> MarkedStory:
    """The story of an item, with what its plan rests on marked."""
    evidence: Sequence[Evidence] = plan.evidence if plan is not None else ()
    context, target, following = (lines_of(payload, name) for name in ("context", "target", "following"))
    return MarkedStory(
        tuple(_marked(line, _of(evidence, place - len(context))) for place, line in enumerate(context)),
        tuple(_marked(line, _of(evidence, 0)) for line in target),
        tuple(_marked(line, _of(evidence, place)) for place, line in enumerate(following, start=1)),
    )


def _of(evidence: Iterable[Evidence], line: int) -> list[Evidence]:
    return sorted((one for one in evidence if one.line == line), key=lambda one: one.start)


def _marked(line: Line, evidence: Sequence[Evidence]) -> MarkedLine:
    parts: list[Part] = []
    offset = line.text.find(line.text.strip())
    place = 0
    for one in evidence:
        start, end = one.start + offset, one.end + offset
        if line.text[start:end].strip() != one.words:
            start = line.text.find(one.words)  # what a journal holds may have been laid out otherwise
            end = start + len(one.words)
        if start < place:
            continue
        parts += (Part(line.text[place:start]), Part(line.text[start:end], one.says))
        place = end
    parts.append(Part(line.text[place:]))
    return MarkedLine(line.role, tuple(part for part in parts if part.text))


LONGEST_TEXT = 4000
"""Characters of one text (a rationale, a reply, a JSON block) that the page shows; the journal holds the rest."""


@dataclass(frozen=True, slots=True)
class ItemCard:
    """One item in full."""

    entry: Entry
    score: Score
    others: tuple[tuple[tuple[str, ...], Score], ...]
    human: float
    context: tuple[MarkedLine, ...]
    target: tuple[MarkedLine, ...]
    following: tuple[MarkedLine, ...]
    plan: str
    evidence: tuple[str, ...]
    texts: Mapping[str, str]
    marked: tuple[MarkedText, ...]
    language: str
    clips: tuple[EmbeddedClip, ...]
    clips_left_out: int
    comparison: Comparison
    blocks: Mapping[str, str]


def language_tag(payload: Mapping[str, Json]) -> str:
    """Return the language tag of the item's own text, so that the browser takes the right glyphs; empty if unknown."""
    return {"zh": "zh-Hans", "en": "en"}.get(str(payload.get("language")), "")


def item_card(
    entry: Entry, score: Score, language: Language, room: ClipEmbedder, *, marks: Marks = no_marks
) -> ItemCard:
    """Return the full view of an item on a page."""
    payload = entry.item.payload
    answers = {"answers": entry.outcome.evidence.get("answers")}  # what a system under test said
    clips, left_out = room.embed_some(find_clips({**payload, **answers}))
    comparison = compare(entry, language=language)
    marked = marks(entry, longest=LONGEST_TEXT)
    shown = {one.name for one in marked}
    plan = plan_of(entry)
    story = marked_story(payload, plan)
    return ItemCard(
        entry=entry,
        score=score,
        others=other_scores(_without_aspects(entry.outcome.scores, comparison), score),
        human=number_or_nan(payload.get("human_score")),
        context=story.context,
        target=story.target,
        following=story.following,
        plan=emotion_text(plan, language=language) if plan is not None and plan.emotions else "",
        evidence=tuple(evidence_rows(plan, language=language)) if plan is not None else (),
        texts={name: text for name, text in texts_of(payload).items() if name not in shown},
        marked=marked,
        language=language_tag(payload),
        clips=clips,
        clips_left_out=left_out,
        comparison=comparison,
        blocks=folded_blocks(entry),
    )


def _without_aspects(scores: Mapping[str, Score], comparison: Comparison) -> dict[str, Score]:
    """The scores that the table of aspects does not show anyway."""
    listed = {row.name: row.score for row in comparison.rows if row.score is not None}
    return {name: score for name, score in scores.items() if not (name in listed and _agree(score, listed[name]))}


def _agree(one: Score, other: Score) -> bool:
    return one.value == other.value or not (one.is_defined or other.is_defined)


def card_columns(cards: Iterable[ItemCard]) -> frozenset[str]:
    """The columns of the tables in cards that hold something in one of them; the others are shown in none.

    They are ``planned``, ``heard`` and ``fit`` of aspects, and ``measured`` of the claims of captions.
    """
    shown = list(cards)
    aspects = [row for card in shown for row in card.comparison.rows]
    claims = [unit for card in shown for text in card.marked for unit in text.units]
    filled = {
        "planned": any(row.planned for row in aspects),
        "heard": any(row.heard or row.measured for row in aspects),
        "fit": any(row.score is not None for row in aspects),
        "measured": any(unit.measured for unit in claims),
    }
    return frozenset(name for name, holds in filled.items() if holds)
