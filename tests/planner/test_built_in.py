"""The built-in planner: what it makes of a story, and how windows vote where they are asked to."""

import io
import math
from dataclasses import replace
from importlib.resources import files
from typing import Any, cast

import numpy as np
import onnx
import pytest

from aptone.errors import UsageError
from aptone.planner import built_in
from aptone.planner.built_in import PARAMETERS, BuiltInPlanner
from aptone.planner.story_reader import Reading, read_line
from aptone.rooms.aptness.api import line_to_plan
from aptone.rooms.aptness.story import make_story
from aptone.run import Call
from aptone.types import AudioRef, Emotion, Line, Plan, RecordingCondition, Rhythm, Sample
from tests.tables import for_each

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


def planned(*paragraphs: str, line: str, **options: Any) -> Plan:
    return BuiltInPlanner(**options).plan(line_to_plan(make_story(paragraphs), line=line), CALL)


@for_each(
    ("paragraphs", "line", "emotion"),
    [
        (["“You told her,” he shouted angrily. His face was red with rage."], "You told her,", "angry"),
        (["“I never said goodbye,” Ann sobbed."], "I never said goodbye,", "sad"),
        (["TOM (furious): Get out of my house."], "Get out of my house.", "angry"),
        (["ANNA: [crying] I never meant it."], "I never meant it.", "sad"),
        (["Mara's hands shook so hard that she dropped the key.", "“Is somebody there?” she said."], "Is", "fear"),
        (["他害怕地小声问：“有人吗？”"], "有人吗？", "恐惧"),
        (["李雷（怒）：你给我出去！"], "你给我出去！", "愤怒"),
        (["她红着眼眶，哽咽着说：“我再也见不到他了。”"], "我再也见不到他了。", "悲伤"),
    ],
)
def test_what_a_story_says_outright_is_planned_and_quoted(paragraphs: list[str], line: str, emotion: str) -> None:
    plan = planned(*paragraphs, line=line)
    assert plan.emotion == emotion
    assert plan.evidence, "the words that it rests on are missing"
    assert all(one.words in "\n".join(paragraphs) for one in plan.evidence)
    assert plan.confidence > 0.5


def test_the_feeling_of_somebody_else_is_not_taken_for_the_speakers() -> None:
    plan = planned("Tom was furious. “You lied!” he roared.", "“It is only the rain,” Ann said gently.", line="It is")
    assert plan.emotion == "calm"


def test_a_plan_is_a_distribution_with_its_evidence_in_place() -> None:
    plan = planned("Tom came in.", "“Go away,” he snapped.", line="Go away,")
    assert math.fsum(plan.emotions.values()) == pytest.approx(1.0, abs=1e-3)
    assert set(plan.emotions) == {str(emotion) for emotion in Emotion}
    assert 0.0 <= plan.unsaid <= 1.0
    tag = next(one for one in plan.evidence if one.kind == "tag")
    assert (tag.words, tag.line) == ("snapped", 1)
    assert "he snapped."[tag.start : tag.end] == "snapped"
    assert plan.signature == BuiltInPlanner().signature
    assert plan.votes == ()


def test_where_the_story_does_not_say_no_emotion_is_named() -> None:
    plan = planned("He opened the drawer.", "“The second one from the left,” said Ann.", line="The second one")
    assert not plan.says_emotion or plan.emotion == "neutral"
    unsure = planned("“Oh.”", line="Oh.")
    assert unsure.emotion == ""
    assert math.isnan(unsure.intensity)


def test_what_the_narration_says_about_the_recording_counts() -> None:
    before = (Line("She picked up the phone and dialled his number.", ""),)
    plan = BuiltInPlanner().plan(sample("Where are you?", context=before), CALL)
    assert plan.recording_condition == RecordingCondition.PHONE.value


def test_sounds_besides_words_come_from_the_same_cues() -> None:
    plan = planned("“Stop it,” she said, laughing out loud.", line="Stop it,")
    assert "laughter" in plan.sounds


@pytest.mark.parametrize("voting", ["release", "paper"])
def test_windows_vote_where_they_are_asked_to(voting: str) -> None:
    plan = BuiltInPlanner(voting=cast(Any, voting)).plan(sample("I miss him so much."), CALL)
    assert [vote.window for vote in plan.votes] == [1, 2, 3, 4]
    assert plan.windows == 4
    assert plan.emotions


def test_one_window_is_read_without_a_vote() -> None:
    plan = BuiltInPlanner(voting="one", windows=2).plan(sample("I miss him so much."), CALL)
    near = BuiltInPlanner().plan(sample("I miss him so much.", context=STORY[-2:]), CALL)
    assert plan.votes == ()
    assert plan.emotions == near.emotions


def test_a_thrifty_vote_has_the_same_winner_and_fewer_votes() -> None:
    lines = tuple(Line(text, "Mara") for text in ("Hello.", "Come in.", "Sit down.", "Tea?", "It rains.", "Yes."))
    full, thrifty = (
        BuiltInPlanner(voting="release", thrifty=way).plan(sample("Well.", context=lines), CALL)
        for way in (False, True)
    )
    assert (full.emotion, full.rhythm, full.intonation) == (thrifty.emotion, thrifty.rhythm, thrifty.intonation)
    assert len(thrifty.votes) <= len(full.votes) == 6
    assert full.signature == thrifty.signature


def test_a_plan_that_the_sample_brings_stays_unless_told_otherwise() -> None:
    own = Plan("calm", rhythm=Rhythm.RELAXED)
    given = sample("Get out! I hate you!", plan=own)
    assert BuiltInPlanner().plan(given, CALL) is own
    assert BuiltInPlanner(replan=True).plan(given, CALL).source == "built-in planner"


def test_how_windows_vote_is_part_of_the_signature() -> None:
    signatures = {BuiltInPlanner(voting=cast(Any, way)).signature for way in ("none", "release", "paper", "one")}
    assert len(signatures) == 4


@for_each("options", [{"thrifty": "yes"}, {"replan": 1}, {"windows": -1}, {"voting": "some"}])
def test_an_option_that_is_none_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        BuiltInPlanner(**options)


def test_a_story_in_another_language_is_refused_by_name() -> None:
    german = (Line("Der Wind heulte um das Haus, und alle waren still."),)
    with pytest.raises(UsageError, match=r"around 'Geh weg!.* German.*--planner api"):
        BuiltInPlanner().plan(sample("Geh weg! Ich habe solche Angst vor dir.", context=german), CALL)


def test_ten_megabytes_of_story_cost_no_more_than_what_stands_near_the_line() -> None:
    story = tuple(Line("The wind went on and on over the grey water. " * 20) for _ in range(11_000))
    plan = BuiltInPlanner().plan(sample("Go away!", context=(*story, Line("Mara was furious."))), CALL)
    near = BuiltInPlanner().plan(sample("Go away!", context=(*story[-20:], Line("Mara was furious."))), CALL)
    assert plan.emotions == near.emotions


def test_the_size_of_the_planner_is_the_count_of_the_numbers_that_it_has_learned() -> None:
    count = 0
    for name in ("encoder.npz", "pieces.en.npz", "pieces.zh.npz"):
        with np.load(io.BytesIO((files("aptone.planner") / "weights" / name).read_bytes())) as arrays:
            count += sum(2 * arrays[key].size for key in arrays.files if key == "nibbles")  # two numbers a byte
            count += sum(arrays[key].size for key in arrays.files if key in ("places", "target"))
            if "graph" in arrays.files:
                graph = onnx.load_from_string(bytes(arrays["graph"])).graph
                learned = (onnx.TensorProto.INT8, onnx.TensorProto.FLOAT)
                sizes = [math.prod(one.dims) for one in graph.initializer if one.data_type in learned]
                count += sum(size for size in sizes if size > 1)
    assert round(count, -5) == PARAMETERS == BuiltInPlanner.about.parameters


@pytest.fixture
def lines_read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def read(one: Sample) -> Reading:
        found.append(one.target.text)
        return read_line(one)

    monkeypatch.setattr(built_in, "read_line", read)
    return found


def test_clips_of_one_line_share_its_plan_and_those_of_other_stories_do_not(lines_read: list[str]) -> None:
    planner, first = BuiltInPlanner(), sample("He is dead.")
    take = replace(first, id="two", audio=AudioRef("other.wav"), ids={"system": "b"})
    assert planner.plan(take, CALL) == planner.plan(first, CALL) == BuiltInPlanner().plan(first, CALL)
    assert len(lines_read) == 2  # one of each planner
    others = [
        sample("He is dead!"),
        sample("He is dead.", context=STORY[1:]),
        sample("He is dead.", following=(Line("She wept."),)),
        sample("He is dead.", target=Line("He is dead.", "Mara", direction="laughing")),
        sample("He is dead.", language="zh"),
    ]
    for other in others:
        assert planner.plan(other, CALL) == BuiltInPlanner().plan(other, CALL)
    assert len(lines_read) == 2 + 2 * len(others)


def test_no_more_plans_are_kept_than_a_limit(lines_read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built_in, "MOST_SHARED", 2)
    planner = BuiltInPlanner()
    for text in ("One.", "Two.", "Three.", "Three.", "One."):
        planner.plan(sample(text), CALL)
    assert lines_read == ["One.", "Two.", "Three.", "One."]
