"""Closed vocabulary for the style of a question and the sound of an answer.

Speaking styles are the categories of the benchmark, or a manner in words: ``unfriendly, fast, loud``. Answers are what
an ear or an audio-chat model says of them, in either of the house's languages.

What fits which speaking style is a table (``complements.json``), read once and checked.
"""

import functools
import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from aptone.ear.describe.attributes import Pitch, Rate, Volume
from aptone.errors import RecordError
from aptone.rooms.answer.data import CATEGORIES, AnswerStyle, Dimension
from aptone.types import ClosedSet, Emotion, Language, loads

DESCRIBED: Mapping[Language, Mapping[Dimension, Mapping[str, str]]] = {
    "en": {
        Dimension.EMOTION: {
            "happy": "in a happy voice",
            "surprised": "in a surprised voice",
            "sad": "in a sad voice",
            "angry": "in an angry voice",
            "fear": "in a frightened voice",
            "disgust": "in a disgusted voice",
        },
        Dimension.SARCASM: {"sincere": "sincerely, as it is meant", "sarcastic": "sarcastically, meaning the opposite"},
        Dimension.AGE: {"adult": "by an adult", "child": "by a child"},
        Dimension.GENDER: {"male": "by a man", "female": "by a woman"},
    },
    "zh": {
        Dimension.EMOTION: {
            "happy": "用高兴的语气",
            "surprised": "用惊讶的语气",
            "sad": "用难过的语气",
            "angry": "用生气的语气",
            "fear": "用害怕的语气",
            "disgust": "用厌恶的语气",
        },
        Dimension.SARCASM: {"sincere": "真心实意地，说的就是心里话", "sarcastic": "用讽刺的语气，说的是反话"},
        Dimension.AGE: {"adult": "由成年人", "child": "由孩子"},
        Dimension.GENDER: {"male": "由男性", "female": "由女性"},
    },
}
"""Descriptions of the delivery of a sentence."""

INSTRUCTIONS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "sincere": "Speak warmly and mean every word: an honest, friendly tone.",
        "sarcastic": "Speak with dry sarcasm: drawn out, flat where praise would rise, so that the opposite is clear.",
        "adult": "Speak as a grown-up, in a plain, natural tone.",
        "child": "Speak as a child of about seven, in a plain, natural tone.",
        "male": "Speak as a man, in a plain, natural tone.",
        "female": "Speak as a woman, in a plain, natural tone.",
    },
    "zh": {
        "sincere": "语气真诚、友好，每个字都是真心话。",
        "sarcastic": "用冷冷的讽刺语气：拖长，该赞美处反而平淡，让人听出是反话。",
        "adult": "以成年人自然平常的语气说话。",
        "child": "以七岁左右孩子自然平常的语气说话。",
        "male": "以男性自然平常的语气说话。",
        "female": "以女性自然平常的语气说话。",
    },
}
"""Instructions to a speaker that follows text, besides emotions."""


def style_phrase(dimension: Dimension, category: str, *, language: Language) -> str:
    """A speaking style in words.

    >>> style_phrase(Dimension.AGE, "child", language="en")
    'by a child'
    """
    return DESCRIBED[language][dimension][category]


SoundEmotion = Literal[
    "neutral", "calm", "friendly", "happy", "playful", "surprise", "sad", "angry", "fear", "disgust", "boredom"
]
SOUND_EMOTIONS: tuple[SoundEmotion, ...] = get_args(SoundEmotion)
"""Emotions of an answer in the table: the ear's emotions, and friendliness."""

MANNERS = ("neutral", "friendly", "unfriendly", "cheerful", "sad")
"""Feelings of StyleTalk, in questions and in answers."""

RATES = ("slow", "normal", "fast")
VOLUMES = ("quiet", "normal", "loud")
PITCHES = ("low", "normal", "high")

_WORDS_OF: Mapping[SoundEmotion, str] = {
    "friendly": "friendly warm kind gentle caring sympathetic empathetic hopeful 友善 温暖 亲切",
    "happy": "cheerful excited enthusiastic",
    "angry": "unfriendly annoyed frustrated",
    "fear": "worried anxious",
    "calm": "reassuring soothing",
    "neutral": "serious",
    "playful": "dry amused",
}
_OTHER_WORDS = {word: emotion for emotion, words in _WORDS_OF.items() for word in words.split()}
"""Words for emotions that the ear's closed set does not have."""

_EMOTIONS_OF: Mapping[str, tuple[SoundEmotion, ...]] = {
    "neutral": ("neutral", "boredom"),
    "friendly": ("calm", "friendly"),
    "cheerful": ("happy", "playful", "surprise"),
    "sad": ("sad", "fear"),
    "unfriendly": ("angry", "disgust"),
}
_MANNER_OF = {emotion: manner for manner, emotions in _EMOTIONS_OF.items() for emotion in emotions}


@dataclass(frozen=True, slots=True)
class Sound:
    """Sound of an answer.

    Args:
        emotion: share of each of `SOUND_EMOTIONS` that is known, together 1; empty where nothing is known.
        rate, volume, pitch: of `RATES`, `VOLUMES` and `PITCHES`; empty where it is not known.
    """

    emotion: Mapping[SoundEmotion, float] = field(default_factory=dict)
    rate: str = ""
    volume: str = ""
    pitch: str = ""

    @property
    def is_known(self) -> bool:
        """Return whether any term is known."""
        return bool(self.emotion or self.rate or self.volume or self.pitch)

    @property
    def manner(self) -> dict[str, float]:
        """The emotion in StyleTalk's terms."""
        shares: dict[str, float] = {}
        for emotion, share in self.emotion.items():
            shares[_MANNER_OF[emotion]] = shares.get(_MANNER_OF[emotion], 0.0) + share
        return shares


@dataclass(frozen=True, slots=True)
class Manner:
    """Style of a question in StyleTalk's terms; empty where unknown."""

    feeling: str
    rate: str = ""
    volume: str = ""


def sound_of(style: AnswerStyle) -> Sound:
    """The sound of an answer in our terms; words that mean none of them are left out.

    >>> sound_of(AnswerStyle(emotion={"cheerful": 1.0}, rate="very fast", volume="很轻"))
    Sound(emotion={'happy': 1.0}, rate='fast', volume='quiet', pitch='')
    """
    shares: dict[SoundEmotion, float] = {}
    for name, share in style.emotion.items():
        emotion = sound_emotion(name)
        if emotion is not None and share > 0:
            shares[emotion] = shares.get(emotion, 0.0) + share
    total = sum(shares.values())
    return Sound(
        {emotion: share / total for emotion, share in shares.items()},
        _side(Rate, style.rate, RATES),
        _side(Volume, style.volume, VOLUMES),
        _side(Pitch, style.pitch, PITCHES),
    )


def sound_emotion(name: str) -> SoundEmotion | None:
    """Return which of `SOUND_EMOTIONS` a word means; ``None`` where it means none.

    >>> sound_emotion("Joyful"), sound_emotion("友善"), sound_emotion("purple")
    ('happy', 'friendly', None)
    """
    plain = name.strip().casefold()
    if plain in _OTHER_WORDS:
        return _OTHER_WORDS[plain]
    try:
        found = Emotion.parse(name).value
    except RecordError:
        return None
    return next(emotion for emotion in SOUND_EMOTIONS if emotion == found)


def manner_of(words: str) -> Manner | None:
    """A manner of asking, from words with commas between them; ``None`` where the first is no feeling of `MANNERS`.

    >>> manner_of("unfriendly, fast, loud")
    Manner(feeling='unfriendly', rate='fast', volume='loud')
    """
    feeling, *rest = (word.strip().casefold() for word in words.split(","))
    if feeling not in MANNERS:
        return None
    rate = next((side for word in rest if (side := _side(Rate, word, RATES))), "")
    volume = next((side for word in rest[1:] or rest if (side := _side(Volume, word, VOLUMES))), "")
    return Manner(feeling, rate, volume)


def _side(steps: type[ClosedSet], text: str, names: tuple[str, ...]) -> str:
    """On which side of the middle of five steps a value lies, by name; empty where it is none of the five."""
    try:
        return three_steps(steps.parse(text), names)
    except RecordError:
        return ""


def three_steps(value: ClosedSet, names: tuple[str, ...]) -> str:
    """The one of three names, such as `RATES`, that one of five steps is called by.

    >>> three_steps(Rate.VERY_SLOW, RATES), three_steps(Rate.MODERATE, RATES)
    ('slow', 'normal')
    """
    place = list(type(value)).index(value)
    return names[(place > 1) + (place > 2)]


SHIPPED = Path(__file__).parent / "complements.json"

WEIGHTS = {"emotion": 0.6, "rate": 0.15, "volume": 0.15, "pitch": 0.1}
"""Weight of each part of the sound; what is not known drops out with its share."""

LEAST = 0.02
"""Floor of a fit, so that one part alone never decides everything."""

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "emotion": SOUND_EMOTIONS,
    "rate": RATES,
    "volume": VOLUMES,
    "pitch": PITCHES,
}


@dataclass(frozen=True, slots=True)
class Complement:
    """Fitting answers to one speaking style.

    Args:
        reason: reason in a sentence, by language.
        emotion: fit of each emotion of an answer, 0 to 1.
        opposes: speaking styles of the same dimension whose signs are wrong here.
        signs: words that show that the speaking style was understood, by language.
        examples: fitting answers, by language.
        brief: whether a short answer is better.
        simple: 1 where simple wording is better, -1 where it is a little worse, 0 where it does not matter.
        asked: the manner of `MANNERS` that stands for it in the learned model; empty where none does.
        learned: share of the learned model in how well a sound fits; the rest is the table's.
    """

    reason: Mapping[Language, str]
    emotion: Mapping[str, float]
    rate: Mapping[str, float]
    volume: Mapping[str, float]
    pitch: Mapping[str, float]
    opposes: tuple[str, ...] = ()
    signs: Mapping[Language, tuple[str, ...]] = field(default_factory=dict)
    examples: Mapping[Language, tuple[str, ...]] = field(default_factory=dict)
    brief: bool = False
    simple: int = 0
    asked: str = ""
    learned: float = 0.0

    def sound_fit(self, sound: Sound) -> float:
        """Fit of a sound, 0 to 1: the weighted geometric mean over its known terms, of which there must be one.

        Geometric, so that a lively pace does not make up for an angry voice.
        """
        parts = {}
        if sound.emotion:
            parts["emotion"] = sum(share * self.emotion[name] for name, share in sound.emotion.items())
        for name, value in (("rate", sound.rate), ("volume", sound.volume), ("pitch", sound.pitch)):
            if value:
                parts[name] = getattr(self, name)[value]
        logarithms = (WEIGHTS[name] * math.log(max(fit, LEAST)) for name, fit in parts.items())
        return math.exp(math.fsum(logarithms) / math.fsum(WEIGHTS[name] for name in parts))


@dataclass(frozen=True, slots=True)
class Complements:
    """The whole table: rows by dimension and category, and by emotion of StyleTalk."""

    categories: Mapping[Dimension, Mapping[str, Complement]]
    manners: Mapping[str, Complement]
    hash: str


@functools.cache
def load_complements(path: Path = SHIPPED) -> Complements:
    """The table in a file.

    Raises:
        RecordError: if the file cannot be used; the message says why.
    """
    try:
        data = path.read_bytes()
        fields: Any = loads(data.decode())
        categories = {
            dimension: {name: _complement(name, fields["categories"][dimension.value][name]) for name in names}
            for dimension, names in CATEGORIES.items()
        }
        manners = {name: _complement(name, fields["manners"][name]) for name in MANNERS}
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError, AttributeError, RecordError) as error:
        raise RecordError(f"{path}: this is no table of what fits which way of asking: {error!r}") from error
    return Complements(categories, manners, hashlib.sha256(data).hexdigest()[:12])


def _complement(name: str, row: Mapping[str, Any]) -> Complement:
    for column, expected in _COLUMNS.items():
        given = row[column]
        if set(given) != set(expected) or not all(0.0 <= fit <= 1.0 for fit in given.values()):
            raise ValueError(f"{name}: {column} has a fit from 0 to 1 for each of {', '.join(expected)}")
    wording, learned = row.get("wording", {}), row.get("learned", {})
    return Complement(
        reason=row["reason"],
        **{column: row[column] for column in _COLUMNS},
        opposes=tuple(row.get("opposes", ())),
        signs={language: tuple(words) for language, words in row.get("signs", {}).items()},
        examples={language: tuple(texts) for language, texts in row.get("examples", {}).items()},
        brief=bool(wording.get("brief", False)),
        simple=int(wording.get("simple", 0)),
        asked=str(learned.get("asked", "")),
        learned=float(learned.get("share", 0.0)),
    )
