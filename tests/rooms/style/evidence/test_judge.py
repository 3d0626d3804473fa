"""A description against what was heard: negation, contrast, unknown words, and what stands beside a fit."""

import math
from typing import Any

import numpy as np
import pytest

from aptone.ear import load_ear
from aptone.ear.describe import Music, Sense, Texture, Volume
from aptone.ear.reading import read_description
from aptone.rooms.style.evidence.judge import (
    evidence_json,
    evidence_of,
    grades,
    probabilities,
    rank_keys,
)
from aptone.rooms.style.evidence.odds import PLACES, VALUES, Floats, load_calibration
from aptone.types import AgeBand, Emotion, Perception, Score, Sex, Vad

ANGRY = {"angry": 0.9, "disgust": 0.06, "happy": 0.04}
CALM = {"calm": 0.9, "neutral": 0.06, "sad": 0.04}


def heard(emotion: dict[str, float], vad: tuple[float, float], **more: Any) -> Perception:
    """A man's voice with some feeling."""
    return Perception(
        seconds=2.0,
        speech_seconds=2.0,
        emotion=emotion,
        vad=Vad(*vad, 0.0),
        sex={Sex.MALE: 0.98, Sex.FEMALE: 0.02},
        **more,
    )


@pytest.fixture
def angry() -> Floats:
    return load_calibration().log_odds(heard(ANGRY, (-0.5, 0.6)))


@pytest.fixture
def calm() -> Floats:
    return load_calibration().log_odds(heard(CALM, (0.2, -0.4)))


def fit(text: str, odds: Floats) -> float:
    return float(grades(read_description(text), odds[np.newaxis])[0])


def test_a_denial_falls_where_the_claim_rises(angry: Floats, calm: Floats) -> None:
    # found before: "an angry man" 5.00 and "a man who is not angry at all" 4.90 on one clip
    assert fit("an angry man", angry) > 4.0
    assert fit("a man who is not angry at all", angry) < 3.0  # the man holds, which is half of it
    assert fit("not angry", angry) < 0.5
    assert fit("毫不生气的男人", angry) < 3.0
    assert fit("not angry", calm) > 4.0 > 0.5 > fit("angry", calm)


def test_a_wrong_single_attribute_is_near_nothing(angry: Floats, calm: Floats) -> None:
    # found before: 2.0 to 2.5 of 5
    for wrong in ("a calm voice", "a bored voice", "悲伤的声音", "a woman"):
        assert fit(wrong, angry) < 1.0
    assert fit("an angry voice", calm) < 0.5


def test_a_contrast_is_two_properties(angry: Floats, calm: Floats) -> None:
    assert fit("not angry but calm", calm) > 4.0
    assert fit("not angry but calm", angry) < 1.0
    assert fit("more calm than angry", calm) > fit("more angry than calm", calm) + 3.0


def test_the_likeliest_meaning_of_a_word_counts() -> None:
    odds = np.full(len(VALUES), np.nan)
    odds[PLACES[Sense("texture", Texture.ROUGH)]], odds[PLACES[Sense("texture", Texture.BREATHY)]] = -3.0, 2.0
    likely = probabilities(read_description("husky"), odds[np.newaxis])[0]
    assert likely == pytest.approx([1 / (1 + math.exp(-2.0))])


def test_the_strength_of_an_emotion_that_is_not_heard_is_not_heard_either() -> None:
    strong_but_calm = load_calibration().log_odds(heard(CALM, (0.2, -0.4), intensity=0.95))
    emotion, strength = probabilities(read_description("furious"), strong_but_calm[np.newaxis])[0]
    assert strength <= emotion < 0.1


def test_evidence_says_what_holds_what_does_not_and_what_nobody_can_judge(angry: Floats) -> None:
    perception = heard(ANGRY, (-0.5, 0.6), age={AgeBand.YOUNG_ADULT: 0.9})
    reading = read_description("a zorbly, nasal, angry, elderly woman, not loud")
    found = evidence_of(reading, load_calibration().log_odds(perception), perception=perception)
    assert [(one.words, one.verdict, one.is_denied) for one in found] == [
        ("nasal", "undecided", False),
        ("angry", "true", False),
        ("elderly woman", "false", False),
        ("elderly woman", "undecided", False),
        ("loud", "undecided", True),
    ]
    assert found[1].measured["en"].startswith("angry 0.90")
    assert found[2].fact == {"en": "sex: female", "zh": "性别：女"}
    assert found[3].measured["en"] == "the ear was not trained on elderly"
    assert math.isnan(found[3].probability)
    assert found[4].fact["en"] == "volume: not loud"
    assert found[4].measured["en"] == "not judged"
    data = evidence_json(reading, found, language="zh")
    assert data["not_understood"] == ["zorbly"]
    listed = data["properties"]
    assert isinstance(listed, list)
    assert listed[0] == {
        "words": "nasal",
        "denied": False,
        "start": 10,
        "end": 15,
        "fact": "共鸣",
        "verdict": "undecided",
        "probability": None,
        "measured": "听觉模型不判断此项",
    }


def test_a_denial_that_is_merely_unlikely_is_undecided_where_the_claim_is_too() -> None:
    odds = np.full(len(VALUES), np.nan)
    place = PLACES[Sense("emotion", Emotion.ANGRY)]
    equal = load_calibration().denied["emotion"]
    for claimed, verdict in ((equal - 2.0, "true"), (equal + 0.1, "undecided"), (2.0, "false")):
        odds[place] = claimed
        (one,) = evidence_of(read_description("not angry"), odds)
        assert one.verdict == verdict


def test_where_claim_and_denial_are_equal_is_the_fitted_point() -> None:
    calibration = load_calibration()
    equal = calibration.denied["emotion"]
    at = np.array([equal - 0.5, equal, equal + 0.5])
    denied = calibration.denial(Sense("emotion", Emotion.ANGRY), at)
    assert denied[1] == pytest.approx(equal)
    assert denied[0] > at[0]
    assert denied[2] < at[2]
    assert calibration.denial(Sense("music", Music.PRESENT), np.array([1.5]))[0] == -1.5


def test_clips_are_ordered_by_fit_and_within_equal_fits_by_evidence(angry: Floats, calm: Floats) -> None:
    loudest, loud = np.full(len(VALUES), np.nan), np.full(len(VALUES), np.nan)
    place = PLACES[Sense("volume", Volume.LOUD)]
    loudest[place], loud[place] = 6.0, 5.999
    keys = rank_keys(read_description("loud"), np.stack([loud, loudest, np.full(len(VALUES), np.nan)]))
    assert keys[1] > keys[0]
    assert np.isnan(keys[2])
    assert np.isnan(rank_keys(read_description("zorbly"), np.stack([angry]))).all()
    both = rank_keys(read_description("not angry"), np.stack([angry, calm]))
    assert both[1] > both[0]


def test_what_was_not_heard_has_no_odds() -> None:
    odds = load_calibration().log_odds(Perception(seconds=1.0))
    assert np.isnan(odds[PLACES[Sense("emotion", Emotion.ANGRY)]])
    assert np.isnan(odds[PLACES[Sense("sex", Sex.MALE)]])
    assert np.isnan(odds[PLACES[Sense("volume", Volume.LOUD)]])


def test_distances_decide_scales_and_slow_and_fast_exclude_each_other() -> None:
    calibration = load_calibration()
    for rate in np.linspace(1.0, 12.0, 23):
        perception = heard(ANGRY, (-0.5, 0.6), measures={"articulation rate": Score(float(rate), unit="1/s")})
        slow, fast = probabilities(read_description("slow, fast"), calibration.log_odds(perception)[np.newaxis])[0]
        assert min(slow, fast) < 0.5


def test_the_calibration_was_fitted_to_the_ear_that_ships() -> None:
    # after a new ear: python -m recipes.style calibrate --data DATA --answers RUNS --cache FOLDER
    assert load_calibration().ear == load_ear("full").signature
