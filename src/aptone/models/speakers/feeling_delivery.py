"""How a feeling is said by a synthesiser: rate, pitch, range and loudness, or words, at three strengths."""

from collections.abc import Mapping
from enum import StrEnum

from aptone.models.speakers.delivery import Delivery, wandering
from aptone.types import Emotion, Language


class Strength(StrEnum):
    """How clearly a feeling is shown."""

    SUBTLE = "subtle"
    NORMAL = "normal"
    EXAGGERATED = "exaggerated"


SCALES: Mapping[Strength, float] = {Strength.SUBTLE: 0.5, Strength.NORMAL: 1.0, Strength.EXAGGERATED: 1.6}
"""How far a delivery goes from a plain one, relative to normal."""

DELIVERIES: Mapping[Emotion, Delivery] = {
    Emotion.NEUTRAL: Delivery(),
    Emotion.CALM: Delivery(rate=0.88, pitch=0.95, range=0.75, decibels=-2.0),
    Emotion.HAPPY: Delivery(rate=1.1, pitch=1.25, range=1.7, decibels=2.0),
    Emotion.SAD: Delivery(rate=0.8, pitch=0.92, range=0.6, decibels=-4.0),
    Emotion.ANGRY: Delivery(rate=1.2, pitch=1.2, range=1.6, decibels=5.0),
    Emotion.FEAR: Delivery(rate=1.25, pitch=1.35, range=1.2, decibels=0.0),
    Emotion.SURPRISE: Delivery(rate=1.12, pitch=1.3, range=1.9, decibels=3.0),
    Emotion.DISGUST: Delivery(rate=0.85, pitch=0.9, range=0.8, decibels=1.0),
}
"""How a feeling is said at normal strength: rate, pitch and loudness move as Scherer (2003, *Vocal communication of
emotion*) sums up what was measured; the sizes are ours, chosen so that a synthesiser still speaks clearly."""

WORDS: Mapping[Language, Mapping[Strength, str]] = {
    "en": {
        Strength.SUBTLE: "Speak with a trace of this feeling only: {feeling}.",
        Strength.NORMAL: "Speak so that this feeling is clearly heard: {feeling}.",
        Strength.EXAGGERATED: "Speak with this feeling at its strongest, as on a stage: {feeling}.",
    },
    "zh": {
        Strength.SUBTLE: "说话时只带一点点这种情绪：{feeling}。",
        Strength.NORMAL: "说话时让人清楚地听出这种情绪：{feeling}。",
        Strength.EXAGGERATED: "像在舞台上一样，把这种情绪表现到最强烈：{feeling}。",
    },
}
"""What speakers that take words are told."""


def instruction(emotion: Emotion, strength: Strength, *, language: Language) -> str:
    """How a line is to be said, in words; empty for a neutral one."""
    if emotion is Emotion.NEUTRAL:
        return ""
    return WORDS[language][strength].format(feeling=emotion.label(language))


def drawn_delivery(emotion: Emotion, strength: Strength, *, attempt: int, name: str) -> Delivery:
    """How a line is said: at first as the table says, then a little differently each time.

    Args:
        emotion: that is to be heard.
        strength: how clearly.
        attempt: from 1 on.
        name: of the line; what is drawn depends on it and on the attempt only.

    >>> drawn_delivery(Emotion.NEUTRAL, Strength.NORMAL, attempt=3, name="turn")
    Delivery(rate=1.0, pitch=1.0, range=1.0, decibels=0.0)
    """
    return wandering(DELIVERIES[emotion].scaled(SCALES[strength]), attempt=attempt, name=name)
