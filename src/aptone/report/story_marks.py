"""The story of an item with the words marked that its plan rests on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aptone.report.item_view import lines_of
from aptone.types import Evidence, Json, Line, Plan


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
