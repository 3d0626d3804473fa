"""The lexicon: what words mean, where a text uses them, and what hostile text does to it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.ear.describe import (
    ATTRIBUTES,
    Attribute,
    Intensity,
    Pitch,
    Rate,
    Style,
    Texture,
    Volume,
    lexicon,
    mentions,
    style_in,
    values_of,
)
from aptone.errors import RecordError, UsageError
from aptone.types import AgeBand, ClosedSet, Emotion, Language, Rhythm, Sex
from tests.growth import grows_linearly

LANGUAGES: tuple[Language, ...] = ("en", "zh")


def found(text: str, language: Language) -> list[tuple[str, list[str]]]:
    return [
        (mention.evidence, [str(sense.value) for sense in (*mention.entry.means, *mention.entry.may_mean)])
        for mention in mentions(text, language=language)
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_come_longest_first_and_are_normal_in_form(language: Language) -> None:
    keys = list(lexicon(language))
    assert [len(key) for key in keys] == sorted(map(len, keys), reverse=True)
    pattern = r"[a-z]+( [a-z]+)*" if language == "en" else r"[\u4e00-\u9fff]+"
    assert [key for key in keys if not re.fullmatch(pattern, key)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_entry_says_something_either_for_sure_or_perhaps(language: Language) -> None:
    for entry in lexicon(language).values():
        assert bool(entry.means) != bool(entry.may_mean)
        for attribute, value in (*entry.means, *entry.may_mean):
            assert any(value is one for one in values_of(attribute))  # of that very set: "clear" stands in two


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_has_several_unambiguous_words(language: Language) -> None:
    words: dict[tuple[Attribute, ClosedSet], list[str]] = {}
    for key, entry in lexicon(language).items():
        for sense in entry.means:
            words.setdefault((sense.attribute, sense.value), []).append(key)
    scarce = [
        (attribute, value)
        for attribute in ATTRIBUTES
        for value in values_of(attribute)
        if len(words.get((attribute, value), [])) < 3
    ]
    assert scarce == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_is_found_as_itself(language: Language) -> None:
    for key, entry in lexicon(language).items():
        (mention,) = mentions(key, language=language)
        assert (mention.evidence, mention.entry) == (key, entry)


def test_the_longest_phrase_at_a_place_wins() -> None:
    assert found("a very low-pitched voice", "en") == [("very low-pitched", ["very low"])]
    assert found("no music in the background", "en") == [("no music in the background", ["absent"])]
    assert found("节奏低沉，嗓音低沉", "zh") == [("节奏低沉", ["low-paced"]), ("嗓音低沉", ["low"])]


def test_case_hyphens_line_ends_and_possessives_do_not_matter() -> None:
    assert found("The MIDDLE aged\nWoman’s LOW–", "en") == [
        ("MIDDLE aged\nWoman", ["female", "middle-aged"]),
        ("LOW", ["low", "soft"]),
    ]


def test_a_phrase_does_not_reach_across_punctuation() -> None:
    assert found("It was slow. Pace mattered.", "en") == [("slow", ["slow"])]
    assert found("very, slow", "en") == [("slow", ["slow"])]


def test_words_inside_longer_words_are_not_found() -> None:
    assert found("The manual was slowed down by hermits", "en") == []


def test_a_word_can_hold_several_values_or_one_of_several() -> None:
    assert found("furious", "en") == [("furious", ["angry", "strong"])]
    assert found("a tense line", "en") == [("tense", ["tense", "pressed", "fear"])]
    assert lexicon("en")["tense"].means == ()


def test_pronouns_tell_the_sex_and_are_marked() -> None:
    (mention,) = mentions("his", language="en")
    assert mention.entry.pronoun
    assert mention.entry.means[0].value is Sex.MALE
    assert style_in("她说话", language="zh") == Style(sex=Sex.FEMALE)


def test_captions_by_others_are_read() -> None:
    caption = "An elderly woman whispers at a measured pace; her hoarse voice is deeply sad."
    assert style_in(caption.replace("whispers", "talks"), language="en") == Style(
        emotion=Emotion.SAD,
        intensity=Intensity.STRONG,
        sex=Sex.FEMALE,
        age=AgeBand.ELDERLY,
        rate=Rate.SLOW,
        texture=Texture.ROUGH,
    )
    assert style_in("低沉缓慢、略带沙哑的男声", language="zh") == Style(
        sex=Sex.MALE, pitch=Pitch.LOW, rate=Rate.SLOW, texture=Texture.ROUGH
    )
    assert style_in("她轻声说，节奏轻快", language="zh") == Style(
        sex=Sex.FEMALE, volume=Volume.SOFT, rhythm=Rhythm.BRISK
    )


def test_a_text_that_says_two_things_about_one_attribute_has_no_style() -> None:
    with pytest.raises(RecordError, match="the text says both slow and fast about the rate"):
        style_in("a slow voice, then a fast one", language="en")


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UsageError, match="there is a lexicon for en and zh, got 'fr'"):
        mentions("lent", language="fr")  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.text(), st.sampled_from(LANGUAGES))
def test_places_are_exact_in_order_and_apart_in_any_text(text: str, language: Language) -> None:
    end = 0
    for mention in mentions(text, language=language):
        assert end <= mention.start < mention.end
        assert text[mention.start : mention.end] == mention.evidence
        end = mention.end


@pytest.mark.slow
@pytest.mark.parametrize(("text", "language"), [("very slow pace at a ", "en"), ("音高几乎没有", "zh")])
def test_reading_takes_time_linear_in_the_text(text: str, language: Language) -> None:
    mentions(text, language=language)
    assert grows_linearly(lambda count: mentions(text * count, language=language), 2_000)


def test_a_mention_at_the_end_of_a_text_ends_with_it() -> None:
    (mention,) = mentions("平静", language="zh")
    assert (mention.start, mention.end, mention.evidence) == (0, 2, "平静")
    for key in lexicon("zh"):
        for found_here in mentions(f"说话人{key}", language="zh"):
            assert found_here.end - found_here.start == len(found_here.evidence)
