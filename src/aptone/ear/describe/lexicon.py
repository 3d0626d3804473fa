"""Reading descriptions: which words name which value, and where a text uses them."""

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType, ModuleType
from typing import NamedTuple

from aptone.ear.describe import english, english_synonyms, mandarin, mandarin_synonyms
from aptone.ear.describe.attributes import (
    CLOSED_SETS,
    Attribute,
    Intensity,
    Pitch,
    PitchVariation,
    Rate,
    Style,
    Texture,
    VocalEvent,
    Volume,
)
from aptone.errors import RecordError, UsageError
from aptone.types import ClosedSet, Emotion, Intonation, Language, RecordingCondition, Rhythm

PERHAPS: Mapping[Language, Mapping[str, tuple[ClosedSet, ...]]] = {
    "en": {
        "low": (Pitch.LOW, Volume.SOFT),
        "very low": (Pitch.VERY_LOW, Volume.VERY_SOFT),
        "high": (Pitch.HIGH, Volume.LOUD),
        "very high": (Pitch.VERY_HIGH, Volume.VERY_LOUD),
        "flat": (Intonation.FLAT, PitchVariation.MONOTONE, Emotion.NEUTRAL),
        "level": (Intonation.FLAT, PitchVariation.MONOTONE),
        "rising": (Intonation.RISING,),
        "falling": (Intonation.FALLING,),
        "curved": (Intonation.CURVED,),
        "tense": (Rhythm.TENSE, Texture.PRESSED, Emotion.FEAR),
        "tension": (Rhythm.TENSE, Emotion.FEAR),
        "nervous": (Emotion.FEAR, Rhythm.TENSE),
        "brisk": (Rhythm.BRISK, Rate.FAST),
        "heavy": (Rhythm.HEAVY, Emotion.SAD),
        "bouncy": (Rhythm.BRISK, Emotion.HAPPY),
        "leisurely": (Rate.SLOW, Rhythm.RELAXED),
        "subdued": (Volume.SOFT, Rhythm.LOW_PACED, Emotion.SAD),
        "gentle": (Volume.SOFT, Emotion.CALM),
        "gently": (Volume.SOFT, Emotion.CALM),
        "soothing": (Emotion.CALM, Rhythm.RELAXED),
        "husky": (Texture.ROUGH, Texture.BREATHY),
        "weary": (Emotion.SAD, Emotion.BOREDOM),
        "tired": (Emotion.SAD, Emotion.BOREDOM),
        "exhausted": (Emotion.SAD, Emotion.BOREDOM),
        "fatigue": (Emotion.SAD, Emotion.BOREDOM),
        "indifferent": (Emotion.NEUTRAL, Emotion.BOREDOM),
        "vibrant": (PitchVariation.LIVELY, Emotion.HAPPY),
        "moderate": (Pitch.MEDIUM, PitchVariation.MODERATE, Rate.MODERATE, Volume.MEDIUM),
        "light": (Volume.SOFT, Rhythm.BRISK),
        "hesitant": (Emotion.FEAR, Rate.SLOW),
        "hesitantly": (Emotion.FEAR, Rate.SLOW),
        "trembles": (Emotion.FEAR, Emotion.SAD),
        "trembling": (Emotion.FEAR, Emotion.SAD),
        "shaky": (Emotion.FEAR, Emotion.SAD),
        "quivering": (Emotion.FEAR, Emotion.SAD),
        "quavering": (Emotion.FEAR, Emotion.SAD),
        "tremulous": (Emotion.FEAR, Emotion.SAD),
        "voice shakes": (Emotion.FEAR, Emotion.SAD),
        "voice quavers": (Emotion.FEAR, Emotion.SAD),
        "voice quivers": (Emotion.FEAR, Emotion.SAD),
        "voice is shaking": (Emotion.FEAR, Emotion.SAD),
        "voice cracks": (Emotion.SAD, Emotion.FEAR),
        "voice breaks": (Emotion.SAD, Emotion.FEAR),
        "distressed": (Emotion.FEAR, Emotion.SAD),
        "distress": (Emotion.FEAR, Emotion.SAD),
        "upset": (Emotion.SAD, Emotion.ANGRY),
        "bitter": (Emotion.ANGRY, Emotion.SAD),
        "agitated": (Emotion.ANGRY, Emotion.FEAR),
        "warm": (Emotion.HAPPY, Emotion.CALM),
        "tender": (Volume.SOFT, Emotion.CALM),
        "delicate": (Volume.SOFT,),
        "weak": (Volume.SOFT,),
        "bold": (Volume.LOUD, Rhythm.HIGH_ENERGY),
        "authoritative": (Volume.LOUD, Rhythm.HIGH_ENERGY),
        "commanding": (Volume.LOUD, Rhythm.HIGH_ENERGY),
        "bright": (Emotion.HAPPY, Pitch.HIGH),
        "somber": (Emotion.SAD, Rhythm.HEAVY),
        "sombre": (Emotion.SAD, Rhythm.HEAVY),
        "grave": (Rhythm.HEAVY, Emotion.SAD),
        "serious": (Emotion.NEUTRAL, Rhythm.HEAVY),
        "steady": (Rate.MODERATE, Intonation.FLAT, Emotion.CALM),
        "urgent": (Rhythm.TENSE, Rate.FAST),
        "urgently": (Rhythm.TENSE, Rate.FAST),
        "urgency": (Rhythm.TENSE, Rate.FAST),
        "spirited": (Rhythm.HIGH_ENERGY, PitchVariation.LIVELY, Emotion.HAPPY),
    },
    "zh": {
        "紧张": (Rhythm.TENSE, Emotion.FEAR),
        "颤抖": (Emotion.FEAR, Emotion.SAD),
        "发颤": (Emotion.FEAR, Emotion.SAD),
        "发抖": (Emotion.FEAR, Emotion.SAD),
        "柔和": (Volume.SOFT, Emotion.CALM),
        "温柔": (Volume.SOFT, Emotion.CALM),
        "平缓": (Intonation.FLAT, Rate.SLOW),
        "平稳": (Intonation.FLAT, Rate.MODERATE, Emotion.CALM),
        "疲惫": (Emotion.SAD, Emotion.BOREDOM),
        "冷淡": (Emotion.NEUTRAL, Emotion.BOREDOM),
        "冷漠": (Emotion.NEUTRAL, Emotion.BOREDOM),
        "温和": (Emotion.CALM, Volume.SOFT),
        "激动": (Emotion.HAPPY, Emotion.ANGRY, Rhythm.HIGH_ENERGY),
        "急切": (Rhythm.TENSE, Rate.FAST),
        "犹豫": (Emotion.FEAR, Rate.SLOW),
        "严肃": (Emotion.NEUTRAL, Rhythm.HEAVY),
        "坚定": (Volume.LOUD, Rhythm.HIGH_ENERGY),
        "活泼": (Emotion.PLAYFUL, Emotion.HAPPY, PitchVariation.LIVELY),
        "压抑": (Emotion.SAD, Rhythm.LOW_PACED),
        "较低": (Pitch.LOW, Volume.SOFT),
        "较高": (Pitch.HIGH, Volume.LOUD),
        "偏低": (Pitch.LOW, Volume.SOFT),
        "偏高": (Pitch.HIGH, Volume.LOUD),
        "很低": (Pitch.VERY_LOW, Volume.VERY_SOFT),
        "很高": (Pitch.VERY_HIGH, Volume.VERY_LOUD),
        "较快": (Rate.FAST,),
        "较慢": (Rate.SLOW,),
        "偏快": (Rate.FAST,),
        "偏慢": (Rate.SLOW,),
        "很快": (Rate.VERY_FAST,),
        "很慢": (Rate.VERY_SLOW,),
        "较大": (Volume.LOUD, PitchVariation.LIVELY),
        "较小": (Volume.SOFT, PitchVariation.MONOTONE),
        "很大": (Volume.VERY_LOUD, PitchVariation.LIVELY),
        "很小": (Volume.VERY_SOFT, PitchVariation.MONOTONE),
        "适中": (Pitch.MEDIUM, Rate.MODERATE, Volume.MEDIUM, PitchVariation.MODERATE),
        "中等": (Pitch.MEDIUM, Rate.MODERATE, Volume.MEDIUM, PitchVariation.MODERATE),
        "正常": (Pitch.MEDIUM, Rate.MODERATE, Volume.MEDIUM, RecordingCondition.NORMAL),
        "明亮": (Texture.CLEAR, Emotion.HAPPY, Pitch.HIGH),
        "上扬": (Intonation.RISING,),
        "下降": (Intonation.FALLING,),
        "起伏": (PitchVariation.LIVELY, Intonation.CURVED),
    },
}


_ALSO = {"en": english_synonyms.ALSO, "zh": mandarin_synonyms.ALSO}
_WORD = re.compile(r"([a-z]+)(?:['’]s(?![a-z]))?", re.IGNORECASE | re.ASCII)
_GAP = re.compile(r"[\s‐‑-]+")


class Sense(NamedTuple):
    """One value of one attribute. The attribute counts: a "clear" intensity is not a "clear" texture."""

    attribute: Attribute
    value: ClosedSet


class Entry(NamedTuple):
    """What a word or phrase says about a voice.

    Args:
        means: values that hold, all of them: "furious" is angry and strong.
        may_mean: values of which one holds; what stands around the word decides: "tense" is a rhythm or a texture.
        pronoun: whether the word only points back at somebody ("her") rather than describing.
    """

    means: tuple[Sense, ...] = ()
    may_mean: tuple[Sense, ...] = ()
    pronoun: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """A place in a text that names a value: ``text[start:end]`` is exactly `evidence`."""

    start: int
    end: int
    evidence: str
    entry: Entry


@functools.cache
def lexicon(language: Language) -> Mapping[str, Entry]:
    """Every word and phrase that names a value, the longest first, so that the first match is the most specific.

    English keys are lower case, with hyphens as spaces and without articles and possessive endings. It holds all that
    `describe` can say, and more that people say.

    >>> [str(sense.value) for sense in lexicon("en")["furious"].means]
    ['angry', 'strong']
    >>> [sense.attribute for sense in lexicon("zh")["紧张"].may_mean]
    ['rhythm', 'emotion']

    Raises:
        UsageError: if the language is not known.
    """
    if language not in _ALSO:
        raise UsageError(f"there is a lexicon for {' and '.join(_ALSO)}, got {language!r}.")
    entries: dict[str, Entry] = {}
    for phrase, entry in _entries(language):
        key = _key(phrase, language)
        if entries.setdefault(key, entry) != entry:
            raise ValueError(f"{key!r} stands twice in the lexicon: {entries[key]} and {entry}.")
    ordered = sorted(entries, key=lambda key: (-len(key), key))
    return MappingProxyType({key: entries[key] for key in ordered})


def mentions(text: str, *, language: Language) -> tuple[Mention, ...]:
    """Where a text names values, from left to right, the longest phrase at each place; places do not overlap.

    Only words are looked at: negation, hedges and contrast are for the caller to see. Takes time linear in the text.

    Raises:
        UsageError: if the language is not known.

    >>> [found.evidence for found in mentions("Her deep, very slow voice", language="en")]
    ['Her', 'deep', 'very slow']
    """
    entries, index = lexicon(language), _lengths(language)
    return tuple(_english(text, entries, index) if language == "en" else _mandarin(text, entries, index))


def style_in(text: str, *, language: Language) -> Style:
    """The style that a text states, by its unambiguous words; the inverse of `describe` for what that wrote.

    >>> style_in("Her furious voice", language="en") == style_in("一位非常愤怒的女性", language="zh")
    True

    Raises:
        RecordError: if the text gives an attribute two values.
    """
    found: dict[Attribute, ClosedSet] = {}
    events: list[VocalEvent] = []
    for mention in mentions(text, language=language):
        for attribute, value in mention.entry.means:
            if isinstance(value, VocalEvent):
                events.append(value)
            elif found.setdefault(attribute, value) != value:
                raise RecordError(f"the text says both {found[attribute]} and {value} about the {attribute}.")
    return Style(**found, events=tuple(events))  # type: ignore[arg-type]


def _entries(language: Language) -> Iterator[tuple[str, Entry]]:
    module: ModuleType = english if language == "en" else mandarin
    for attribute, by_value in module.WORDS.items():
        for value, words in by_value.items():
            yield from ((phrase, Entry((Sense(attribute, value),))) for phrases in words for phrase in phrases)
    for emotion in Emotion:
        for intensity in (None,) if emotion is Emotion.NEUTRAL else (None, *Intensity):
            entry = Entry(_senses(emotion, intensity))
            yield from ((phrase, entry) for phrase in _emotion_phrases(emotion, intensity, language))
    people = (english.PERSONS, english.OWNERS) if language == "en" else (mandarin.PERSONS, mandarin.VOICES)
    for (age, sex), names in ((speaker, names) for table in people for speaker, names in table.items()):
        if age or sex:
            yield from ((name if isinstance(name, str) else name[1], Entry(_senses(sex, age))) for name in names)
    for sex, pronouns in module.PRONOUNS.items():
        yield from ((pronoun, Entry(_senses(sex), pronoun=True)) for pronoun in pronouns)
    for values, listed in _ALSO[language]:
        yield from ((phrase.strip(), Entry(_senses(*values))) for phrase in re.split("[,，]", listed))
    yield from ((phrase, Entry(may_mean=_senses(*values))) for phrase, values in PERHAPS[language].items())


def _emotion_phrases(emotion: Emotion, intensity: Intensity | None, language: Language) -> tuple[str, ...]:
    if language == "en":
        return english.emotion_adjectives(emotion, intensity) + english.emotion_nouns(emotion, intensity)
    said = mandarin.emotion_adjectives(emotion, intensity) + mandarin.emotion_nouns(emotion, intensity)
    return said + mandarin.emotion_clauses(emotion, intensity)


@functools.cache
def _lengths(language: Language) -> Mapping[str, tuple[int, ...]]:
    """For the first word (in Mandarin, character) of a key, how many words (characters) its keys have, most first."""
    lengths: dict[str, set[int]] = {}
    for key in lexicon(language):
        words = key.split() if language == "en" else key
        lengths.setdefault(words[0], set()).add(len(words))
    return {first: tuple(sorted(counts, reverse=True)) for first, counts in lengths.items()}


def _english(text: str, entries: Mapping[str, Entry], index: Mapping[str, tuple[int, ...]]) -> Iterator[Mention]:
    words = list(_WORD.finditer(text))
    names = [word[1].lower() for word in words]
    # reach[i]: the first word after i that punctuation parts from its forerunner; a phrase does not go that far
    reach = [len(words)] * len(words)
    for place in range(len(words) - 2, -1, -1):
        joined = _GAP.fullmatch(text, words[place].end(), words[place + 1].start())
        reach[place] = reach[place + 1] if joined else place + 1
    place = 0
    while place < len(words):
        step = 1
        for count in index.get(names[place], ()):
            end = place + count
            entry = entries.get(" ".join(names[place:end])) if end <= reach[place] else None
            if entry is not None:
                start, stop = words[place].start(), words[end - 1].end(1)
                yield Mention(start, stop, text[start:stop], entry)
                step = count
                break
        place += step


def _mandarin(text: str, entries: Mapping[str, Entry], index: Mapping[str, tuple[int, ...]]) -> Iterator[Mention]:
    place = 0
    while place < len(text):
        step = 1
        for count in index.get(text[place], ()):
            phrase = text[place : place + count]
            entry = entries.get(phrase) if len(phrase) == count else None
            if entry is not None:
                yield Mention(place, place + count, phrase, entry)
                step = count
                break
        place += step


def _senses(*values: ClosedSet | None) -> tuple[Sense, ...]:
    return tuple(Sense(_attribute_of(value), value) for value in values if value is not None)


def _attribute_of(value: ClosedSet) -> Attribute:
    return next(attribute for attribute, closed in CLOSED_SETS.items() if isinstance(value, closed))


def _key(phrase: str, language: Language) -> str:
    if language != "en":
        return phrase
    words = [word[1] for word in _WORD.finditer(phrase)]
    return " ".join(words[1:] if words[0] in ("a", "an") else words)
