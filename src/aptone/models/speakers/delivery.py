"""How a line is said, as far as synthesisers can be told: rate, pitch, range of pitch, loudness.

Engines differ in what they offer. All of them can be faster or slower; espeak-ng also takes a pitch, flite a pitch and
its range for most of its voices; a server takes words. Loudness is set afterwards, for any of them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aptone.types import Audio

ESPEAK_PITCHES = ((-0.43, 0), (-0.28, 25), (0.0, 50), (0.36, 75), (0.75, 99))
"""Octaves above the usual pitch, measured, and espeak-ng's number for them."""
FLITE_PITCHES: Mapping[str, tuple[float, float]] = {
    "": (95.0, 11.0),
    "kal": (95.0, 11.0),
    "kal16": (95.0, 11.0),
    "awb": (128.0, 23.0),
    "slt": (171.0, 27.0),
}
"""Usual mean and deviation of the pitch of flite's voices, in Hz; the voice rms cannot be told a pitch."""
TOLD_IN_WORDS = frozenset({"api"})
"""Speakers that take an instruction."""
WANDER = 0.25
"""By which share of its strength a delivery may differ when a line is said again."""
FULL_SCALE = 0.99
"""Largest sample after a line was made louder."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a line is said, relative to how the same voice says it without any feeling.

    Args:
        rate: how many times faster.
        pitch: how many times higher.
        range: how many times further the pitch moves.
        decibels: how much louder.
    """

    rate: float = 1.0
    pitch: float = 1.0
    range: float = 1.0
    decibels: float = 0.0

    def __post_init__(self) -> None:
        if not (self.rate > 0 and self.pitch > 0 and self.range > 0 and math.isfinite(self.decibels)):
            raise ValueError(f"rate, pitch and range are positive, got {self}.")

    def scaled(self, strength: float) -> "Delivery":
        """The same with its distance from a plain delivery so many times as large.

        >>> Delivery(rate=2.0, decibels=3.0).scaled(2.0)
        Delivery(rate=4.0, pitch=1.0, range=1.0, decibels=6.0)
        """
        rate, pitch, reach = (value**strength for value in (self.rate, self.pitch, self.range))
        return Delivery(rate, pitch, reach, self.decibels * strength)


def wandering(delivery: Delivery, *, attempt: int, name: str) -> Delivery:
    """A delivery for another attempt at the same line: the first is as it is, later ones differ a little in strength.

    Args:
        delivery: of the first attempt.
        attempt: from 1 on.
        name: of the line; what is drawn depends on it and on the attempt only.
    """
    if attempt == 1:
        return delivery
    drawn = np.random.default_rng([attempt, *name.encode()]).uniform(1.0 - WANDER, 1.0 + WANDER, size=3)
    rate, pitch, reach = (
        value ** float(share)
        for value, share in zip((delivery.rate, delivery.pitch, delivery.range), drawn, strict=True)
    )
    return Delivery(rate, pitch, reach, delivery.decibels)


class Told(NamedTuple):
    """What an engine is told, and what it understands of it.

    Args:
        options: further arguments of its program.
        dials: which of rate, pitch, range and loudness are set.
    """

    options: tuple[str, ...]
    dials: tuple[str, ...]


def engine_options(speaker: str, delivery: Delivery, *, voice: str) -> Told:
    """What an engine has to be told besides the speed.

    Args:
        speaker: its name.
        delivery: how the line is to be said.
        voice: whose; empty for the engine's usual one.

    >>> engine_options("espeak-ng", Delivery(), voice="").options
    ('-p', '50')
    >>> engine_options("piper", Delivery(pitch=2.0), voice="").dials
    ('rate', 'loudness')
    """
    if speaker == "espeak-ng":
        octaves, numbers = zip(*ESPEAK_PITCHES, strict=True)
        number = round(float(np.interp(math.log2(delivery.pitch), octaves, numbers)))
        return Told(("-p", str(number)), ("rate", "pitch", "loudness"))
    if speaker == "flite" and voice in FLITE_PITCHES:
        mean, deviation = FLITE_PITCHES[voice]
        options = (
            "--setf",
            f"int_f0_target_mean={mean * delivery.pitch:.2f}",
            "--setf",
            f"int_f0_target_stddev={deviation * delivery.pitch * delivery.range:.2f}",
        )
        return Told(options, ("rate", "pitch", "range", "loudness"))
    return Told((), ("rate", "loudness"))


def louder(audio: Audio, decibels: float) -> Audio:
    """A recording made louder or softer, but not so loud that it would clip."""
    gain = 10.0 ** (decibels / 20.0)
    peak = float(np.abs(audio.samples).max(initial=0.0))
    if gain * peak > FULL_SCALE:
        gain = FULL_SCALE / peak
    return Audio(audio.samples * np.float32(gain), rate=audio.rate, source=audio.source)
