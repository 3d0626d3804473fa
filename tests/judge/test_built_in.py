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
from aptone.judge import BuiltInJudge
from aptone.judge.built_in import overall_score, too_little
from aptone.judge.chat.verdict import ASPECTS
from aptone.judge.parameters import AspectVerdict, load_parameters, on_curve
from aptone.run import Call
from aptone.types import (
    Audio,
    AudioRef,
    Emotion,
    Intonation,
    Line,
    Outcome,
    Perception,
    Plan,
    Rhythm,
    Sample,
    Score,
    State,
)
from aptone.types.story import TYPICAL_VAD
from tests.tables import for_each

RATE = 16_000
CLIP = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"
PARAMETERS = load_parameters()
CURVE = PARAMETERS.curves["aptness"]

HEARD = Perception(
    seconds=2.0,
    speech_seconds=1.5,
    emotion={"sad": 1.0},
    phrase={"en": "clearly sad", "zh": "明显悲伤"},
    vad=TYPICAL_VAD[Emotion.SAD],
    rhythm={Rhythm.TENSE: 1.0},
    intonation={Intonation.RISING: 1.0},
    recording_condition={"normal": 1.0, "phone": 0.0},
)
PLAN = Plan("sad", Rhythm.TENSE, Intonation.RISING, "normal")


def clip() -> Audio:
    return read(CLIP, rate=RATE, channel="mix")


def sample(language: str = "en", *, text: str = "Is anybody there?") -> Sample:
    return Sample("a", AudioRef("a.wav"), Line(text), language="zh" if language == "zh" else "en")


def judge(plan: Plan, language: str = "en", *, text: str = "Is anybody there?", **options: Any) -> Outcome:
    return BuiltInJudge(**options).judge(clip(), plan, sample(language, text=text), Call())


@pytest.fixture
def hears(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let the ear hear what a test says."""

    def hear(perception: Perception) -> None:
        monkeypatch.setattr(Ear, "perceive", lambda self, audio, *, language, trajectory: perception)

    hear(HEARD)
    return hear


@pytest.mark.usefixtures("hears")
def test_a_line_that_does_all_that_is_asked_scores_five() -> None:
    scores = judge(PLAN).scores
    assert list(scores) == ["aptness", *ASPECTS]
    assert scores["aptness"].value == 5.0
    assert math.isnan(scores["naturalness"].value)
    assert not scores["paralinguistics"].needed


@pytest.mark.usefixtures("hears")
def test_every_aspect_has_its_evidence_in_numbers() -> None:
    aspects: Any = judge(PLAN).evidence["aspects"]
    assert aspects["emotion"]["measured"]["P(sad)"] == 1.0
    assert aspects["rhythm"]["measured"] == {"P(tense)": 1.0, "fit": 1.0}
    assert (aspects["rhythm"]["planned"], aspects["rhythm"]["heard"]) == ("tense", "tense")


def test_the_overall_score_is_the_weighted_mean_of_what_was_judged_on_its_curve() -> None:
    def one(value: float, *, asked: bool = True) -> AspectVerdict:
        return AspectVerdict(Score(value, reason="x" if math.isnan(value) else ""), asked=asked)

    aspects = {"emotion": one(4.0), "rhythm": one(1.0), "intonation": one(math.nan), "naturalness": one(2.0)}
    # (0.55 · 4 + 0.15 · 1 + 0.05 · 2) / (0.55 + 0.15 + 0.05) = 2.45 / 0.75
    assert overall_score(aspects, PARAMETERS) == pytest.approx(on_curve(CURVE, 2.45 / 0.75))
    with_condition = {"emotion": one(4.0), "recording_condition": one(0.0, asked=False)}
    # nobody asked for it: 0.14 · 0.3 = 0.042
    assert overall_score(with_condition, PARAMETERS) == pytest.approx(on_curve(CURVE, 0.55 * 4 / (0.55 + 0.042)))


def test_there_is_a_score_from_a_quarter_of_the_weight_that_is_asked_for() -> None:
    unknown = AspectVerdict(Score(math.nan, reason="no word is known"))
    rhythm, intonation = AspectVerdict(Score(3.0)), AspectVerdict(Score(3.0))
    # rhythm 0.15 of 0.70 is 21 %; with intonation 0.21 of 0.76 is 28 %
    assert too_little({"emotion": unknown, "rhythm": rhythm}, PARAMETERS) == (
        "too little of the plan can be judged (21% by weight); emotion: no word is known"
    )
    assert not too_little({"emotion": unknown, "rhythm": rhythm, "intonation": intonation}, PARAMETERS)
    assert (
        too_little({"naturalness": AspectVerdict(Score(3.0), asked=False)}, PARAMETERS) == "the plan asks for nothing"
    )


@pytest.mark.usefixtures("hears")
@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (Plan(""), "the plan asks for nothing"),
        (Plan("zorbly"), "too little of the plan can be judged (0% by weight); emotion: none of the plan's words"),
        (Plan("", recording_condition="inside a bell"), "recording condition: the ear cannot hear 'inside a bell'"),
    ],
)
def test_a_plan_of_which_nothing_can_be_judged_is_unscored(plan: Plan, reason: str) -> None:
    outcome = judge(plan)
    assert outcome.state is State.UNSCORED
    assert reason in outcome.reason
    assert not outcome.scores


def test_silence_is_unscored_with_the_reason() -> None:
    silence = Audio(np.zeros(RATE, dtype=np.float32), RATE)
    outcome = BuiltInJudge().judge(silence, PLAN, sample(), Call())
    assert (outcome.state, outcome.reason) == (State.UNSCORED, "the clip is silent")
    assert "perception" in outcome.evidence


def test_an_aspect_that_the_ear_could_not_judge_drops_out_with_its_weight(hears: Any) -> None:
    hears(replace(HEARD, intonation={}, unjudged={"intonation": "0.10 s of voice, need 0.3 s"}))
    outcome = judge(PLAN)
    assert outcome.scores["intonation"].reason == "0.10 s of voice, need 0.3 s"
    assert outcome.scores["aptness"].value == 5.0


@pytest.mark.usefixtures("hears")
def test_a_stage_direction_in_the_line_asks_for_its_sound() -> None:
    scores = judge(PLAN, text="(laughs) Is anybody there?").scores
    assert scores["paralinguistics"].value == 1.0  # 5 * 0.2: it was not heard
    assert scores["aptness"].value < 5.0


@pytest.mark.usefixtures("hears")
def test_the_rationale_of_a_mandarin_story_is_in_mandarin() -> None:
    outcome = judge(Plan("悲伤", Rhythm.TENSE), "zh")
    assert outcome.rationale.startswith(
        "情感应为“悲伤”，实际听来明显悲伤。两者十分相符，情感5.0分。适合这句的节奏是紧张型"
    )


@pytest.mark.usefixtures("hears")
def test_the_signature_names_ear_weights_parameters_and_rationale() -> None:
    outcome = judge(PLAN, rationale="short")
    assert outcome.signature == outcome.scores["aptness"].signature == BuiltInJudge(rationale="short").signature
    assert PARAMETERS.hash in outcome.signature
    assert load_ear().meaning.revision in outcome.signature
    assert outcome.signature != BuiltInJudge(rationale="long").signature


def test_a_real_clip_gets_the_same_verdict_every_time_and_is_heard_in_the_language_of_its_story() -> None:
    plan = Plan("grave", rhythm=Rhythm.HEAVY, recording_condition="phone")
    outcome = judge(plan, "zh")
    assert outcome == judge(plan, "zh")
    heard = load_ear().perceive(clip(), language="zh")
    aspects: Any = outcome.evidence["aspects"]
    assert aspects["rhythm"]["measured"]["P(heavy)"] == heard.rhythm[Rhythm.HEAVY]
    assert outcome.scores["recording_condition"].value > 4.9  # a telephone is what the clip was sent through


@pytest.mark.parametrize(("ear", "licence"), [("full", "CC-BY-NC-SA-4.0"), ("permissive", "Apache-2.0")])
def test_the_ear_is_chosen_by_an_option_and_its_licence_is_said(ear: str, licence: str) -> None:
    built_in = BuiltInJudge(ear=ear)
    assert built_in.about.licence == f"ear: {ear} ({licence})"
    assert f"ear:{ear}" in built_in.signature
    assert "no score was ever compared with listeners" in built_in.about.notes[0]


def test_the_other_ear_judges_too() -> None:
    assert judge(PLAN, ear="permissive").state is State.DONE


def test_the_setting_counts_where_the_judge_is_made_and_not_where_it_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APTONE_EAR", "permissive")
    sent = pickle.dumps(BuiltInJudge())
    monkeypatch.delenv("APTONE_EAR")
    assert pickle.loads(sent).about.licence == "ear: permissive (Apache-2.0)"


@pytest.mark.parametrize(
    ("option", "message"), [("ear", "there is no ear 'golden'"), ("rationale", "short, medium or")]
)
def test_an_unknown_option_is_refused_when_the_judge_is_made(option: str, message: str) -> None:
    options: Any = {option: "golden"}
    with pytest.raises(UsageError, match=message):
        BuiltInJudge(**options)


@for_each(("emotion", "step"), [("calm", None), ("calm turning into joy", 0.5), ("由平静转为喜悦", 0.5)])
def test_the_ear_listens_over_time_only_where_a_feeling_changes(
    monkeypatch: pytest.MonkeyPatch, emotion: str, step: float | None
) -> None:
    asked: list[float | None] = []

    def perceive(self: Ear, audio: Audio, *, language: str, trajectory: float | None) -> Perception:
        asked.append(trajectory)
        return HEARD

    monkeypatch.setattr(Ear, "perceive", perceive)
    judge(replace(PLAN, emotion=emotion))
    assert asked == [step]
