"""All measures of a voice together, by the names under which a `Perception` holds them (`measure`).

Those of how regularly it vibrates (jitter, shimmer, harmonics-to-noise ratio) stand here. Single periods are found
around the tracked F0: one place for every period, and there the shift at which the waveform is most like itself
(cross-correlation of one period with the next, as Praat does; Boersma 2009, "Should jitter be measured by peak picking
or by waveform matching?", Folia Phoniatrica et Logopaedica 61). In running speech all three say as much about the words
as about the voice: compare only like with like.
"""

import functools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from aptone.ear.measures.frames import (
    HOP,
    RATE,
    STEP,
    Flags,
    Floats,
    Samples,
    frames_within,
    high_band,
    long_term_spectrum,
    loudness,
    loudness_range,
    loudness_track,
    spectral_tilt,
)
from aptone.ear.measures.intonation import Contour, pitch_level, pitch_range, pitch_slope, voiced_share
from aptone.ear.measures.rhythm import (
    articulation_rate,
    longest_pause,
    pause_share,
    pauses_per_minute,
    speech_rate,
    syllable_nuclei,
)
from aptone.errors import UsageError
from aptone.messages import message
from aptone.types import Score, Segment

LOUDEST = 1e6
"""Times full scale; the squares of what is far louder do not fit into 32 bits."""


def measure(samples: Samples, contour: Contour, speech: Sequence[Segment]) -> dict[str, Score]:
    """Pitch, loudness, tempo and voice of a clip; what cannot be measured is NaN and says why.

    Only what is heard while somebody speaks counts: rooms hum and machines sing.

    Args:
        samples: one channel at 16 kHz.
        contour: its pitch (`aptone.ear.measures.pitch.track_pitch`).
        speech: segments of speech, in order and without overlap (`aptone.audio.find_speech`).

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


MINIMUM_PAIRS = 10
MINIMUM_FRAMES = 10

LARGEST_LEAP = 0.25
"""Octaves between two frames, beyond which the tracker is thought to have leapt and not the voice."""

REACH = 0.12
"""The share of a period by which the next one may differ from the tracked one."""

AROUND_PEAK = 0.3
"""The share of a period before and after its peak that makes up its amplitude."""

LOWEST_LIKENESS = 0.5
LARGEST_PERIOD_RATIO = 1.3
LARGEST_AMPLITUDE_RATIO = 1.6
QUIETEST = 20.0
"""dB below the loudest frame, beyond which the ratio is not measured: Praat's silence threshold of 0.1."""

_WIDTH = 1.4
_BLOCK = 4096

Places = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Periods:
    """The periods of a voice in order: values in columns.

    Args:
        seconds: duration of each; NaN where the next period is not like it.
        amplitude: square root of the mean square around its peak, through a Hann window 0.6 periods wide.
        follows: whether it comes right after the one before it.
    """

    seconds: Floats
    amplitude: Floats
    follows: Flags


def find_periods(samples: Samples, hz: Floats) -> Periods:
    """The single periods of a voice whose F0 is known every 10 ms (NaN where unvoiced).

    The F0, integrated, says how many periods have gone by; wherever that is a whole number stands one, moved to where
    the wave has its peaks. The length of a period is the shift, within 12 % of the tracked length, at which the wave
    around that place is most like itself; a parabola gives fractions of a sample. Both waves are one period long.
    """
    place, length, run = _places(hz)
    turn = np.zeros(place.size, dtype=np.complex128)
    margin = math.ceil(_WIDTH * length.max(initial=0.0))
    padded = np.pad(np.abs(samples), margin)
    for chosen, half in _alike(length):
        offsets = np.arange(-half, half + 1)
        size = padded[place[chosen, np.newaxis] + (offsets + margin)]
        size[np.abs(offsets) > length[chosen, np.newaxis] / 2.0] = -1.0
        turn[chosen] = np.exp(2j * np.pi * (size.argmax(axis=1) - half) / length[chosen])
    place = place + np.rint(_drift(turn, run) * length).astype(np.intp)
    seconds, amplitude = np.full(place.size, np.nan), np.full(place.size, np.nan)
    for candidates, half in _alike(length):
        far = math.ceil(2.0 * half * (1.0 + REACH)) + half + 2
        chosen = candidates[(place[candidates] >= half) & (place[candidates] + far <= samples.size)]
        if chosen.size:
            shift, amplitude[chosen] = _compared(samples, place[chosen], length[chosen], half)
            seconds[chosen] = shift / RATE
    follows = np.zeros(place.size, dtype=np.bool_)
    apart = np.diff(place) / length[1:]
    follows[1:] = (run[1:] == run[:-1]) & (apart > 0.6) & (apart < 1.5)
    return Periods(seconds, amplitude, follows)


def jitter(periods: Periods) -> Score:
    """Return the mean difference of neighbouring periods, in percent of the mean period: ``jitter (local)`` of Praat.

    ``100 · mean|T(i) - T(i-1)| / mean T``. Pairs whose ratio exceeds 1.3 do not count. Undefined below ten pairs.

    >>> times = np.array([0.010, 0.0101] * 10)
    >>> periods = Periods(times, np.ones(20), np.array([False] + [True] * 19))
    >>> round(jitter(periods).value, 3)  # 0.1 ms of 10.05 ms
    0.995
    """
    change, mean, count = _changes(periods.seconds, periods, LARGEST_PERIOD_RATIO)
    return _percent(change, mean, count)


def shimmer(periods: Periods) -> Score:
    """Return the mean difference of neighbouring amplitudes, in percent of the mean: ``shimmer (local)`` of Praat.

    ``100 · mean|A(i) - A(i-1)| / mean A``. Pairs whose ratio exceeds 1.6 do not count. Undefined below ten pairs.

    >>> periods = Periods(np.full(20, 0.01), np.array([0.95, 1.05] * 10), np.array([False] + [True] * 19))
    >>> round(shimmer(periods).value, 3)
    10.0
    """
    change, mean, count = _changes(periods.amplitude, periods, LARGEST_AMPLITUDE_RATIO)
    return _percent(change, mean, count)


def harmonics_to_noise(strength: Floats, *, levels: Floats) -> Score:
    """Return the harmonics-to-noise ratio of the voice in dB: the mean of ``10 log10(r / (1 - r))``.

    r is the height of the autocorrelation at the period (Boersma 1993), of frames no more than 20 dB below the loudest.
    A healthy vowel has 15 to 25 dB, running speech about 10, hoarseness and whispering less. Between -30 and 40 dB. A
    frame of 32 ms holds few periods of a low voice and makes them look less alike: at 80 Hz no more than 13 dB is seen.

    Args:
        strength: r of the voiced frames. Undefined below ten loud ones.
        levels: levels of the same frames, in dBFS.

    >>> harmonics_to_noise(np.full(20, 0.99), levels=np.full(20, -20.0)).value.__round__(2)  # 10 log10(99)
    19.96
    """
    loud = strength[levels >= levels.max(initial=-math.inf) - QUIETEST]
    if loud.size < MINIMUM_FRAMES:
        reason = message("ear.too-few-loud-frames", count=loud.size, needed=MINIMUM_FRAMES)
        return Score(math.nan, unit="dB", reason=reason, higher_is_better=None)
    height = np.clip(loud, 0.001, 0.9999)
    return Score(float(np.mean(10.0 * np.log10(height / (1.0 - height)))), unit="dB", higher_is_better=None)


def _places(hz: Floats) -> tuple[Places, Floats, Places]:
    """One place for every period: the sample, the tracked length in samples, and the number of its unbroken stretch."""
    if hz.size < 2:
        return np.empty(0, np.intp), np.empty(0), np.empty(0, np.intp)
    with np.errstate(invalid="ignore"):
        joined = np.abs(np.log2(hz[1:] / hz[:-1])) <= LARGEST_LEAP  # false where one of them is NaN
    gone = np.where(joined, (hz[1:] + hz[:-1]) * (HOP / RATE / 2.0), 0.0)
    phase = np.append(0.0, np.cumsum(gone))
    whole = np.arange(1, math.floor(phase[-1]) + 1)
    frame = np.searchsorted(phase, whole, side="left") - 1
    along = (whole - phase[frame]) / gone[frame]
    tracked = hz[frame] * (1.0 - along) + hz[frame + 1] * along
    run = np.cumsum(~joined, dtype=np.intp)
    return np.rint((frame + 0.5 + along) * HOP).astype(np.intp), RATE / tracked, run[frame]


def _drift(turn: npt.NDArray[np.complex128], run: Places) -> Floats:
    """Return the lag of the peaks behind the places in periods, a mean over three neighbours on both sides.

    The angle is followed over the unbroken stretch, in which it may add up to more than a period; nothing is carried
    over into the next stretch.
    """
    index = np.arange(run.size)
    first, behind = np.searchsorted(run, run), np.searchsorted(run, run, side="right")
    sums = np.append(0.0, np.cumsum(turn))
    around = sums[np.minimum(index + 4, behind)] - sums[np.maximum(index - 3, first)]
    turns: Floats = np.unwrap(np.angle(around)) / (2.0 * np.pi)
    return turns - np.rint(turns[first])


def _alike(length: Floats) -> Iterator[tuple[Places, int]]:
    """Periods of nearly the same length, some thousand at a time, and half the longest such length in samples."""
    for begin in range(0, length.size, _BLOCK):
        kinds = np.floor(np.log(length[begin : begin + _BLOCK]) / math.log(_WIDTH))
        for kind in np.unique(kinds):
            yield begin + np.flatnonzero(kinds == kind), math.ceil(_WIDTH ** (kind + 1.0) / 2.0)


def _compared(samples: Samples, place: Places, length: Floats, half: int) -> tuple[Floats, Floats]:
    """The shift in samples at which each period is most like the next, NaN where none is; and its amplitude.

    The periods are of nearly the same length, so that they can be laid out as rows, `half` a period to both sides.
    """
    reach = math.ceil(2.0 * half * REACH) + 1
    shortest = np.rint(length).astype(np.intp) - reach
    offsets = np.arange(-half, half)
    inside = np.abs(offsets) <= length[:, np.newaxis] / 2.0
    period = samples[place[:, np.newaxis] + offsets] * inside
    later = samples[(place + shortest)[:, np.newaxis] + np.arange(-half, half + 2 * reach)]
    size = fast_length(later.shape[1])
    crossed = np.conj(np.fft.rfft(period, size))
    crossed *= np.fft.rfft(later, size)
    products = np.fft.irfft(crossed, size)[:, : 2 * reach + 1]  # Σ_j period[j] later[j + shift], for every shift
    energy = np.zeros((place.size, later.shape[1] + 1))
    np.cumsum(np.square(later, dtype=np.float64), axis=1, out=energy[:, 1:])
    rows, sums = np.arange(place.size), sliding_window_view(energy, 2 * reach + 1, axis=1)
    first = np.ceil(half - length / 2.0).astype(np.intp)
    energies = sums[rows, first + inside.sum(axis=1)] - sums[rows, first]
    square = period * period
    own = np.sqrt(square.sum(axis=1, keepdims=True, dtype=np.float64))
    likeness = products / np.maximum(own * np.sqrt(np.maximum(energies, 0.0)), 1e-30)
    best = likeness[:, 1:-1].argmax(axis=1)
    before, highest, after = (likeness[rows, best + number] for number in range(3))
    bend = np.minimum(before - 2.0 * highest + after, -1e-9)
    shifted = shortest + best + 1 + (before - after) / (2.0 * bend)
    is_like = (highest >= LOWEST_LIKENESS) & (highest >= before) & (highest >= after)
    along = np.abs(offsets).astype(np.float32) * (np.pi / (AROUND_PEAK * length[:, np.newaxis])).astype(np.float32)
    window = 0.5 + 0.5 * np.cos(np.minimum(along, np.float32(np.pi)))
    amplitude = np.sqrt(np.einsum("ij,ij->i", square, window) / window.sum(axis=1))
    return np.where(is_like, shifted, np.nan), amplitude


@functools.cache
def fast_length(least: int) -> int:
    """Return the smallest 2ⁱ 3ʲ 5ᵏ that is not below `least`: transforms of such lengths are fast.

    >>> fast_length(17), fast_length(127)
    (18, 128)
    """
    lengths: Iterator[int] = (
        odd << max(0, (-(-least // odd) - 1).bit_length())
        for fives in range(math.ceil(math.log(least, 5)) + 1)
        for threes in range(math.ceil(math.log(least, 3)) + 1)
        for odd in (int(5**fives * 3**threes),)
    )
    return min(lengths)


def _changes(values: Floats, periods: Periods, largest_ratio: float) -> tuple[float, float, int]:
    """The mean difference of neighbours, the mean of what is compared, and how many pairs there are."""
    known = np.isfinite(periods.seconds) & (values > 0.0)
    pairs = np.flatnonzero(periods.follows[1:] & known[1:] & known[:-1])
    one, other = values[pairs], values[pairs + 1]
    like = np.maximum(one, other) <= largest_ratio * np.minimum(one, other)
    count = int(like.sum())
    if not count:
        return math.nan, math.nan, 0
    return float(np.abs(one - other)[like].mean()), float(values[known].mean()), count


def _percent(change: float, mean: float, count: int) -> Score:
    if count < MINIMUM_PAIRS:
        reason = message("ear.too-few-periods", count=count, needed=MINIMUM_PAIRS)
        return Score(math.nan, unit="%", reason=reason, higher_is_better=None)
    return Score(100.0 * change / mean, unit="%", higher_is_better=None)
