"""A speaking style as attributes with closed values, independent of any recording: what the grammar puts into words.

Emotion, sex, age, rhythm, intonation and recording condition take the house's closed sets; the others are closed here.
Pitch, rate and volume are relative: to the sex of the voice and to the language, not in Hertz or decibels.

`excerpt` tells what of a style a description of some length has room for, `Chooser` picks among phrasings by a seed.
Every choice hangs on the seed and the name of what is chosen, not on the choices before it: two styles that differ in
one attribute are worded alike everywhere else, which is what makes a flipped description a minimal pair.
"""

import functools
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar, cast, get_args

from aptone.errors import RecordError, UsageError
from aptone.types import AgeBand, ClosedSet, Emotion, Intonation, RecordingCondition, Rhythm, Sex

Attribute = Literal[
    "emotion",
    "intensity",
    "sex",
    "age",
    "pitch",
    "pitch_variation",
    "rate",
    "volume",
    "texture",
    "rhythm",
    "intonation",
    "recording_condition",
    "music",
    "events",
]
ATTRIBUTES: tuple[Attribute, ...] = get_args(Attribute)


class Intensity(ClosedSet):
    """Strength of the emotion."""

    SLIGHT = "slight", "轻微", "weak", "mild", "low"
    CLEAR = "clear", "明显", "normal", "moderate", "medium"
    STRONG = "strong", "强烈", "intense", "high"


class Pitch(ClosedSet):
    """Pitch level for a voice of that sex."""

    VERY_LOW = "very low", "很低", "very deep"
    LOW = "low", "较低", "deep"
    MEDIUM = "medium", "中等", "normal", "moderate", "average"
    HIGH = "high", "较高"
    VERY_HIGH = "very high", "很高"


class PitchVariation(ClosedSet):
    """Variation of the pitch."""

    MONOTONE = "monotone", "单一", "monotonous", "low"
    MODERATE = "moderate", "适中", "normal", "medium"
    LIVELY = "lively", "丰富", "expressive", "high"


class Rate(ClosedSet):
    """Speaking rate for that language."""

    VERY_SLOW = "very slow", "很慢"
    SLOW = "slow", "较慢"
    MODERATE = "moderate", "适中", "normal", "medium"
    FAST = "fast", "较快", "quick"
    VERY_FAST = "very fast", "很快", "very quick"


class Volume(ClosedSet):
    """Loudness of the voice."""

    VERY_SOFT = "very soft", "很轻", "very quiet", "very low"
    SOFT = "soft", "较轻", "quiet", "low"
    MEDIUM = "medium", "适中", "normal", "moderate"
    LOUD = "loud", "较响", "high"
    VERY_LOUD = "very loud", "很响", "very high"


class Texture(ClosedSet):
    """The grain of the voice, as far as jitter, shimmer, harmonicity, spectral tilt and voicing can tell it."""

    CLEAR = "clear", "清亮", "smooth", "modal"
    BREATHY = "breathy", "气声", "airy"
    ROUGH = "rough", "沙哑", "gravelly", "hoarse", "raspy", "creaky"
    PRESSED = "pressed", "紧绷", "strained", "tight", "tense"
    WHISPERED = "whispered", "耳语", "whisper", "whispery"


class Music(ClosedSet):
    """Presence of music behind the voice."""

    PRESENT = "present", "有", "yes", "true"
    ABSENT = "absent", "无", "no", "false"


class VocalEvent(ClosedSet):
    """Sounds that people make besides words. Which of them an ear can judge is the ear's to say."""

    LAUGHTER = "laughter", "笑声", "laugh", "laughing"
    BREATH = "breath", "呼吸声", "breathing", "panting"
    COUGH = "cough", "咳嗽声", "coughing"
    SNEEZE = "sneeze", "喷嚏声", "sneezing"
    CRYING_BABY = "crying baby", "婴儿啼哭声", "baby cry"
    SIGH = "sigh", "叹息声", "sighing"
    SOB = "sob", "抽泣声", "sobbing", "crying"
    SCREAM = "scream", "尖叫声", "screaming"
    THROAT_CLEARING = "throat clearing", "清嗓声"
    YAWN = "yawn", "哈欠声", "yawning"
    SNIFF = "sniff", "抽鼻声", "sniffing"
    SINGING = "singing", "歌声", "song"


CLOSED_SETS: Mapping[Attribute, type[ClosedSet]] = MappingProxyType(
    {
        "emotion": Emotion,
        "intensity": Intensity,
        "sex": Sex,
        "age": AgeBand,
        "pitch": Pitch,
        "pitch_variation": PitchVariation,
        "rate": Rate,
        "volume": Volume,
        "texture": Texture,
        "rhythm": Rhythm,
        "intonation": Intonation,
        "recording_condition": RecordingCondition,
        "music": Music,
        "events": VocalEvent,
    }
)


@dataclass(frozen=True, slots=True)
class Style:
    """Attributes of speaking style. ``None``, and for events an empty tuple, means "not judged": it is not mentioned.

    An "unclear" sex or age is the same as one not judged and becomes ``None``. Events are kept once each, in the order
    of their closed set, so that equal styles compare equal.

    Raises:
        ValueError: if there is an intensity but no emotion that could have one (none at all, or neutral).
    """

    emotion: Emotion | None = None
    intensity: Intensity | None = None
    sex: Sex | None = None
    age: AgeBand | None = None
    pitch: Pitch | None = None
    pitch_variation: PitchVariation | None = None
    rate: Rate | None = None
    volume: Volume | None = None
    texture: Texture | None = None
    rhythm: Rhythm | None = None
    intonation: Intonation | None = None
    recording_condition: RecordingCondition | None = None
    music: Music | None = None
    events: tuple[VocalEvent, ...] = ()

    def __post_init__(self) -> None:
        if self.intensity is not None and self.emotion in (None, Emotion.NEUTRAL):
            raise ValueError(f"an intensity grades an emotion that is not neutral, got emotion={self.emotion}.")
        if self.sex is Sex.UNCLEAR:
            object.__setattr__(self, "sex", None)
        if self.age is AgeBand.UNCLEAR:
            object.__setattr__(self, "age", None)
        if len(self.events) > 1:
            object.__setattr__(self, "events", tuple(event for event in VocalEvent if event in self.events))


def values_of(attribute: Attribute) -> tuple[ClosedSet, ...]:
    """Every value that an attribute can take, "unclear" left out; scales run from low to high.

    >>> [str(value) for value in values_of("pitch_variation")]
    ['monotone', 'moderate', 'lively']
    """
    return tuple(value for value in CLOSED_SETS[checked(attribute)] if value != "unclear")


def attributes_of(style: Style) -> dict[Attribute, ClosedSet | tuple[VocalEvent, ...]]:
    """The attributes that were judged, with their values, in the order of `ATTRIBUTES`.

    >>> attributes_of(Style(rate=Rate.SLOW, sex=Sex.MALE))
    {'sex': <Sex.MALE: 'male'>, 'rate': <Rate.SLOW: 'slow'>}
    """
    return {attribute: getattr(style, attribute) for attribute in ATTRIBUTES if getattr(style, attribute)}


def narrow(style: Style, attributes: Iterable[Attribute]) -> Style:
    """The style with only these attributes left. An intensity goes with its emotion and is lost without it.

    >>> narrow(Style(rate=Rate.SLOW, sex=Sex.MALE), ["rate"]) == Style(rate=Rate.SLOW)
    True
    """
    kept = {checked(attribute) for attribute in attributes}
    if "emotion" not in kept:
        kept.discard("intensity")
    return Style(**{attribute: getattr(style, attribute) for attribute in kept})


def style_from(labels: Mapping[str, str | Iterable[str]]) -> Style:
    """A style from the spellings of a corpus, such as ``{"emotion": "anger", "sex": "F"}``; empty ones are not judged.

    >>> style_from({"emotion": "anger", "sex": "F", "rate": ""}) == Style(emotion=Emotion.ANGRY, sex=Sex.FEMALE)
    True

    Raises:
        UsageError: if an attribute is not known.
        RecordError: if a spelling is not known, or an intensity has no emotion to grade.
    """
    values: dict[str, Any] = {}
    for name, spelling in labels.items():
        attribute = checked(name)
        closed = CLOSED_SETS[attribute]
        if attribute == "events":
            spellings = [spelling] if isinstance(spelling, str) else spelling
            values[attribute] = tuple(closed.parse(one) for one in spellings if one)
        elif not isinstance(spelling, str):
            raise RecordError(f"{attribute} takes one value, got {type(spelling).__name__}.")
        elif spelling:
            values[attribute] = closed.parse(spelling)
    try:
        return Style(**values)
    except ValueError as problem:
        raise RecordError(str(problem)) from None


def checked(attribute: str) -> Attribute:
    """The attribute of that name; raises `UsageError` if there is none."""
    if attribute not in CLOSED_SETS:
        raise UsageError(f"{attribute!r} is not an attribute of a style; expected one of {', '.join(ATTRIBUTES)}.")
    return cast("Attribute", attribute)


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
        return options[0] if self.seed is None or len(options) == 1 else options[self.number(name) % len(options)]

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
        seed: random seed of the part; ``None`` for the most telling one.
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
