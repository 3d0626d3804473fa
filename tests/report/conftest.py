"""Runs to report on, made here: no journal, no network, sound from numpy."""

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.types import (
    AudioRef,
    Entry,
    Intonation,
    Item,
    Json,
    Line,
    Outcome,
    Perception,
    Plan,
    Rhythm,
    Sample,
    Score,
    State,
    to_json,
)

RATE = 24000
SIGNATURE = "judge|model:test|version:1"


def _entry(
    name: str,
    value: float | None = None,
    *,
    position: int = 0,
    repeat: int = 0,
    payload: dict[str, Json] | None = None,
    unscored: str = "",
    failed: str = "",
    parse_failures: int = 0,
    seconds: float = 0.0,
    cost: float = 0.0,
) -> Entry:
    if failed:
        outcome = Outcome.failed(failed)
    elif unscored:
        outcome = Outcome.unscored(unscored, raw_reply="I would rather not say.")
    else:
        score = Score(math.nan, reason="too short") if value is None else Score(value, range=(0.0, 5.0))
        outcome = Outcome(State.DONE, {"aptness": score}, signature=SIGNATURE)
    item = Item.make(name, payload or {}, position=position)
    return Entry(item, outcome, repeat=repeat, parse_failures=parse_failures, seconds=seconds, cost=cost)


@pytest.fixture
def make_entry() -> Callable[..., Entry]:
    """An entry with one score, or with a reason for having none."""
    return _entry


def _tone(path: Path, *, seconds: float) -> None:
    time = np.arange(int(seconds * RATE)) / RATE
    soundfile.write(path, 0.3 * np.sin(2 * np.pi * 180 * time) * np.abs(np.sin(4 * time)), RATE)


def _scored(index: int, value: float, plan: Plan) -> Outcome:
    perception = Perception(
        1.0,
        emotion={"sadness": 0.6, "anger": 0.4},
        phrase={"en": "sad, a little angry", "zh": "悲伤，略带愤怒"},
        rhythm={Rhythm.HEAVY: 0.7, Rhythm.TENSE: 0.3},
        intonation={Intonation.FALLING: 1.0},
        recording_condition={"studio": 1.0},
        measures={"pitch_median": Score(182.0, unit="Hz", higher_is_better=None)},
        unjudged={"age": "too little speech"},
    )
    aspects: dict[str, Json] = {
        "emotion": {"score": to_json(Score(value / 5, range=(0.0, 1.0))), "planned": "joy", "heard": "sadness"},
        "rhythm": {"score": to_json(Score(math.nan, reason="left open")), "planned": "", "heard": ""},
    }
    return Outcome(
        State.DONE,
        {
            "aptness": Score(value, range=(0.0, 5.0)),
            "naturalness": Score(3.7 + index / 100, range=(0.0, 5.0)),
        },
        rationale=f"Rationale {index}: the pause before the last word is missing.",
        evidence={"plan": to_json(plan), "perception": to_json(perception), "aspects": aspects, "votes": [3, 5]},
        raw_reply=f'{{"score": {value}}}',
        signature=SIGNATURE,
    )


@pytest.fixture(scope="session")
def run_entries(tmp_path_factory: pytest.TempPathFactory) -> list[Entry]:
    """Sixty items: 54 scored in steps of a half from 0 to 5, three unscored, three failed; twelve judged twice."""
    folder = tmp_path_factory.mktemp("clips")
    entries = []
    for index in range(60):
        path = folder / f"clip_{index:02d}.wav"
        _tone(path, seconds=0.5 + index / 100)
        mandarin = index % 3 == 0
        plan = Plan("joy", rhythm=Rhythm.BRISK, intonation=Intonation.RISING)
        value = (index % 11) / 2
        sample = Sample(
            f"line-{index:02d}",
            AudioRef(str(path)),
            Line("你怎么现在才来？", "林夏") if mandarin else Line("You should not have come back.", "Mara"),
            context=tuple(Line(f"Earlier line {number}.") for number in range(8)),
            language="zh" if mandarin else "en",
            plan=plan,
            human_score=min(5.0, value + 0.5) if index % 2 else math.nan,
            ratings={"a": value, "b": min(5.0, value + 1.0)} if index % 2 else {},
            ids={"speaker": "林夏" if mandarin else "Mara", "book": "one"},
        )
        if index in (7, 27, 47):
            outcome = Outcome.unscored("no score in the reply", raw_reply="It sounds fine to me.")
        elif index in (8, 28, 48):
            outcome = Outcome.failed(f"timed out after {index} s")
        else:
            outcome = _scored(index, value, plan)
        entry = Entry(Item.make(sample.id, to_json(sample), position=index), outcome, seconds=2.0, cost=0.5)
        entries.append(dataclasses.replace(entry, finished=f"2026-03-01T10:{index:02d}:00+00:00"))
        if index % 5 == 0:
            entries.append(dataclasses.replace(entry, repeat=1))
    return entries
