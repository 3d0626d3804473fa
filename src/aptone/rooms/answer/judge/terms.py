"""Closed vocabulary for the style of a question and the sound of an answer.

Speaking styles are the categories of the benchmark, or a manner in words: ``unfriendly, fast, loud``. Answers are what
an ear or an audio-chat model says of them, in either of the house's languages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from aptone.ear.describe.attributes import Pitch, Rate, Volume
from aptone.errors import RecordError
from aptone.rooms.answer.data import AnswerStyle, Dimension
from aptone.types import ClosedSet, Emotion, Language

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
"""How a sentence is said."""

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
        rate: one of `RATES`; empty where it is not known.
        volume: one of `VOLUMES`; likewise.
        pitch: one of `PITCHES`; likewise.
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
