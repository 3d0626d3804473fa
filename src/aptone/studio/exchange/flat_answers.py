"""Questions and answers for tools that know numbers, choices and texts only.

A question about several clips becomes one for each: ``quality`` of three clips is ``quality_1``, ``quality_2`` and
``quality_3``, by the place of the clip in the item; a preference is a choice between A, B and (where allowed) the same.
What was taken apart is put together again without loss.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from aptone.errors import RecordError
from aptone.messages import message
from aptone.types import Control, Json, RatingItem, RatingTask, is_finite_number
from aptone.types.rating import BEST, SAME, WORST

LETTERS = "ABCDEFGHIJKL"
"""Names of the clips of a pair or set, by their places in the item."""
FlatKind = Literal["number", "choice", "text", "times"]
_NAME = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True, slots=True)
class FlatQuestion:
    """Question with one plain answer.

    Args:
        choices: value to label, of a choice.
        place: place of the clip that it is about, from 1 on; 0 for none.
    """

    name: str
    kind: FlatKind
    control: Control
    label: str
    choices: Mapping[str, str]
    place: int = 0
    part: str = ""


def plain_name(name: str) -> str:
    """Return a name that every tool takes: letters, digits and underscores, no digit first.

    >>> plain_name("how well?"), plain_name("2nd")
    ('how_well_', '_2nd')
    """
    plain = _NAME.sub("_", name) or "_"
    return f"_{plain}" if plain[0].isdigit() else plain


def label_of(words: Mapping[str, str], otherwise: str) -> str:
    """Return the English label, or else any, or else a name."""
    return words.get("en") or next(iter(words.values()), "") or otherwise


def flat_questions(task: RatingTask) -> list[FlatQuestion]:
    """Return the questions of a task, those about several clips once for each place.

    Raises:
        RecordError: if two of them get the same name.
    """
    found = [one for control in task.controls for one in _flat(task, control)]
    if len({one.name for one in found}) < len(found):
        raise RecordError(message("exchange.same-plain-name", name=repr(task.name)))
    return found


def _flat(task: RatingTask, control: Control) -> list[FlatQuestion]:
    name, label = plain_name(control.name), label_of(control.label, control.name)
    if control.kind in ("scale", "text", "edit", "boundaries"):
        kinds: Mapping[str, FlatKind] = {"scale": "number", "boundaries": "times"}
        return [FlatQuestion(name, kinds.get(control.kind, "text"), control, label, {})]
    if control.kind == "choice":
        choices = {one.value: label_of(one.label, one.value) for one in control.choices}
        return [FlatQuestion(name, "choice", control, label, choices)]
    size = max((len(clips_of(control, item)) for item in task.items), default=2)
    letters = {letter: letter for letter in LETTERS[:size]}
    if control.kind == "preference":
        same = {one.value: label_of(one.label, SAME) for one in control.choices if one.value == SAME}
        return [FlatQuestion(name, "choice", control, label, {**letters, **same})]
    if control.kind == "best-worst":
        return [
            FlatQuestion(f"{name}_{part}", "choice", control, f"{label} ({part})", letters, part=part)
            for part in (BEST, WORST)
        ]
    places = range(1, size + 1)
    return [
        FlatQuestion(f"{name}_{place}", "number", control, f"{label} ({LETTERS[place - 1]})", {}, place=place)
        for place in places
    ]


def clips_of(control: Control, item: RatingItem) -> list[str]:
    """Return the clips of a pair or set that a question is about."""
    clips = item.fields.get(control.prefill)
    return [str(clip) for clip in clips] if isinstance(clips, list | tuple) else []


def number_ends(question: FlatQuestion) -> tuple[float, float, float]:
    """Return the lowest and highest number of a question, and the step: of a ranking the places."""
    control = question.control
    if control.kind == "ranking":
        return 1.0, float(len(LETTERS)), 1.0
    return control.low, control.high, control.step


def flat_values(
    questions: Sequence[FlatQuestion], item: RatingItem, answers: Mapping[str, Json]
) -> dict[str, str | float | list[float]]:
    """Return the plain answers of a rating, by the names of the questions; what was not answered is left out."""
    found: dict[str, str | float | list[float]] = {}
    for question in questions:
        value = _value(question, item, answers.get(question.control.name))
        if value is not None:
            found[question.name] = value
    return found


def _value(question: FlatQuestion, item: RatingItem, answer: Json) -> str | float | list[float] | None:
    control, clips = question.control, clips_of(question.control, item)
    if control.kind == "scale" and is_finite_number(answer):
        return float(answer)
    if control.kind in ("choice", "text") and isinstance(answer, str):
        return answer
    if control.kind == "edit":
        return answer if isinstance(answer, str) else "\n".join(map(str, answer)) if isinstance(answer, list) else None
    if control.kind == "boundaries" and isinstance(answer, list | tuple):
        return [float(one) for one in answer if is_finite_number(one)]
    if control.kind == "preference" and isinstance(answer, str):
        return LETTERS[clips.index(answer)] if answer in clips else answer
    if control.kind == "best-worst" and isinstance(answer, Mapping):
        chosen = answer.get(question.part)
        return LETTERS[clips.index(chosen)] if isinstance(chosen, str) and chosen in clips else None
    if not 0 < question.place <= len(clips):
        return None
    clip = clips[question.place - 1]
    if control.kind == "ratings" and isinstance(answer, Mapping):
        number = answer.get(clip)
        return float(number) if is_finite_number(number) else None
    if control.kind == "ranking" and isinstance(answer, list | tuple):
        return float(list(answer).index(clip) + 1) if clip in answer else None
    return None


def answers_from_flat(
    questions: Sequence[FlatQuestion], item: RatingItem, values: Mapping[str, Json]
) -> dict[str, Json]:
    """Put the plain answers about an item together again: the inverse of `flat_values`.

    Raises:
        RecordError: if a value is none; the message names the question.
    """
    found: dict[str, Json] = {}
    ranks: dict[str, dict[str, float]] = {}
    for question in questions:
        if (value := values.get(question.name)) is None or value == "":
            continue
        control, clips = question.control, clips_of(question.control, item)
        if question.kind == "number" and not is_finite_number(value):
            raise RecordError(message("exchange.not-a-number", name=question.name, what=str(value)[:60]))
        if question.place > len(clips):
            continue
        if control.kind == "ratings":
            rated = found.setdefault(control.name, {})
            assert isinstance(rated, dict)
            rated[clips[question.place - 1]] = value
        elif control.kind == "ranking" and is_finite_number(value):
            ranks.setdefault(control.name, {})[clips[question.place - 1]] = float(value)
        elif control.kind == "best-worst":
            chosen = found.setdefault(control.name, {})
            assert isinstance(chosen, dict)
            chosen[question.part] = _clip(question, clips, value)
        elif control.kind == "preference":
            found[control.name] = value if value == SAME else _clip(question, clips, value)
        elif control.kind == "edit" and isinstance(item.fields.get(control.prefill), list | tuple):
            found[control.name] = str(value).split("\n")
        else:
            found[control.name] = value
    for name, by in ranks.items():
        found[name] = [clip for clip, _ in sorted(by.items(), key=lambda pair: pair[1])]
    return found


def _clip(question: FlatQuestion, clips: Sequence[str], value: Json) -> str:
    place = LETTERS.find(str(value)) if len(str(value)) == 1 else -1
    if not 0 <= place < len(clips):
        raise RecordError(message("exchange.not-a-letter", name=question.name, what=str(value)[:60]))
    return clips[place]
