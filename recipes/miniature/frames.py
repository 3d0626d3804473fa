"""What the miniature judge hears in a frame: what the stem of the ear says of it, and the energies of its bands.

Judges of full size start from an encoder that was taught with far more speech than anybody has labels for. The
miniature has a few thousand clips of three dozen speakers, from which no encoder learns to hear strangers; so it starts
from the beginning of CAM++, which was taught to tell speakers apart (`aptone.ear.network.inference.Stem`) and never
heard of feelings. The stem removes what a microphone adds everywhere; the energies keep it, for the recording
condition.

A clip is cut to its speech and brought to one level first, in training and when it is judged: how loud a clip is says
more about who recorded it than about who speaks.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.audio.degrade.level import audible_rms
from aptone.ear.network.filter_bank import BANDS, log_energies
from aptone.ear.network.inference import STEM_NUMBERS, Stem, load_stem
from aptone.errors import AudioError
from aptone.messages import message
from aptone.types import Audio, Segment

FRAME_NUMBERS = STEM_NUMBERS + BANDS
"""Numbers of a frame of 20 ms."""
RATE = 16_000
LONGEST_SECONDS = 12
"""What lies behind is not heard."""
MARGIN = 0.2
"""Seconds that are left before and behind the speech of a clip."""
LEVEL = 0.05
"""Root mean square that every clip is brought to."""
FEWEST_FRAMES = 3
"""The encoder makes one position of about four frames, and none of fewer than these."""

Floats = npt.NDArray[np.float32]


def heard_frames(audio: Audio, scale: Floats) -> Floats:
    """What the miniature hears of a clip, (frames, `FRAME_NUMBERS`): of its speech, at one level, on one scale.

    They go through 16 bits, in which the frames that it learnt from were kept.

    Args:
        audio: at 16 kHz, cut to its speech (`spoken`).
        scale: of the frames that it learnt from (`scale_of`).

    Raises:
        AudioError: if the clip is silent, or too short to hold a sound.
    """
    samples = at_one_level(audio).samples[: LONGEST_SECONDS * audio.rate]
    frames = miniature_frames(samples, load_stem())
    if len(frames) < FEWEST_FRAMES:
        raise AudioError(message("judge.too-short-to-hear", name=audio.source, seconds=audio.seconds))
    return brought_to_scale(frames.astype(np.float16), scale).astype(np.float32)


def spoken(audio: Audio, speech: Sequence[Segment]) -> Audio:
    """A clip from a little before its first speech to a little behind its last; the whole clip where none is found.

    Args:
        audio: the clip.
        speech: where in it somebody speaks (`aptone.audio.find_speech`).
    """
    if not speech:
        return audio
    first = max(0, int((speech[0].start - MARGIN) * audio.rate))
    last = int((speech[-1].end + MARGIN) * audio.rate)
    return replace(audio, samples=np.ascontiguousarray(audio.samples[first:last]))


def at_one_level(audio: Audio) -> Audio:
    """A clip as loud as all others.

    Raises:
        AudioError: if it is silent.
    """
    return replace(audio, samples=audio.samples * np.float32(LEVEL / audible_rms(audio)))


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
