"""A CSER model of your own as what hears emotion over time, instead of the built-in ear."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aptone.errors import MissingExtraError, UsageError
from aptone.messages import message
from aptone.models import About
from aptone.rooms.dialogue.hearing.front_ends import FrontEnd, make_front_end
from aptone.rooms.dialogue.hearing.turns import SCORED_STEP, EarListener, Heard, Listener
from aptone.types import Audio, Trajectory, signature

if TYPE_CHECKING:
    from aptone.models.local.cser import Cser


@dataclass(frozen=True, slots=True)
class CserListener:
    """A model made by ``aptone train cser``; its numbers are taken as they are.

    Labels of emotions, and where somebody speaks, still come from the built-in ear: a second without speech has no
    point, whichever model says the others.

    Args:
        folder: of the model.
        ear: name of the built-in ear.

    Raises:
        MissingExtraError: if torch is not installed.
        UsageError: if the folder holds no model, or one for another version of its front end.
    """

    folder: Path
    ear: str

    def __post_init__(self) -> None:
        _model(self.folder)

    @property
    def signature(self) -> str:
        """Which model, with which features, and which ear for the labels."""
        model, front_end = _model(self.folder)
        parts = {"model": model.signature, "front end": front_end.signature}
        return signature("listener", {**parts, "labels": EarListener(self.ear, self.step).signature})

    @property
    def about(self) -> About:
        """What its front end needs, and the licences of all that is in it."""
        _, front_end = _model(self.folder)
        labels = About(licence=EarListener(self.ear, self.step).about.licence)
        return front_end.about + labels + About(notes=(message("dialogue.note-model", folder=self.folder),))

    @property
    def step(self) -> float:
        """Seconds between two points: those that the model was taught with."""
        return _model(self.folder)[0].config.step

    def hear(self, audio: Audio, /, *, labels: Collection[str]) -> Heard:
        """See `aptone.rooms.dialogue.hearing.turns.Listener.hear`."""
        heard = EarListener(self.ear, self.step).hear(audio, labels=labels)
        if heard.trajectory is None:
            return heard
        model, front_end = _model(self.folder)
        (said,) = model.trajectories([front_end.vectors(audio, step=self.step)])
        spoken = ~np.isnan(np.array(heard.trajectory.arousal))
        points = np.where(spoken[:, None], said[: spoken.size].astype(np.float64).round(9), np.nan)
        trajectory = Trajectory(self.step, *(tuple(column) for column in points.T.tolist()))
        return Heard(trajectory, heard.emotion, no_emotion=heard.no_emotion)


def choose_listener(ear: str, folder: Path | None, step: float | None) -> Listener:
    """What hears emotion over time: the built-in ear, or a model of your own.

    Args:
        ear: name of the ear.
        folder: of a model; ``None`` for the ear.
        step: seconds between two points; ``None`` for 1, or for the step of the model.

    Raises:
        UsageError: if the model was taught with another step, or cannot be used.
    """
    if folder is None:
        return EarListener(ear, SCORED_STEP if step is None else step)
    listener = CserListener(folder.absolute(), ear)
    if step is not None and step != listener.step:
        raise UsageError(f"{folder}: was taught with a point every {listener.step:g} s; leave --step {step:g} out.")
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
        raise UsageError(
            f"{folder}: was taught with other features ({model.config.front_end_signature} then, "
            f"{front_end.signature} now); train it anew, or use the version of aptone that it was made with."
        )
    return model, front_end
