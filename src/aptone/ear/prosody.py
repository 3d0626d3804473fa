"""A placeholder ear: a handful of prosody measures, and rules on them. It has no model of emotion and says so.

It exists so that the first install can score something; the learned ear will take its place. What it measures is real
(unit and undefined cases below); what it concludes rests on the prototypes and thresholds in this file, which were
set by hand and never compared with listeners.
"""

import functools
import math

import numpy as np
import numpy.typing as npt
from swift_f0 import SwiftF0

from aptone.audio import find_speech, resample, speech_seconds
from aptone.types import Audio, Intonation, Perception, RecordingCondition, Rhythm, Score, signature

RATE = 16_000
FRAMES_PER_SECOND = 62.5  # of the F0 tracker: one frame every 256 samples
MINIMUM_VOICED_FRAMES = 12

# Tempo, loudness, pitch range and pitch level of each rhythm, in spreads from the centre.
CENTRES = (4.5, -25.0, 7.0, 12.0 * math.log2(165.0 / 100.0))  # syllables/s, dBFS, semitones, semitones above 100 Hz
SPREADS = (1.5, 6.0, 4.0, 6.0)
PROTOTYPES = {
    Rhythm.BRISK: (1.0, 0.2, 0.5, 0.5),
    Rhythm.HEAVY: (-1.0, 0.3, -0.3, -0.5),
    Rhythm.LOW_PACED: (-0.8, -0.8, -0.8, -0.8),
    Rhythm.HIGH_ENERGY: (0.3, 1.0, 1.0, 1.0),
    Rhythm.RELAXED: (-0.6, -0.3, 0.0, 0.0),
    Rhythm.TENSE: (0.8, 0.6, 0.0, 0.6),
}
FLAT_RANGE = 3.0  # semitones between the 5th and the 95th percentile, below which a contour counts as flat
CLEAR_MOVE = 2.0  # semitones that a contour must rise, fall or bend
NARROW_BAND = -38.0  # dB above 4 kHz against 0.3 to 3.4 kHz, below which speech sounds like a telephone

Floats = npt.NDArray[np.float64]


@functools.cache
def _tracker() -> SwiftF0:
    return SwiftF0(threads=1, spin=False)


def perceive(audio: Audio) -> Perception:
    """What the placeholder hears: rhythm, intonation, telephone or not, and the measures behind them."""
    audio = resample(audio, rate=RATE)
    speech = speech_seconds(find_speech(audio))
    contour = _tracker().detect(audio.samples, RATE, fmin=60.0, fmax=600.0)
    voiced = contour.confidence >= 0.5
    semitones = 12.0 * np.log2(contour.pitch_hz[voiced] / 100.0)
    unjudged = dict.fromkeys(("emotion", "vad", "sex", "age", "events"), "the placeholder ear has no model for it")
    if semitones.size < MINIMUM_VOICED_FRAMES:
        reason = f"{semitones.size} voiced frames, need {MINIMUM_VOICED_FRAMES}"
        unjudged |= dict.fromkeys(("rhythm", "intonation", "recording_condition"), reason)
        return Perception(seconds=audio.seconds, speech_seconds=speech, unjudged=unjudged, signature=ear_signature())
    loudness = 10.0 * np.log10(np.mean(10.0 ** (contour.loudness_db[voiced] / 10.0)))
    values = (
        _syllables(contour.loudness_db, voiced) / max(speech, semitones.size / FRAMES_PER_SECOND),
        float(loudness),
        float(np.percentile(semitones, 95) - np.percentile(semitones, 5)),
        float(np.median(semitones)),
    )
    names = ("rate", "loudness", "pitch range", "pitch level")
    units = ("syllables/s", "dBFS", "semitones", "semitones above 100 Hz")
    measures = {
        name: Score(value, unit=unit, higher_is_better=None)
        for name, value, unit in zip(names, values, units, strict=True)
    }
    band = _high_band_level(audio.samples)
    measures["high band"] = Score(band, unit="dB", higher_is_better=None)
    phone = 1.0 / (1.0 + math.exp((band - NARROW_BAND) / 2.0))
    return Perception(
        seconds=audio.seconds,
        speech_seconds=speech,
        rhythm=_rhythm(values),
        intonation=_intonation(semitones),
        recording_condition={RecordingCondition.NORMAL: 1.0 - phone, RecordingCondition.PHONE: phone},
        measures=measures,
        unjudged=unjudged,
        signature=ear_signature(),
    )


def ear_signature() -> str:
    """What identifies this ear in the signature of a score."""
    return signature("ear:prosody-placeholder", {"revision": 1})


def _rhythm(values: tuple[float, ...]) -> dict[Rhythm, float]:
    """Closeness to each prototype, as probabilities: softmax of minus the squared distance."""
    point = (np.array(values) - CENTRES) / SPREADS
    distances = np.array([np.sum((np.clip(point, -2.0, 2.0) - prototype) ** 2) for prototype in PROTOTYPES.values()])
    return dict(zip(PROTOTYPES, _softmax(-distances), strict=True))


def _intonation(semitones: Floats) -> dict[Intonation, float]:
    """From the voiced contour: where it ends (its last tenth) against where it began, and whether it bends between."""
    first, middle, _ = (float(np.median(third)) for third in np.array_split(semitones, 3))
    last = float(np.median(semitones[-max(3, semitones.size // 10) :]))
    move = (last - first) / CLEAR_MOVE
    bend = abs(middle - (first + last) / 2.0) / CLEAR_MOVE
    spread = float(np.percentile(semitones, 95) - np.percentile(semitones, 5))
    evidence = {
        Intonation.FLAT: 2.0 * (1.0 - spread / FLAT_RANGE),
        Intonation.RISING: 2.0 * move - 1.0,
        Intonation.CURVED: 2.0 * bend - 1.0 - abs(move) / 2.0,
        Intonation.FALLING: -2.0 * move - 1.0,
    }
    return dict(zip(evidence, _softmax(np.array(list(evidence.values()))), strict=True))


def _syllables(loudness: Floats, voiced: npt.NDArray[np.bool_]) -> float:
    """Peaks of the smoothed loudness in voiced frames that stand 2 dB above the valley before them."""
    smooth = np.convolve(loudness, np.ones(3) / 3.0, mode="same")
    count, valley = 0, math.inf
    for index in range(1, smooth.size - 1):
        valley = min(valley, float(smooth[index]))
        is_peak = smooth[index - 1] < smooth[index] >= smooth[index + 1]
        if is_peak and voiced[index] and smooth[index] - valley >= 2.0:
            count, valley = count + 1, math.inf
    return float(max(count, 1))


def _high_band_level(samples: npt.NDArray[np.float32]) -> float:
    power = np.abs(np.fft.rfft(samples.astype(np.float64))) ** 2
    frequency = np.fft.rfftfreq(samples.size, 1.0 / RATE)
    low = power[(frequency >= 300.0) & (frequency <= 3400.0)].sum()
    return float(10.0 * np.log10((power[frequency > 4000.0].sum() + 1e-12) / (low + 1e-12)))


def _softmax(values: Floats) -> list[float]:
    raised = np.exp(values - values.max())
    return [float(value) for value in raised / raised.sum()]
