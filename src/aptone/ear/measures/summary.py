"""All measures of a voice together, by the names under which a `Perception` holds them."""

from collections.abc import Sequence

import numpy as np

from aptone.ear.measures.contour import Contour, pitch_level, pitch_range, pitch_slope, voiced_share
from aptone.ear.measures.frames import STEP, Samples, frames_within
from aptone.ear.measures.loudness import loudness, loudness_range, loudness_track
from aptone.ear.measures.spectrum import high_band, long_term_spectrum, spectral_tilt
from aptone.ear.measures.tempo import (
    articulation_rate,
    longest_pause,
    pause_share,
    pauses_per_minute,
    speech_rate,
    syllable_nuclei,
)
from aptone.ear.voice import find_periods, harmonics_to_noise, jitter, shimmer
from aptone.errors import UsageError
from aptone.types import Score, Segment

LOUDEST = 1e6
"""Times full scale; the squares of what is far louder do not fit into 32 bits."""


def measure(samples: Samples, contour: Contour, speech: Sequence[Segment]) -> dict[str, Score]:
    """Pitch, loudness, tempo and voice of a clip; what cannot be measured is NaN and says why.

    Only what is heard while somebody speaks counts: rooms hum and machines sing.

    Args:
        samples: one channel at 16 kHz.
        contour: its pitch (`aptone.ear.measures.pitch.track_pitch`).
        speech: where somebody speaks, in order and without overlap (`aptone.audio.find_speech`).

    Raises:
        UsageError: if the contour is not one of these samples.
    """
    levels = loudness_track(samples)
    if contour.step != STEP or contour.hz.size != levels.size:
        raise UsageError(
            f"expected a contour of {levels.size} frames, one every {STEP} s, got {contour.hz.size}, one every "
            f"{contour.step} s; track the pitch of the same samples."
        )
    if (loudest := float(max(samples.max(initial=0.0), -samples.min(initial=0.0)))) > LOUDEST:
        samples = samples / np.float32(loudest)  # nothing below asks for the level
    spoken = frames_within(speech, count=levels.size)
    hz = np.where(spoken, contour.hz, np.nan)
    voiced = ~np.isnan(hz)
    nuclei = syllable_nuclei(levels, voiced=voiced, speech=spoken).size
    # Every second frame: their windows of 32 ms overlap by a third as it is.
    vowels, others = np.flatnonzero(voiced)[::2], np.flatnonzero(spoken & ~voiced)[::2]
    vowel_spectrum, other_spectrum = long_term_spectrum(samples, vowels), long_term_spectrum(samples, others)
    count = vowels.size + others.size
    spectrum = (vowel_spectrum * vowels.size + other_spectrum * others.size) / max(count, 1)
    periods = find_periods(samples, hz)
    return {
        "pitch level": pitch_level(hz),
        "pitch range": pitch_range(hz),
        "pitch slope": pitch_slope(hz),
        "loudness": loudness(levels[spoken]),
        "loudness range": loudness_range(levels[spoken]),
        "speech rate": speech_rate(nuclei, speech=speech),
        "articulation rate": articulation_rate(nuclei, speech=speech),
        "pause share": pause_share(speech),
        "pauses per minute": pauses_per_minute(speech),
        "longest pause": longest_pause(speech),
        "jitter": jitter(periods),
        "shimmer": shimmer(periods),
        "HNR": harmonics_to_noise(contour.strength[voiced], levels=levels[voiced]),
        "spectral tilt": spectral_tilt(vowel_spectrum, count=vowels.size),
        "high band": high_band(spectrum, count=count),
        "voiced share": voiced_share(hz, speech=spoken),
    }
