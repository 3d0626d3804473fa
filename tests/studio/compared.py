"""Ratings to compare: a task with a question of each kind, drawn answers, and the same rows as plainly as can be."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hypothesis import strategies as st

from aptone.studio.agreement.overview import AgreementReport, Figure
from aptone.types import Choice, Control, Estimate, Json, Rating, RatingItem, RatingTask

LABEL = {"en": "?", "zh": "？"}
WORDS = ["calm", "very sad", "angry", "温柔", "zorbly", "!"]
SCORE = Control("score", "scale", LABEL, low=0, high=5, step=0.5, judged_by="judge")
TONE = Control("tone", "choice", LABEL, choices=tuple(Choice(one, LABEL) for one in ("flat", "rising", "falling")))
FEELING = Control("feeling", "text", LABEL, agreement="vad", required=False)
SOUNDS = Control("sounds", "text", LABEL, required=False)
ENDS = Control("ends", "boundaries", LABEL)
WORDING = Control("wording", "edit", LABEL, prefill="line")
CONTROLS = (SCORE, TONE, FEELING, SOUNDS, ENDS, WORDING)


def task_of(count: int, *, controls: Sequence[Control] = CONTROLS, **rules: object) -> RatingTask:
    """A task of so many items, which a judge has answered, too."""
    items = tuple(
        RatingItem(f"i{number}", fields={"line": "Go."}, hidden={"judge": float(number % 5)}) for number in range(count)
    )
    task = RatingTask("listening", LABEL, LABEL, shown=(), controls=tuple(controls), items=items)
    return replace(task, **rules)  # type: ignore[arg-type]


def rating(item: str, rater: str, answers: Mapping[str, Json] | None = None, **fields: float) -> Rating:
    """Rating of an item by a person."""
    return Rating("listening", item, rater, answers or {}, **fields)  # type: ignore[arg-type]


def same(found: Estimate, expected: Estimate) -> bool:
    """Equal in every number; NaN equals NaN."""
    pairs = [(getattr(found, name), getattr(expected, name)) for name in ("value", "low", "high", "count")]
    return all(one == other or (one != one and other != other) for one, other in pairs)


def figures(report: AgreementReport, control: str) -> Mapping[str, Figure]:
    """Figures of one question, on rated items."""
    return next(one.figures for one in report.controls if one.control == control)


ends = st.tuples(st.integers(0, 9), st.integers(1, 9)).map(lambda pair: [pair[0] / 10, (pair[0] + pair[1]) / 10])
answers: st.SearchStrategy[dict[str, Json]] = st.fixed_dictionaries(
    {
        "score": st.integers(0, 10).map(lambda step: step / 2),
        "tone": st.sampled_from(["flat", "rising", "falling"]),
        "ends": ends,
        "wording": st.sampled_from(["Go.", "Go!", "Go now.", ""]),
    },
    optional={"feeling": st.sampled_from(WORDS), "sounds": st.sampled_from(WORDS)},
)


@st.composite
def rated(draw: st.DrawFn) -> tuple[RatingTask, list[Rating]]:
    """A task, and what up to four people answered about some of its items."""
    count, people = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    pairs = itertools.product([f"i{number}" for number in range(count)], ["robin", "swift", "wren", "kite"][:people])
    return task_of(count), [rating(item, rater, draw(answers)) for item, rater in pairs if draw(st.booleans())]


def rows(ratings: Sequence[Rating], control: str) -> dict[str, dict[str, Json]]:
    """Item to rater to answer, as plainly as can be."""
    found: dict[str, dict[str, Json]] = {}
    for one in ratings:
        if one.answers.get(control) not in (None, "") or control == "wording":
            found.setdefault(one.item, {})[one.rater] = one.answers[control]
    return found


def padded(table: Mapping[str, Mapping[str, Json]]) -> list[list[Json]]:
    """Items and slots, without who answered."""
    width = max(map(len, table.values()))
    return [[*by.values(), *[None] * (width - len(by))] for by in table.values()]
