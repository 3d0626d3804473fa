"""A record of each kind that notebooks show: as they usually are, and with everything hostile and long in it."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.rooms.aptness.takes.rank import RankedLine
from aptone.rooms.aptness.takes.ranking import Take, rank_takes
from aptone.run import Run, RunConfig
from aptone.run.compare import Change, Comparison
from aptone.types import (
    AudioRef,
    Displayed,
    Entry,
    Estimate,
    Evidence,
    Intonation,
    Item,
    Json,
    Line,
    Outcome,
    Perception,
    Plan,
    Probe,
    ProbeState,
    Rhythm,
    Score,
    SoundEvent,
    State,
    TrustCard,
    to_json,
)

HOSTILE = '</style></div><script>alert(1)</script>"><img src=https://a.example onerror=alert(2)>\u202e\x1b[2J\ud800 '
LONG = HOSTILE * 300


@pytest.fixture(scope="session")
def take_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, AudioRef]:
    """Two takes of a second, one of more than a minute, and one that is not there."""
    folder = tmp_path_factory.mktemp("takes")
    time = np.arange(8000) / 8000
    tone = 0.3 * np.sin(2 * np.pi * 180 * time) * np.abs(np.sin(4 * time))
    for name, seconds in (("first", 1), ("second", 1), ("long", 61)):
        soundfile.write(folder / f"{name}.wav", np.tile(tone, seconds), 8000)
    return {name: AudioRef(str(folder / f"{name}.wav")) for name in ("first", "second", "long", "gone")}


PLAN = Plan(
    "fear",
    rhythm=Rhythm.TENSE,
    intonation=Intonation.FALLING,
    recording_condition="phone",
    source="built-in planner",
    signature="planner:test",
    emotions={"fear": 0.75, "happy": 0.2, "calm": 0.05},
    unsaid=0.2,
    intensity=0.8,
    voice=("shout",),
    sounds=("laughter",),
    evidence=(Evidence("The storm had stood over the island", "fear", -2, 0, 35, "context", paragraph=-2),),
)


def _ranked(files: dict[str, AudioRef]) -> RankedLine:
    takes = [
        Take("first", (3.2,), aspects={"emotion": 4.0, "rhythm": 2.0}, heard={"emotion": "probably fearful"}),
        Take("second", (1.0, 1.4), asked=2, aspects={"emotion": 1.0, "rhythm": 1.5}, heard={"emotion": "very bored"}),
        Take("long", (0.9,), aspects={"emotion": 0.5}),
        Take("gone", (), reason="the clip is silent"),
    ]
    line = Line("Get out! The water is over the wall!", "Mara")
    return RankedLine(line, "en", PLAN, rank_takes(takes), "first is the best of 4 takes.", files)


@pytest.fixture(scope="session")
def records(
    take_files: dict[str, AudioRef],
    make_perception: Callable[..., Perception],
    run_entries: list[Entry],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Displayed]:
    """One of each kind, by the name of its class, and some in other states."""
    config = RunConfig(verb="score", engine="built-in", notes=("The judge is small.",), expected=61)
    run = Run(tmp_path_factory.mktemp("run-of-tests"), config, tuple(run_entries))
    changes = tuple(Change(f"line-{number}", 2.0, 2.0 + (-1) ** number * number / 4) for number in range(12, 0, -1))
    comparison = Comparison(
        score="aptness",
        difference=Estimate(0.25, 0.1, 0.4, count=12),
        p_value=0.01,
        mean_first=2.0,
        mean_second=2.25,
        higher_is_better=True,
        changes=changes,
        only_first=("line-a",),
        only_second=(),
        judges=2,
        warnings=("the judges differ",),
    )
    return {
        "Comparison": comparison,
        "Entry": run_entries[2],
        "Estimate": Estimate(0.71, 0.6, 0.8, count=40, method="fisher-z"),
        "Outcome": run_entries[2].outcome,
        "Perception": make_perception(4.0),
        "Plan": PLAN,
        "RankedLine": _ranked(take_files),
        "Run": run,
        "Score": Score(2.26, range=(0.0, 5.0), spread=0.26, signature="judge:test"),
        "TrustCard": TrustCard("aptness", 3, 2, failed={"timed out": 1}, notes=("Read this.",)),
        "unscored": Outcome.unscored("no score in the reply", raw_reply="I would <b>rather</b> not say."),
        "failed": Outcome.failed("timed out after 30 s"),
        "undefined": Score(math.nan, reason="no voiced frames"),
        "unfinished": replace(run, entries=()),
        "silent": Perception(2.0, unjudged={"emotion": "no speech found"}),
        "open": Plan("", emotions={"sad": 0.5, "calm": 0.5}, unsaid=0.8),
    }


@pytest.fixture(scope="session")
def hostile_records(take_files: dict[str, AudioRef], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Displayed]:
    """The same, every text one that would break out of HTML, and far too much of everything."""
    many: dict[str, Json] = {f"{number} {HOSTILE}": HOSTILE for number in range(3000)}
    score = Score(2.0, range=(0.0, 5.0), unit=LONG, signature=LONG)
    scores = {LONG: score} | {f"{number}{HOSTILE}": Score(math.nan, reason=LONG) for number in range(300)}
    plan = Plan(
        LONG,
        recording_condition=LONG,
        source=LONG,
        signature=LONG,
        emotions={HOSTILE: 0.5} | {f"{number}{HOSTILE}": 0.5 / 100 for number in range(100)},
        unsaid=0.1,
        voice=(HOSTILE,) * 200,
        sounds=(HOSTILE,) * 200,
        evidence=(Evidence(LONG, LONG, -1, 0, 5, LONG),) * 200,
    )
    perception = Perception(
        3.0,
        emotion=dict.fromkeys((f"{number}{HOSTILE}" for number in range(300)), 1 / 300),
        phrase={"en": LONG, "zh": LONG},
        measures={f"{number}{HOSTILE}": Score(1.0, unit=HOSTILE) for number in range(1000)},
        events=(SoundEvent(HOSTILE, 0.0, 1.0, 0.5),) * 1000,
        unjudged={f"{number}{HOSTILE}": f"{number}{HOSTILE}" for number in range(1000)},
        recording_condition={HOSTILE: 1.0},
        signature=LONG,
        licence=LONG,
    )
    measured: dict[str, Json] = {f"{number}{HOSTILE}": number for number in range(300)}
    outcome = Outcome(
        State.DONE,
        scores,
        rationale=LONG,
        evidence={
            **many,
            "plan": to_json(plan),
            "perception": to_json(perception),
            "aspects": {
                f"{number}{HOSTILE}": {
                    "planned": LONG,
                    "heard": LONG,
                    "score": to_json(score),
                    "measured": measured,
                }
                for number in range(300)
            },
        },
        raw_reply=LONG,
        signature=LONG,
    )
    payload: dict[str, Json] = {
        **many,
        "target": {"text": LONG, "role": LONG},
        "context": [{"text": HOSTILE, "role": HOSTILE}] * 1000,
        "clips": [to_json(AudioRef(HOSTILE.replace("\ud800", "")))] * 1000,
        "human_score": 3.0,
    }
    entry = Entry(Item.make(HOSTILE, payload), outcome, finished=HOSTILE)
    entries = tuple(replace(entry, item=Item.make(f"{number}{HOSTILE}", payload)) for number in range(3))
    lost = tuple(Entry(Item.make(f"lost {number}", {}), Outcome.failed(f"{HOSTILE}{number}")) for number in range(50))
    config = RunConfig(verb=HOSTILE, engine=LONG, notes=(LONG,) * 100, licence=LONG)
    folder: Path = tmp_path_factory.mktemp("hostile") / "<script>alert(1)<"
    takes = [Take(f"{n}{HOSTILE}", (2.0,), aspects={f"{m}{HOSTILE}": 1.0 for m in range(40)}) for n in range(100)]
    probe = Probe(ProbeState.FAILED, 1.0, 1, LONG)
    return {
        "Comparison": Comparison(
            score=LONG,
            difference=Estimate(math.nan, reason=LONG),
            p_value=math.nan,
            mean_first=math.nan,
            mean_second=1.0,
            higher_is_better=None,
            changes=tuple(Change(LONG, 0.0, math.inf, LONG) for _ in range(100)),
            only_first=(LONG,) * 1000,
            only_second=(HOSTILE,) * 1000,
            judges=1,
            warnings=(LONG,) * 100,
        ),
        "Entry": entry,
        "Estimate": Estimate(math.nan, reason=LONG, method=LONG),
        "Outcome": outcome,
        "Perception": perception,
        "Plan": plan,
        "RankedLine": RankedLine(Line(LONG, LONG), "zh", plan, rank_takes(takes), LONG, take_files),
        "Run": Run(folder, config, (*entries, *lost)),
        "Score": score,
        "TrustCard": TrustCard(
            LONG,
            2,
            1,
            unscored={f"{number}{HOSTILE}": 1 for number in range(1000)},
            repeat=probe,
            signatures={f"{number}{HOSTILE}": 1 for number in range(1000)},
            agreement={f"{number}{HOSTILE}": Estimate(math.nan, reason=LONG) for number in range(1000)},
            notes=(LONG,) * 1000,
            licence=LONG,
            stopped=LONG,
        ),
        "unscored": Outcome.unscored(LONG, raw_reply=LONG),
    }
