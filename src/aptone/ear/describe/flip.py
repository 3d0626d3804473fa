"""Changing one attribute of a style to something clearly different, and only as much of the rest as would contradict.

For false descriptions that differ from the true one in a known way: negatives to train with, perturbations to detect.
"""

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from aptone.ear.describe.attributes import (
    ATTRIBUTES,
    Attribute,
    Chooser,
    Music,
    Pitch,
    PitchVariation,
    Rate,
    Style,
    Texture,
    VocalEvent,
    Volume,
    checked,
    values_of,
)
from aptone.errors import UsageError
from aptone.types import ClosedSet, Emotion, Intonation, RecordingCondition, Rhythm, Sex
from aptone.types.story import TYPICAL_VAD

FAR = 0.8  # of the distance to the farthest emotion

OPPOSITES: Mapping[Attribute, Mapping[ClosedSet, tuple[ClosedSet, ...]]] = {
    "sex": {Sex.FEMALE: (Sex.MALE,), Sex.MALE: (Sex.FEMALE,)},
    "texture": {
        Texture.CLEAR: (Texture.ROUGH, Texture.BREATHY, Texture.PRESSED, Texture.WHISPERED),
        Texture.BREATHY: (Texture.PRESSED, Texture.CLEAR, Texture.ROUGH),
        Texture.ROUGH: (Texture.CLEAR, Texture.BREATHY, Texture.WHISPERED),
        Texture.PRESSED: (Texture.BREATHY, Texture.CLEAR, Texture.WHISPERED),
        Texture.WHISPERED: (Texture.CLEAR, Texture.PRESSED, Texture.ROUGH),
    },
    "rhythm": {
        Rhythm.BRISK: (Rhythm.HEAVY, Rhythm.LOW_PACED),
        Rhythm.HEAVY: (Rhythm.BRISK,),
        Rhythm.LOW_PACED: (Rhythm.HIGH_ENERGY, Rhythm.BRISK, Rhythm.TENSE),
        Rhythm.HIGH_ENERGY: (Rhythm.LOW_PACED, Rhythm.RELAXED),
        Rhythm.RELAXED: (Rhythm.TENSE, Rhythm.HIGH_ENERGY),
        Rhythm.TENSE: (Rhythm.RELAXED, Rhythm.LOW_PACED),
    },
    "intonation": {
        Intonation.FLAT: (Intonation.CURVED, Intonation.RISING, Intonation.FALLING),
        Intonation.RISING: (Intonation.FALLING, Intonation.FLAT),
        Intonation.CURVED: (Intonation.FLAT,),
        Intonation.FALLING: (Intonation.RISING, Intonation.FLAT),
    },
    "recording_condition": {
        condition: tuple(other for other in RecordingCondition if other is not condition)
        for condition in RecordingCondition
    },
    "music": {Music.PRESENT: (Music.ABSENT,), Music.ABSENT: (Music.PRESENT,)},
}

# What a value that has to give way becomes: the first that contradicts nothing. Scales move by as few steps as needed.
NEXT_BEST: Mapping[Attribute, Mapping[ClosedSet, tuple[ClosedSet, ...]]] = {
    "rhythm": {
        Rhythm.BRISK: (Rhythm.RELAXED, Rhythm.HIGH_ENERGY, Rhythm.TENSE, Rhythm.HEAVY, Rhythm.LOW_PACED),
        Rhythm.HEAVY: (Rhythm.HIGH_ENERGY, Rhythm.TENSE, Rhythm.BRISK, Rhythm.RELAXED, Rhythm.LOW_PACED),
        Rhythm.LOW_PACED: (Rhythm.HEAVY, Rhythm.RELAXED, Rhythm.BRISK, Rhythm.HIGH_ENERGY, Rhythm.TENSE),
        Rhythm.HIGH_ENERGY: (Rhythm.BRISK, Rhythm.TENSE, Rhythm.HEAVY, Rhythm.RELAXED, Rhythm.LOW_PACED),
        Rhythm.RELAXED: (Rhythm.BRISK, Rhythm.LOW_PACED, Rhythm.HEAVY, Rhythm.HIGH_ENERGY, Rhythm.TENSE),
        Rhythm.TENSE: (Rhythm.HEAVY, Rhythm.HIGH_ENERGY, Rhythm.BRISK, Rhythm.RELAXED, Rhythm.LOW_PACED),
    },
    "intonation": {
        Intonation.FLAT: (Intonation.CURVED,),
        Intonation.RISING: (Intonation.FLAT,),
        Intonation.CURVED: (Intonation.FLAT,),
        Intonation.FALLING: (Intonation.FLAT,),
    },
    "texture": {Texture.WHISPERED: (Texture.CLEAR,)},
}

# What cannot stand together. Either side may be the one that was flipped; the other then gives way. Only the emotion
# never does: a bored speaker with a lively voice is an odd description, one in another mood would be another flip.
CONTRADICTIONS: tuple[tuple[Attribute, Set[ClosedSet], Attribute, Set[ClosedSet]], ...] = (
    ("rate", {Rate.VERY_FAST, Rate.FAST}, "rhythm", {Rhythm.HEAVY, Rhythm.LOW_PACED, Rhythm.RELAXED}),
    ("rate", {Rate.VERY_SLOW, Rate.SLOW}, "rhythm", {Rhythm.BRISK, Rhythm.TENSE, Rhythm.HIGH_ENERGY}),
    ("volume", {Volume.VERY_SOFT, Volume.SOFT}, "rhythm", {Rhythm.HIGH_ENERGY}),
    ("volume", {Volume.VERY_LOUD, Volume.LOUD}, "rhythm", {Rhythm.LOW_PACED, Rhythm.RELAXED}),
    ("pitch", {Pitch.VERY_HIGH, Pitch.HIGH}, "rhythm", {Rhythm.LOW_PACED}),
    ("pitch", {Pitch.VERY_LOW}, "rhythm", {Rhythm.HIGH_ENERGY}),
    (
        "pitch_variation",
        {PitchVariation.MONOTONE},
        "intonation",
        {Intonation.RISING, Intonation.CURVED, Intonation.FALLING},
    ),
    ("pitch_variation", {PitchVariation.LIVELY}, "intonation", {Intonation.FLAT}),
    ("pitch_variation", {PitchVariation.MONOTONE}, "rhythm", {Rhythm.HIGH_ENERGY}),
    ("texture", {Texture.WHISPERED}, "volume", {Volume.LOUD, Volume.VERY_LOUD}),
    ("texture", {Texture.WHISPERED}, "rhythm", {Rhythm.HIGH_ENERGY}),
    ("emotion", {Emotion.CALM}, "rhythm", {Rhythm.TENSE, Rhythm.HIGH_ENERGY}),
    ("emotion", {Emotion.BOREDOM}, "rhythm", {Rhythm.HIGH_ENERGY, Rhythm.BRISK}),
    ("emotion", {Emotion.HAPPY, Emotion.PLAYFUL}, "rhythm", {Rhythm.HEAVY, Rhythm.LOW_PACED}),
    ("emotion", {Emotion.ANGRY, Emotion.FEAR}, "rhythm", {Rhythm.RELAXED}),
    ("emotion", {Emotion.CALM, Emotion.BOREDOM}, "volume", {Volume.VERY_LOUD}),
    ("emotion", {Emotion.BOREDOM}, "pitch_variation", {PitchVariation.LIVELY}),
    (
        "emotion",
        {Emotion.HAPPY, Emotion.PLAYFUL, Emotion.CALM, Emotion.NEUTRAL, Emotion.BOREDOM},
        "events",
        {VocalEvent.SOB, VocalEvent.SCREAM},
    ),
    (
        "emotion",
        {Emotion.SAD, Emotion.ANGRY, Emotion.FEAR, Emotion.DISGUST, Emotion.BOREDOM},
        "events",
        {VocalEvent.LAUGHTER},
    ),
    ("emotion", {Emotion.ANGRY, Emotion.FEAR, Emotion.SURPRISE}, "events", {VocalEvent.YAWN}),
    ("volume", {Volume.VERY_SOFT, Volume.SOFT}, "events", {VocalEvent.SCREAM}),
    ("texture", {Texture.WHISPERED}, "events", {VocalEvent.SCREAM, VocalEvent.SINGING}),
)


@dataclass(frozen=True, slots=True)
class Flipped:
    """A style with one attribute flipped, and what else was `adjusted` or left out so that nothing contradicts it."""

    style: Style
    attribute: Attribute
    adjusted: tuple[Attribute, ...] = ()


def flip(style: Style, attribute: Attribute, *, seed: int | None = None) -> Flipped:
    """The style with one attribute changed to a clearly different value.

    On a scale of five that is at least two steps away and, unless it started there, beyond the middle; for an emotion,
    one at least four fifths as far in valence and arousal as the farthest (so never neutral); else an opposite. What
    contradicts the new value moves to the nearest value that does not, or goes; the emotion stays, and values that
    agree with it are preferred. Flipping the events exchanges them for one that was not heard; where there are none it
    makes one up.

    Args:
        seed: picks among the values that are different enough; ``None`` for the most different one.

    Raises:
        UsageError: if the attribute is not known, or was not judged (events excepted).

    >>> slow = Style(rate=Rate.SLOW, rhythm=Rhythm.LOW_PACED, sex=Sex.MALE)
    >>> found = flip(slow, "rate")
    >>> str(found.style.rate), str(found.style.rhythm), found.adjusted
    ('very fast', 'brisk', ('rhythm',))
    """
    attribute = checked(attribute)
    if attribute != "events" and getattr(style, attribute) is None:
        raise UsageError(f"the style says nothing about {attribute}, so there is nothing to flip; flip one it has.")
    values = different_values(style, attribute)
    agreeing = tuple(
        value for value in values if "emotion" not in dict(contradictions(_set(style, attribute, value), attribute))
    )
    value = Chooser(seed)(f"flip {attribute}", agreeing or values)
    changed = _coherent(_set(style, attribute, value), attribute)
    others = (name for name in ATTRIBUTES if name != attribute)
    return Flipped(changed, attribute, tuple(name for name in others if getattr(changed, name) != getattr(style, name)))


def different_values(style: Style, attribute: Attribute) -> tuple[ClosedSet, ...]:
    """The values that count as clearly different from the style's own, the most different first.

    >>> [str(value) for value in different_values(Style(rate=Rate.SLOW), "rate")]
    ['very fast', 'fast']
    """
    if attribute == "events":
        others = tuple(event for event in VocalEvent if event not in style.events) or tuple(VocalEvent)
        trials = {event: _set(style, "events", event) for event in others}
        return tuple(event for event in others if not any(contradictions(trials[event], "events"))) or others
    own = getattr(style, attribute)
    if attribute == "emotion":
        here = TYPICAL_VAD[own]
        distances = {
            emotion: math.hypot(place.valence - here.valence, place.arousal - here.arousal)
            for emotion, place in TYPICAL_VAD.items()
        }
        least = FAR * max(distances.values())
        return tuple(
            sorted((name for name in distances if distances[name] >= least), key=lambda name: -distances[name])
        )
    if attribute in OPPOSITES:
        return OPPOSITES[attribute][own]
    scale = values_of(attribute)
    place = scale.index(own)
    middle = (len(scale) - 1) / 2.0
    apart = 2 if len(scale) > 3 else 1
    beyond = [
        index
        for index in range(len(scale))
        if abs(index - place) >= apart and (place == middle or (index - middle) * (place - middle) < 0)
    ]
    return tuple(scale[index] for index in sorted(beyond, key=lambda index: -abs(index - place)))


def contradictions(style: Style, attribute: Attribute) -> Iterator[tuple[Attribute, ClosedSet]]:
    """Return the attributes of a style, with their values, that contradict one of its attributes.

    >>> list(contradictions(Style(rate=Rate.FAST, rhythm=Rhythm.HEAVY), "rate"))
    [('rhythm', <Rhythm.HEAVY: 'heavy'>)]
    """
    for first, first_values, second, second_values in CONTRADICTIONS:
        for own, own_values, other, other_values in (
            (first, first_values, second, second_values),
            (second, second_values, first, first_values),
        ):
            if own == attribute and any(value in own_values for value in _held(style, own)):
                yield from ((other, value) for value in _held(style, other) if value in other_values)


def _coherent(style: Style, fixed: Attribute) -> Style:
    """The style with everything that contradicts the fixed attribute moved or taken out."""
    for other, value in list(contradictions(style, fixed)):
        if other == "events":
            style = replace(style, events=tuple(event for event in style.events if event is not value))
        elif other != "emotion" and getattr(style, other) is value:
            trials = (_set(style, other, candidate) for candidate in _next_best(other, value))
            fitting = (trial for trial in trials if not any(contradictions(trial, other)))
            style = next(fitting, _set(style, other, None))
    return style


def _next_best(attribute: Attribute, value: ClosedSet) -> Sequence[ClosedSet]:
    if attribute in NEXT_BEST:
        return NEXT_BEST[attribute][value]
    scale = values_of(attribute)
    return sorted(scale, key=lambda other: abs(scale.index(other) - scale.index(value)))[1:]


def _set(style: Style, attribute: Attribute, value: ClosedSet | None) -> Style:
    """The style with one value set; an event becomes the only one."""
    change: dict[str, Any] = {attribute: (value,) if attribute == "events" else value}
    return replace(style, **change)


def _held(style: Style, attribute: Attribute) -> tuple[ClosedSet, ...]:
    value = getattr(style, attribute)
    return tuple(value) if attribute == "events" else () if value is None else (value,)
