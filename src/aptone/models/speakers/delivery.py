"""Delivery of a line by synthesisers: rate, pitch, pitch range and loudness, and the delivery of feelings.

Engines differ in their controls. All of them can be faster or slower; espeak-ng also takes a pitch, flite a pitch and
its range for most of its voices; a server takes an instruction in words. Loudness is set afterwards, for any of them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from aptone.types import Audio, Emotion, Language

ESPEAK_PITCHES = ((-0.43, 0), (-0.28, 25), (0.0, 50), (0.36, 75), (0.75, 99))
"""Octaves above the default pitch, measured, and espeak-ng's number for them."""
FLITE_PITCHES: Mapping[str, tuple[float, float]] = {
    "": (95.0, 11.0),
    "kal": (95.0, 11.0),
    "kal16": (95.0, 11.0),
    "awb": (128.0, 23.0),
    "slt": (171.0, 27.0),
}
"""Default mean and deviation of the pitch of flite's voices, in Hz; the voice rms takes no pitch."""
INSTRUCTED_SPEAKERS = frozenset({"api"})
"""Speakers that take an instruction."""
VARIATION = 0.25
"""Largest change of a delivery's strength, as a share, when a line is said again."""
FULL_SCALE = 0.99
"""Largest sample after a line was made louder."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """Delivery of a line, as factors on those of a neutral one of the same voice, and a gain in decibels."""

    rate: float = 1.0
    pitch: float = 1.0
    range: float = 1.0
    decibels: float = 0.0

    def __post_init__(self) -> None:
        if not (self.rate > 0 and self.pitch > 0 and self.range > 0 and math.isfinite(self.decibels)):
            raise ValueError(f"rate, pitch and range are positive, got {self}.")

    def scaled(self, strength: float) -> "Delivery":
        """Return the delivery with its distance from a neutral one scaled.

        >>> Delivery(rate=2.0, decibels=3.0).scaled(2.0)
        Delivery(rate=4.0, pitch=1.0, range=1.0, decibels=6.0)
        """
        rate, pitch, reach = (value**strength for value in (self.rate, self.pitch, self.range))
        return Delivery(rate, pitch, reach, self.decibels * strength)


def varied(delivery: Delivery, *, attempt: int, name: str) -> Delivery:
    """Return a delivery for another attempt at the same line: later attempts vary a little in strength.

    Args:
        attempt: number of the attempt, from 1.
        name: name of the line; the random variation depends on it and on the attempt only.
    """
    if attempt == 1:
        return delivery
    drawn = np.random.default_rng([attempt, *name.encode()]).uniform(1.0 - VARIATION, 1.0 + VARIATION, size=3)
    rate, pitch, reach = (
        value ** float(share)
        for value, share in zip((delivery.rate, delivery.pitch, delivery.range), drawn, strict=True)
    )
    return Delivery(rate, pitch, reach, delivery.decibels)


class EngineOptions(NamedTuple):
    """Arguments of an engine for a delivery, and the controls (rate, pitch, range, loudness) that they set."""

    options: tuple[str, ...]
    dials: tuple[str, ...]


def engine_options(speaker: str, delivery: Delivery, *, voice: str) -> EngineOptions:
    """Return the arguments of an engine for a delivery, besides the speed.

    >>> engine_options("espeak-ng", Delivery(), voice="").options
    ('-p', '50')
    >>> engine_options("piper", Delivery(pitch=2.0), voice="").dials
    ('rate', 'loudness')
    """
    if speaker == "espeak-ng":
        octaves, numbers = zip(*ESPEAK_PITCHES, strict=True)
        number = round(float(np.interp(math.log2(delivery.pitch), octaves, numbers)))
        return EngineOptions(("-p", str(number)), ("rate", "pitch", "loudness"))
    if speaker == "flite" and voice in FLITE_PITCHES:
        mean, deviation = FLITE_PITCHES[voice]
        options = (
            "--setf",
            f"int_f0_target_mean={mean * delivery.pitch:.2f}",
            "--setf",
            f"int_f0_target_stddev={deviation * delivery.pitch * delivery.range:.2f}",
        )
        return EngineOptions(options, ("rate", "pitch", "range", "loudness"))
    return EngineOptions((), ("rate", "loudness"))


def louder(audio: Audio, decibels: float) -> Audio:
    """Change the loudness of a recording, but not so far that it would clip."""
    gain = 10.0 ** (decibels / 20.0)
    peak = float(np.abs(audio.samples).max(initial=0.0))
    if gain * peak > FULL_SCALE:
        gain = FULL_SCALE / peak
    return Audio(audio.samples * np.float32(gain), rate=audio.rate, source=audio.source)


class Strength(StrEnum):
    """Strength of a feeling in the delivery."""

    SUBTLE = "subtle"
    NORMAL = "normal"
    EXAGGERATED = "exaggerated"


SCALES: Mapping[Strength, float] = {Strength.SUBTLE: 0.5, Strength.NORMAL: 1.0, Strength.EXAGGERATED: 1.6}
"""Distance of a delivery from a neutral one, relative to normal strength."""

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
"""Delivery of a feeling at normal strength. The directions of rate, pitch and loudness follow Scherer (2003, *Vocal
communication of emotion*); the sizes are ours, chosen so that a synthesiser still speaks clearly."""

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
"""Instructions for speakers that take words."""


def instruction(emotion: Emotion, strength: Strength, *, language: Language) -> str:
    """Return the instruction for a feeling; empty for a neutral one."""
    return "" if emotion is Emotion.NEUTRAL else WORDS[language][strength].format(feeling=emotion.label(language))


def sampled_delivery(emotion: Emotion, strength: Strength, *, attempt: int, name: str) -> Delivery:
    """Return the delivery of a feeling: that of the table at first, `varied` in later attempts.

    >>> sampled_delivery(Emotion.NEUTRAL, Strength.NORMAL, attempt=3, name="turn")
    Delivery(rate=1.0, pitch=1.0, range=1.0, decibels=0.0)
    """
    return varied(DELIVERIES[emotion].scaled(SCALES[strength]), attempt=attempt, name=name)
