"""A CSER model of your own as what hears emotion over time, and what it reads: one vector of frame features a step.

``ear`` is the built-in ear: 256 numbers of its stem, and its own valence, arousal and dominance of the moment and
around it, 50 times a second, at no download. ``wavlm`` is WavLM-Large through transformers, as in the paper.
"""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from aptone.ear import ear_and_licence, load_ear
from aptone.ear.network.inference import FRAME_NUMBERS, frame_times
from aptone.ear.perceive import SHORTEST_SOUND, ear_name
from aptone.ear.reference import References
from aptone.ear.referenced import Referenced
from aptone.errors import AudioError, MissingExtraError, UsageError
from aptone.messages import message
from aptone.models import About
from aptone.models.local.wavlm import LocalWavlm
from aptone.rooms.dialogue.hearing.turns import SCORED_STEP, EarListener, Heard, Listener
from aptone.stats.steps import step_means
from aptone.types import Audio, Json, Trajectory, signature

Floats = npt.NDArray[np.float32]


class FrontEnd(Protocol):
    """Makes the vectors that CSER reads."""

    @property
    def signature(self) -> str:
        """Everything that a vector depends on besides recording and step."""
        ...

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
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
    """The built-in ear of that name; what is trained on top of ``full`` may be used as that ear may."""

    ear: str = "full"

    def __post_init__(self) -> None:
        ear_name(self.ear)

    @property
    def signature(self) -> str:
        """Signature of the ear."""
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
            why = message("ear.clip-too-short", name=audio.source, count=audio.seconds, needed=SHORTEST_SOUND)
            raise AudioError(why)
        frames = load_ear(self.ear).frames(audio)
        return _without_gaps(step_means(frames, frame_times(len(frames)), seconds=audio.seconds, step=step))


class WavlmFrontEnd(LocalWavlm):
    """WavLM or a relative."""

    def vectors(self, audio: Audio, /, *, step: float) -> Floats:
        """See `FrontEnd.vectors`."""
        frames = self.frames(audio)
        return _without_gaps(step_means(frames.values, frames.times, seconds=audio.seconds, step=step))


FRONT_ENDS: Mapping[str, Callable[..., FrontEnd]] = {"ear": EarFrontEnd, "wavlm": WavlmFrontEnd}


def make_front_end(kind: str, options: Mapping[str, Json]) -> FrontEnd:
    """A front end by its kind.

    Args:
        kind: one of `FRONT_ENDS`.

    Raises:
        UsageError: if there is no such kind or option, or an option is not one.
    """
    if kind not in FRONT_ENDS:
        raise UsageError(f"there are no features {kind!r}; choose one of {', '.join(FRONT_ENDS)}.")
    known = inspect.signature(FRONT_ENDS[kind]).parameters
    if unknown := [name for name in options if name not in known]:
        raise UsageError(f"features {kind!r} have no option {unknown[0]!r}; they have {', '.join(known)}.")
    return FRONT_ENDS[kind](**options)


def _without_gaps(means: npt.NDArray[np.float64]) -> Floats:
    """The same with the vector before it where a step is too short to hold a frame; only the last one can be."""
    for place in range(1, len(means)):
        if np.isnan(means[place, 0]):
            means[place] = means[place - 1]
    return means.astype(np.float32)


if TYPE_CHECKING:
    from aptone.models.local.cser import Cser


@dataclass(frozen=True, slots=True)
class CserListener(Referenced):
    """A model made by ``aptone train cser``; its numbers are taken as they are.

    Labels of emotions, and where somebody speaks, still come from the built-in ear: a second without speech has no
    point, whichever model says the others. References of voices change the labels only.

    Raises:
        MissingExtraError: if torch is not installed.
        UsageError: if the folder holds no model, or one for another version of its front end.
    """

    folder: Path
    ear: str
    references: References | None = None

    def __post_init__(self) -> None:
        _model(self.folder)

    @property
    def signature(self) -> str:
        """Signature of the model, its features, and the ear for the labels."""
        model, front_end = _model(self.folder)
        parts = {"model": model.signature, "front end": front_end.signature}
        return signature("listener", {**parts, "labels": self._labels.signature})

    @property
    def about(self) -> About:
        """Requirements of its front end, and the licences of all its parts."""
        _, front_end = _model(self.folder)
        labels = About(notes=self.reference_notes, licence=self._labels.about.licence)
        return front_end.about + labels + About(notes=(message("dialogue.note-model", folder=self.folder),))

    @property
    def step(self) -> float:
        """Seconds between two points: those that the model was trained with."""
        return _model(self.folder)[0].config.step

    @property
    def _labels(self) -> EarListener:
        return EarListener(self.ear, self.step, self.references)

    def hear(self, audio: Audio, /, *, labels: Collection[str], voice: str = "") -> Heard:
        """See `aptone.rooms.dialogue.hearing.turns.Listener.hear`."""
        heard = self._labels.hear(audio, labels=labels, voice=voice)
        if heard.trajectory is None:
            return heard
        model, front_end = _model(self.folder)
        (said,) = model.trajectories([front_end.vectors(audio, step=self.step)])
        spoken = ~np.isnan(np.array(heard.trajectory.arousal))
        points = np.where(spoken[:, None], said[: spoken.size].astype(np.float64).round(9), np.nan)
        trajectory = Trajectory(self.step, *(tuple(column) for column in points.T.tolist()))
        return replace(heard, trajectory=trajectory)


def choose_listener(ear: str, folder: Path | None, step: float | None) -> Listener:
    """Choose the listener for emotion over time: the built-in ear, or a model of your own.

    Args:
        folder: folder of a model; ``None`` for the ear.
        step: seconds between two points; ``None`` for 1, or for the step of the model.

    Raises:
        UsageError: if the model was trained with another step, or cannot be used.
    """
    if folder is None:
        return EarListener(ear, SCORED_STEP if step is None else step)
    listener = CserListener(folder.absolute(), ear)
    if step is not None and step != listener.step:
        raise UsageError(f"{folder}: was trained with a point every {listener.step:g} s; leave --step {step:g} out.")
    return listener


@cache
def _model(folder: Path) -> "tuple[Cser, FrontEnd]":
    """The model in a folder and its front end, loaded once."""
    try:
        from aptone.models.local.cser import load_cser
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in {"safetensors", "torch"}:
            raise
        raise MissingExtraError(message("dialogue.emotion-model"), extra="local") from error
    model = load_cser(folder)
    options = {name: value for name, value in model.config.front_end.items() if name != "kind"}
    front_end = make_front_end(str(model.config.front_end.get("kind")), options)
    if front_end.signature != model.config.front_end_signature:
        features = f"{model.config.front_end_signature} then, {front_end.signature} now"
        hint = "train it again, or use the version of aptone that it was made with."
        raise UsageError(f"{folder}: was trained with other features ({features}); {hint}")
    return model, front_end
