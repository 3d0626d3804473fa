"""Descriptions: every value can be said, everything said can be read back, and the text is well-formed."""

import random
import re
from collections import Counter
from itertools import product

import pytest

from aptone.ear.describe import (
    ATTRIBUTES,
    Attribute,
    Intensity,
    Length,
    Music,
    Pitch,
    PitchVariation,
    Rate,
    Style,
    Texture,
    VocalEvent,
    Volume,
    attributes_of,
    describe,
    excerpt,
    mentions,
    style_from,
    style_in,
    values_of,
)
from aptone.ear.describe.attributes import Chooser
from aptone.errors import UsageError
from aptone.types import AgeBand, ClosedSet, Emotion, Intonation, Language, RecordingCondition, Rhythm, Sex
from tests.ear.describe_styles import random_styles
from tests.tables import for_each

LANGUAGES: tuple[Language, ...] = ("en", "zh")
LENGTHS: tuple[Length, ...] = ("phrase", "sentence", "caption")
FULL = Style(
    emotion=Emotion.ANGRY,
    intensity=Intensity.CLEAR,
    sex=Sex.FEMALE,
    age=AgeBand.YOUNG_ADULT,
    pitch=Pitch.HIGH,
    pitch_variation=PitchVariation.LIVELY,
    rate=Rate.FAST,
    volume=Volume.LOUD,
    texture=Texture.ROUGH,
    rhythm=Rhythm.TENSE,
    intonation=Intonation.RISING,
    recording_condition=RecordingCondition.PHONE,
    music=Music.PRESENT,
    events=(VocalEvent.SIGH,),
)


def only(attribute: Attribute, value: ClosedSet) -> Style:
    """A style of one value (an intensity needs an emotion beside it)."""
    labels: dict[str, str] = {"emotion": "sad"} if attribute == "intensity" else {}
    return style_from(labels | {attribute: value.value})


EVERY_VALUE = [(attribute, value) for attribute in ATTRIBUTES for value in values_of(attribute)]


@for_each("language", LANGUAGES)
@for_each("length", LENGTHS)
@for_each(("attribute", "value"), EVERY_VALUE, ids=str)
def test_every_value_can_be_said_at_every_length_in_every_phrasing(
    attribute: Attribute, value: ClosedSet, length: Length, language: Language
) -> None:
    style = only(attribute, value)
    said = {describe(style, language=language, length=length, seed=seed) for seed in (None, *range(40))}
    assert {style_in(text, language=language) == style for text in said} == {True}


@pytest.mark.slow
@for_each("language", LANGUAGES)
@for_each("length", LENGTHS)
def test_what_is_said_can_be_read_back_and_each_attribute_is_named_once(length: Length, language: Language) -> None:
    for number, style in enumerate(random_styles(1500, seed=11)):
        seed = None if number % 4 == 0 else number
        text = describe(style, language=language, length=length, seed=seed)
        part = excerpt(style, length=length, seed=seed)
        assert style_in(text, language=language) == part, text
        found = [mention.entry for mention in mentions(text, language=language)]
        assert not any(entry.may_mean for entry in found), text  # nothing ambiguous is said
        named = Counter(sense for entry in found if not entry.pronoun for sense in entry.means)
        assert set(named.values()) <= {1}, text


@pytest.mark.parametrize("length", ["sentence", "caption"])
def test_english_sentences_are_well_formed(length: Length) -> None:
    for seed, style in enumerate(random_styles(1500, seed=12)):
        text = describe(style, length=length, seed=seed)
        assert re.fullmatch(r"[A-Za-z,.' -]+", text), text  # no placeholder, no digit, no odd sign
        assert "  " not in text
        assert " ," not in text
        assert ",," not in text
        sentences = re.split(r"(?<=\.) ", text)
        assert 1 <= len(sentences) <= (4 if length == "caption" else 1), text
        assert all(re.fullmatch(r"[A-Z][^.]*\.", sentence) for sentence in sentences), text


@pytest.mark.parametrize("length", ["sentence", "caption"])
def test_mandarin_sentences_are_well_formed(length: Length) -> None:
    for seed, style in enumerate(random_styles(1500, seed=13)):
        text = describe(style, language="zh", length=length, seed=seed)
        assert re.fullmatch(r"[\u4e00-\u9fff，、。]+", text), text  # full-width marks, no spaces, no Latin letters
        assert not re.search("[，、。]{2}|的的|^[，、。]|很很", text), text
        assert text.endswith("。")
        assert 1 <= text.count("。") <= (4 if length == "caption" else 1), text


def test_phrases_have_two_to_eight_words_and_no_full_stop() -> None:
    for seed, style in enumerate(random_styles(1500, seed=14)):
        english = describe(style, length="phrase", seed=seed)
        assert 2 <= len(english.split()) <= 8, english
        assert re.fullmatch(r"an? [a-z][a-z,' -]*[a-z]", english), english
        mandarin = describe(style, language="zh", length="phrase", seed=seed)
        assert re.fullmatch(r"[\u4e00-\u9fff、]{2,36}", mandarin), mandarin


def test_a_or_an_follows_the_next_sound() -> None:
    for seed, style in enumerate(random_styles(3000, seed=15)):
        for length in LENGTHS:
            text = describe(style, length=length, seed=seed).lower()
            for article, word in re.findall(r"\b(an?) ([a-z]+)", text):
                assert (article == "an") == (word[0] in "aeiou"), text
                assert not re.match(r"hon|hour|heir|eu|one|uni(?!nt)|use", word), text  # where letters and sounds part


def test_pronouns_follow_the_sex_and_none_are_used_without_one() -> None:
    for seed, style in enumerate(random_styles(1500, seed=16)):
        words = set(re.findall(r"[a-z]+", describe(style, length="caption", seed=seed).lower()))
        if style.sex is not Sex.FEMALE:
            assert not words & {"she", "her"}
        if style.sex is not Sex.MALE:
            assert not words & {"he", "his"}
        mandarin = describe(style, language="zh", length="caption", seed=seed)
        assert "她" not in mandarin or style.sex is Sex.FEMALE
        assert "他" not in mandarin or style.sex is Sex.MALE


@for_each(("language", "length"), [*product(LANGUAGES, LENGTHS)])
def test_equal_arguments_give_equal_words_and_seeds_give_many(language: Language, length: Length) -> None:
    texts = [describe(FULL, language=language, length=length, seed=seed) for seed in range(200)]
    assert texts == [describe(FULL, language=language, length=length, seed=seed) for seed in range(200)]
    assert len(set(texts)) >= 150  # three quarters of 200 seeds at least word it differently


def test_without_a_seed_the_plainest_words_are_used() -> None:
    # A phrase has room for six words: rate 2, texture 1, emotion 2, sex 1.
    assert describe(FULL, length="phrase") == "a fast, rough, clearly angry female voice"
    # A sentence has room for six: emotion (with its intensity), sex, texture, rate, pitch and volume.
    assert describe(FULL) == "A woman speaks fast and loudly in a high-pitched, rough, clearly angry voice."
    assert describe(FULL, length="caption") == (
        "A young woman sounds clearly angry. Her voice is high-pitched, lively, rough and loud. She speaks fast, with "
        "a tense rhythm and a rising intonation. It sounds like a phone call, there is music in the background, and "
        "sighing can be heard."
    )
    assert describe(FULL, language="zh", length="phrase") == "语速较快、沙哑、明显愤怒的女声"
    assert describe(FULL, language="zh", length="caption") == (
        "说话人是一位年轻女性，听起来明显愤怒。她音调偏高，音高起伏明显，嗓音沙哑，音量较大。"
        "说话时语速较快，节奏紧张，语调上扬。声音来自电话，背景有音乐，能听到叹息声。"
    )


def test_an_empty_style_says_only_that_somebody_speaks() -> None:
    assert [describe(Style(), length=length) for length in LENGTHS] == [
        "a voice",
        "Someone is speaking.",
        "Someone is speaking.",
    ]
    assert [describe(Style(), language="zh", length=length) for length in LENGTHS] == [
        "声音",
        "有人在说话。",
        "有人在说话。",
    ]


def test_what_is_ordinary_gives_way_to_what_tells_more() -> None:
    style = Style(emotion=Emotion.NEUTRAL, pitch=Pitch.MEDIUM, texture=Texture.BREATHY, volume=Volume.VERY_SOFT)
    # Six words: texture 1, volume 2, then the ordinary ones in their order: emotion 2; pitch (2) has no room left.
    assert describe(style, length="phrase") == "a very soft, breathy, neutral voice"


def test_an_excerpt_keeps_what_it_was_asked_to_keep() -> None:
    for seed in (None, *range(50)):
        for attribute in ATTRIBUTES:
            for length in LENGTHS:
                part = excerpt(FULL, length=length, seed=seed, keep=[attribute])
                assert getattr(part, attribute) == getattr(FULL, attribute)
    many: tuple[Attribute, ...] = ("music", "rhythm", "recording_condition", "intonation")
    assert set(many) <= set(attributes_of(excerpt(FULL, length="phrase", keep=many)))
    assert excerpt(Style(rate=Rate.SLOW), length="phrase", keep=["music"]) == Style(rate=Rate.SLOW)


def test_an_excerpt_by_a_seed_depends_on_the_attributes_not_on_their_values() -> None:
    other = Style(
        emotion=Emotion.CALM,
        intensity=Intensity.SLIGHT,
        sex=Sex.MALE,
        age=AgeBand.CHILD,
        pitch=Pitch.MEDIUM,
        pitch_variation=PitchVariation.MODERATE,
        rate=Rate.MODERATE,
        volume=Volume.MEDIUM,
        texture=Texture.CLEAR,
        rhythm=Rhythm.RELAXED,
        intonation=Intonation.FLAT,
        recording_condition=RecordingCondition.NORMAL,
        music=Music.ABSENT,
        events=(VocalEvent.COUGH,),
    )
    for seed in range(100):
        for length in LENGTHS:
            parts = [excerpt(style, length=length, seed=seed) for style in (FULL, other)]
            assert list(attributes_of(parts[0])) == list(attributes_of(parts[1]))


def test_seeds_bring_every_attribute_into_phrases_sooner_or_later() -> None:
    named = {attribute for seed in range(200) for attribute in attributes_of(excerpt(FULL, length="phrase", seed=seed))}
    assert named == set(ATTRIBUTES)


def test_choices_of_different_names_are_independent() -> None:
    # Over 4,000 seeds each of the four pairs of two coin tosses comes up about 1,000 times (deviation 27).
    pairs = Counter((Chooser(seed)("rate", "ab"), Chooser(seed)("pitch", "ab")) for seed in range(4000))
    assert all(abs(count - 1000) < 150 for count in pairs.values())
    assert len(pairs) == 4


@for_each("seed", [0, -1, 2**80, -(2**80)])
def test_any_integer_is_a_seed(seed: int) -> None:
    assert style_in(describe(FULL, length="caption", seed=seed), language="en") == FULL


def test_an_unknown_language_or_length_is_refused() -> None:
    with pytest.raises(UsageError, match="descriptions are written in en or zh, got 'fr'"):
        describe(FULL, language="fr")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a description is a phrase, a sentence or a caption, got 'word'"):
        describe(FULL, length="word")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="'speed' is not an attribute of a style"):
        describe(FULL, keep=["speed"])  # type: ignore[list-item]


def test_order_of_work_does_not_change_words() -> None:
    styles = random_styles(200, seed=17)
    forward = [describe(style, length="caption", seed=3) for style in styles]
    shuffled = list(range(200))
    random.Random(0).shuffle(shuffled)
    assert {index: describe(styles[index], length="caption", seed=3) for index in shuffled} == dict(enumerate(forward))
