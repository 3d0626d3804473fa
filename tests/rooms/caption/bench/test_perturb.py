"""Styles that are made false in known places."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aptone.ear.describe import (
    ATTRIBUTES,
    Pitch,
    PitchVariation,
    Rate,
    Style,
    Texture,
    VocalEvent,
    Volume,
    contradictions,
    describe,
    style_in,
    values_of,
)
from aptone.errors import UsageError
from aptone.rooms.caption.bench.perturb import (
    ACOUSTICS,
    COUNTED,
    Perturbation,
    changed,
    most_steps,
    perturb,
    perturb_step,
)
from aptone.types import Emotion, Sex
from tests.tables import for_each

MAN = Style(emotion=Emotion.ANGRY, sex=Sex.MALE, pitch=Pitch.LOW, rate=Rate.FAST, texture=Texture.ROUGH)
STYLES = st.builds(
    Style,
    emotion=st.sampled_from(values_of("emotion")),
    sex=st.sampled_from(values_of("sex")),
    **{name: st.none() | st.sampled_from(values_of(name)) for name in ACOUSTICS},
).filter(lambda style: not any(any(contradictions(style, name)) for name in ATTRIBUTES))
SEEDS = st.integers(0, 2**32)


def test_a_flipped_emotion_is_far_away_and_the_rest_stays() -> None:
    found = perturb(MAN, Perturbation.EMOTION, seed=1)
    assert found.changed == ("emotion",)
    assert found.style.emotion in (Emotion.CALM, Emotion.BOREDOM, Emotion.HAPPY, Emotion.PLAYFUL)


def test_the_other_gender_brings_its_pitch_and_texture_along() -> None:
    found = perturb(MAN, Perturbation.GENDER, seed=0).style
    assert (found.sex, found.pitch, found.texture) == (Sex.FEMALE, Pitch.HIGH, Texture.CLEAR)
    woman = Style(sex=Sex.FEMALE, pitch=Pitch.VERY_HIGH, texture=Texture.BREATHY)
    found = perturb(woman, Perturbation.GENDER, seed=0).style
    assert (found.sex, found.pitch, found.texture) == (Sex.MALE, Pitch.VERY_LOW, Texture.ROUGH)
    # what already suits the other sex stays
    found = perturb(replace(woman, pitch=Pitch.LOW, texture=Texture.CLEAR), Perturbation.GENDER, seed=0).style
    assert (found.pitch, found.texture) == (Pitch.LOW, Texture.CLEAR)


def test_a_feature_is_swapped_alone_and_which_one_goes_by_the_seed() -> None:
    found = {perturb(MAN, Perturbation.ACOUSTICS, seed=seed).changed for seed in range(20)}
    assert found == {("pitch",), ("rate",), ("texture",)}


def test_an_event_is_made_up_that_was_not_there() -> None:
    laughing = replace(MAN, emotion=Emotion.HAPPY, events=(VocalEvent.LAUGHTER,))
    found = perturb(laughing, Perturbation.EVENT, seed=5)
    assert found.changed == ("events",)
    assert found.style.events
    assert VocalEvent.LAUGHTER not in found.style.events


@for_each("kind", [Perturbation.EMOTION, Perturbation.GENDER, Perturbation.ACOUSTICS, Perturbation.MIXED])
def test_what_a_style_does_not_say_cannot_be_made_false(kind: Perturbation) -> None:
    with pytest.raises(UsageError):
        perturb(Style(), kind, seed=0)


@given(STYLES, SEEDS)
def test_mixed_makes_everything_false_or_silent(style: Style, seed: int) -> None:
    found = perturb(style, Perturbation.MIXED, seed=seed).style
    assert found.emotion is not style.emotion
    assert found.sex is not style.sex
    assert found.events
    for name in ACOUSTICS:
        own = getattr(style, name)
        assert own is None or getattr(found, name) is not own


@given(STYLES, SEEDS, st.sampled_from(list(Perturbation)))
def test_a_false_style_can_be_said_and_read_back(style: Style, seed: int, kind: Perturbation) -> None:
    assume(kind is not Perturbation.ACOUSTICS or any(getattr(style, name) for name in ACOUSTICS))
    found = perturb(style, kind, seed=seed).style
    assert style_in(describe(found, length="caption", seed=seed), language="en") == found


@given(STYLES, SEEDS)
def test_every_step_makes_one_attribute_more_false_and_keeps_the_others(style: Style, seed: int) -> None:
    most = most_steps(style, seed=seed)
    before: tuple[str, ...] = ()
    for count in range(most + 1):
        found = perturb_step(style, count, seed=seed)
        assert len(found.changed) == count
        assert set(before) <= set(found.changed)
        assert found.changed == changed(style, found.style)
        before = found.changed
    with pytest.raises(UsageError, match=f"at most {most} attributes"):
        perturb_step(style, most + 1, seed=seed)


@given(STYLES, SEEDS)
def test_a_false_sex_never_makes_a_false_pitch_right_again(style: Style, seed: int) -> None:
    # a man's high voice is a woman's low one: of both made false, the pitch moves the way the sex does
    found = perturb_step(style, most_steps(style, seed=seed), seed=seed).style
    if found.sex is not style.sex and found.pitch is not style.pitch:
        higher = found.pitch in (Pitch.HIGH, Pitch.VERY_HIGH)
        assert higher == (found.sex is Sex.FEMALE)


def test_only_attributes_that_are_allowed_are_made_false() -> None:
    style = Style(emotion=Emotion.SAD, sex=Sex.MALE, volume=Volume.SOFT, pitch_variation=PitchVariation.MONOTONE)
    assert most_steps(style, seed=0, among=("volume",)) == 1
    assert perturb_step(style, 1, seed=0, among=("volume",)).changed == ("volume",)
    assert "events" in COUNTED
    assert most_steps(style, seed=0) == 4  # there is no event that could be exchanged
