"""Words of feeling in both languages: what the lists hold, and what is found in a sentence."""

import pytest

from aptone.lexicon.feelings import VOICES, felt_phrases
from aptone.lexicon.phrases import tokens
from aptone.types import Emotion, Language
from tests.tables import for_each


def found(text: str, language: Language = "en") -> list[tuple[str, set[Emotion]]]:
    words = tokens(text, language)
    return [
        (text[words.places[hit.start][0] : words.places[hit.end - 1][1]], set(hit.meaning.emotions))
        for hit in felt_phrases(words, language)
    ]


@for_each(
    ("text", "language", "emotion"),
    [
        ("she sobbed", "en", Emotion.SAD),
        ("he snapped", "en", Emotion.ANGRY),
        ("said Tom, scornfully", "en", Emotion.DISGUST),
        ("his hands shook", "en", Emotion.FEAR),
        ("she gasped", "en", Emotion.SURPRISE),
        ("he beamed", "en", Emotion.HAPPY),
        ("他怒道", "zh", Emotion.ANGRY),
        ("她红着眼眶", "zh", Emotion.SAD),
        ("他冷笑一声", "zh", Emotion.DISGUST),
        ("手在发抖", "zh", Emotion.FEAR),
        ("气得火冒三丈", "zh", Emotion.ANGRY),
    ],
)
def test_a_phrase_says_what_is_felt(text: str, language: Language, emotion: Emotion) -> None:
    assert any(emotion in emotions for _, emotions in found(text, language))


def test_of_phrases_that_overlap_the_one_of_most_words_counts() -> None:
    assert [words for words, _ in found("he shouted angrily")] == ["shouted angrily"]
    assert [words for words, _ in found("with a frozen smile")] == ["frozen smile"]


def test_plain_narration_says_nothing_of_a_feeling() -> None:
    plain = "The house stood at the end of the road, and the boy walked past it with a bag of apples."
    assert not any(emotions for _, emotions in found(plain))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_row_of_the_lists_can_be_read_and_no_phrase_stands_twice(language: Language) -> None:
    from aptone.lexicon.feelings import _rows

    separator = ", " if language == "en" else "，"
    phrases: list[str] = []
    for meaning, listed in _rows(language):
        assert 1 <= meaning.strength <= 3
        assert set(meaning.voice) <= set(VOICES)
        assert not meaning.emotions or abs(sum(meaning.emotions.values()) - 1.0) < 1e-9
        phrases += listed.split(separator)
    assert len(phrases) == len(set(phrases)) > 3000


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_phrase_of_the_directions_stands_twice(language: Language) -> None:
    from aptone.lexicon.feelings import _rows

    rows = list(_rows(language, "directions"))
    phrases = [phrase for _, listed in rows for phrase in listed.split(", " if language == "en" else "，")]
    assert len(phrases) == len(set(phrases))
    assert all(set(meaning.voice) <= set(VOICES) for meaning, _ in rows)
