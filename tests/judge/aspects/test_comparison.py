import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.ear.describe import VocalEvent
from aptone.judge.aspects.comparison import (
    judge_aspects,
    judge_condition,
    judge_kin,
    judge_naturalness,
    judge_sounds,
    sounds_asked,
)
from aptone.judge.aspects.emotion import UNKNOWN_FEELING, judge_emotion
from aptone.judge.parameters import AspectVerdict, load_parameters, on_curve
from aptone.messages import message
from aptone.types import Emotion, Intonation, Language, Perception, Plan, Rhythm, SoundEvent, Vad
from aptone.types.story import TYPICAL_VAD
from tests.tables import for_each

PARAMETERS = load_parameters()
TAUGHT = ("laughing", "breathing", "coughing", "rain")

HEARD = Perception(
    seconds=2.0,
    speech_seconds=1.5,
    emotion={"sad": 0.64, "calm": 0.36, "happy": 0.0},
    phrase={"en": "clearly sad", "zh": "明显悲伤"},
    vad=TYPICAL_VAD[Emotion.SAD],
    intensity=0.5,
    rhythm={Rhythm.TENSE: 0.5, Rhythm.BRISK: 0.4, Rhythm.HEAVY: 0.1},
    intonation={Intonation.RISING: 1.0},
    recording_condition={"normal": 0.2, "phone": 0.8, "far-field": 0.0, "intermittent": 0.0, "noisy": 0.0},
    naturalness=3.25,
    events=(SoundEvent("laughing", 0.1, 0.4, 0.5), SoundEvent("rain", 0.0, 2.0, 0.9)),
)


def emotion(plan: Plan, heard: Perception = HEARD, language: Language = "en") -> AspectVerdict:
    return judge_emotion(plan, heard, language=language, parameters=PARAMETERS)


def condition(stated: str, heard: Perception = HEARD, language: Language = "en") -> AspectVerdict:
    plan = Plan("", recording_condition=stated)
    return judge_condition(plan, heard, language=language, parameters=PARAMETERS)


def sounds(*asked: VocalEvent, heard: Perception = HEARD, language: Language = "en") -> AspectVerdict:
    return judge_sounds(asked, heard, sounds=TAUGHT, language=language, parameters=PARAMETERS)


def test_emotion_weighs_categories_and_nearness() -> None:
    verdict = emotion(Plan("sad"))
    # categories √0.64 = 0.8; the place is the typical one, so nearness is 1; shares 0.5 and 0.5
    assert verdict.measured["categories"] == pytest.approx(0.8)
    assert verdict.measured["nearness"] == pytest.approx(1.0)
    assert verdict.measured["fit"] == pytest.approx(0.5 * 0.8 + 0.5)
    assert verdict.score.value == pytest.approx(on_curve(PARAMETERS.curves["emotion"], 0.9))
    assert verdict.agrees
    assert verdict.measured["P(sad)"] == 0.64


def test_the_opposite_of_what_was_heard_scores_near_nothing() -> None:
    verdict = emotion(Plan("happy"))
    # d² = (0.81 + 0.63)² + (0.51 + 0.27)² + 0.4·(0.46 + 0.33)² = 2.93; exp(-2.93 / 0.72) = 0.017
    assert verdict.measured["nearness"] == pytest.approx(math.exp(-2.93164 / 0.72), abs=1e-4)
    assert verdict.measured["categories"] == 0.0
    assert verdict.score.value < 0.1
    assert not verdict.agrees


def test_a_wrong_intensity_costs_where_the_plan_words_one() -> None:
    plain, worded = emotion(Plan("sad")), emotion(Plan("slightly sad"))
    assert "intensity" not in plain.measured
    assert worded.measured["intensity"] == pytest.approx(1.0 - abs(0.2 - 0.5))


def test_the_place_of_a_planner_goes_before_that_of_the_words() -> None:
    verdict = emotion(Plan("sad", vad=Vad(0.5, 0.5, 0.5)))
    assert verdict.measured["asked valence"] == 0.5
    assert verdict.measured["categories"] == pytest.approx(0.8)
    without_words = emotion(Plan("", vad=TYPICAL_VAD[Emotion.SAD]))
    assert without_words.planned == "sad"
    assert without_words.score.value > 4.0


def test_an_emotion_that_this_ear_does_not_know_is_judged_by_its_place_alone() -> None:
    verdict = emotion(Plan("bored"), replace(HEARD, vad=TYPICAL_VAD[Emotion.BOREDOM]))
    assert "categories" not in verdict.measured
    assert verdict.score.value == 5.0


def test_a_manner_without_a_feeling_is_judged_by_what_it_says() -> None:
    verdict = emotion(Plan("shouting"), replace(HEARD, vad=Vad(0.9, 0.80, 0.35)))
    assert verdict.score.value == 5.0  # arousal and dominance are just there; valence was left open


@pytest.mark.parametrize(
    ("words", "reason", "asked"), [("", "the plan leaves it open", False), ("zorbly", UNKNOWN_FEELING, True)]
)
def test_an_emotion_that_is_open_or_unknown_has_no_score(words: str, reason: str, asked: bool) -> None:
    verdict = emotion(Plan(words))
    assert (verdict.score.is_defined, verdict.score.reason, verdict.asked) == (False, reason, asked)
    assert emotion(Plan(words), language="zh").why != reason


def test_probabilities_of_emotions_give_the_expected_score_and_its_spread() -> None:
    sad, happy = (emotion(Plan(name)).score.value for name in ("sad", "happy"))
    verdict = emotion(Plan("sad", emotions={"sad": 0.75, "happy": 0.25}, unsaid=0.0))
    # Σ p · score, and √(p · (1 - p)) times the distance of two scores
    assert verdict.score.value == pytest.approx(0.75 * sad + 0.25 * happy)
    assert verdict.score.spread == pytest.approx(math.sqrt(0.75 * 0.25) * abs(sad - happy))
    assert [share for share, _ in verdict.alternatives] == [0.75, 0.25]
    assert [score for _, score in verdict.alternatives] == pytest.approx([sad, happy])


@pytest.mark.parametrize(("language", "planned"), [("en", "sad or happy"), ("zh", "悲伤或高兴")])
def test_a_plan_that_is_too_unsure_to_name_one_is_scored_all_the_same(language: Language, planned: str) -> None:
    unsure = Plan("", emotions={"sad": 0.55, "happy": 0.45}, unsaid=0.2)
    assert unsure.is_unsure
    verdict = emotion(unsure, language=language)
    assert verdict.score.is_defined
    assert verdict.score.spread > 0
    assert verdict.planned == planned


def test_where_the_story_does_not_say_emotion_is_unscored_and_the_reason_says_how_to_go_on() -> None:
    silent = Plan("", emotions={"sad": 0.55, "happy": 0.45}, unsaid=0.6)
    assert silent.is_unsaid
    verdict = emotion(silent)
    assert not verdict.score.is_defined
    assert "--plan" in verdict.score.reason
    assert "--planner api" in verdict.score.reason


def test_rhythm_counts_what_was_heard_by_kinship() -> None:
    verdict = judge_kin("rhythm", Rhythm.TENSE, HEARD, language="en", parameters=PARAMETERS)
    # tense (0.9, 0.5, 0.1), brisk (0.7, 0, 0.6): d² = 0.54; heavy (-0.5, 0.5, -0.6): d² = 2.45; reach² = 0.49
    fit = 0.5 + 0.4 * math.exp(-0.54 / 0.98) + 0.1 * math.exp(-2.45 / 0.98)
    assert verdict.measured["fit"] == pytest.approx(fit)
    assert (verdict.planned, verdict.heard, verdict.agrees) == ("tense", "tense", True)


def test_a_kindred_rhythm_scores_above_a_strange_one() -> None:
    heard = replace(HEARD, rhythm={Rhythm.LOW_PACED: 1.0})
    scores = {
        rhythm: judge_kin("rhythm", rhythm, heard, language="en", parameters=PARAMETERS).score.value
        for rhythm in Rhythm
    }
    assert scores[Rhythm.LOW_PACED] == 5.0
    assert scores[Rhythm.LOW_PACED] > scores[Rhythm.RELAXED] > scores[Rhythm.TENSE]


def test_an_intonation_that_the_ear_could_not_judge_has_its_reason() -> None:
    deaf = replace(HEARD, intonation={}, unjudged={"intonation": "0.10 s of voice, need 0.3 s"})
    verdict = judge_kin("intonation", Intonation.RISING, deaf, language="en", parameters=PARAMETERS)
    assert verdict.score.reason == "0.10 s of voice, need 0.3 s"
    assert verdict.asked


@for_each("stated", ["phone", "over the phone", "电话转录", "on a crackling phone line"])
def test_a_condition_is_known_by_many_words(stated: str) -> None:
    verdict = condition(stated)
    assert verdict.score.value == pytest.approx(on_curve(PARAMETERS.curves["recording_condition"], 0.8))
    assert (verdict.planned, verdict.heard, verdict.agrees, verdict.asked) == ("phone", "phone", True, True)


@for_each("stated", ["", "none", "无"])
def test_where_no_condition_is_named_a_normal_one_is_fine(stated: str) -> None:
    assert condition(stated).measured["P(normal)"] == 0.2
    assert condition(stated).asked is bool(stated)


@pytest.mark.parametrize("stated", ["inside a bell", "inner monologue"])
def test_a_condition_that_the_ear_cannot_hear_has_no_score(stated: str) -> None:
    assert condition(stated).score.reason == f"the ear cannot hear {stated!r}"
    assert condition(stated, language="zh").why.startswith("听觉模型听不出")


@for_each(
    ("line", "emotion", "asked"),
    [
        ("(laughs) Fine.", "", (VocalEvent.LAUGHTER,)),
        ("（叹气）好吧。", "", (VocalEvent.SIGH,)),
        ("[coughs] *sighs* So.", "", (VocalEvent.COUGH, VocalEvent.SIGH)),
        ("He laughs at me (again)!", "", ()),
        ("Fine.", "laughing bitterly", (VocalEvent.LAUGHTER,)),
        ("Fine.", "angry", ()),
        ("(without laughing) Fine.", "", ()),
        ("（没有大笑）好吧。", "", ()),
        ("（忍不住笑了）好吧。", "", (VocalEvent.LAUGHTER,)),
        ("Fine.", "laughing, not sighing", (VocalEvent.LAUGHTER,)),
        ("Fine.", "没有笑声，只是叹气", (VocalEvent.SIGH,)),
        ("(trying not to laugh) Fine.", "neither laughing nor sighing", ()),
    ],
)
def test_sounds_are_asked_for_by_stage_directions_and_by_the_plan(
    line: str, emotion: str, asked: tuple[VocalEvent, ...]
) -> None:
    assert sounds_asked(Plan(emotion), line) == asked


def test_a_sound_that_was_asked_for_fits_by_the_ear_s_confidence() -> None:
    # 0.6 + 0.4 * 0.5 = 0.8 for the laugh; 0.2 for the cough that was not heard
    assert sounds(VocalEvent.LAUGHTER).score.value == pytest.approx(5 * 0.8)
    assert sounds(VocalEvent.COUGH).score.value == pytest.approx(5 * 0.2)
    assert sounds(VocalEvent.LAUGHTER, VocalEvent.COUGH).score.value == pytest.approx(5 * 0.5)
    assert sounds(VocalEvent.LAUGHTER, VocalEvent.SIGH).score.value == pytest.approx(
        5 * 0.8
    )  # sighs: not in the training data


def test_a_sound_that_the_ear_was_never_taught_is_not_judged() -> None:
    assert sounds(VocalEvent.SIGH).score.reason == "the ear cannot hear 'sigh'"
    deaf = replace(HEARD, unjudged={"events": "this ear was not taught any sounds"})
    assert sounds(VocalEvent.LAUGHTER, heard=deaf).score.reason == "this ear was not taught any sounds"


def test_where_no_sound_is_asked_for_none_is_needed_and_what_was_heard_is_told() -> None:
    verdict = sounds()
    assert (verdict.score.needed, verdict.asked, verdict.heard) == (False, False, "laughter")  # rain is no voice


def test_naturalness_is_the_ear_s_own() -> None:
    assert judge_naturalness(HEARD, language="en", parameters=PARAMETERS).score.value == 3.25
    deaf = replace(HEARD, naturalness=math.nan, unjudged={"naturalness": "this ear was not trained for naturalness"})
    assert judge_naturalness(deaf, language="zh", parameters=PARAMETERS).score.reason.endswith(
        "trained for naturalness"
    )


probabilities = st.lists(st.floats(0.01, 1.0), min_size=10, max_size=10)
axis = st.floats(-1.0, 1.0)


@given(probabilities, st.builds(Vad, axis, axis, axis), st.sampled_from(list(Emotion)), st.sampled_from(["en", "zh"]))
def test_every_score_lies_on_the_scale_and_every_aspect_is_there(
    shares: list[float], place: Vad, planned: Emotion, language: Language
) -> None:
    total = math.fsum(shares)
    heard = replace(
        HEARD, emotion={name: share / total for name, share in zip(Emotion, shares, strict=True)}, vad=place
    )
    plan = Plan(planned.label(language), Rhythm.HEAVY, Intonation.FALLING, "phone")
    verdicts = judge_aspects(plan, heard, line="(laughs) x", sounds=TAUGHT, language=language, parameters=PARAMETERS)
    assert len(verdicts) == 6
    assert all(0.0 <= verdict.score.value <= 5.0 for verdict in verdicts.values())
    assert all(math.isfinite(number) for verdict in verdicts.values() for number in verdict.measured.values())


def test_what_the_ear_did_not_judge_is_not_scored() -> None:
    deaf = Perception(seconds=1.0, unjudged={"emotion": message("ear.no-speech")})
    assert emotion(Plan("sad"), deaf).score.reason == "no speech found"
    assert condition("phone", deaf).score.reason == "the ear did not judge it"
    assert condition("phone", deaf, language="zh").why == "听觉模型没有判断"
    assert emotion(Plan("sad"), deaf, language="zh").why == "没有找到语音"
    assert emotion(Plan("sad"), deaf, language="zh").score.reason == "no speech found"


def test_an_ear_that_gives_no_place_is_judged_by_categories_alone() -> None:
    verdict = emotion(Plan("sad"), replace(HEARD, vad=None))
    assert verdict.measured["fit"] == pytest.approx(0.8)
    shouting = emotion(Plan("shouting"), replace(HEARD, vad=None))
    assert not shouting.score.is_defined  # neither a category nor a place is left to compare
    nowhere = Vad(math.nan, math.nan, math.nan)
    assert emotion(Plan("sad"), replace(HEARD, vad=nowhere)).measured["fit"] == pytest.approx(0.8)
