import asyncio
import threading
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import aptone
from aptone.audio import read
from aptone.errors import AudioError, MissingExtraError, RegistryError, UnusableReplyError, UsageError
from aptone.judge import BuiltInJudge
from aptone.judge.engines import BUILT_IN
from aptone.models import About
from aptone.planner import ByHand, Planner
from aptone.rooms.aptness.data import make_items
from aptone.rooms.aptness.step import AptnessStep, make_step, score_sample
from aptone.run import Call, InProcess, RunConfig, run_items
from aptone.types import Audio, AudioRef, Intonation, Item, Line, Outcome, Plan, Rhythm, Sample, Score, State, to_json

CLIP = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"
PLAN = {"rhythm": "heavy", "intonation": "falling"}


class SlowPlanner:
    """A planner that has to wait, as one behind a network does."""

    about = About()
    signature = "slow"

    async def plan(self, sample: Sample, call: Call, /) -> Plan:
        await asyncio.sleep(0)
        return Plan(f"plan for {sample.target.text}")


class SlowJudge:
    about = About()
    signature = "slow too"

    async def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        await asyncio.sleep(0)
        return Outcome(State.DONE, {"aptness": Score(float(audio.rate))}, rationale=plan.emotion)


def test_planner_and_judge_may_be_coroutines() -> None:
    step = AptnessStep(SlowPlanner(), SlowJudge())
    outcome = score_sample(Sample("a", AudioRef(str(CLIP)), Line("Stay.")), step)
    assert outcome.rationale == "plan for Stay."
    assert outcome.scores["aptness"].value == 16_000  # judges hear a stated rate
    assert step.settings() == {"judge": "slow too", "planner": "slow"}


def test_a_recording_in_memory_is_heard_at_the_same_rate() -> None:
    audio = Audio(np.zeros(48_000, dtype=np.float32), 48_000)
    outcome = score_sample(Sample("a", audio, Line("Stay.")), AptnessStep(SlowPlanner(), SlowJudge()))
    assert outcome.scores["aptness"].value == 16_000


class PlainJudge:
    """A judge that keeps its thread busy."""

    about = About()
    signature = "plain"

    def __init__(self) -> None:
        self.threads: set[int] = set()
        self._two = threading.Barrier(2)

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        self.threads.add(threading.get_ident())
        self._two.wait(300.0)  # two work at once, or this breaks
        return Outcome(State.DONE, {"aptness": Score(1.0)})


@pytest.mark.parametrize("planner", [SlowPlanner(), ByHand()])
def test_plain_judges_of_several_items_work_side_by_side(planner: Planner, tmp_path: Path) -> None:
    judge = PlainJudge()
    samples = [Sample(str(number), AudioRef(str(CLIP)), Line("x"), plan=Plan("calm")) for number in range(8)]
    ended = run_items(
        list(make_items(samples)),
        AptnessStep(planner, judge),
        folder=tmp_path / "run",
        config=RunConfig("score", "test"),
        executor=InProcess(8),
    )
    assert ended.worked == 8
    assert {entry.outcome.state for entry in ended.run.entries} == {State.DONE}
    assert len(judge.threads) > 1
    assert threading.get_ident() not in judge.threads


class CountingPlanner:
    about = About()
    signature = "counting"

    def __init__(self) -> None:
        self.asked = 0

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        self.asked += 1
        return Plan("calm")


def test_a_missing_recording_is_noticed_before_the_planner_is_paid() -> None:
    planner = CountingPlanner()
    item = Item.make("a", to_json(Sample("a", AudioRef("nowhere.wav"), Line("x"))))
    with pytest.raises(AudioError):
        AptnessStep(planner, PlainJudge())(item, Call())
    assert planner.asked == 0


class MumblingJudge:
    about = About()
    signature = "mumbling"

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        raise UnusableReplyError("no score in the reply", raw_reply="er")


def test_a_reply_that_cannot_be_read_is_unscored_for_a_single_clip_too() -> None:
    sample = Sample("a", AudioRef(str(CLIP)), Line("x"), plan=Plan("calm"))
    outcome = score_sample(sample, AptnessStep(ByHand(), MumblingJudge()))
    assert (outcome.state, outcome.raw_reply) == (State.UNSCORED, "er")


def test_a_recording_that_is_no_single_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.rooms.aptness.step.LONGEST_LINE", 0.5)
    with pytest.raises(AudioError, match="longer than"):
        aptone.score(CLIP, line="x", plan=PLAN)


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


def test_an_engine_that_cannot_run_here_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BuiltInJudge, "about", About(("no_such_module",), "local"))
    with pytest.raises(MissingExtraError, match=r"judge 'built-in' .*\[local\]"):
        make_step(BUILT_IN)


def test_an_option_that_a_part_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="judge 'built-in' has no option 'model'; it has ear, rationale"):
        make_step(BUILT_IN, settings={"judge.model": "large"})
    with pytest.raises(UsageError, match="planner 'by-hand' has no option 'model'; it has none"):
        make_step(BUILT_IN, planner="by-hand", settings={"planner.model": "large"})
    with pytest.raises(UsageError, match="'tempo' belongs to no part"):
        make_step(BUILT_IN, settings={"tempo": 3})
    with pytest.raises(UsageError, match="reasons cannot be given in 'de'; expected lang to be one of en, zh"):
        make_step(BUILT_IN, lang=cast(Any, "de"))


def test_another_judge_or_planner_can_be_named() -> None:
    assert make_step(BUILT_IN, judge="built-in", planner="built-in").settings() == make_step(BUILT_IN).settings()
    assert make_step(BUILT_IN, planner="by-hand").settings() != make_step(BUILT_IN).settings()
    with pytest.raises(RegistryError, match="no planners are named 'by-hnad'; did you mean by-hand"):
        make_step(BUILT_IN, planner="by-hnad")


def test_a_story_is_read_from_python_too() -> None:
    story = ["Tom threw the cup against the wall.", "“Get out!” he roared, red with rage.", "Nobody moved."]
    outcome = aptone.score(CLIP, line="Get out!", story=story)
    assert outcome.state is State.DONE
    assert outcome.rationale.startswith("The emotion should be “angry”")
    assert aptone.score(CLIP, line="Get out!", story="\r\n".join(story)) == outcome


def test_a_story_and_a_context_are_not_given_together() -> None:
    with pytest.raises(UsageError, match="not both"):
        aptone.score(CLIP, line="Get out!", story=["Get out!"], context=["He ran."])
