"""Change pitch, melody or pace of speech and nothing else, with the vocoder WORLD.

WORLD (Morise et al. 2016) comes with the package pyworld, which is not among our extras since it requires an old
setuptools:

    pip install pyworld "setuptools<81"
"""

import importlib
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.types import Audio

FRAME = 5.0
"""Milliseconds between two frames."""
LOWEST, HIGHEST = 60.0, 600.0
"""Search range of F0 in Hz."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Parameters of a clip, one row a frame.

    Args:
        f0: F0 in Hz, 0 for unvoiced frames.
        envelope: spectral envelope.
        aperiodicity: share of noise.
        rate: sample rate of the clip.
    """

    f0: Floats
    envelope: Floats
    aperiodicity: Floats
    rate: int

    @property
    def times(self) -> Floats:
        """Times of the frames in seconds."""
        places: Floats = np.arange(self.f0.size, dtype=np.float64) * (FRAME / 1000.0)
        return places

    @property
    def semitones(self) -> Floats:
        """F0 of the voiced frames, in semitones above 100 Hz."""
        return _semitones(self.f0)


def load_world() -> Any:
    """Import the package pyworld.

    Raises:
        UsageError: if it is missing.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it looks up its version in a deprecated way
            return importlib.import_module("pyworld")
    except ImportError:
        raise UsageError('this changes speech with pyworld; run: pip install pyworld "setuptools<81"') from None


def pitch(world: Any, audio: Audio) -> Floats:
    """Return F0 of the voiced frames of a clip, in semitones above 100 Hz, by the quick tracker."""
    return _semitones(_track(world, audio, exact=False)[0])


def analyse(world: Any, audio: Audio, *, exact: bool = True) -> Parts:
    """Analyse a clip.

    Args:
        world: pyworld.
        audio: the clip.
        exact: use the tracker Harvest, for exact pitch, instead of the sixty times faster DIO.
    """
    samples = audio.samples.astype(np.float64)
    f0, times = _track(world, audio, exact=exact)
    envelope = world.cheaptrick(samples, f0, times, audio.rate)
    return Parts(f0, envelope, world.d4c(samples, f0, times, audio.rate), audio.rate)


def synthesise(world: Any, parts: Parts) -> Audio:
    """Synthesise a clip; one that would exceed full scale is attenuated."""
    samples = world.synthesize(parts.f0, parts.envelope, parts.aperiodicity, parts.rate, FRAME)
    return Audio((samples / max(1.0, np.abs(samples).max())).astype(np.float32), parts.rate)


def stretched(parts: Parts, factor: float) -> Parts:
    """Return the clip made longer by a factor: frames repeated or left out."""
    kept = (np.arange(round(parts.f0.size * factor)) / factor).astype(int)
    return replace(parts, f0=parts.f0[kept], envelope=parts.envelope[kept], aperiodicity=parts.aperiodicity[kept])


def transposed(parts: Parts, semitones: float) -> Parts:
    """Return the clip with another pitch."""
    return replace(parts, f0=parts.f0 * 2.0 ** (semitones / 12.0))


def with_melody(parts: Parts, factor: float) -> Parts:
    """Return the clip with its pitch deviating from the median by another factor."""
    voiced = parts.f0 > 0.0
    heights = parts.semitones
    middle = float(np.median(heights)) if heights.size else 0.0
    f0 = np.zeros_like(parts.f0)
    f0[voiced] = 100.0 * 2.0 ** ((middle + factor * (heights - middle)) / 12.0)
    return replace(parts, f0=f0)


def _track(world: Any, audio: Audio, *, exact: bool) -> tuple[Floats, Floats]:
    """Return F0 in Hz, 0 for unvoiced frames, and the times of the frames."""
    samples = audio.samples.astype(np.float64)
    track = world.harvest if exact else world.dio
    f0, times = track(samples, audio.rate, f0_floor=LOWEST, f0_ceil=HIGHEST, frame_period=FRAME)
    return f0, times


def _semitones(f0: Floats) -> Floats:
    heights: Floats = 12.0 * np.log2(f0[f0 > 0.0] / 100.0)
    return heights
