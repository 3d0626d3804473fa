"""Flips: one attribute becomes clearly different, and whatever else changes is reported."""

from itertools import product

import pytest

from aptone.ear.describe import (
    ATTRIBUTES,
    Attribute,
    Intensity,
    Music,
    Pitch,
    PitchVariation,
    Rate,
    Style,
    Texture,
    VocalEvent,
    Volume,
    attributes_of,
    contradictions,
    describe,
    different_values,
    flip,
    mentions,
    style_in,
    values_of,
)
from aptone.ear.describe.flip import CONTRADICTIONS, NEXT_BEST, OPPOSITES
from aptone.errors import UsageError
from aptone.types import AgeBand, Emotion, Intonation, Language, Rhythm, Sex
from tests.ear.describe_styles import random_styles
from tests.tables import for_each

LANGUAGES: tuple[Language, ...] = ("en", "zh")
SEEDS = (None, 0, 1, 2)


def named(text: str, language: Language) -> dict[Attribute, list[str]]:
    """The words that a text has for each attribute, pronouns left out."""
    words: dict[Attribute, list[str]] = {}
    for mention in mentions(text, language=language):
        for sense in mention.entry.means:
            if not mention.entry.pronoun:
                words.setdefault(sense.attribute, []).append(mention.evidence)
    return words


def test_a_flip_changes_its_attribute_and_nothing_that_it_does_not_report() -> None:
    for number, style in enumerate(random_styles(600, seed=21)):
        for attribute in attributes_of(style):
            found = flip(style, attribute, seed=SEEDS[number % 4])
            assert found.attribute == attribute
            changed = {name for name in ATTRIBUTES if getattr(found.style, name) != getattr(style, name)}
            assert changed == {attribute, *found.adjusted}
            assert attribute not in found.adjusted


def test_nothing_but_the_emotion_contradicts_what_was_flipped() -> None:
    for seed, style in enumerate(random_styles(600, seed=22)):
        for attribute in attributes_of(style):
            left = dict(contradictions(flip(style, attribute, seed=seed).style, attribute))
            assert set(left) <= {"emotion"}
            if attribute == "emotion":
                assert not left


@pytest.mark.slow
@for_each(("language", "seed"), [*product(LANGUAGES, (0, 1, 2, 3))])
def test_the_flipped_caption_is_worded_alike_everywhere_else(language: Language, seed: int) -> None:
    for style in random_styles(250, seed=23):
        before = named(describe(style, language=language, length="caption", seed=seed), language)
        for attribute in attributes_of(style):
            found = flip(style, attribute, seed=seed)
            text = describe(found.style, language=language, length="caption", seed=seed)
            assert style_in(text, language=language) == found.style
            after = named(text, language)
            touched: set[str] = {attribute, *found.adjusted}
            for joint in ({"emotion", "intensity"}, {"sex", "age"}):  # said in one breath: "furious", "young woman"
                touched |= joint if touched & joint else set()
            assert {name: before[name] for name in before if name not in touched} == {
                name: after[name] for name in after if name not in touched
            }
            assert after[attribute] != before[attribute]


@pytest.mark.slow
@pytest.mark.parametrize("length", ["phrase", "sentence"])
def test_short_descriptions_of_a_flip_name_the_same_attributes_when_told_to_keep_it(length: str) -> None:
    for seed, style in enumerate(random_styles(300, seed=24)):
        for attribute in attributes_of(style):
            found = flip(style, attribute, seed=seed)
            if found.adjusted:
                continue
            texts = [
                describe(one, length=length, seed=seed, keep=[attribute])  # type: ignore[arg-type]
                for one in (style, found.style)
            ]
            assert texts[0] != texts[1]
            parts = [style_in(text, language="en") for text in texts]
            assert list(attributes_of(parts[0])) == list(attributes_of(parts[1]))


def test_on_a_scale_a_flip_goes_beyond_the_middle_and_at_least_two_steps() -> None:
    assert different_values(Style(pitch=Pitch.VERY_LOW), "pitch") == (Pitch.VERY_HIGH, Pitch.HIGH)
    assert different_values(Style(pitch=Pitch.HIGH), "pitch") == (Pitch.VERY_LOW, Pitch.LOW)
    assert set(different_values(Style(volume=Volume.MEDIUM), "volume")) == {Volume.VERY_SOFT, Volume.VERY_LOUD}
    assert different_values(Style(age=AgeBand.CHILD), "age") == (AgeBand.ELDERLY, AgeBand.MIDDLE_AGED)
    monotone = Style(pitch_variation=PitchVariation.MONOTONE)
    assert different_values(monotone, "pitch_variation") == (PitchVariation.LIVELY,)
    strong = Style(emotion=Emotion.SAD, intensity=Intensity.STRONG)
    assert different_values(strong, "intensity") == (Intensity.SLIGHT,)


def test_a_flipped_emotion_is_far_away_in_valence_and_arousal() -> None:
    # From sad (-0.63, -0.27): happy (0.81, 0.51) lies 1.64 away, the farthest; four fifths of it is 1.31.
    # Playful (0.65, 0.43) 1.46 and surprise (0.40, 0.67) 1.39 count; calm (0.50, -0.40) 1.14 and angry 0.87 do not.
    assert different_values(Style(emotion=Emotion.SAD), "emotion") == (Emotion.HAPPY, Emotion.PLAYFUL, Emotion.SURPRISE)
    for emotion in Emotion:
        assert emotion not in different_values(Style(emotion=emotion), "emotion")
        assert {flip(Style(emotion=emotion), "emotion", seed=seed).style.emotion for seed in range(50)} == set(
            different_values(Style(emotion=emotion), "emotion")
        )


def test_an_emotion_keeps_its_intensity_because_it_never_becomes_neutral() -> None:
    for emotion in Emotion:
        if emotion is not Emotion.NEUTRAL:
            style = Style(emotion=emotion, intensity=Intensity.SLIGHT)
            assert Emotion.NEUTRAL not in different_values(style, "emotion")
            assert flip(style, "emotion", seed=1).style.intensity is Intensity.SLIGHT


def test_flipping_the_sex_keeps_everything_else() -> None:
    for style in random_styles(300, seed=25):
        if style.sex:
            found = flip(style, "sex")
            assert found.adjusted == ()
            assert {found.style.sex, style.sex} == {Sex.FEMALE, Sex.MALE}


def test_a_slow_heavy_voice_made_fast_gets_a_rhythm_that_can_be_fast() -> None:
    found = flip(Style(rate=Rate.SLOW, rhythm=Rhythm.LOW_PACED, volume=Volume.SOFT), "rate")
    assert (found.style.rate, found.style.rhythm, found.adjusted) == (Rate.VERY_FAST, Rhythm.BRISK, ("rhythm",))
    assert found.style.volume is Volume.SOFT


def test_a_brisk_rhythm_made_heavy_slows_a_fast_voice_to_the_nearest_rate_that_fits() -> None:
    found = flip(Style(rate=Rate.VERY_FAST, rhythm=Rhythm.BRISK), "rhythm")
    assert (found.style.rhythm, found.style.rate, found.adjusted) == (Rhythm.HEAVY, Rate.MODERATE, ("rate",))


def test_a_lively_curved_voice_made_monotone_becomes_flat() -> None:
    found = flip(Style(pitch_variation=PitchVariation.LIVELY, intonation=Intonation.CURVED), "pitch_variation")
    assert (found.style.intonation, found.adjusted) == (Intonation.FLAT, ("intonation",))


def test_sobs_go_when_a_sad_voice_is_made_happy() -> None:
    found = flip(Style(emotion=Emotion.SAD, events=(VocalEvent.SOB, VocalEvent.COUGH)), "emotion")
    assert (found.style.emotion, found.style.events) == (Emotion.HAPPY, (VocalEvent.COUGH,))
    assert found.adjusted == ("events",)


def test_the_emotion_does_not_give_way_and_values_that_agree_with_it_come_first() -> None:
    # Against soft, both loud values are different enough; a calm voice is not very loud, so it becomes loud.
    calm = flip(Style(emotion=Emotion.CALM, volume=Volume.SOFT), "volume")
    assert (calm.style.volume, calm.adjusted) == (Volume.LOUD, ())
    bored = flip(Style(emotion=Emotion.BOREDOM, pitch_variation=PitchVariation.MONOTONE), "pitch_variation")
    assert (bored.style.pitch_variation, bored.style.emotion) == (PitchVariation.LIVELY, Emotion.BOREDOM)


def test_what_fits_nowhere_is_left_out() -> None:
    # Slow rules out brisk, tense and high-energy; very loud rules out low-paced and relaxed; happy rules out heavy.
    style = Style(emotion=Emotion.HAPPY, volume=Volume.VERY_LOUD, rate=Rate.FAST, rhythm=Rhythm.BRISK)
    found = flip(style, "rate")
    assert (found.style.rate, found.style.rhythm, found.adjusted) == (Rate.VERY_SLOW, None, ("rhythm",))


def test_an_event_is_exchanged_or_made_up() -> None:
    heard = Style(emotion=Emotion.SAD, events=(VocalEvent.SIGH, VocalEvent.SNIFF))
    for seed in SEEDS:
        for style in (heard, Style(emotion=Emotion.SAD)):
            found = flip(style, "events", seed=seed)
            assert len(found.style.events) == 1
            assert found.style.events[0] not in (*style.events, VocalEvent.LAUGHTER)  # nobody sad laughs
            assert found.adjusted == ()
    everything = Style(events=tuple(VocalEvent))
    assert len(flip(everything, "events").style.events) == 1


def test_equal_arguments_give_equal_flips() -> None:
    for seed, style in enumerate(random_styles(100, seed=26)):
        for attribute in attributes_of(style):
            assert flip(style, attribute, seed=seed) == flip(style, attribute, seed=seed)


def test_what_was_not_judged_cannot_be_flipped() -> None:
    with pytest.raises(UsageError, match="the style says nothing about rate, so there is nothing to flip"):
        flip(Style(sex=Sex.MALE), "rate")
    with pytest.raises(UsageError, match="'speed' is not an attribute of a style"):
        flip(Style(sex=Sex.MALE), "speed")  # type: ignore[arg-type]


def test_the_tables_hold_values_of_their_attributes_and_no_value_is_its_own_opposite() -> None:
    for attribute, opposites in OPPOSITES.items():
        assert list(opposites) == list(values_of(attribute))
        for value, others in opposites.items():
            assert value not in others
            assert set(others) <= set(values_of(attribute))
    for first, first_values, second, second_values in CONTRADICTIONS:
        assert first_values < set(values_of(first))
        assert second_values < set(values_of(second))
    giving_way = {second for _, _, second, _ in CONTRADICTIONS} | {first for first, _, _, _ in CONTRADICTIONS}
    unordered = giving_way - {"emotion", "events", "rate", "volume", "pitch", "pitch_variation"}
    assert unordered == set(NEXT_BEST)
    assert flip(Style(music=Music.ABSENT), "music").style == Style(music=Music.PRESENT)
    assert flip(Style(texture=Texture.ROUGH), "texture").style == Style(texture=Texture.CLEAR)
