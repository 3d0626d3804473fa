"""Input frames of the miniature judge: the output of the ear's stem, and the energies of the filter bank.

Judges of full size start from an encoder that was trained on far more speech than anybody has labels for. The miniature
has a few thousand clips of three dozen speakers, from which no encoder generalises to new speakers; so it starts from
the beginning of CAM++, a speaker-recognition network (`aptone.ear.network.inference.Stem`) that was never trained on
feelings. The stem removes the microphone's response; the energies keep it, for the recording condition.

A clip is cut to its speech and scaled to one level first, in training and in scoring: the level of a clip depends on
the recording more than on the speaker.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.audio.degrade.filtering import audible_rms
from aptone.ear.network.filter_bank import BANDS, log_energies
from aptone.ear.network.inference import STEM_NUMBERS, Stem
from aptone.types import Audio, Segment

FRAME_NUMBERS = STEM_NUMBERS + BANDS
"""Features of a frame of 20 ms."""
RATE = 16_000
LONGEST_SECONDS = 12
"""Longest input; what follows is cut off."""
MARGIN = 0.2
"""Seconds kept before and after the speech of a clip."""
LEVEL = 0.05
"""Root mean square of every clip."""

Floats = npt.NDArray[np.float32]


def spoken(audio: Audio, speech: Sequence[Segment]) -> Audio:
    """Cut a clip to its speech with a margin; the whole clip if there is none.

    Args:
        audio: the clip.
        speech: its speech segments (`aptone.audio.find_speech`).
    """
    if not speech:
        return audio
    first = max(0, int((speech[0].start - MARGIN) * audio.rate))
    last = int((speech[-1].end + MARGIN) * audio.rate)
    return replace(audio, samples=np.ascontiguousarray(audio.samples[first:last]))


def at_one_level(audio: Audio) -> Audio:
    """Scale a clip to the common level.

    Raises:
        AudioError: if it is silent.
    """
    return replace(audio, samples=audio.samples * np.float32(LEVEL / audible_rms(audio)))


def miniature_frames(samples: Floats, stem: Stem) -> Floats:
    """Return the frames of a clip, (frames, `FRAME_NUMBERS`).

    Args:
        samples: samples at 16 kHz.
        stem: stem of the ear.
    """
    energies = log_energies(samples)
    heard = stem(energies, np.ones(len(energies), dtype=np.bool_))
    even = np.concatenate([energies, energies[-1:]])[: 2 * len(heard)]
    halved = even.reshape(len(heard), 2, BANDS).mean(axis=1)
    return np.concatenate([heard, halved], axis=1)


def scale_of(frames: npt.NDArray[np.float16], in_training: npt.NDArray[np.bool_]) -> Floats:
    """Return mean and standard deviation of each feature over the training frames, (2, features).

    Args:
        frames: (frames, features).
        in_training: (frames,), true for training frames.
    """
    known = frames[in_training]
    mean = known.mean(axis=0, dtype=np.float64).astype(np.float32)
    return np.stack([mean, np.maximum(known.std(axis=0, dtype=np.float32), 1e-3)])


def brought_to_scale(frames: npt.NDArray[Any], scale: Floats) -> npt.NDArray[np.float16]:
    """Standardise frames by a scale, and clip outliers."""
    scaled = np.empty(frames.shape, dtype=np.float16)
    for first in range(0, len(frames), 100_000):
        part = slice(first, first + 100_000)
        scaled[part] = ((frames[part].astype(np.float32) - scale[0]) / scale[1]).clip(-20.0, 20.0)
    return scaled
