import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.judge.aspects.feelings import Feeling, emotions_near, read_feeling
from aptone.lexicon.feelings import FEELINGS, NEGATIONS, STRENGTHS, feeling_words
from aptone.types import Emotion, Language
from aptone.types.story import TYPICAL_VAD
from tests.tables import for_each


def feeling(text: str) -> Feeling:
    read = read_feeling(text)
    assert read is not None
    return read


@for_each("emotion", list(Emotion))
def test_an_emotion_by_either_name_is_that_emotion_at_its_typical_place(emotion: Emotion) -> None:
    for name in (emotion.value, emotion.zh):
        read = feeling(name)
        assert read.emotions == {emotion: 1.0}
        assert read.vad == TYPICAL_VAD[emotion]
        assert math.isnan(read.intensity)


def test_two_feelings_count_alike() -> None:
    read = feeling("calm turning into joy")
    assert read.words == ("calm", "joy")
    assert read.emotions == {Emotion.CALM: 0.5, Emotion.HAPPY: 0.5}
    assert read.vad.valence == pytest.approx((0.50 + 0.81) / 2)


def test_a_word_about_loudness_says_nothing_about_valence_or_category() -> None:
    assert math.isnan(feeling("shouting").vad.valence)
    assert feeling("shouting").emotions == {}
    both = feeling("sad, shouting")
    assert both.emotions == {Emotion.SAD: 1.0}
    assert both.vad.valence == -0.63
    assert both.vad.arousal == pytest.approx((-0.27 + 0.80) / 2)


@pytest.mark.parametrize(("text", "intensity", "factor"), [("略带悲伤", 0.2, 0.6), ("slightly sad", 0.2, 0.6)])
def test_a_strength_word_moves_the_place(text: str, intensity: float, factor: float) -> None:
    read = feeling(text)
    assert read.intensity == intensity
    assert read.vad.valence == pytest.approx(factor * -0.63)


def test_a_strong_feeling_stays_on_the_scale() -> None:
    assert feeling("extremely happy").vad.valence == pytest.approx(1.2 * 0.81)
    assert feeling("extremely furious").vad.arousal == 1.0  # 1.2 * 0.85 = 1.02


@for_each(
    ("text", "words"),
    [
        ("not angry but hopeful", ("hopeful",)),
        ("calm rather than sad", ("calm",)),
        ("不生气，很高兴", ("很高兴",)),
        ("生气而不害怕，但坚定", ("生气", "坚定")),
        ("without fear, proud", ("proud",)),
    ],
)
def test_what_the_line_should_not_be_does_not_count(text: str, words: tuple[str, ...]) -> None:
    assert feeling(text).words == words


@for_each("text", ["", "zorbly", "not angry", "毫无恐惧", "123 ???", "the"])
def test_a_text_without_a_known_feeling_is_not_guessed_at(text: str) -> None:
    assert read_feeling(text) is None


@for_each("text", ["tenderly", "TENDER", "tenderness", "Ｔｅｎｄｅｒ"])
def test_endings_case_and_width_do_not_matter(text: str) -> None:
    assert feeling(text).vad == feeling("tender").vad


def test_english_in_a_mandarin_plan_is_understood_and_the_other_way_round() -> None:
    assert feeling("温柔 and tired").words == ("温柔", "tired")


@given(st.text(max_size=500))
def test_any_text_gives_a_place_on_the_scale_with_shares_that_sum_to_one_or_nothing(text: str) -> None:
    read = read_feeling(text)
    if read is not None:
        assert read.words
        if read.emotions:
            assert math.fsum(read.emotions.values()) == pytest.approx(1.0)


@for_each("emotion", [Emotion.SAD, Emotion.FEAR, Emotion.CALM, Emotion.NEUTRAL])
def test_the_place_of_an_emotion_is_nearest_to_itself(emotion: Emotion) -> None:
    shares = emotions_near(TYPICAL_VAD[emotion])
    assert max(shares, key=lambda name: shares[name]) is emotion
    assert math.fsum(shares.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_word_stands_twice_in_our_list_and_all_are_read(language: Language) -> None:
    words = feeling_words(language)
    mark, column = (", ", 1) if language == "en" else ("，", 2)
    assert len(words) == sum(len(str(line[column]).split(mark)) for line in FEELINGS)
    for word, place in words.items():
        read = feeling(word)
        for axis in ("valence", "arousal", "dominance"):
            wanted = getattr(place, axis)
            assert getattr(read.vad, axis) == pytest.approx(wanted, nan_ok=True), word


def test_strength_and_negation_words_are_no_feelings() -> None:
    for column, mark in ((0, ", "), (1, "，")):
        listed = [
            *NEGATIONS[column].split(mark),
            *(w for words in STRENGTHS.values() for w in words[column].split(mark)),
        ]
        assert not [word for word in listed if read_feeling(word) is not None]
