"""The record of a style: closed values, what "not judged" means, and styles from a corpus's labels."""

from collections import Counter
from dataclasses import fields

import pytest

from aptone.ear.describe import (
    ATTRIBUTES,
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
    narrow,
    style_from,
    values_of,
)
from aptone.errors import RecordError, UsageError
from aptone.types import AgeBand, ClosedSet, Emotion, Sex
from tests.tables import for_each

SETS: list[type[ClosedSet]] = [Intensity, Pitch, PitchVariation, Rate, Volume, Texture, Music, VocalEvent]


def test_a_style_has_one_field_for_each_attribute_in_the_same_order() -> None:
    assert tuple(field.name for field in fields(Style)) == ATTRIBUTES


@for_each("closed", SETS)
def test_no_spelling_means_two_members(closed: type[ClosedSet]) -> None:
    counted = Counter(alias for member in closed for alias in member._aliases)
    assert [alias for alias, times in counted.items() if times > 1] == []
    assert "" not in counted


@for_each("closed", SETS)
def test_a_member_is_found_by_its_name_in_either_language(closed: type[ClosedSet]) -> None:
    for member in closed:
        assert closed.parse(member.label("en")) is closed.parse(member.label("zh")) is member


def test_scales_run_from_low_to_high_with_five_steps() -> None:
    assert values_of("pitch") == (Pitch.VERY_LOW, Pitch.LOW, Pitch.MEDIUM, Pitch.HIGH, Pitch.VERY_HIGH)
    assert len(values_of("rate")) == len(values_of("volume")) == 5


def test_unclear_is_not_a_value_but_not_judged() -> None:
    assert "unclear" not in values_of("sex")
    assert "unclear" not in values_of("age")
    assert Style(sex=Sex.UNCLEAR, age=AgeBand.UNCLEAR) == Style()


def test_events_are_kept_once_each_in_one_order() -> None:
    events = (VocalEvent.SIGH, VocalEvent.LAUGHTER, VocalEvent.SIGH)
    assert Style(events=events).events == (VocalEvent.LAUGHTER, VocalEvent.SIGH)
    assert Style(events=events) == Style(events=events[:2])


@pytest.mark.parametrize("emotion", [None, Emotion.NEUTRAL])
def test_an_intensity_needs_an_emotion_that_has_one(emotion: Emotion | None) -> None:
    with pytest.raises(ValueError, match="an intensity grades an emotion that is not neutral"):
        Style(emotion=emotion, intensity=Intensity.STRONG)


def test_the_attributes_of_a_style_are_those_that_were_judged() -> None:
    style = Style(events=(VocalEvent.COUGH,), emotion=Emotion.SAD, music=Music.ABSENT)
    assert attributes_of(style) == {"emotion": Emotion.SAD, "music": Music.ABSENT, "events": (VocalEvent.COUGH,)}
    assert list(attributes_of(style)) == ["emotion", "music", "events"]
    assert attributes_of(Style()) == {}


def test_a_narrowed_style_keeps_what_is_named_and_an_intensity_only_with_its_emotion() -> None:
    style = Style(emotion=Emotion.SAD, intensity=Intensity.SLIGHT, rate=Rate.SLOW, sex=Sex.MALE)
    assert narrow(style, ["rate", "intensity"]) == Style(rate=Rate.SLOW)
    assert narrow(style, ["emotion", "intensity"]) == Style(emotion=Emotion.SAD, intensity=Intensity.SLIGHT)
    assert narrow(style, []) == Style()


def test_labels_of_a_corpus_make_a_style() -> None:
    labels: dict[str, str | list[str]] = {
        "emotion": "Anger",
        "intensity": "normal",
        "sex": "F",
        "age": "",
        "rate": "快",
    }
    labels["rate"] = "较快"
    labels["events"] = ["laughing", "咳嗽声"]
    assert style_from(labels) == Style(
        emotion=Emotion.ANGRY,
        intensity=Intensity.CLEAR,
        sex=Sex.FEMALE,
        rate=Rate.FAST,
        events=(VocalEvent.LAUGHTER, VocalEvent.COUGH),
    )
    assert style_from({"events": "sigh"}) == Style(events=(VocalEvent.SIGH,))


@for_each(
    ("labels", "message"),
    [
        ({"emotion": "grumpy"}, "'grumpy' is not a known emotion; expected one of neutral"),
        ({"emotion": "neutral", "intensity": "strong"}, "an intensity grades an emotion that is not neutral"),
        ({"rate": ["slow", "fast"]}, "rate takes one value, got list"),
    ],
)
def test_a_label_that_cannot_be_is_refused(labels: dict[str, str | list[str]], message: str) -> None:
    with pytest.raises(RecordError, match=message):
        style_from(labels)


def test_an_unknown_attribute_is_refused_with_the_choices() -> None:
    with pytest.raises(UsageError, match="'speed' is not an attribute of a style; expected one of emotion, intensity"):
        style_from({"speed": "fast"})
    with pytest.raises(UsageError, match="'speed' is not an attribute"):
        narrow(Style(), ["speed"])  # type: ignore[list-item]
