"""Labels of clips as tensors, and their sampling weights.

No set has valence, arousal and dominance per clip: they are the typical place of the emotion, moved towards neutral for
a clip that is marked as spoken with normal rather than strong intensity.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from aptone.types import Emotion
from aptone.types.story import TYPICAL_VAD
from recipes.ear.data import EMOTION_SETS, INTENSITY_SET, MORE_SETS, PLAIN_SETS, READ_SET, SOUND_SETS, Clip

EMOTION_ORDER = tuple(Emotion)
NORMAL_INTENSITY = 0.7
"""Share of the distance from neutral for a clip of normal intensity."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels of clips as tensors; a mask is 0 for a missing label.

    Args:
        emotion: [clips, 10], one-hot or zeros.
        allowed: [clips, 10], 1 for the emotions of the clip's set.
        vad: [clips, 3].
        feeling: 1 if there is an emotion.
        corpus: number of the clip's set.
        intensity: 0 normal, 1 strong. has_intensity: 1 if it is known.
        sex: 1 female, 0 male. has_sex: 1 if it is known, and the voice is no child's.
        child: 1 for a child's voice. has_age: 1 if it is clear; acted sets have adults only.
        sound: index of a sound event, or -1.
    """

    emotion: Tensor
    allowed: Tensor
    vad: Tensor
    feeling: Tensor
    corpus: Tensor
    intensity: Tensor
    has_intensity: Tensor
    sex: Tensor
    has_sex: Tensor
    child: Tensor
    has_age: Tensor
    sound: Tensor

    def to(self, device: torch.device) -> "Labels":
        """Return the labels on another device."""
        return Labels(*(getattr(self, name).to(device) for name in self.__slots__))


def label_tensors(clips: Sequence[Clip], sounds: Sequence[str]) -> Labels:
    """Convert the labels of clips to tensors."""
    known = {name: {clip.label for clip in clips if clip.set == name} for name in {clip.set for clip in clips}}
    count = len(clips)
    emotion, allowed = np.zeros((count, len(EMOTION_ORDER))), np.zeros((count, len(EMOTION_ORDER)))
    vad = np.zeros((count, 3))
    for row, clip in enumerate(clips):
        if clip.set not in EMOTION_SETS:
            allowed[row] = 1
            continue
        name = Emotion.parse(clip.label)
        emotion[row, EMOTION_ORDER.index(name)] = 1
        allowed[row] = [label.value in known[clip.set] for label in EMOTION_ORDER]
        vad[row] = np.array(astuple(TYPICAL_VAD[name])) * (NORMAL_INTENSITY if clip.intensity == "normal" else 1.0)
    has_intensity = [
        clip.set == INTENSITY_SET and clip.label != "neutral" and clip.intensity in {"normal", "strong"}
        for clip in clips
    ]
    return Labels(
        emotion=torch.tensor(emotion, dtype=torch.float32),
        allowed=torch.tensor(allowed, dtype=torch.float32),
        vad=torch.tensor(vad, dtype=torch.float32),
        feeling=torch.tensor(emotion.sum(axis=1), dtype=torch.float32),
        corpus=torch.tensor([sorted(known).index(clip.set) for clip in clips]),
        intensity=torch.tensor([float(clip.intensity == "strong") for clip in clips]),
        has_intensity=torch.tensor([float(known) for known in has_intensity]),
        sex=torch.tensor([float(clip.sex == "female") for clip in clips]),
        has_sex=torch.tensor([float(clip.sex in {"female", "male"} and not _is_young(clip)) for clip in clips]),
        child=torch.tensor([float(_is_child(clip)) for clip in clips]),
        has_age=torch.tensor([float(_is_child(clip) or not _is_young(clip)) for clip in clips]),
        sound=torch.tensor([_place(clip, sounds) for clip in clips]),
    )


OLDEST_CHILD, YOUNGEST_ADULT = 11, 17
"""Years. Between them voices change, and nothing is claimed."""


def is_sound(clip: Clip) -> bool:
    """Return true for a clip of a sound that has a name."""
    return clip.set in SOUND_SETS and bool(clip.label)


def _place(clip: Clip, sounds: Sequence[str]) -> int:
    return sounds.index(clip.label) if is_sound(clip) and clip.label in sounds else -1


def _is_child(clip: Clip) -> bool:
    return clip.set == READ_SET and int(clip.age) <= OLDEST_CHILD


def _is_young(clip: Clip) -> bool:
    return clip.set == READ_SET and int(clip.age) < YOUNGEST_ADULT


PLAIN_SHARE = 0.1
"""Share of the rows that come from sets without emotions."""
MORE_SHARE = 0.5
"""Sampling factor of a further set (`recipes.ear.data.MORE_SETS`)."""


def sampling_weights(
    clips: Sequence[Clip], *, mandarin: float, more: float = MORE_SHARE, plain: float = PLAIN_SHARE
) -> npt.NDArray[np.float64]:
    """Return the sampling weight of each clip: by the square root of the size of its set, and of its class in the set.

    Args:
        clips: clips to draw from.
        mandarin: factor of Mandarin clips: they matter much to our users, and are the fewest.
        more: factor of sets with few emotions.
        plain: share of all rows that comes from sets without emotions, each the same.
    """
    sets: dict[str, int] = {}
    classes: dict[tuple[str, str], int] = {}
    for clip in clips:
        sets[clip.set] = sets.get(clip.set, 0) + 1
        classes[clip.set, clip.label] = classes.get((clip.set, clip.label), 0) + 1
    weights = np.array(
        [
            sets[clip.set] ** -0.5
            * classes[clip.set, clip.label] ** -0.5
            * (mandarin if clip.language == "zh" else 1)
            * (more if clip.set in MORE_SETS else 1)
            if clip.set in EMOTION_SETS
            else 0.0
            for clip in clips
        ]
    )
    flat = np.array([1 / sets[clip.set] if clip.set in PLAIN_SETS else 0.0 for clip in clips])
    if weights.any() and flat.any():
        weights = (1 - plain) * weights / weights.sum() + plain * flat / flat.sum()
    elif flat.any():
        weights = flat
    normalised: npt.NDArray[np.float64] = weights / weights.sum()
    return normalised
