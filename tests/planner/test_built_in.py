from collections import Counter
from dataclasses import replace
from importlib.resources import files
from typing import Any, cast

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.planner.built_in import PARAMETERS, BuiltInPlanner
from aptone.run import Call
from aptone.types import AudioRef, Emotion, Line, Plan, RecordingCondition, Rhythm, Sample

CALL = cast(Call, None)
"""It asks nobody."""
STORY = (
    Line("The lamp had gone out an hour ago.", ""),
    Line("We will never see him again.", "Mara"),
    Line("Don't say that.", "Tom"),
    Line("His boat is on the rocks. He is dead, Tom.", "Mara"),
)


def sample(text: str, *, context: tuple[Line, ...] = STORY, **changes: Any) -> Sample:
    plain = Sample("one", AudioRef("clip.wav"), Line(text, "Mara"), context=context)
    return replace(plain, **changes)


def test_every_window_votes_and_the_plan_is_what_most_of_them_say() -> None:
    plan = BuiltInPlanner().plan(sample("I miss him so much."), CALL)
    assert [vote.window for vote in plan.votes] == [1, 2, 3, 4]
    assert plan.windows == 4
    counts = Counter(vote.choice for vote in plan.votes)
    assert plan.vote_share == max(counts.values()) / 4
    assert plan.emotion in {emotion.value for emotion in Emotion}
    assert plan.vad is not None
    assert plan.signature == BuiltInPlanner().signature
    assert plan.source == "built-in planner"


def test_plain_feelings_are_read_in_both_languages() -> None:
    planner = BuiltInPlanner()
    angry = planner.plan(sample("Get out! I hate you, get out of my house!", context=()), CALL)
    glad = planner.plan(sample("That's wonderful! I'm so happy for you!", context=()), CALL)
    assert (angry.emotion, glad.emotion) == ("angry", "happy")
    assert angry.vad is not None
    assert glad.vad is not None
    assert glad.vad.valence > 0 > angry.vad.valence
    furious = planner.plan(sample("你给我滚！我恨你！", context=(), language="zh"), CALL)
    assert furious.emotion == Emotion.ANGRY.zh


def test_what_the_narration_says_about_the_recording_counts() -> None:
    before = (Line("She picked up the phone and dialled his number.", ""),)
    plan = BuiltInPlanner().plan(sample("Where are you?", context=before), CALL)
    assert plan.recording_condition == RecordingCondition.PHONE.value


def test_a_thrifty_vote_has_the_same_winner_and_fewer_votes() -> None:
    lines = tuple(Line(text, "Mara") for text in ("Hello.", "Come in.", "Sit down.", "Tea?", "It rains.", "Yes."))
    full, thrifty = (BuiltInPlanner(thrifty=way).plan(sample("Well.", context=lines), CALL) for way in (False, True))
    assert (full.emotion, full.rhythm, full.intonation) == (thrifty.emotion, thrifty.rhythm, thrifty.intonation)
    assert len(thrifty.votes) <= len(full.votes) == 6
    assert full.signature == thrifty.signature


def test_a_plan_that_the_sample_brings_stays_unless_told_otherwise() -> None:
    own = Plan("calm", rhythm=Rhythm.RELAXED)
    given = sample("Get out! I hate you!", plan=own)
    assert BuiltInPlanner().plan(given, CALL) is own
    assert BuiltInPlanner(replan=True).plan(given, CALL).source == "built-in planner"


def test_without_context_the_line_alone_has_one_vote() -> None:
    assert len(BuiltInPlanner().plan(sample("Hello.", context=()), CALL).votes) == 1
    assert BuiltInPlanner(windows=0).plan(sample("Hello."), CALL).votes[0].window == 0


def test_the_number_of_windows_is_part_of_the_signature() -> None:
    assert BuiltInPlanner(windows=5).signature != BuiltInPlanner().signature


@pytest.mark.parametrize("options", [{"thrifty": "yes"}, {"replan": 1}, {"windows": -1}])
def test_an_option_that_is_none_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        BuiltInPlanner(**options)


def test_the_size_of_the_planner_is_the_count_of_the_numbers_that_its_model_has_learned() -> None:
    with (files("aptone.planner") / "weights" / "planner.npz").open("rb") as file, np.load(file) as arrays:
        learned = [arrays[name].size for name in arrays if arrays[name].dtype == np.float16 and "scales" not in name]
        packed = [2 * arrays[name].size for name in arrays if name.endswith(".nibbles")]  # two numbers a byte
    assert sum(learned) + sum(packed) == PARAMETERS == BuiltInPlanner.about.parameters
