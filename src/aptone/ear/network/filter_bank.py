"""Input of the ear's network: log filter-bank energies in the manner of Kaldi, and their statistics.

Eighty triangular bands on the mel scale from 20 Hz to 8 kHz, of frames of 25 ms every 10 ms: mean removed,
pre-emphasised by 0.97, under Povey's window (a Hann window to the power of 0.85), as the speaker network expects them
whose beginning the ear uses.
"""

import functools

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from aptone.ear.measures.frames import spectra

RATE = 16_000
STEP = 320
"""Samples between two frames of the network."""
FRAME_SECONDS = STEP / RATE
BANK_STEP = 160
BANK_SPAN = 400
"""Samples between two filter-bank frames, and in one of them."""


def bank_count(samples: int) -> int:
    """Filter-bank frames for so many samples: those that lie in them, at least one.

    >>> bank_count(400), bank_count(560), bank_count(1)
    (1, 2, 1)
    """
    return max(0, samples - BANK_SPAN) // BANK_STEP + 1


def frame_count(samples: int) -> int:
    """Frames of the network for so many samples: half as many as filter-bank frames, rounded up.

    >>> frame_count(400), frame_count(720), frame_count(16_000)
    (1, 2, 49)
    """
    return (bank_count(samples) + 1) // 2


def frame_centres(count: int) -> npt.NDArray[np.int64]:
    """The sample in the middle of each frame.

    >>> frame_centres(3).tolist()
    [200, 520, 840]
    """
    return np.arange(count, dtype=np.int64) * STEP + BANK_SPAN // 2


BANDS = 80
FFT = 512
LOWEST_HERTZ = 20.0
PRE_EMPHASIS = 0.97
FLOOR = 1e-10
"""Of the energy of a band, where full scale is 1: far below any microphone's noise."""

Floats = npt.NDArray[np.float32]


@functools.cache
def bands() -> Floats:
    """Weights of the spectrum's lines in each band, [257, 80], triangular on the scale 1127 ln(1 + f / 700)."""
    edges = np.linspace(_mel(np.array(LOWEST_HERTZ)), _mel(np.array(RATE / 2)), BANDS + 2)
    lines = _mel(np.fft.rfftfreq(FFT, 1 / RATE))[:, np.newaxis]
    rise = (lines - edges[:-2]) / (edges[1:-1] - edges[:-2])
    fall = (edges[2:] - lines) / (edges[2:] - edges[1:-1])
    return np.maximum(0.0, np.minimum(rise, fall)).astype(np.float32)


def _mel(hertz: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    scaled: npt.NDArray[np.float64] = 1127.0 * np.log(1.0 + hertz / 700.0)
    return scaled


@functools.cache
def window() -> Floats:
    """Povey's window of 25 ms."""
    return (np.hanning(BANK_SPAN) ** 0.85).astype(np.float32)


def log_energies(samples: Floats) -> Floats:
    """Natural log of the energy in each band, [frames, 80]; frame i begins at sample 160 i."""
    count = bank_count(samples.size)
    needed = (count - 1) * BANK_STEP + BANK_SPAN
    padded = samples[:needed] if samples.size >= needed else np.pad(samples, (0, needed - samples.size))
    frames = sliding_window_view(padded, BANK_SPAN)[::BANK_STEP]
    heard = np.zeros((count, FFT), dtype=np.float32)
    inner = heard[:, :BANK_SPAN]
    np.subtract(frames, frames.mean(axis=1, keepdims=True), out=inner)
    inner[:, 1:] -= np.float32(PRE_EMPHASIS) * inner[:, :-1]
    inner[:, 0] *= np.float32(1.0 - PRE_EMPHASIS)
    inner *= window()
    energies = np.square(spectra(heard).view(np.float32)) @ _twice_bands()
    logs: Floats = np.log(np.maximum(energies, np.float32(FLOOR)))
    return logs


@functools.cache
def _twice_bands() -> Floats:
    """Return the filters for the squares of real and imaginary parts in turn, [514, 80]."""
    return np.repeat(bands(), 2, axis=0)


def centred(logs: Floats, speech: npt.NDArray[np.bool_]) -> Floats:
    """The log energies, [frames, 80], less each band's mean over the speech frames, or over all if none is speech."""
    chosen = logs[speech] if speech.any() else logs
    difference: Floats = logs - chosen.mean(axis=0)
    return difference


def statistics(logs: Floats, speech: npt.NDArray[np.bool_]) -> Floats:
    """Mean, deviation, 10th and 90th percentile of each band over all frames, relative to the speech's mean, [320].

    They keep what centring takes away: the colour of microphone and room, and how far the noise lies below.
    """
    chosen = logs[speech] if speech.any() else logs
    relative = logs - chosen.mean()
    ordered = np.sort(relative, axis=0)
    low, high = ordered[int(0.1 * (len(ordered) - 1))], ordered[int(0.9 * (len(ordered) - 1))]
    return np.concatenate([relative.mean(axis=0), relative.std(axis=0), low, high]).astype(np.float32)
