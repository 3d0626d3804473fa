"""The ways of asking in words: for readers, for chat models, and for speakers that are told how to speak."""

from collections.abc import Mapping

from aptone.rooms.answer.records import Dimension
from aptone.types import Language

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
        Dimension.SARCASM: {
            "sincere": "sincerely, as it is meant",
            "sarcastic": "sarcastically, meaning the opposite",
        },
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
"""What a speaker that takes words is told, besides feelings."""


def described(dimension: Dimension, category: str, *, language: Language) -> str:
    """A way of asking in words.

    >>> described(Dimension.AGE, "child", language="en")
    'by a child'
    """
    return DESCRIBED[language][dimension][category]
