"""False captions that differ from a true one in a known way: EmoSURA's hallucinations, on styles.

Four kinds change one thing and keep the rest coherent: the emotion; the gender, with the pitch and texture that go with
it; one acoustic feature; a vocal event that is not there. The fifth inverts everything at once. `perturb_step` counts:
one false claim, two, four, each list holding the one before it. `aptone.rooms.caption.bench.perturb_text` does the same
to captions that other people wrote.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from aptone.ear.describe import (
    ATTRIBUTES,
    Attribute,
    Flipped,
    Pitch,
    Style,
    Texture,
    attributes_of,
    contradictions,
    different_values,
    flip,
)
from aptone.ear.describe.attributes import Chooser
from aptone.errors import UsageError
from aptone.types import ClosedSet, Sex


class Perturbation(ClosedSet):
    """Kind of content that is made false."""

    EMOTION = "emotion", "情绪", "emotion flip"
    GENDER = "gender", "性别", "attribute swap", "sex"
    ACOUSTICS = "acoustics", "声学特征", "acoustic feature swap", "acoustic"
    EVENT = "event", "声音事件", "event fabrication", "vocal event"
    MIXED = "mixed", "混合", "mixed hallucination"


ACOUSTICS: tuple[Attribute, ...] = ("pitch", "pitch_variation", "rate", "volume", "texture")
"""Measured attributes of a voice."""
COUNTED: tuple[Attribute, ...] = ("emotion", "sex", *ACOUSTICS, "events")
"""Attributes that `perturb_step` makes false, one at a time."""

# What a voice of the other sex is not said to have; the pitch is mirrored, the rest goes to what is named here.
UNLIKELY: Mapping[Sex, Mapping[ClosedSet, ClosedSet]] = {
    Sex.FEMALE: {Pitch.VERY_LOW: Pitch.VERY_HIGH, Pitch.LOW: Pitch.HIGH, Texture.ROUGH: Texture.CLEAR},
    Sex.MALE: {Pitch.VERY_HIGH: Pitch.VERY_LOW, Pitch.HIGH: Pitch.LOW, Texture.BREATHY: Texture.ROUGH},
}


@dataclass(frozen=True, slots=True)
class PerturbedStyle:
    """A style of which known attributes are false; the kind is ``None`` where attributes were counted."""

    style: Style
    kind: Perturbation | None
    changed: tuple[Attribute, ...]


def perturb(style: Style, kind: Perturbation, *, seed: int) -> PerturbedStyle:
    """A style with one kind of falsehood in it; the seed chooses the other emotion, the feature or the event.

    Raises:
        UsageError: if the style says nothing that could be changed so.

    >>> from aptone.ear.describe import Rate
    >>> man = Style(sex=Sex.MALE, pitch=Pitch.LOW, rate=Rate.SLOW)
    >>> perturb(man, Perturbation.GENDER, seed=0).changed
    ('sex', 'pitch')
    >>> perturb(man, Perturbation.EVENT, seed=0).changed
    ('events',)
    """
    if kind is Perturbation.EMOTION:
        found = flip(style, "emotion", seed=seed).style
    elif kind is Perturbation.GENDER:
        found = swap_gender(style)
    elif kind is Perturbation.ACOUSTICS:
        found = _swap_feature(style, seed=seed).style
    elif kind is Perturbation.EVENT:
        found = flip(style, "events", seed=seed).style
    else:
        found = _invert(style, seed=seed)
    return PerturbedStyle(found, kind, changed(style, found))


def swap_gender(style: Style) -> Style:
    """The style with the other sex; a pitch or texture that is unlikely for it goes with it.

    Pitch is relative to the sex: a low man's voice becomes a high woman's, so that the words still fit together.

    Raises:
        UsageError: if the style has no sex.
    """
    swapped = flip(style, "sex").style
    assert swapped.sex is not None
    unlikely = UNLIKELY[swapped.sex]
    values: dict[str, Any] = {
        name: unlikely[value] for name in ("pitch", "texture") if (value := getattr(swapped, name)) in unlikely
    }
    return replace(swapped, **values)


def changed(true: Style, other: Style) -> tuple[Attribute, ...]:
    """The attributes in which two styles differ."""
    return tuple(name for name in ATTRIBUTES if getattr(true, name) != getattr(other, name))


def perturb_step(style: Style, count: int, *, seed: int, among: Sequence[Attribute] = COUNTED) -> PerturbedStyle:
    """A style with exactly that many attributes false; the false ones of a smaller count are among them.

    Args:
        count: number of attributes that are made false; 0 gives the style back.
        among: attributes that may be made false; events, only if the style has some.

    Raises:
        UsageError: if fewer attributes can be changed without touching another one. Sex and pitch are both made false
            only where that does not make the pitch right again.

    >>> from aptone.ear.describe import Rate, Volume
    >>> style = Style(sex=Sex.MALE, rate=Rate.SLOW, volume=Volume.SOFT)
    >>> [len(perturb_step(style, count, seed=3).changed) for count in (0, 1, 2, 3)]
    [0, 1, 2, 3]
    """
    steps = list(_steps(style, seed=seed, among=among))
    if not 0 <= count < len(steps):
        raise UsageError(f"at most {len(steps) - 1} attributes of this style can be made false, got {count}.")
    return PerturbedStyle(steps[count], None, changed(style, steps[count]))


def most_steps(style: Style, *, seed: int, among: Sequence[Attribute] = COUNTED) -> int:
    """Return the largest number of attributes that `perturb_step` can make false."""
    return len(list(_steps(style, seed=seed, among=among))) - 1


def _steps(style: Style, *, seed: int, among: Sequence[Attribute]) -> Iterator[Style]:
    """The style itself, then one more attribute false each time."""
    choose = Chooser(seed)
    true = style
    yield style
    named = [name for name in among if name in attributes_of(style)]
    for attribute in sorted(named, key=lambda name: choose.number(f"perturb {name}")):
        values = different_values(style, attribute)
        first = choose.number(f"flip {attribute}") % len(values)
        for value in values[first:] + values[:first]:
            value_or_events: dict[str, Any] = {attribute: (value,) if attribute == "events" else value}
            trial = replace(style, **value_or_events)
            if not any(contradictions(trial, attribute)) and not _true_again(trial, true):
                style = trial
                yield style
                break


def _true_again(style: Style, true: Style) -> bool:
    """Return True if a false pitch may hold because the sex is false, too: a man's high voice is a woman's low one."""
    if style.sex is None or style.sex is true.sex or style.pitch is None or style.pitch is true.pitch:
        return False
    return style.pitch in UNLIKELY[style.sex] or style.pitch is Pitch.MEDIUM


def _swap_feature(style: Style, *, seed: int) -> Flipped:
    there = [name for name in ACOUSTICS if getattr(style, name) is not None]
    if not there:
        raise UsageError(f"the style says nothing about {', '.join(ACOUSTICS)}, so none of them can be changed.")
    return flip(style, Chooser(seed)("feature", there), seed=seed)


def _invert(style: Style, *, seed: int) -> Style:
    """Emotion, gender, acoustics and behaviour, as far as the style has them.

    Where one of them would have to be true again to go with the others, nothing is said about it.
    """
    if style.emotion is None and style.sex is None:
        raise UsageError(
            "the style has neither an emotion nor a sex, so it cannot be inverted; change single features."
        )
    inverted = style
    for attribute in COUNTED:
        if attribute == "events" or getattr(inverted, attribute) is not None:
            inverted = flip(inverted, attribute, seed=seed).style
    again: dict[str, Any] = {
        name: None
        for name in ACOUSTICS
        if getattr(style, name) is not None and getattr(inverted, name) == getattr(style, name)
    }
    return replace(inverted, **again)
