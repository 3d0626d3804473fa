"""Spoken lines as people get them to annotate, and their answers as the fifteen dimensions of CEAEval-D.

An item shows the story scrolled to the line, with the clips of the lines around it where the set has them. What the set
knows besides (story, character, system, a judge's score) is hidden; a split looks there for what must not be shared.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from aptone.audio import probe
from aptone.errors import RecordError
from aptone.ratings.tasks import JUDGE_SCORE
from aptone.rooms.aptness.rated_lines import closed_answer
from aptone.types import DIMENSIONS, Annotation, AudioRef, Json, Line, RatingItem, Sample, Segment, is_finite_number

TASK = "ceaeval-d"
AUDIO, STORY, LINE, CONTEXT, BOUNDARIES = "audio", "story", "line", "context", "boundaries"
PLAYABLE_BEFORE, PLAYABLE_AFTER = 5, 2
"""Lines around the target whose clips can be played, where there are any."""


def rating_items(samples: Sequence[Sample], *, judged: Mapping[str, float] | None = None) -> list[RatingItem]:
    """Items of the task ``ceaeval-d``, in the order of the samples.

    Args:
        samples: samples of one or several stories; clips of neighbours are found among them.
        judged: sample id to what a judge gave it.

    Raises:
        AudioError: if a recording cannot be read.
        RecordError: if a sample has its sound in memory.
    """
    known: defaultdict[tuple[str, Line], list[Sample]] = defaultdict(list)
    for sample in samples:
        known[sample.ids.get(STORY, ""), sample.target].append(sample)
    return [_item(sample, _neighbours(sample, known), (judged or {}).get(sample.id, math.nan)) for sample in samples]


def line_item(
    sample: Sample,
    clip: AudioRef,
    *,
    boundaries: Segment,
    neighbours: Mapping[int, AudioRef],
    hidden: Mapping[str, Json],
) -> RatingItem:
    """One line of a story to be annotated. What is corrected as its context are the lines before it, as in CEAEval-D.

    Args:
        boundaries: start and end of the line in the clip.
        neighbours: place in the story, the line itself counted, to the clip of another line.
    """
    lines = [*sample.context, sample.target, *sample.following]
    named = {AUDIO: clip, **{f"line_{place}": audio for place, audio in neighbours.items()}}
    story: list[Json] = [  # the target has the player, not a place in the story to be played from
        {"text": line.text, "role": line.role, "clip": f"line_{place}" if place in neighbours else ""}
        for place, line in enumerate(lines)
    ]
    return RatingItem(
        id=sample.id,
        audio=named,
        fields={
            STORY: {"lines": story, "target": len(sample.context)},
            LINE: sample.target.text,
            CONTEXT: [line.text for line in sample.context],
            BOUNDARIES: [round(boundaries.start, 3), round(boundaries.end, 3)],
        },
        hidden={**sample.ids, "language": sample.language, "character": sample.target.role, **hidden},
    )


def _item(sample: Sample, neighbours: Mapping[int, AudioRef], judged: float) -> RatingItem:
    if not isinstance(sample.audio, AudioRef):
        raise RecordError(f"sample {sample.id!r}: its sound is not in a file; write it to one first.")
    end = probe(sample.audio.path).seconds if sample.audio.end is None else sample.audio.end
    boundaries, hidden = Segment(0.0, end - sample.audio.start), {} if math.isnan(judged) else {JUDGE_SCORE: judged}
    return line_item(sample, sample.audio, boundaries=boundaries, neighbours=neighbours, hidden=hidden)


def _neighbours(sample: Sample, known: Mapping[tuple[str, Line], list[Sample]]) -> dict[int, AudioRef]:
    """Place in the story as it is shown to the clip of the line there."""
    lines, target = [*sample.context, sample.target, *sample.following], len(sample.context)
    found = {}
    for place in range(max(0, target - PLAYABLE_BEFORE), min(len(lines), target + 1 + PLAYABLE_AFTER)):
        if place == target:
            continue
        said = known.get((sample.ids.get(STORY, ""), lines[place]), [])
        clips = [one.audio for one in said if isinstance(one.audio, AudioRef) and _is_same_line(one, lines, place)]
        if len(clips) == 1:  # a line that is said twice under the same circumstances has no certain place
            found[place] = clips[0]
    return found


def _is_same_line(sample: Sample, lines: Sequence[Line], place: int) -> bool:
    """Return whether a sample is that line: same words, and the same lines before and after."""
    before = zip(reversed(sample.context), reversed(lines[:place]), strict=False)
    return all(one == other for one, other in (*before, *zip(sample.following, lines[place + 1 :], strict=False)))


def annotation_of(answers: Mapping[str, Json], *, context: Sequence[Line] = ()) -> Annotation:
    """Return the fifteen dimensions that a rater's answers hold.

    Args:
        answers: control to answer; what is missing was not answered.
        context: lines that were shown; their roles stay where as many lines came back.

    Raises:
        RecordError: if an answer is none; the message names the dimension.
    """
    found: dict[str, Any] = {}
    for name, dimension in DIMENSIONS.items():
        value = answers.get(name)
        if value is None or value == "":
            continue
        try:
            if dimension.kind == "score":
                found[name] = _number(value)
            elif name == "boundaries":
                found[name] = _segment(value)
            elif name == "refined_context":
                found[name] = _lines(value, context)
            elif dimension.kind == "closed":
                found[name] = closed_answer(name, value)
            else:
                found[name] = _text(value)
            if found[name] is None:
                raise ValueError(f"not one of {', '.join(dimension.choices)}")
        except ValueError as error:
            raise RecordError(f"{name}: {value!r} is no answer ({error}).") from None
    try:
        return Annotation(**found)
    except ValueError as error:
        raise RecordError(str(error)) from error


def _number(value: Json) -> float:
    if not is_finite_number(value):
        raise ValueError("expected a number")
    return float(value)


def _segment(value: Json) -> Segment:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise ValueError("expected start and end")
    return Segment(_number(value[0]), _number(value[1]))


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise ValueError("expected text")
    return value.strip()


def _lines(value: Json, context: Sequence[Line]) -> tuple[Line, ...]:
    texts = value.split("\n") if isinstance(value, str) else value
    if not isinstance(texts, Sequence):
        raise ValueError("expected lines")
    roles = [line.role for line in context] if len(context) == len(texts) else [""] * len(texts)
    return tuple(Line(_text(text), role) for text, role in zip(texts, roles, strict=True))
