"""What is heard in a turn: a trajectory of valence, arousal and dominance, and the label of an emotion."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from aptone.audio import Channel, read_ref
from aptone.ear import load_ear
from aptone.ear.licences import ear_and_licence
from aptone.errors import RecordError
from aptone.messages import message
from aptone.models import About
from aptone.rooms.dialogue.hearing.labels import heard_label, known_label
from aptone.rooms.dialogue.hearing.scale import GAIN, to_paper_scale
from aptone.rooms.dialogue.records import Turn
from aptone.types import Audio, Json, Trajectory, signature

HEARING_RATE = 16_000
"""Samples per second at which turns are read."""

LONGEST_TURN = 600.0
"""Seconds beyond which a recording is not one turn of a talk."""

SCORED_STEP = 1.0
"""Seconds between two points of the trajectories that EMO-Reasoning compares."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What is heard in a turn.

    Args:
        trajectory: ``None`` where nothing could be judged.
        emotion: a name that the table knows; empty where there is none.
        no_trajectory: why there is no trajectory.
        no_emotion: why there is no emotion.
    """

    trajectory: Trajectory | None = None
    emotion: str = ""
    no_trajectory: str = ""
    no_emotion: str = ""

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """The points with speech, [points, 3]: a pause says nothing about the feeling, so it is not compared."""
        if self.trajectory is None:
            return np.empty((0, 3))
        columns = (self.trajectory.valence, self.trajectory.arousal, self.trajectory.dominance)
        points = np.array(columns, dtype=np.float64).T.reshape(-1, 3)
        return points[~np.isnan(points).any(axis=1)]


class Listener(Protocol):
    """What hears emotion over time: the built-in ear, or a model of your own."""

    @property
    def signature(self) -> str:
        """What it is, in the signature of scores."""
        ...

    @property
    def about(self) -> About:
        """What a user must know of it."""
        ...

    @property
    def step(self) -> float:
        """Seconds between two points of its trajectories."""
        ...

    def hear(self, audio: Audio, /, *, labels: Collection[str]) -> Heard:
        """What it hears in a recording at `HEARING_RATE`; `labels` are the emotions that the table knows."""
        ...


@dataclass(frozen=True, slots=True)
class EarListener:
    """The built-in ear, on the scale of the paper (`aptone.rooms.dialogue.hearing.scale`).

    Args:
        ear: its name.
        step: seconds between two points.
    """

    ear: str
    step: float = SCORED_STEP

    @property
    def signature(self) -> str:
        """Which ear, how fine, and on which scale."""
        scale: dict[str, Json] = {
            "step": self.step,
            "gain": [GAIN.valence, GAIN.arousal, GAIN.dominance],
            "ear": load_ear(self.ear).signature,
        }
        return signature("listener", scale)

    @property
    def about(self) -> About:
        """The licence of its weights, and what it was never measured on."""
        return About(
            notes=(message("dialogue.note-trajectory"),),
            licence=ear_and_licence(self.ear),
        )

    def hear(self, audio: Audio, /, *, labels: Collection[str]) -> Heard:
        """See `Listener.hear`."""
        perception = load_ear(self.ear).perceive(audio, trajectory=self.step)
        if perception.trajectory is None:
            reason = perception.unjudged.get("vad", "no emotion was judged")
            return Heard(no_trajectory=reason, no_emotion=reason)
        emotion, why = heard_label(perception.emotion, labels)
        return Heard(to_paper_scale(perception.trajectory), emotion, no_emotion=why)


def turn_audio(turn: Turn) -> Audio | None:
    """The recording of a turn at `HEARING_RATE`, if it has one.

    Raises:
        AudioError: if it cannot be read, or is longer than a turn can be.
    """
    if turn.audio is None:
        return None
    channel: Channel = "mix" if turn.channel is None else turn.channel
    return read_ref(turn.audio, rate=HEARING_RATE, channel=channel, max_seconds=LONGEST_TURN)


def hear_turn(turn: Turn, audio: Audio | None, listener: Listener, *, table: Mapping[str, object]) -> Heard:
    """What is heard in a turn; what is known beforehand is taken as it is.

    Args:
        turn: with what is known of it.
        audio: its recording, if it has one.
        listener: hears what is not known.
        table: whose keys are the emotions that may be told.

    Raises:
        RecordError: if a given trajectory has another step than the listener's.
    """
    given = turn.trajectory
    if given is not None and given.step != listener.step:
        raise RecordError(
            f"a trajectory has a point every {given.step:g} s, but {listener.step:g} s is what scores are made for; "
            f"say --step {given.step:g}, or average it."
        )
    emotion, unknown = "", ""
    if turn.emotion:
        try:
            emotion = known_label(turn.emotion, tuple(table))
        except RecordError as error:
            unknown = str(error)
    if audio is None or (given is not None and (emotion or unknown)):
        missing = "" if given is not None else "there is neither a recording nor a trajectory"
        return Heard(given, emotion, missing, "" if emotion else unknown or message("dialogue.no-label-no-recording"))
    heard = listener.hear(audio, labels=tuple(table))
    if emotion or unknown:
        return Heard(given or heard.trajectory, emotion, heard.no_trajectory, unknown)
    return Heard(given or heard.trajectory, heard.emotion, "" if given else heard.no_trajectory, heard.no_emotion)
