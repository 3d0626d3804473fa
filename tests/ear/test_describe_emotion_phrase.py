"""The phrase for an emotion claims no more than the distribution shows."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.ear.describe import Intensity, emotion_phrase, intensity_step
from aptone.errors import RecordError, UsageError
from aptone.types import Emotion, Language
from tests.tables import for_each


@for_each(
    ("emotion", "intensity", "english", "mandarin"),
    [
        # stated: the first has half or more; a second of 0.15 or more is a trace
        (
            {"angry": 0.7, "disgust": 0.2, "sad": 0.1},
            0.5,
            "clearly angry, with a trace of disgust",
            "明显愤怒，略带厌恶",
        ),
        ({"angry": 0.8, "disgust": 0.1, "sad": 0.1}, 0.9, "very angry", "非常愤怒"),
        ({"sad": 0.9, "happy": 0.1}, 0.1, "slightly sad", "有些悲伤"),
        ({"sad": 1.0}, math.nan, "sad", "悲伤"),
        ({"fear": 0.6, "neutral": 0.4}, math.nan, "fearful", "害怕"),
        ({"neutral": 0.7, "sad": 0.3}, 0.9, "neutral, with a trace of sadness", "中性，略带悲伤"),
        # side by side: within 0.15 of each other, and half of the probability or more between them
        ({"sad": 0.45, "neutral": 0.4, "calm": 0.15}, 0.5, "between sad and neutral", "介于悲伤与中性之间"),
        ({"surprise": 0.5, "fear": 0.5}, 0.5, "between fearful and surprised", "介于害怕与惊讶之间"),
        # likely: the first leads with less than half
        ({"boredom": 0.45, "sad": 0.2, "calm": 0.2, "neutral": 0.15}, 0.5, "probably bored", "可能厌倦"),
        # nothing clear
        (dict.fromkeys(Emotion, 0.1), 0.5, "no clear emotion", "没有明确的情绪"),
        (
            {"sad": 0.3, "happy": 0.14, "calm": 0.14, "fear": 0.14, "angry": 0.14, "disgust": 0.14},
            0.5,
            "no clear emotion",
            "没有明确的情绪",
        ),
        ({}, 0.5, "emotion not judged", "情绪未判断"),
        ({"sad": math.nan, "happy": 0.0}, 0.5, "emotion not judged", "情绪未判断"),
    ],
)
def test_the_words_follow_the_distribution(
    emotion: dict[str, float], intensity: float, english: str, mandarin: str
) -> None:
    assert emotion_phrase(emotion, intensity=intensity) == english
    assert emotion_phrase(emotion, intensity=intensity, language="zh") == mandarin


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from([*Emotion]), st.floats(), max_size=10), st.floats(), st.sampled_from(["en", "zh"])
)
def test_any_numbers_give_a_phrase_without_a_full_stop(
    emotion: dict[str, float], intensity: float, language: Language
) -> None:
    phrase = emotion_phrase(emotion, intensity=intensity, language=language)
    assert phrase
    assert not phrase.endswith((".", "。"))


def test_a_distribution_counts_relative_to_its_sum() -> None:
    assert emotion_phrase({"sad": 6.0, "calm": 4.0}) == emotion_phrase({"sad": 0.6, "calm": 0.4})


def test_the_steps_of_intensity_are_thirds() -> None:
    # one third and two thirds begin the next step
    assert [intensity_step(value) for value in (0.0, 0.33, 0.34, 0.66, 0.67, 1.0)] == [
        Intensity.SLIGHT,
        Intensity.SLIGHT,
        Intensity.CLEAR,
        Intensity.CLEAR,
        Intensity.STRONG,
        Intensity.STRONG,
    ]
    assert intensity_step(math.nan) is None


def test_an_unknown_emotion_or_language_is_refused() -> None:
    with pytest.raises(RecordError, match="'grumpy' is not a known emotion"):
        emotion_phrase({"grumpy": 1.0})
    with pytest.raises(UsageError, match="emotions are described in en or zh, got 'fr'"):
        emotion_phrase({"sad": 1.0}, language="fr")  # type: ignore[arg-type]
