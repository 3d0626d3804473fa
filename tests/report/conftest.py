"""Runs to report on, made here: no journal, no network, sound from numpy."""

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.types import (
    Audio,
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
    Sex,
    SoundEvent,
    State,
    Tracks,
    Trajectory,
    Vad,
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


@pytest.fixture(scope="session")
def make_perception() -> Callable[..., Perception]:
    """A function from seconds to a perception of a voice that says something for 1.6 s of every 2 s, at about 200 Hz.

    Pitch and loudness have a value every 10 ms, valence, arousal and dominance one every `step` seconds.
    """

    def made(seconds: float, *, step: float = 0.25) -> Perception:
        time = (np.arange(math.ceil(seconds / 0.01)) + 0.5) * 0.01
        speaks = time % 2.0 < 1.6
        pitch = np.where(speaks, 200.0 * 2.0 ** (0.25 * np.sin(3 * time)), math.nan)
        loudness = np.where(speaks, -24.0 + 6.0 * np.sin(20 * time), -62.0)
        slow = (np.arange(math.ceil(seconds / step)) + 0.5) * step
        column = np.where(slow % 2.0 < 1.6, 0.3 * np.sin(slow), math.nan)
        measures = {
            "pitch level": Score(12.0, unit="semitones above 100 Hz", higher_is_better=None),
            "pause share": Score(0.2, range=(0.0, 1.0), higher_is_better=None),
            "loudness": Score(-24.5, unit="dBFS", higher_is_better=None),
            "jitter": Score(math.nan, unit="%", reason="3 voiced frames, need 12", higher_is_better=None),
            "sparkle": Score(3.0, unit="glints", higher_is_better=None),
        }
        return Perception(
            seconds,
            speech_seconds=0.8 * seconds,
            emotion={"angry": 0.78, "disgust": 0.12, "fear": 0.05, "sad": 0.03, "happy": 0.02},
            phrase={"en": "clearly angry, with a trace of disgust", "zh": "明显愤怒，略带厌恶"},
            vad=Vad(-0.62, 0.71, 0.44),
            intensity=0.8,
            rhythm={Rhythm.TENSE: 0.64, Rhythm.HIGH_ENERGY: 0.21, Rhythm.BRISK: 0.15},
            intonation={Intonation.FALLING: 0.45, Intonation.CURVED: 0.4, Intonation.FLAT: 0.15},
            recording_condition={"normal": 0.97, "phone": 0.03},
            measures=measures,
            music=0.02,
            naturalness=4.1,
            events=(
                SoundEvent("laugh", 0.3 * seconds, 0.5 * seconds, 0.83),
                SoundEvent("crying_baby", 0.35 * seconds, 0.4 * seconds, 0.44),
                SoundEvent("breath", 0.9 * seconds, 0.95 * seconds, 0.61),
            ),
            sex={Sex.FEMALE: 0.98, Sex.MALE: 0.02},
            trajectory=Trajectory(step, tuple(column), tuple(-column), tuple(0.5 * column)),
            tracks=Tracks(0.01, tuple(pitch), tuple(loudness)),
            unjudged={
                "age": "pitch level: 3 voiced frames, need 12",
                "sigh": "nobody taught it",
                "cry": "nobody taught it",
            },
            signature="ear:full|weights:3f9ac1",
            licence="CC BY-NC-SA 4.0",
        )

    return made


@pytest.fixture(scope="session")
def make_sound() -> Callable[..., Audio]:
    """A function from seconds to a tone with half of full scale that sounds for 1.6 s of every 2 s."""

    def made(seconds: float, *, rate: int = 8000) -> Audio:
        time = np.arange(round(seconds * rate)) / rate
        samples = np.where(time % 2.0 < 1.6, 0.5 * np.sin(2 * np.pi * 200 * time), 0.0)
        return Audio(samples.astype(np.float32), rate=rate)

    return made
