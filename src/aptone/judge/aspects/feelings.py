"""Feelings from the words of a plan: a place in valence, arousal and dominance, and shares of the ear's emotions.

A plan's emotion is free text ("calm turning into joy", 温柔而疲惫). Every known word counts alike; words after a "not"
do not count; a text without a known word gives no feeling.
"""

import functools
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aptone.ear.describe import Intensity, lexicon
from aptone.errors import RecordError
from aptone.lexicon.feelings import NEGATIONS, STRENGTHS, feeling_words
from aptone.types import ClosedSet, Emotion, Language, Vad
from aptone.types.story import TYPICAL_VAD

LONGEST_TEXT = 400
"""Characters of a plan's emotion that are read."""

SPREAD = 0.25
"""Standard deviation of the Gaussian around an emotion in the space of valence, arousal and dominance."""

SCALES = ((0.2, 0.6), (0.9, 1.2))
"""Two intensities with their factors on the distance from neutral; others lie on the line through the two."""

STEPS = {Intensity.SLIGHT: 0.2, Intensity.STRONG: 0.9}
"""Steps of the ear's lexicon as intensities; its middle step is what a plan without a strength word means."""

_TOKEN = re.compile(r"[a-z]+(?:['’][a-z]+)?|[\u4e00-\u9fff]|[^\sa-z\u4e00-\u9fff]", re.ASCII)
_ENGLISH_STOP = frozenset({"but", "yet", ",", ";", ".", ":", "，", "。", "；", "、"})
_ENDINGS = (("ily", "y"), ("ly", ""), ("iness", "y"), ("ness", ""))


@dataclass(frozen=True, slots=True)
class Feeling:
    """Feeling that a plan asks for.

    Args:
        vad: valence, arousal and dominance; NaN in a dimension that the words leave open.
        emotions: shares of emotions that sum to 1; empty when the words name a manner only, such as "shouting".
        intensity: 0 to 1; NaN where the words name none.
    """

    vad: Vad
    emotions: Mapping[Emotion, float] = field(default_factory=dict)
    intensity: float = math.nan
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Word:
    vad: Vad | None = None
    emotions: tuple[Emotion, ...] = ()
    intensity: float = math.nan
    negates: bool = False


@dataclass(frozen=True, slots=True)
class FeelingLexicon:
    """Lexicon of feelings: words with places, strengths and negations; `knows_emotions` includes names of emotions."""

    words: Mapping[tuple[str, ...], _Word]
    knows_emotions: bool = False
    longest: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "longest", max(map(len, self.words)))

    @classmethod
    def of(cls, places: Mapping[str, Vad]) -> "FeelingLexicon":
        """Return a lexicon of words and phrases, English or Mandarin, with their places."""
        named = {tokens: _Word(vad=place) for phrase, place in places.items() if (tokens := _tokens(phrase))}
        return cls(named | _modifiers())


def read_feeling(text: str, *, lexicon: FeelingLexicon | None = None) -> Feeling | None:
    """Return the feeling that a text names, in English or Mandarin; ``None`` if none of its words is known.

    Places are averaged over the words, in each dimension over those that say something about it. An emotion by its
    own name is that emotion; any other word shares itself among the emotions near its place,
    exp(-d² / (2·`SPREAD`²)) for one at distance d. Strength words move the place: 0.6 of the way for "slightly", 1.2
    for "very".

    >>> read_feeling("angry").emotions
    {<Emotion.ANGRY: 'angry'>: 1.0}
    >>> read_feeling("温柔而疲惫").words
    ('温柔', '疲惫')
    >>> read_feeling("not angry but hopeful").words
    ('hopeful',)
    >>> read_feeling("zorbly") is None
    True
    """
    return _known_feeling(text[:LONGEST_TEXT]) if lexicon is None else _feeling(text[:LONGEST_TEXT], lexicon)


@functools.lru_cache(maxsize=1024)
def _known_feeling(text: str) -> Feeling | None:
    """Return the feeling that a text names by the built-in lexicon; plans share their words."""
    return _feeling(text, _known_words())


def _feeling(text: str, lexicon: FeelingLexicon) -> Feeling | None:
    found = list(_words(text, lexicon))
    feelings = [(name, word) for name, word in found if word.vad is not None]
    if not feelings:
        return None
    strengths = [word.intensity for _, word in found if not math.isnan(word.intensity)]
    intensity = math.fsum(strengths) / len(strengths) if strengths else math.nan
    places = [word.vad for _, word in feelings if word.vad is not None]
    shares = [share for _, word in feelings if (share := _shares(word))]
    return Feeling(
        vad=_scaled(_mean(places), intensity),
        emotions={
            emotion: math.fsum(share.get(emotion, 0.0) for share in shares) / len(shares)
            for emotion in Emotion
            if any(emotion in share for share in shares)
        },
        intensity=intensity,
        words=tuple(name for name, _ in feelings),
    )


def emotions_near(place: Vad) -> dict[Emotion, float]:
    """Share a place in valence, arousal and dominance among the emotions; shares below 0.01 are left out.

    >>> max(emotions_near(Vad(0.55, -0.35, 0.0)).items(), key=lambda pair: pair[1])[0]
    <Emotion.CALM: 'calm'>
    """
    squares = {
        emotion: (place.valence - typical.valence) ** 2
        + (place.arousal - typical.arousal) ** 2
        + (place.dominance - typical.dominance) ** 2
        for emotion, typical in TYPICAL_VAD.items()
    }
    nearest = min(squares.values())
    weights = {emotion: math.exp((nearest - square) / (2.0 * SPREAD**2)) for emotion, square in squares.items()}
    total = math.fsum(weights.values())
    kept = {emotion: weight for emotion, weight in weights.items() if weight / total >= 0.01}
    kept_total = math.fsum(kept.values())
    return {emotion: weight / kept_total for emotion, weight in kept.items()}


def _shares(word: _Word) -> dict[Emotion, float]:
    if word.emotions:
        return {emotion: 1.0 / len(word.emotions) for emotion in word.emotions}
    if word.vad is None or any(math.isnan(value) for value in _dimensions(word.vad)):
        return {}
    return emotions_near(word.vad)


def _dimensions(place: Vad) -> tuple[float, float, float]:
    return place.valence, place.arousal, place.dominance


def _mean(places: Sequence[Vad]) -> Vad:
    means = []
    for column in zip(*(_dimensions(place) for place in places), strict=True):
        known = [value for value in column if not math.isnan(value)]
        means.append(math.fsum(known) / len(known) if known else math.nan)
    return Vad(*means)


def _scaled(place: Vad, intensity: float) -> Vad:
    if math.isnan(intensity):
        return place
    (low, least), (high, most) = SCALES
    scale = least + (most - least) * (intensity - low) / (high - low)
    return Vad(*(max(-1.0, min(1.0, scale * value)) if value == value else value for value in _dimensions(place)))


def _words(text: str, lexicon: FeelingLexicon) -> Iterator[tuple[str, _Word]]:
    """Yield the known words of a text that are not negated, the longest at each place."""
    tokens = _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))
    negated = False
    place = 0
    while place < len(tokens):
        if tokens[place] in _ENGLISH_STOP:
            negated = False
        for count in range(min(lexicon.longest, len(tokens) - place), 0, -1):
            name, word = _look_up(tokens[place : place + count], lexicon)
            if word is not None:
                if word.negates:
                    negated = True
                elif not negated:
                    yield name, word
                elif word.vad is not None and tokens[place] >= "\u4e00":
                    negated = False  # a Mandarin 不 reaches as far as the next feeling
                place += count
                break
        else:
            place += 1


def _look_up(tokens: Sequence[str], lexicon: FeelingLexicon) -> tuple[str, _Word | None]:
    known = lexicon.words
    mandarin = tokens[0] >= "\u4e00"
    name = ("" if mandarin else " ").join(tokens)
    word = known.get(tuple(tokens))
    if word is None and not mandarin:
        for ending, instead in _ENDINGS:
            stem = tokens[-1].removesuffix(ending) + instead
            if tokens[-1].endswith(ending) and (word := known.get((*tokens[:-1], stem))) is not None:
                break
    return name, word or (_by_name(name) if lexicon.knows_emotions else None)


@functools.lru_cache(maxsize=10_000)
def _by_name(name: str) -> _Word | None:
    if not name.replace(" ", "").isalpha():
        return None  # a closed set overlooks punctuation, behind which something else begins
    try:
        emotion = Emotion.parse(name)
    except RecordError:
        return None
    return _Word(vad=TYPICAL_VAD[emotion], emotions=(emotion,))


@functools.cache
def _known_words() -> FeelingLexicon:
    """Return the built-in lexicon; later tables override earlier ones."""
    places: dict[str, Vad] = {}
    from_ear: dict[tuple[str, ...], _Word] = {}
    languages: tuple[Language, ...] = ("en", "zh")
    for language in languages:
        for phrase, entry in lexicon(language).items():
            if word := _from_lexicon([sense.value for sense in entry.means or entry.may_mean]):
                from_ear[_tokens(phrase)] = word
        places |= feeling_words(language)
    return FeelingLexicon(from_ear | dict(FeelingLexicon.of(places).words), knows_emotions=True)


def _modifiers() -> dict[tuple[str, ...], _Word]:
    """Return the words of strength and negation."""
    words: dict[tuple[str, ...], _Word] = {}
    for column, mark in enumerate((", ", "，")):
        for intensity, listed in STRENGTHS.items():
            words |= {_tokens(name): _Word(intensity=intensity) for name in listed[column].split(mark)}
        words |= {_tokens(name): _Word(negates=True) for name in NEGATIONS[column].split(mark)}
    return words


def _from_lexicon(values: Sequence[ClosedSet]) -> _Word | None:
    emotions = tuple(value for value in values if isinstance(value, Emotion))
    if not emotions:
        return None
    steps = (STEPS.get(value, math.nan) for value in values if isinstance(value, Intensity))
    intensity = next(steps, math.nan)
    return _Word(vad=_mean([TYPICAL_VAD[emotion] for emotion in emotions]), emotions=emotions, intensity=intensity)


def _tokens(phrase: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(phrase.casefold()))
