import math
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.audio import read
from aptone.ear import Ear, load_ear
from aptone.errors import UsageError
from aptone.judge import ProsodyJudge
from aptone.run import Call
from aptone.types import Audio, AudioRef, Intonation, Line, Perception, Plan, Rhythm, Sample, State

RATE = 16_000
CLIP = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"

HEARD = Perception(
    seconds=2.0,
    speech_seconds=1.5,
    emotion={"sad": 0.8, "calm": 0.2},
    phrase={"en": "clearly sad", "zh": "明显悲伤"},
    rhythm={Rhythm.TENSE: 0.5, Rhythm.BRISK: 0.4, Rhythm.HEAVY: 0.1},
    intonation={Intonation.RISING: 0.6, Intonation.FALLING: 0.3, Intonation.FLAT: 0.1, Intonation.CURVED: 0.0},
    recording_condition={"normal": 0.2, "phone": 0.8, "far-field": 0.0, "intermittent": 0.0, "noisy": 0.0},
)


def clip() -> Audio:
    return read(CLIP, rate=RATE, channel="mix")


def sample(language: str = "en") -> Sample:
    return Sample("a", AudioRef("a.wav"), Line("Is anybody there?"), language="zh" if language == "zh" else "en")


@pytest.fixture
def hears(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the ear hear what a test says."""

    def hear(perception: Perception) -> None:
        monkeypatch.setattr(Ear, "perceive", lambda self, audio, *, language: perception)

    hear(HEARD)
    return hear


@pytest.mark.usefixtures("hears")
def test_what_was_asked_for_and_heard_scores_five() -> None:
    outcome = ProsodyJudge().judge(clip(), Plan("hope", intonation=Intonation.RISING), sample(), Call())
    assert outcome.scores["intonation"].value == 5.0
    assert "rising was asked for, rising was heard (5.0 of 5)" in outcome.rationale


@pytest.mark.usefixtures("hears")
def test_what_is_half_as_likely_as_what_was_heard_scores_half() -> None:
    outcome = ProsodyJudge().judge(clip(), Plan("hope", intonation=Intonation.FALLING), sample(), Call())
    assert outcome.scores["intonation"].value == 2.5  # 5 * 0.3 / 0.6
    assert "falling was asked for, rising was heard (2.5 of 5)" in outcome.rationale


@pytest.mark.usefixtures("hears")
def test_the_overall_score_is_the_mean_of_what_was_judged() -> None:
    plan = Plan("hope", rhythm=Rhythm.BRISK, intonation=Intonation.RISING, recording_condition="telephone")
    scores = ProsodyJudge().judge(clip(), plan, sample(), Call()).scores
    # rhythm 5 * 0.4 / 0.5 = 4, intonation 5, recording condition 5
    assert scores["aptness"].value == pytest.approx((4.0 + 5.0 + 5.0) / 3)
    assert next(iter(scores)) == "aptness"


@pytest.mark.usefixtures("hears")
def test_an_open_aspect_is_undefined_and_not_counted() -> None:
    outcome = ProsodyJudge().judge(clip(), Plan("", intonation=Intonation.RISING), sample(), Call())
    for name in ("rhythm", "recording_condition"):
        assert math.isnan(outcome.scores[name].value)
        assert outcome.scores[name].reason == "the plan leaves it open"
    assert outcome.scores["aptness"].value == 5.0
    assert "Emotion" not in outcome.rationale


@pytest.mark.usefixtures("hears")
def test_a_condition_that_it_cannot_hear_is_undefined() -> None:
    plan = Plan("hope", intonation=Intonation.RISING, recording_condition="inside a bell")
    outcome = ProsodyJudge().judge(clip(), plan, sample(), Call())
    assert outcome.scores["recording_condition"].reason == "the ear cannot hear 'inside a bell'"


@pytest.mark.usefixtures("hears")
@pytest.mark.parametrize("condition", ["", "inside a bell"])
def test_a_plan_with_nothing_that_can_be_judged_is_unscored(condition: str) -> None:
    outcome = ProsodyJudge().judge(clip(), Plan("hope", recording_condition=condition), sample(), Call())
    assert outcome.state is State.UNSCORED
    assert "neither a rhythm nor an intonation" in outcome.reason


def test_an_aspect_that_the_ear_could_not_judge_is_undefined_with_its_reason(hears: Any) -> None:
    hears(replace(HEARD, intonation={}, unjudged={"intonation": "0.10 s of voice, need 0.3 s"}))
    plan = Plan("hope", rhythm=Rhythm.TENSE, intonation=Intonation.RISING)
    outcome = ProsodyJudge().judge(clip(), plan, sample(), Call())
    assert outcome.scores["intonation"].reason == "0.10 s of voice, need 0.3 s"
    assert outcome.scores["aptness"].value == 5.0  # rhythm alone
    alone = ProsodyJudge().judge(clip(), Plan("hope", intonation=Intonation.RISING), sample(), Call())
    assert (alone.state, alone.reason) == (State.UNSCORED, "0.10 s of voice, need 0.3 s")


def test_silence_is_unscored_with_the_reason() -> None:
    silence = Audio(np.zeros(RATE, dtype=np.float32), RATE)
    outcome = ProsodyJudge().judge(silence, Plan("hope", rhythm=Rhythm.TENSE), sample(), Call())
    assert outcome.state is State.UNSCORED
    assert outcome.reason == "the clip is silent"
    assert "perception" in outcome.evidence


@pytest.mark.usefixtures("hears")
def test_the_rationale_of_a_mandarin_story_is_in_mandarin() -> None:
    plan = Plan("盼望", intonation=Intonation.RISING, recording_condition="电话")
    outcome = ProsodyJudge().judge(clip(), plan, sample("zh"), Call())
    assert outcome.rationale == (
        "语调：要求上扬调，听到上扬调（5.0/5）。录音状态：要求电话转录，听到电话转录（5.0/5）。"
        "情感：要求盼望，听到的是：明显悲伤；此引擎不为情感评分。"
    )


@pytest.mark.usefixtures("hears")
def test_every_score_says_what_made_it_and_that_emotion_was_heard_but_not_scored() -> None:
    outcome = ProsodyJudge().judge(clip(), Plan("hope", intonation=Intonation.RISING), sample(), Call())
    assert outcome.signature == outcome.scores["aptness"].signature == ProsodyJudge().signature
    assert "placeholder" in outcome.signature
    assert load_ear().meaning.revision in outcome.signature
    assert outcome.rationale.endswith(
        "Emotion: hope was asked for, the ear heard this: clearly sad; not scored by this engine."
    )


def test_a_real_clip_is_heard_in_the_language_of_its_story() -> None:
    plan = Plan("grave", rhythm=Rhythm.HEAVY, recording_condition="phone")
    outcome = ProsodyJudge().judge(clip(), plan, sample("zh"), Call())
    heard = load_ear().perceive(clip(), language="zh")
    assert outcome.scores["rhythm"].value == 5.0 * (heard.rhythm[Rhythm.HEAVY] / max(heard.rhythm.values()))
    assert outcome.scores["recording_condition"].value == 5.0  # a telephone is what the clip was sent through


@pytest.mark.parametrize(("ear", "licence"), [("full", "CC-BY-NC-SA-4.0"), ("permissive", "Apache-2.0")])
def test_the_ear_is_chosen_by_an_option_and_its_licence_is_said(ear: str, licence: str) -> None:
    judge = ProsodyJudge(ear=ear)
    assert judge.about.licence == f"ear: {ear} ({licence})"
    assert f"ear:{ear}" in judge.signature


def test_the_setting_counts_where_the_judge_is_made_and_not_where_it_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APTONE_EAR", "permissive")
    sent = pickle.dumps(ProsodyJudge())
    monkeypatch.delenv("APTONE_EAR")
    assert pickle.loads(sent).about.licence == "ear: permissive (Apache-2.0)"


def test_an_unknown_ear_is_refused_when_the_judge_is_made() -> None:
    with pytest.raises(UsageError, match="there is no ear 'golden'"):
        ProsodyJudge(ear="golden")
