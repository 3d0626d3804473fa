"""From a Perception to a style and a phrase: thresholds, and what is left out when the ear is not sure."""

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.ear.describe import (
    Intensity,
    Music,
    Pitch,
    PitchVariation,
    Rate,
    Style,
    Texture,
    VocalEvent,
    Volume,
    emotion_phrase,
    intensity_step,
    style_of,
    texture_of,
)
from aptone.ear.measures import norms
from aptone.errors import RecordError, UsageError
from aptone.types import (
    AgeBand,
    Emotion,
    Intonation,
    Language,
    Perception,
    RecordingCondition,
    Rhythm,
    Score,
    Sex,
    SoundEvent,
)
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


def as_measured(measure: str, value: float, *, sex: Sex | None, language: str | None) -> float:
    """A norm of 0 with a spread of 1, so that the measured value is its own distance."""
    return value


def heard(**measures: float) -> Perception:
    scores = {
        name.replace("_", " "): Score(value, reason="" if value == value else "x") for name, value in measures.items()
    }
    return Perception(seconds=2.0, measures=scores)


def measured(**measures: float) -> Style:
    return style_of(heard(**measures), distance=as_measured)


@for_each(
    ("distance", "pitch", "rate", "volume"),
    [
        (-1.6, Pitch.VERY_LOW, Rate.VERY_SLOW, Volume.VERY_SOFT),
        (-1.4, Pitch.LOW, Rate.SLOW, Volume.SOFT),
        (-0.6, Pitch.LOW, Rate.SLOW, Volume.SOFT),
        (-0.4, Pitch.MEDIUM, Rate.MODERATE, Volume.MEDIUM),
        (0.4, Pitch.MEDIUM, Rate.MODERATE, Volume.MEDIUM),
        (0.6, Pitch.HIGH, Rate.FAST, Volume.LOUD),
        (1.4, Pitch.HIGH, Rate.FAST, Volume.LOUD),
        (1.6, Pitch.VERY_HIGH, Rate.VERY_FAST, Volume.VERY_LOUD),
    ],
)
def test_levels_change_at_half_a_spread_and_at_one_and_a_half(
    distance: float, pitch: Pitch, rate: Rate, volume: Volume
) -> None:
    style = measured(pitch_level=distance, articulation_rate=distance, loudness=distance)
    assert style == Style(pitch=pitch, rate=rate, volume=volume)


@for_each(
    ("distance", "variation"),
    [(-1.1, PitchVariation.MONOTONE), (0.0, PitchVariation.MODERATE), (1.1, PitchVariation.LIVELY)],
)
def test_pitch_variation_has_three_steps_a_spread_from_the_norm(distance: float, variation: PitchVariation) -> None:
    assert measured(pitch_range=distance) == Style(pitch_variation=variation)


def test_the_distance_is_asked_for_the_sex_that_was_heard_and_the_language_given() -> None:
    asked = []

    def distance(measure: str, value: float, *, sex: Sex | None, language: str | None) -> float:
        asked.append((measure, sex, language))
        return 0.0

    measures = {"pitch level": Score(3.0)}
    style_of(Perception(seconds=1.0, measures=measures, sex={Sex.FEMALE: 0.9}), language="zh", distance=distance)
    style_of(Perception(seconds=1.0, measures=measures, sex={Sex.FEMALE: 0.45}), distance=distance)
    style_of(Perception(seconds=1.0, measures=measures, sex={Sex.UNCLEAR: 0.9}), distance=distance)
    assert asked == [("pitch level", Sex.FEMALE, "zh"), ("pitch level", None, None), ("pitch level", None, None)]


def test_the_rate_falls_back_to_speech_with_its_pauses() -> None:
    assert measured(speech_rate=2.0) == Style(rate=Rate.VERY_FAST)
    assert measured(speech_rate=2.0, articulation_rate=-2.0) == Style(rate=Rate.VERY_SLOW)
    assert measured(speech_rate=2.0, articulation_rate=math.nan) == Style(rate=Rate.VERY_FAST)


def test_what_is_undefined_or_has_no_norm_is_not_judged() -> None:
    def nowhere(measure: str, value: float, *, sex: Sex | None, language: str | None) -> float:
        raise KeyError(measure)

    assert measured(pitch_level=math.nan, HNR=math.nan, jitter=math.nan, shimmer=0.0) == Style()
    assert style_of(heard(pitch_level=1.0, HNR=2.0, jitter=-2.0, shimmer=-2.0), distance=nowhere) == Style()
    assert style_of(Perception(seconds=0.0)) == Style()


@for_each(
    ("distances", "texture"),
    [
        # breathy: mean of -HNR and -tilt, here (2 + 1) / 2 = 1.5; rough: (2 + 0 + 0) / 3 is below 1
        ({"HNR": -2.0, "spectral tilt": -1.0, "jitter": 0.0, "shimmer": 0.0}, Texture.BREATHY),
        # rough: (1 + 2 + 2) / 3 = 1.67; breathy: (1 + 0) / 2 is below 1
        ({"HNR": -1.0, "spectral tilt": 0.0, "jitter": 2.0, "shimmer": 2.0}, Texture.ROUGH),
        # pressed: (0.5 + 2) / 2 = 1.25; clear: 0.5 / 3 is below 0.5
        ({"HNR": 0.5, "spectral tilt": 2.0, "jitter": 0.0, "shimmer": 0.0}, Texture.PRESSED),
        # clear: (1 + 0.5 + 0.3) / 3 = 0.6; pressed: (1 + 0) / 2 is below 1
        ({"HNR": 1.0, "spectral tilt": 0.0, "jitter": -0.5, "shimmer": -0.3}, Texture.CLEAR),
        ({"HNR": 0.0, "spectral tilt": 0.0, "jitter": 0.0, "shimmer": 0.0}, None),
        ({"HNR": 1.0, "spectral tilt": 0.0, "jitter": -0.5, "shimmer": math.nan}, None),
        ({"voiced share": -3.5, "HNR": 2.0, "jitter": -2.0, "shimmer": -2.0}, Texture.WHISPERED),
        ({"voiced share": -2.5}, None),
        ({}, None),
    ],
)
def test_the_texture_follows_the_signs_that_stand_out(distances: Mapping[str, float], texture: Texture | None) -> None:
    assert texture_of(distances) is texture


@for_each("condition", list(RecordingCondition))
def test_the_texture_is_judged_in_ordinary_recordings_only(condition: RecordingCondition) -> None:
    measures = {name: Score(value) for name, value in {"HNR": 2.0, "jitter": -1.0, "shimmer": -1.0}.items()}
    perception = Perception(seconds=1.0, measures=measures, recording_condition={condition: 0.9})
    expected = Texture.CLEAR if condition is RecordingCondition.NORMAL else None
    assert style_of(perception, distance=as_measured) == Style(recording_condition=condition, texture=expected)


def test_distributions_become_values_where_they_are_clear() -> None:
    style = style_of(
        Perception(
            seconds=3.0,
            emotion={"angry": 0.6, "disgust": 0.2, "fear": 0.2},
            intensity=0.9,
            rhythm={Rhythm.TENSE: 0.45, Rhythm.BRISK: 0.3, Rhythm.HEAVY: 0.25},
            intonation={Intonation.RISING: 0.7, Intonation.FLAT: 0.3},
            recording_condition={"phone": 0.8, "normal": 0.2},
            sex={Sex.FEMALE: 0.97, Sex.MALE: 0.03},
            age={AgeBand.YOUNG_ADULT: 0.6, AgeBand.MIDDLE_AGED: 0.4},
            music=0.02,
            events=(
                SoundEvent("laughing", 0.0, 0.5, 0.8),
                SoundEvent("coughing", 1.0, 1.2, 0.15),
                SoundEvent("door", 1.0, 1.2, 0.9),
            ),
        )
    )
    assert style == Style(
        emotion=Emotion.ANGRY,
        intensity=Intensity.STRONG,
        sex=Sex.FEMALE,
        age=AgeBand.YOUNG_ADULT,
        rhythm=Rhythm.TENSE,
        intonation=Intonation.RISING,
        recording_condition=RecordingCondition.PHONE,
        music=Music.ABSENT,
        events=(VocalEvent.LAUGHTER,),
    )


def test_what_is_doubtful_is_left_out() -> None:
    doubtful = Perception(
        seconds=3.0,
        emotion={"angry": 0.45, "disgust": 0.4, "fear": 0.15},  # a lead of 0.05
        intensity=0.9,
        rhythm={Rhythm.TENSE: 0.3, Rhythm.BRISK: 0.1},  # less than 0.4
        sex={Sex.FEMALE: 0.49, Sex.MALE: 0.4},  # less than half
        age={AgeBand.UNCLEAR: 0.9},
        recording_condition={"underwater": 0.9},  # no name for it here
        music=0.4,
    )
    assert style_of(doubtful) == Style()


def test_a_neutral_voice_has_no_intensity_and_none_is_guessed() -> None:
    assert style_of(Perception(seconds=1.0, emotion={"neutral": 1.0}, intensity=0.9)) == Style(emotion=Emotion.NEUTRAL)
    assert style_of(Perception(seconds=1.0, emotion={"sad": 1.0})) == Style(emotion=Emotion.SAD)


def test_music_is_present_absent_or_not_judged() -> None:
    heard_music = [style_of(Perception(seconds=1.0, music=share)).music for share in (0.9, 0.5, 0.1, math.nan)]
    assert heard_music == [Music.PRESENT, None, Music.ABSENT, None]


@pytest.mark.parametrize("sex", [Sex.FEMALE, Sex.MALE])
def test_the_built_in_norms_call_their_own_centre_medium(sex: Sex) -> None:
    names = ("pitch level", "pitch range", "articulation rate", "loudness")
    centres = {name: Score(norms.norm(name, sex=sex, language="en").centre) for name in names}
    assert style_of(Perception(seconds=1.0, measures=centres, sex={sex: 1.0}), language="en") == Style(
        sex=sex, pitch=Pitch.MEDIUM, pitch_variation=PitchVariation.MODERATE, rate=Rate.MODERATE, volume=Volume.MEDIUM
    )
