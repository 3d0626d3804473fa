"""Choosing among phrasings by a seed, and what of a style a description of some length has room for.

Every choice hangs on the seed and the name of what is chosen, not on the choices before it: two styles that differ in
one attribute are worded alike everywhere else, which is what makes a flipped description a minimal pair.
"""

import functools
import zlib
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeVar

from aptone.ear.describe.attributes import (
    ATTRIBUTES,
    Attribute,
    Music,
    Pitch,
    PitchVariation,
    Rate,
    Style,
    Texture,
    Volume,
    checked,
    narrow,
)
from aptone.types import ClosedSet, Emotion, RecordingCondition


class Words(NamedTuple):
    """The ways to say one value of an attribute, by their place in a sentence; the first of each is the plainest.

    Args:
        adjectives: before the noun or after "is": "slow", 缓慢.
        adverbs: after the verb: "slowly", "over the phone". English only.
        nouns: after "with" or "has": "a slow pace", 笑声.
        clauses: what needs no more than a subject, or nothing: "pace is slow", 语速缓慢.
    """

    adjectives: tuple[str, ...] = ()
    adverbs: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()


Length = Literal["phrase", "sentence", "caption"]
T = TypeVar("T")

# Without a seed, what tells most comes first; then what is ordinary, in the same order.
PRIORITY: tuple[Attribute, ...] = (
    "emotion",
    "sex",
    "texture",
    "rate",
    "pitch",
    "volume",
    "age",
    "events",
    "pitch_variation",
    "recording_condition",
    "rhythm",
    "intonation",
    "music",
)
ORDINARY: Mapping[Attribute, ClosedSet] = MappingProxyType(
    {
        "emotion": Emotion.NEUTRAL,
        "pitch": Pitch.MEDIUM,
        "pitch_variation": PitchVariation.MODERATE,
        "rate": Rate.MODERATE,
        "volume": Volume.MEDIUM,
        "texture": Texture.CLEAR,
        "recording_condition": RecordingCondition.NORMAL,
        "music": Music.ABSENT,
    }
)
# What a phrase can hold: words that each attribute costs at most, besides "a voice".
PHRASE_WORDS = 6
WORDS: Mapping[Attribute, int] = MappingProxyType(
    {
        "emotion": 2,
        "sex": 1,
        "age": 1,
        "pitch": 2,
        "pitch_variation": 2,
        "rate": 2,
        "volume": 2,
        "texture": 1,
        "events": 4,
        "recording_condition": 4,
        "rhythm": 4,
        "intonation": 4,
        "music": 4,
    }
)
AFTER_THE_NOUN: frozenset[Attribute] = frozenset({"events", "recording_condition", "rhythm", "intonation", "music"})
SENTENCE_ATTRIBUTES = 6

_MASK = (1 << 64) - 1


class Chooser:
    """Picks among options: always the first without a seed, else by the seed and the name of the choice."""

    __slots__ = ("seed",)

    def __init__(self, seed: int | None) -> None:
        self.seed = seed

    def __call__(self, name: str, options: Sequence[T]) -> T:
        """One of the options. Equal seed, name and number of options give the same position."""
        if self.seed is None or len(options) == 1:
            return options[0]
        return options[self.number(name) % len(options)]

    def number(self, name: str) -> int:
        """A number of 64 bits from the seed and a name (the finaliser of splitmix64; Steele, Lea & Flood 2014)."""
        mixed = ((self.seed or 0) + _salt(name)) & _MASK
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)


@functools.cache
def _salt(name: str) -> int:
    return zlib.crc32(name.encode()) * 0x9E3779B97F4A7C15


def excerpt(style: Style, *, length: Length, seed: int | None = None, keep: Collection[Attribute] = ()) -> Style:
    """The part of a style that a description of that length and seed names: `describe` says this, and nothing else.

    A caption names everything. A sentence names at most six attributes, a phrase what fits into eight English words,
    with at most one attribute behind the noun and at most one event; an intensity goes with its emotion. Without a
    seed what tells most comes first (a moderate pitch tells less than a hoarse voice); with a seed the choice depends
    on which attributes there are, not on their values.

    Args:
        style: what there is to say.
        length: of the description.
        seed: which part to choose; ``None`` for the most telling one.
        keep: attributes that must be named if they were judged, even where that takes more room.
    """
    if length == "caption":
        return style
    wanted = [checked(attribute) for attribute in keep]
    if "intensity" in wanted:
        wanted.append("emotion")
    ranked = sorted(
        (attribute for attribute in PRIORITY if getattr(style, attribute)),
        key=lambda attribute: (attribute not in wanted, _rank(style, attribute, seed)),
    )
    named: list[Attribute] = []
    room = PHRASE_WORDS
    behind = False
    for attribute in ranked:
        if length == "sentence":
            fits = len(named) < SENTENCE_ATTRIBUTES
        else:
            fits = WORDS[attribute] <= room and not (behind and attribute in AFTER_THE_NOUN)
        if fits or attribute in wanted:
            named.append(attribute)
            room -= WORDS[attribute]
            behind = behind or attribute in AFTER_THE_NOUN
    if len(named) == len(ranked) and not (length == "phrase" and len(style.events) > 1):
        return style
    part = narrow(style, [*named, "intensity"])
    if length == "phrase" and len(part.events) > 1:
        part = narrow_events(part)
    return part


def narrow_events(style: Style) -> Style:
    """The style with the first of its events only."""
    return Style(**{name: getattr(style, name) for name in ATTRIBUTES if name != "events"}, events=style.events[:1])


def _rank(style: Style, attribute: Attribute, seed: int | None) -> tuple[bool, int]:
    if seed is None:
        return getattr(style, attribute) == ORDINARY.get(attribute), PRIORITY.index(attribute)
    return False, Chooser(seed).number(f"rank {attribute}")
