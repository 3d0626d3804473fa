"""What says how an answer sounds: the built-in ear, or a model that hears and chats."""

import asyncio
from collections.abc import Mapping
from typing import Protocol

from aptone.ear import load_ear
from aptone.ear.describe import Pitch, Rate, Style, Volume, describe, narrow, style_of
from aptone.ear.licences import ear_and_licence
from aptone.ear.perceive import ear_name
from aptone.models import About
from aptone.rooms.answer.records import AnswerStyle
from aptone.run import Call
from aptone.types import Audio, ClosedSet, Language, Perception, signature

REVISION = 1

NORMAL = "normal"
RATES: Mapping[ClosedSet, str] = {
    Rate.VERY_SLOW: "slow",
    Rate.SLOW: "slow",
    Rate.MODERATE: NORMAL,
    Rate.FAST: "fast",
    Rate.VERY_FAST: "fast",
}
VOLUMES: Mapping[ClosedSet, str] = {
    Volume.VERY_SOFT: "quiet",
    Volume.SOFT: "quiet",
    Volume.MEDIUM: NORMAL,
    Volume.LOUD: "loud",
    Volume.VERY_LOUD: "loud",
}
PITCHES: Mapping[ClosedSet, str] = {
    Pitch.VERY_LOW: "low",
    Pitch.LOW: "low",
    Pitch.MEDIUM: NORMAL,
    Pitch.HIGH: "high",
    Pitch.VERY_HIGH: "high",
}
"""The ear's five steps to the three that a judge of answers reads."""

UNMEASURED = "the ear could not measure it"


class StyleListener(Protocol):
    """Says how answers sound."""

    @property
    def about(self) -> About:
        """What a user must know before it runs: above all, where recordings go."""
        ...

    @property
    def signature(self) -> str:
        """Everything that a style depends on besides the recording."""
        ...

    async def listen(self, audio: Audio, call: Call, /, *, language: Language) -> AnswerStyle:
        """How an answer sounds.

        Args:
            audio: the answer.
            call: of the runner: cache, seed, budget.
            language: that is spoken.

        Raises:
            TransientError: if another try may succeed.
            UnusableReplyError: if a model did not say how it sounds.
        """
        ...


class EarListener:
    """The built-in ear.

    Args:
        ear: ``full`` or ``permissive``; ``None`` for the one that ``APTONE_EAR`` names, or else ``full``.

    Raises:
        UsageError: if there is no such ear.
    """

    def __init__(self, *, ear: str | None = None) -> None:
        self._ear = ear_name(ear)

    @property
    def about(self) -> About:
        """Whose weights it uses."""
        return About(licence=ear_and_licence(self._ear))

    @property
    def signature(self) -> str:
        """The ear, and how its numbers become words."""
        return signature("answer-style:ear", {"ear": load_ear(self._ear).signature, "revision": REVISION})

    async def listen(self, audio: Audio, call: Call, /, *, language: Language) -> AnswerStyle:
        """How an answer sounds; see `StyleListener`."""
        perception = await asyncio.to_thread(load_ear(self._ear).perceive, audio, language=language)
        return heard_style(perception, language=language)


def heard_style(perception: Perception, *, language: Language) -> AnswerStyle:
    """What an ear heard as the style of an answer; what it could not judge stands under `AnswerStyle.unknown`."""
    style = style_of(perception, language=language)
    found = {
        "rate": RATES[style.rate] if style.rate else "",
        "volume": VOLUMES[style.volume] if style.volume else "",
        "pitch": PITCHES[style.pitch] if style.pitch else "",
    }
    unknown = {name: perception.unjudged.get("measures", UNMEASURED) for name, value in found.items() if not value}
    if not perception.emotion:
        unknown["emotion"] = perception.unjudged.get("emotion", UNMEASURED)
    told = narrow(style, ("emotion", "intensity", "sex", "pitch", "pitch_variation", "rate", "volume", "texture"))
    return AnswerStyle(
        emotion=dict(perception.emotion),
        **found,
        description=describe(told, language=language) if told != Style() else "",
        unknown=unknown,
    )
