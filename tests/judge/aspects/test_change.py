"""Feelings that change within a line."""

import math
from dataclasses import replace

import pytest

from aptone.judge.aspects.emotion import first_and_last, judge_emotion, planned_change
from aptone.judge.parameters import load_parameters
from aptone.types import Emotion, Perception, Plan, Trajectory, Vad
from aptone.types.story import TYPICAL_VAD
from tests.tables import for_each

PARAMETERS = load_parameters()
CALM, HAPPY = TYPICAL_VAD[Emotion.CALM], TYPICAL_VAD[Emotion.HAPPY]
NOWHERE = Vad(math.nan, math.nan, math.nan)


def trajectory(*points: Vad) -> Trajectory:
    return Trajectory(
        0.5,
        tuple(point.valence for point in points),
        tuple(point.arousal for point in points),
        tuple(point.dominance for point in points),
    )


def heard(*points: Vad) -> Perception:
    return Perception(
        seconds=3.0,
        speech_seconds=3.0,
        emotion={"calm": 0.5, "happy": 0.5},
        vad=Vad(0.5, 0.0, 0.0),
        trajectory=trajectory(*points) if points else None,
    )


@for_each(
    ("text", "first", "last"),
    [
        ("calm turning into joy", "calm", "joy"),
        ("from fear to relief", "fear", "relief"),
        ("calm, then sad, then angry", "calm", "angry"),
        ("angry → sad", "angry", "sad"),
        ("由平静转为喜悦", "平静", "喜悦"),
        ("从愤怒到悲伤", "愤怒", "悲伤"),
    ],
)
def test_words_of_a_change_give_the_first_and_the_last_feeling(text: str, first: str, last: str) -> None:
    change = planned_change(Plan(text))
    assert change is not None
    assert (change[0].words, change[1].words) == ((first,), (last,))


@for_each("text", ["calm", "", "calm and joyful", "becoming angry", "温柔而疲惫", "说到愤怒", "joy, then zorb"])
def test_one_feeling_is_no_change(text: str) -> None:
    assert planned_change(Plan(text)) is None


def test_a_place_that_the_planner_gave_is_no_change() -> None:
    assert planned_change(Plan("calm turning into joy", vad=CALM)) is None


def test_the_first_and_the_last_third_of_the_speech_are_averaged() -> None:
    points = [Vad(x, 0.0, 0.0) for x in (0.0, 0.2, 0.5, 0.5, 0.8, 1.0)]
    ends = first_and_last(trajectory(NOWHERE, *points, NOWHERE))  # six points with speech: two at either end
    assert ends is not None
    assert ends[0].valence == pytest.approx(0.1)
    assert ends[1].valence == pytest.approx(0.9)
    assert first_and_last(trajectory(NOWHERE, CALM, HAPPY)) is None  # two points are no three parts
    assert first_and_last(None) is None


def test_a_change_in_the_right_order_is_nearer_than_the_reverse() -> None:
    plan = Plan("calm turning into joy")
    right, wrong = (
        judge_emotion(plan, heard(*points), language="en", parameters=PARAMETERS)
        for points in ((CALM, CALM, HAPPY), (HAPPY, CALM, CALM))
    )
    assert right.measured["nearness"] == pytest.approx(1.0)  # both ends lie at the typical places
    assert right.measured["first nearness"] == right.measured["last nearness"] == pytest.approx(1.0)
    assert wrong.measured["nearness"] < 0.9
    assert right.score.value > wrong.score.value


def test_without_points_over_time_and_for_one_feeling_nothing_changes() -> None:
    plain = judge_emotion(Plan("calm turning into joy"), heard(), language="en", parameters=PARAMETERS)
    assert "first nearness" not in plain.measured
    over_time = heard(CALM, CALM, HAPPY)
    alone = replace(over_time, trajectory=None)
    one, other = (
        judge_emotion(Plan("calm"), clip, language="en", parameters=PARAMETERS) for clip in (over_time, alone)
    )
    assert one == other
