"""One vector for a clip, from the ear's frames: for networks on top of the ear to which time does not matter."""

from dataclasses import dataclass

import numpy as np

from aptone.ear import ear_and_licence
from aptone.ear.network.inference import FRAME_NUMBERS, Floats
from aptone.ear.perceive import SHORTEST_SOUND, ear_name, load_ear
from aptone.errors import AudioError
from aptone.messages import message
from aptone.types import Audio, signature


@dataclass(frozen=True, slots=True)
class ClipNumbers:
    """Mean and spread of the ear's frames over a clip: twice `FRAME_NUMBERS`.

    Args:
        ear: its name; what is taught on top of ``full`` may be used as that ear may.

    Raises:
        UsageError: if there is no such ear.
    """

    ear: str = "full"

    def __post_init__(self) -> None:
        ear_name(self.ear)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return 2 * FRAME_NUMBERS

    @property
    def licence(self) -> str:
        """Of the ear's weights."""
        return ear_and_licence(self.ear)

    @property
    def signature(self) -> str:
        """Which ear, which numbers."""
        return signature("ear-clip-numbers", {"ear": load_ear(self.ear).signature})

    def __call__(self, clip: Audio) -> Floats:
        """The numbers of a clip.

        Raises:
            AudioError: if it is too short.
        """
        if clip.seconds < SHORTEST_SOUND:
            raise AudioError(message("ear.clip-too-short", name=clip.source, count=clip.seconds, needed=SHORTEST_SOUND))
        frames = load_ear(self.ear).frames(clip)
        return np.concatenate([frames.mean(axis=0), frames.std(axis=0)]).astype(np.float32)
