"""What CSER reads: frame features of a recording, averaged to one vector a step.

``ear`` is the built-in ear: 256 numbers of its stem, and its own valence, arousal and dominance of the moment and
around it, 50 times a second, at no download. ``wavlm`` is WavLM-Large through transformers, as in the paper.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from aptone.ear import load_ear
from aptone.ear.licences import ear_and_licence
from aptone.ear.network.inference import FRAME_NUMBERS, frame_times
from aptone.ear.perceive import SHORTEST_SOUND, ear_name
from aptone.errors import AudioError, UsageError
from aptone.messages import message
from aptone.models import About
from aptone.models.local.wavlm import LocalWavlm
from aptone.stats.steps import step_means
from aptone.types import Audio, Json, signature

Floats = npt.NDArray[np.float32]


class FrontEnd(Protocol):
    """Makes the vectors that CSER reads."""

    @property
    def signature(self) -> str:
        """Everything that a vector depends on besides recording and step."""
        ...

    @property
    def about(self) -> About:
        """What a user must know of it."""
        ...

    @property
    def size(self) -> int:
        """Numbers in a vector."""
        ...

    def vectors(self, audio: Audio, /, *, step: float) -> Floats:
        """One vector a step, [steps, size].

        Raises:
            AudioError: if the recording is too short.
        """
        ...


@dataclass(frozen=True, slots=True)
class EarFrontEnd:
    """The built-in ear.

    Args:
        ear: its name; what is taught on top of ``full`` may be used as that ear may.
    """

    ear: str = "full"

    def __post_init__(self) -> None:
        ear_name(self.ear)

    @property
    def signature(self) -> str:
        """Which ear."""
        return signature("ear-frames", {"ear": load_ear(self.ear).signature})

    @property
    def about(self) -> About:
        """The licence of its weights."""
        return About(licence=ear_and_licence(self.ear))

    @property
    def size(self) -> int:
        """Numbers in a vector."""
        return FRAME_NUMBERS

    def vectors(self, audio: Audio, /, *, step: float) -> Floats:
        """See `FrontEnd.vectors`."""
        if audio.seconds < SHORTEST_SOUND:
            raise AudioError(
                message("ear.clip-too-short", name=audio.source, count=audio.seconds, needed=SHORTEST_SOUND)
            )
        frames = load_ear(self.ear).frames(audio)
        return _without_gaps(step_means(frames, frame_times(len(frames)), seconds=audio.seconds, step=step))


class WavlmFrontEnd:
    """WavLM or a relative; options as those of `aptone.models.local.wavlm.LocalWavlm`."""

    def __init__(self, **options: Any) -> None:
        self._source = LocalWavlm(**options)

    @property
    def signature(self) -> str:
        """Which model, which layer."""
        return self._source.signature

    @property
    def about(self) -> About:
        """What it needs."""
        return self._source.about

    @property
    def size(self) -> int:
        """Numbers in a vector."""
        return self._source.size

    def vectors(self, audio: Audio, /, *, step: float) -> Floats:
        """See `FrontEnd.vectors`."""
        frames = self._source.frames(audio)
        return _without_gaps(step_means(frames.values, frames.times, seconds=audio.seconds, step=step))


FRONT_ENDS: Mapping[str, Callable[..., FrontEnd]] = {"ear": EarFrontEnd, "wavlm": WavlmFrontEnd}
_OPTIONS: Mapping[str, Callable[..., Any]] = {"ear": EarFrontEnd, "wavlm": LocalWavlm}


def make_front_end(kind: str, options: Mapping[str, Json]) -> FrontEnd:
    """A front end by its kind.

    Args:
        kind: one of `FRONT_ENDS`.
        options: of that kind.

    Raises:
        UsageError: if there is no such kind or option, or an option is not one.
    """
    if kind not in FRONT_ENDS:
        raise UsageError(f"there are no features {kind!r}; choose one of {', '.join(FRONT_ENDS)}.")
    known = inspect.signature(_OPTIONS[kind]).parameters
    if unknown := [name for name in options if name not in known]:
        raise UsageError(f"features {kind!r} have no option {unknown[0]!r}; they have {', '.join(known)}.")
    return FRONT_ENDS[kind](**options)


def _without_gaps(means: npt.NDArray[np.float64]) -> Floats:
    """The same with the vector before it where a step is too short to hold a frame; only the last one can be."""
    for place in range(1, len(means)):
        if np.isnan(means[place, 0]):
            means[place] = means[place - 1]
    return means.astype(np.float32)
