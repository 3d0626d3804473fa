"""Is the planned feeling heard? By direction, against the same words said by the same voice without any feeling.

A synthesiser's voice as such may sound sad or excited to an ear that was trained on actors, so what it hears is
compared with a plain reading, and only the direction counts: an angry line must sound more aroused and less pleasant
than the plain one. Where the ear hears no difference, or nothing at all, the turn is *unverified*; it is never taken
for checked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from aptone.audio import resample
from aptone.ear.perceive import HEARING_RATE, load_ear
from aptone.messages import known_name, message
from aptone.types import Audio, Emotion, Vad

CLEAR = 0.05
"""By how much the ear's valence or arousal must differ from the plain reading to count as heard."""
AGAINST: Mapping[str, float] = {"arousal": 0.1, "valence": 0.2}
"""By how much it must differ the wrong way to count as contradicted: an ear is less sure of valence than of arousal."""

DIRECTIONS: Mapping[Emotion, Mapping[str, int]] = {
    Emotion.NEUTRAL: {},
    Emotion.CALM: {"arousal": -1},
    Emotion.HAPPY: {"arousal": 1, "valence": 1},
    Emotion.SAD: {"arousal": -1, "valence": -1},
    Emotion.ANGRY: {"arousal": 1, "valence": -1},
    Emotion.FEAR: {"arousal": 1, "valence": -1},
    Emotion.SURPRISE: {"arousal": 1},
    Emotion.DISGUST: {"valence": -1},
}
"""Direction in which a feeling moves valence and arousal."""


class Verdict(StrEnum):
    """Verdict on a planned feeling."""

    HEARD = "heard"
    UNVERIFIED = "unverified"
    CONTRADICTED = "contradicted"


RANKS: Mapping[Verdict, int] = {Verdict.HEARD: 2, Verdict.UNVERIFIED: 1, Verdict.CONTRADICTED: 0}
"""Ranks for choosing between attempts: the highest is kept."""


class Hearing(NamedTuple):
    """Valence, arousal and dominance that the ear hears in a recording, or the reason why it hears none; emotions."""

    vad: Vad | None = None
    why: str = ""
    emotions: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Check:
    """Result of a check, with the reason where the feeling is not heard."""

    verdict: Verdict
    reason: str = ""


def check_feeling(emotion: Emotion, heard: Vad | None, plain: Vad | None, *, why: str = "") -> Check:
    """Check whether a feeling is heard.

    Args:
        heard: perception of the line as it was said; ``None`` where the ear could not judge.
        plain: perception of the same words without any feeling; likewise.
        why: the ear could not judge.

    >>> check_feeling(Emotion.ANGRY, Vad(-0.2, 0.3, 0.0), Vad(0.0, 0.0, 0.0)).verdict.value
    'heard'
    >>> check_feeling(Emotion.SAD, Vad(-0.2, 0.2, 0.0), Vad(0.0, 0.0, 0.0))
    Check(verdict=<Verdict.CONTRADICTED: 'contradicted'>, reason='arousal goes up by 0.20, planned was down')
    """
    directions = DIRECTIONS[emotion]
    if not directions:
        return Check(Verdict.UNVERIFIED, message("ear.neutral-unchecked"))
    if heard is None or plain is None:
        return Check(Verdict.UNVERIFIED, why or message("ear.could-not-judge"))
    unclear = ""
    for name, direction in directions.items():
        moved = getattr(heard, name) - getattr(plain, name)
        if moved * direction < -AGAINST[name]:
            ways = ("up", "down") if moved > 0 else ("down", "up")
            way, planned = (message(f"ear.{one}") for one in ways)
            reason = message("ear.moved-otherwise", what=known_name(name), way=way, count=abs(moved), planned=planned)
            return Check(Verdict.CONTRADICTED, reason)
        if moved * direction < CLEAR:
            unclear = unclear or message("ear.differs-little", what=known_name(name), count=moved)
    return Check(Verdict.UNVERIFIED, unclear) if unclear else Check(Verdict.HEARD)


def hear_feeling(audio: Audio, *, ear: str) -> Hearing:
    """Return what the ear of that name hears in a recording."""
    perception = load_ear(ear).perceive(resample(audio, rate=HEARING_RATE))
    return Hearing(perception.vad, perception.unjudged.get("vad", ""), perception.emotion)
