"""What the miniature hears in a frame: what the stem of the built-in ear says of it, and the energies of its bands.

Judges of full size start from an encoder that was taught with far more speech than anybody has labels for. The
miniature has a few thousand clips of three dozen speakers, from which no encoder learns to hear strangers; so it starts
from the beginning of CAM++, which was taught to tell speakers apart (`aptone.ear.network.Stem`) and never heard of
feelings. The stem removes what a microphone adds everywhere; the energies keep it, for the recording condition.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.ear.filter_bank import BANDS, log_energies
from aptone.ear.network import STEM_NUMBERS, Stem

FRAME_NUMBERS = STEM_NUMBERS + BANDS
"""Numbers of a frame of 20 ms."""

Floats = npt.NDArray[np.float32]


def miniature_frames(samples: Floats, stem: Stem) -> Floats:
    """The frames of a clip, (frames, `FRAME_NUMBERS`).

    Args:
        samples: at 16 kHz.
        stem: of the ear.
    """
    energies = log_energies(samples)
    heard = stem(energies, np.ones(len(energies), dtype=np.bool_))
    even = np.concatenate([energies, energies[-1:]])[: 2 * len(heard)]
    halved = even.reshape(len(heard), 2, BANDS).mean(axis=1)
    return np.concatenate([heard, halved], axis=1)


def scale_of(frames: npt.NDArray[np.float16], taught: npt.NDArray[np.bool_]) -> Floats:
    """Mean and deviation of each number over the frames that are learnt from, (2, numbers).

    Args:
        frames: (frames, numbers).
        taught: (frames,), which of them are learnt from.
    """
    known = frames[taught]
    mean = known.mean(axis=0, dtype=np.float64).astype(np.float32)
    return np.stack([mean, np.maximum(known.std(axis=0, dtype=np.float32), 1e-3)])


def brought_to_scale(frames: npt.NDArray[Any], scale: Floats) -> npt.NDArray[np.float16]:
    """Frames whose numbers have mean 0 and deviation 1 over those of the scale; what lies far outside is cut off."""
    scaled = np.empty(frames.shape, dtype=np.float16)
    for first in range(0, len(frames), 100_000):
        part = slice(first, first + 100_000)
        scaled[part] = ((frames[part].astype(np.float32) - scale[0]) / scale[1]).clip(-20.0, 20.0)
    return scaled
