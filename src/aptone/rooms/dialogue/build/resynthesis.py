"""Search for a delivery in which the ear hears a planned feeling: said again, otherwise, until it is heard.

Synthesisers by rule have no anger, only dials. Which setting of them an ear takes for anger depends on the voice and on
the words, so a turn is spoken several times: first as `DELIVERIES` has it, then at places of a box of deliveries that
fits the feeling, every other time near the best one so far. Brightness (spectral tilt: a pressed voice has more energy
in its high partials, a breathy one less) is set afterwards, for any engine. The best attempt is kept.

A feeling is *heard* where it moves valence and arousal as planned against a plain reading of the same words, and is
also likelier to the ear than in that reading: what is merely loud and unpleasant may be fear.

The boxes were chosen on lines of the bank that the benchmark does not speak (numbers 9 and 10 of three arcs), with
espeak-ng and flite, by what raised or lowered the ear's valence and arousal. No person has listened.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from aptone.ear.claims.feeling import DIRECTIONS, RANKS, Check, Hearing, Verdict, check_feeling
from aptone.messages import known_name, message
from aptone.models.speakers.delivery import DELIVERIES, FULL_SCALE, SCALES, Delivery, Strength
from aptone.types import Audio, Emotion

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """Ranges of rate, pitch and range (factors), and of brightness in decibels per octave, at normal strength."""

    rate: Range
    pitch: Range
    range: Range
    brightness: Range


BOXES: Mapping[Emotion, Box] = {
    Emotion.ANGRY: Box((1.1, 1.42), (1.3, 1.82), (0.9, 2.1), (0.0, 6.0)),
    Emotion.FEAR: Box((1.12, 1.42), (1.4, 1.8), (0.6, 1.6), (-4.0, 2.0)),
    Emotion.HAPPY: Box((1.08, 1.4), (0.92, 1.35), (0.9, 2.4), (0.0, 6.0)),
    Emotion.SAD: Box((0.75, 0.9), (0.82, 1.5), (0.5, 1.6), (-5.0, 1.0)),
    Emotion.CALM: Box((0.76, 0.93), (0.82, 1.2), (0.5, 1.5), (-4.0, 1.0)),
}
"""Deliveries to search for a feeling; those without a box are spoken by the table alone."""

NEAR = 0.2
"""Largest step from the best attempt, as a share of the box."""

PIVOT = 500.0
"""Frequency in Hz that brightness leaves as it is."""
MOST_GAIN = 24.0
"""Largest change of a frequency, in decibels."""

NAMED: Mapping[Emotion, frozenset[str]] = {Emotion.CALM: frozenset({Emotion.CALM.value, Emotion.NEUTRAL.value})}
"""Names by which an ear names a feeling, where that is not its own alone."""


@dataclass(frozen=True, slots=True)
class Voicing:
    """Delivery of an attempt, with the brightness that is set afterwards in decibels per octave."""

    delivery: Delivery
    brightness: float = 0.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the ear says of an attempt.

    Args:
        margin: smallest way that valence and arousal moved as planned; NaN where the ear could not judge.
        named: whether the feeling is the likeliest to the ear.
        share: its probability to the ear.
    """

    voicing: Voicing
    check: Check
    margin: float
    named: bool
    share: float = 0.0

    @property
    def rank(self) -> tuple[int, bool, float]:
        """Rank among attempts: the verdict, whether it is named, then how likely it is, or how far an unheard moved."""
        size = self.share if self.check.verdict is Verdict.HEARD else self.margin
        return RANKS[self.check.verdict], self.named, -math.inf if math.isnan(size) else size


def voicing(emotion: Emotion, strength: Strength, *, attempt: int, name: str, best: Attempt | None = None) -> Voicing:
    """Return the delivery of an attempt at a line.

    Args:
        attempt: number of the attempt, from 1; the first is that of the table.
        name: name of the line; what is random depends on it and on the attempt only.
        best: best attempt so far, near which every other one lies.

    >>> voicing(Emotion.CALM, Strength.NORMAL, attempt=1, name="x").delivery == DELIVERIES[Emotion.CALM]
    True
    """
    scale, box = SCALES[strength], BOXES.get(emotion)
    table = DELIVERIES[emotion].scaled(scale)
    if attempt == 1 or box is None:
        return Voicing(table)
    generator = np.random.default_rng([attempt, *name.encode()])
    ranges = [
        *(tuple(scale * math.log(end) for end in ends) for ends in (box.rate, box.pitch, box.range)),
        tuple(scale * end for end in box.brightness),
    ]
    drawn = np.array([generator.uniform(low, high) for low, high in ranges])
    if attempt % 2 and best is not None:
        kept = best.voicing.delivery
        centre = np.array([*np.log([kept.rate, kept.pitch, kept.range]), best.voicing.brightness])
        low, high = np.array(ranges).T
        step = NEAR * (high - low) * generator.uniform(-1, 1, size=4)
        drawn = np.clip(centre + step, np.minimum(low, centre), np.maximum(high, centre))
    rate, pitch, reach = np.exp(drawn[:3]).tolist()
    return Voicing(Delivery(rate, pitch, reach, table.decibels), float(drawn[3]))


def brightened(audio: Audio, brightness: float) -> Audio:
    """Return a recording with its spectrum tilted by so many decibels per octave, as loud as before, never clipped."""
    samples = audio.samples.astype(np.float64)
    if not brightness or not samples.size:
        return audio
    spectrum = np.fft.rfft(samples)
    octaves = np.log2(np.maximum(np.fft.rfftfreq(samples.size, 1 / audio.rate), PIVOT / 4) / PIVOT)
    gains = 10 ** (np.clip(brightness * octaves, -MOST_GAIN, MOST_GAIN) / 20)
    tilted = np.fft.irfft(spectrum * gains, samples.size)
    power, before = float(np.mean(tilted**2)), float(np.mean(samples**2))
    tilted *= math.sqrt(before / power) if power > 0 else 1.0
    peak = float(np.abs(tilted).max())
    if peak > FULL_SCALE:
        tilted *= FULL_SCALE / peak
    return Audio(tilted.astype(np.float32), rate=audio.rate, source=audio.source)


def margin(emotion: Emotion, heard: Hearing, plain: Hearing) -> float:
    """Return the smallest way that valence and arousal moved as planned; NaN where the ear could not judge."""
    if heard.vad is None or plain.vad is None:
        return math.nan
    moved = [
        direction * float(getattr(heard.vad, name) - getattr(plain.vad, name))
        for name, direction in DIRECTIONS[emotion].items()
    ]
    return min(moved, default=math.nan)


def heard_share(emotion: Emotion, heard: Hearing) -> float:
    """Return the probability of a feeling to the ear; calm may be neutral. 0 where the ear names no emotions."""
    return math.fsum(heard.emotions.get(name, 0.0) for name in NAMED.get(emotion, {emotion.value}))


def checked(emotion: Emotion, heard: Hearing, plain: Hearing) -> Check:
    """Check whether a feeling is heard; see the module. An ear that names no emotions is asked for the way only."""
    check = check_feeling(emotion, heard.vad, plain.vad, why=heard.why or plain.why)
    if check.verdict is not Verdict.HEARD or not heard.emotions:
        return check
    share, before = heard_share(emotion, heard), heard_share(emotion, plain)
    if share > before:
        return check
    return Check(
        Verdict.UNVERIFIED,
        message("dialogue.no-likelier", emotion=known_name(emotion.value), share=100 * share, plain=100 * before),
    )


def is_named(emotion: Emotion, heard: Hearing) -> bool:
    """Check that a feeling is the likeliest to the ear; calm may be named neutral."""
    likeliest = max(heard.emotions, key=lambda name: heard.emotions[name], default="")
    return likeliest in NAMED.get(emotion, {emotion.value})
