import math

import numpy as np
import pytest

from aptone.judge import ProsodyJudge
from aptone.run import Call
from aptone.types import Audio, AudioRef, Intonation, Line, Plan, Rhythm, Sample, State

RATE = 16_000


def rising() -> Audio:
    phase = 2.0 * np.pi * np.cumsum(np.geomspace(120.0, 240.0, 2 * RATE)) / RATE
    tone = sum(np.sin(number * phase) / number for number in range(1, 31))
    return Audio((0.1 * np.asarray(tone)).astype(np.float32), RATE)


def sample(language: str = "en") -> Sample:
    return Sample("a", AudioRef("a.wav"), Line("Is anybody there?"), language="zh" if language == "zh" else "en")


def test_what_was_asked_for_and_heard_scores_five() -> None:
    outcome = ProsodyJudge().judge(rising(), Plan("hope", intonation=Intonation.RISING), sample(), Call())
    assert outcome.scores["intonation"].value == 5.0
    assert "rising was asked for, rising was heard (5.0 of 5)" in outcome.rationale


def test_the_opposite_of_what_was_heard_scores_less_than_one() -> None:
    outcome = ProsodyJudge().judge(rising(), Plan("hope", intonation=Intonation.FALLING), sample(), Call())
    assert outcome.scores["intonation"].value < 1.0


def test_the_overall_score_is_the_mean_of_what_was_judged() -> None:
    plan = Plan("hope", rhythm=Rhythm.TENSE, intonation=Intonation.RISING, recording_condition="normal")
    scores = ProsodyJudge().judge(rising(), plan, sample(), Call()).scores
    parts = [scores[name].value for name in ("rhythm", "intonation", "recording_condition")]
    assert scores["aptness"].value == pytest.approx(sum(parts) / 3)
    assert next(iter(scores)) == "aptness"


def test_an_open_aspect_is_undefined_and_not_counted() -> None:
    outcome = ProsodyJudge().judge(rising(), Plan("", intonation=Intonation.RISING), sample(), Call())
    for name in ("rhythm", "recording_condition"):
        assert math.isnan(outcome.scores[name].value)
        assert outcome.scores[name].reason == "the plan leaves it open"
    assert outcome.scores["aptness"].value == 5.0
    assert "Emotion" not in outcome.rationale


def test_a_condition_that_it_cannot_hear_is_undefined() -> None:
    plan = Plan("hope", intonation=Intonation.RISING, recording_condition="inside a bell")
    outcome = ProsodyJudge().judge(rising(), plan, sample(), Call())
    assert "cannot hear 'inside a bell'" in outcome.scores["recording_condition"].reason


@pytest.mark.parametrize("condition", ["", "inside a bell"])
def test_a_plan_with_nothing_that_can_be_judged_is_unscored(condition: str) -> None:
    outcome = ProsodyJudge().judge(rising(), Plan("hope", recording_condition=condition), sample(), Call())
    assert outcome.state is State.UNSCORED
    assert "neither a rhythm nor an intonation" in outcome.reason


def test_silence_is_unscored_with_the_reason() -> None:
    silence = Audio(np.zeros(RATE, dtype=np.float32), RATE)
    outcome = ProsodyJudge().judge(silence, Plan("hope", rhythm=Rhythm.TENSE), sample(), Call())
    assert outcome.state is State.UNSCORED
    assert outcome.reason == "too little speech: 0 voiced frames, need 12"
    assert "perception" in outcome.evidence


def test_the_rationale_of_a_mandarin_story_is_in_mandarin() -> None:
    plan = Plan("盼望", intonation=Intonation.RISING)
    outcome = ProsodyJudge().judge(rising(), plan, sample("zh"), Call())
    assert "语调：要求上扬调，听到上扬调（5.0/5）。" in outcome.rationale
    assert "情感（盼望）未评" in outcome.rationale


def test_every_score_says_what_made_it_and_that_emotion_was_not_judged() -> None:
    outcome = ProsodyJudge().judge(rising(), Plan("hope", intonation=Intonation.RISING), sample(), Call())
    assert outcome.signature == outcome.scores["aptness"].signature == ProsodyJudge().signature
    assert "placeholder" in outcome.signature
    assert "Emotion (hope) was not judged" in outcome.rationale
