"""Speech with a known sound, after the words or under them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from aptone.audio import mix_in
from aptone.ear.describe import VocalEvent
from aptone.ear.measures.frames import HOP, loudness_track
from aptone.types import Audio
from recipes.claims.clips import active_level

QUIETEST = 30.0
"""Level in dB below its loudest frame at which a sound begins and ends."""
AROUND = 3
"""Frames kept before and after it."""
LONGEST = 2.0
"""Longest part of a sound in seconds."""
GAP = 0.15
"""Seconds of silence between the words and the sound after them."""
KINDS: Mapping[str, VocalEvent] = {
    "breathing": VocalEvent.BREATH,
    "coughing": VocalEvent.COUGH,
    "crying": VocalEvent.SOB,
    "crying_baby": VocalEvent.CRYING_BABY,
    "laughing": VocalEvent.LAUGHTER,
    "panting": VocalEvent.BREATH,
    "screaming": VocalEvent.SCREAM,
    "sighing": VocalEvent.SIGH,
    "sneezing": VocalEvent.SNEEZE,
    "throat-clearing": VocalEvent.THROAT_CLEARING,
    "yawning": VocalEvent.YAWN,
}
"""Names in ESC-50 and Deeply of sounds that a description can name."""


@dataclass(frozen=True, slots=True)
class Placing:
    """A way to mix a sound into speech."""

    name: str
    put: Callable[[Audio, Audio], Audio]


def active_part(sound: Audio) -> Audio:
    """Return the sound from its beginning, two seconds of it at most."""
    levels = loudness_track(sound.samples)
    loud = np.flatnonzero(levels >= levels.max() - QUIETEST)
    first = max(0, int(loud[0]) - AROUND) * HOP
    last = min(sound.samples.size, (int(loud[-1]) + 1 + AROUND) * HOP, first + round(LONGEST * sound.rate))
    return Audio(sound.samples[first:last], sound.rate, source=sound.source)


def behind(speech: Audio, sound: Audio) -> Audio:
    """Return the speech, a short silence, and the sound at the level of the speech."""
    part = active_part(sound)
    gain = 10.0 ** ((active_level(speech) - active_level(part)) / 20.0)
    silence = np.zeros(round(GAP * speech.rate), dtype=np.float32)
    joined = np.concatenate([speech.samples, silence, part.samples * np.float32(gain)])
    return Audio(joined, speech.rate, source=speech.source)


def under(level_db: float) -> Callable[[Audio, Audio], Audio]:
    """Return the speech with the sound under it, repeated, at a level in dB relative to it."""
    return lambda speech, sound: mix_in(speech, active_part(sound), level_db=level_db)


PLACINGS = (Placing("behind", behind), Placing("under, 0 dB", under(0.0)), Placing("under, -6 dB", under(-6.0)))
