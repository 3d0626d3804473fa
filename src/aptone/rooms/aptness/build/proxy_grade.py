"""Grade of a clip for a line, in place of people: the formula of the proxy benchmark, and all its numbers.

place(emotion, intensity) = strength[intensity] · the emotion's typical valence, arousal, dominance
distance                  = |place(clip) - place(line)|, Euclidean
grade                     = 5 · max(0, 1 - distance / reach) · (condition_factor if the conditions differ, else 1)
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from aptone.errors import RecordError, UsageError
from aptone.types import TYPICAL_VAD, Emotion, Json, Language, loads

NARRATION: Mapping[str, Mapping[Language, tuple[str, ...]]] = {
    "phone": {
        "en": (
            "The voice came over the phone.",
            "It was the other one who spoke now, on the phone from the station.",
            "The answer crackled out of the telephone receiver.",
            "Nobody else was in the room; the call had been put on speaker.",
        ),
        "zh": (
            "电话里传来了声音。",
            "对方在电话那头接着说。",
            "听筒里的人停了一下，开口说道。",
            "手机开着免提，屋里没有别人。",
        ),
    },
    "far-field": {
        "en": (
            "The words came from the far end of the hall.",
            "Someone called across the yard, a long way off.",
            "The voice came from a distance, from the other side of the empty church.",
            "It was said three rooms away.",
        ),
        "zh": (
            "声音从走廊的尽头传来。",
            "有人隔着院子远远地说。",
            "远处传来了一个声音，在空荡荡的礼堂里回响。",
            "话是从隔着两间屋子的地方说的。",
        ),
    },
    "intermittent": {
        "en": (
            "The connection kept breaking up.",
            "The signal was poor, and only pieces of what was said got through.",
            "The sound cut in and out.",
            "Every second word was swallowed by the bad line.",
        ),
        "zh": (
            "信号很差，声音断断续续。",
            "网络一卡一卡的，话只传来一半。",
            "声音时有时无。",
            "线路不好，每隔几个字就丢一个。",
        ),
    },
}
"""Some of them in words that the built-in planner looks for, some not: writers do not know its list."""


class Fit(StrEnum):
    """Fit of a clip to its line, in three classes."""

    FITS = "fits"
    HALF = "half fits"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """Everything that the benchmark depends on besides the data.

    Args:
        emotions: ``as they occur`` in the dialogues, or ``equal``: as many lines of each.
        half_within: a clip of another emotion half fits up to this distance.
        contradicts_from: and contradicts from this distance on; what lies between is not sampled.
        reach: the distance at which the grade is 0.
        strength: distance factor from neutral by intensity; clips without one have 1.
        asked: share of lines whose narration asks for a recording condition.
        answered: share of those whose clip has it.
        unasked: share of all other lines whose clip has a condition that nobody asked for.
        condition_factor: factor of the grade when the clip lacks the condition of the line.
    """

    seed: int = 1
    items: int = 1200
    emotions: str = "as they occur"
    shares: Mapping[str, float] = field(default_factory=lambda: {fit.value: 1 / 3 for fit in Fit})
    half_within: float = 0.8
    contradicts_from: float = 0.9
    reach: float = 1.5
    strength: Mapping[str, float] = field(default_factory=lambda: {"normal": 0.8, "strong": 1.2})
    asked: float = 0.2
    answered: float = 0.6
    unasked: float = 0.1
    conditions: tuple[str, ...] = ("phone", "far-field", "intermittent")
    condition_factor: float = 0.6

    def __post_init__(self) -> None:
        if self.items < 1:
            raise UsageError(f"a benchmark has one item or more, got {self.items}.")
        if self.emotions not in ("as they occur", "equal"):
            raise UsageError(f"emotions are drawn as they occur, or equal; got {self.emotions!r}.")
        if set(self.shares) != {fit.value for fit in Fit} or not math.isclose(math.fsum(self.shares.values()), 1.0):
            raise UsageError(f"the shares of {', '.join(Fit)} sum to 1, got {dict(self.shares)}.")
        if unknown := sorted(set(self.conditions) - set(NARRATION)):
            raise UsageError(f"no clip can be given the condition {unknown[0]!r}; known are {', '.join(NARRATION)}.")
        if not all(0.0 <= share <= 1.0 for share in (self.asked, self.answered, self.unasked, self.condition_factor)):
            raise UsageError("asked, answered, unasked and condition_factor lie between 0 and 1.")
        if not 0.0 < self.half_within <= self.contradicts_from or self.reach <= 0.0:
            raise UsageError("distances: 0 < half_within <= contradicts_from, and reach is positive.")

    def with_overrides(self, *, seed: int | None = None, items: int | None = None) -> "ProxySettings":
        """The same with another seed or number of items, where one is given."""
        return replace(self, seed=self.seed if seed is None else seed, items=self.items if items is None else items)

    def as_json(self) -> dict[str, Json]:
        """Return the settings as they are written beside the benchmark."""
        return {**asdict(self), "conditions": list(self.conditions)}


def load_settings(path: Path) -> ProxySettings:
    """The settings in a file: a JSON object with some of the fields of `ProxySettings`, or a whole ``proxy.json``.

    Raises:
        RecordError: if it cannot be used; the message says why.
    """
    try:
        given = loads(path.read_bytes(), what=str(path))
        fields = given.get("settings", given) if isinstance(given, Mapping) else None
        if not isinstance(fields, Mapping):
            raise TypeError("expected a JSON object")
        known: dict[str, Any] = {**fields}
        if "conditions" in known:
            known["conditions"] = tuple(known["conditions"])
        return ProxySettings(**known)
    except (OSError, TypeError, ValueError, UsageError) as error:
        raise RecordError(f"{path}: no settings of this benchmark ({error}).") from error


def grade(
    line: Emotion, acted: Emotion, *, intensity: str = "", same_condition: bool = True, settings: ProxySettings
) -> float:
    """Grade how well an acted emotion fits that of a line, 0 to 5; the formula of this module.

    >>> grade(Emotion.NEUTRAL, Emotion.NEUTRAL, settings=ProxySettings())
    5.0
    >>> round(grade(Emotion.HAPPY, Emotion.ANGRY, intensity="strong", settings=ProxySettings()), 2)
    0.18
    """
    left = max(0.0, 1.0 - distance(line, acted, intensity=intensity, settings=settings) / settings.reach)
    return 5.0 * left * (1.0 if same_condition else settings.condition_factor)


def distance(line: Emotion, acted: Emotion, *, intensity: str = "", settings: ProxySettings) -> float:
    """Distance of an acted emotion from that of a line in valence, arousal and dominance."""
    scale = settings.strength.get(intensity, 1.0)
    places = [(vad.valence, vad.arousal, vad.dominance) for vad in (TYPICAL_VAD[line], TYPICAL_VAD[acted])]
    return math.dist(places[0], [scale * value for value in places[1]])


def fit_of(line: Emotion, acted: Emotion, *, intensity: str, settings: ProxySettings) -> Fit | None:
    """The class of a clip for a line; None for one that lies between two classes."""
    if line is acted:
        return Fit.FITS
    far = distance(line, acted, intensity=intensity, settings=settings)
    if far <= settings.half_within:
        return Fit.HALF
    return Fit.CONTRADICTS if far >= settings.contradicts_from else None
