import asyncio
from pathlib import Path

import numpy as np
import pytest

import aptone
from aptone.audio import read
from aptone.errors import AudioError, MissingExtraError, RegistryError, UsageError
from aptone.judge.builtin import ENGINE
from aptone.models import Engine
from aptone.rooms.aptness.bench import AptnessStep, make_step
from aptone.run import Call
from aptone.types import Audio, AudioRef, Intonation, Item, Line, Outcome, Plan, Rhythm, Sample, Score, State, to_json

CLIP = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"
PLAN = {"rhythm": "heavy", "intonation": "falling"}


class SlowPlanner:
    """A planner that has to wait, as one behind a network does."""

    signature = "slow"

    async def plan(self, sample: Sample, call: Call, /) -> Plan:
        await asyncio.sleep(0)
        return Plan(f"plan for {sample.target.text}")


class SlowJudge:
    signature = "slow too"

    async def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        await asyncio.sleep(0)
        return Outcome(State.DONE, {"aptness": Score(float(audio.rate))}, rationale=plan.emotion)


def test_planner_and_judge_may_be_coroutines() -> None:
    step = AptnessStep(SlowPlanner(), SlowJudge())
    item = Item.make("a", to_json(Sample("a", AudioRef(str(CLIP)), Line("Stay."))))
    outcome = asyncio.run(step(item, Call()))
    assert outcome.rationale == "plan for Stay."
    assert outcome.scores["aptness"].value == 16_000  # judges hear a stated rate
    assert step.signature == "aptness|judge:slow too|planner:slow"


def test_a_path_an_audio_and_an_array_give_the_same_score() -> None:
    audio = read(CLIP, rate=16_000)
    from_path = aptone.score(CLIP, line="Stay.", plan=PLAN)
    from_audio = aptone.score(audio, line="Stay.", plan=Plan("", Rhythm.HEAVY, Intonation.FALLING))
    from_array = aptone.score(audio.samples, rate=16_000, line="Stay.", plan=PLAN, context=["It rained."])
    values = [outcome.scores["aptness"].value for outcome in (from_path, from_audio, from_array)]
    assert len(set(values)) == 1


def test_an_array_needs_a_rate_and_a_file_states_its_own() -> None:
    with pytest.raises(UsageError, match="an array needs its rate"):
        aptone.score(np.zeros(100, dtype=np.float32), line="x", plan=PLAN)
    with pytest.raises(UsageError, match="a file states its own"):
        aptone.score(CLIP, rate=16_000, line="x", plan=PLAN)


def test_a_missing_file_is_an_error_that_names_it() -> None:
    with pytest.raises(AudioError, match=r"nowhere\.wav"):
        aptone.score("nowhere.wav", line="x", plan=PLAN)


def test_an_engine_that_cannot_run_here_says_what_to_install() -> None:
    engine = Engine("local", "needs torch", "by-hand", "prosody", ("no_such_module",), "local")
    with pytest.raises(MissingExtraError, match=r"aptone\[local\]"):
        make_step(engine)


def test_another_judge_or_planner_can_be_named() -> None:
    assert make_step(ENGINE, judge="prosody", planner="by-hand").settings() == make_step(ENGINE).settings()
    with pytest.raises(RegistryError, match="no planners are named 'by-hnad'; did you mean by-hand"):
        make_step(ENGINE, planner="by-hnad")
