"""Emotion of a turn: a trajectory of valence, arousal and dominance, and an emotion label.

Labels come from the ear, or from a served recogniser that writes them into its transcript. SenseVoice begins what it
writes with tags, ``<|en|><|HAPPY|><|Speech|><|withitn|>``; any server that answers ``POST /audio/transcriptions`` in
that form will do. Only the tags at the beginning count: words that are spoken cannot forge one.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from aptone.audio import Channel, read_ref
from aptone.ear import ear_and_licence, load_ear
from aptone.ear.reference import References
from aptone.ear.referenced import Referenced
from aptone.errors import RecordError, UnusableReplyError
from aptone.messages import message
from aptone.models import About
from aptone.models.openai.parts import OpenAiTranscriber
from aptone.rooms.dialogue.config import EXTREME, SHIFT
from aptone.rooms.dialogue.hearing.labels import LEAST, heard_label, known_label, likeliest
from aptone.rooms.dialogue.records import Turn
from aptone.run import Call, Reply, Request
from aptone.types import Audio, Json, Language, Trajectory, Vad, from_json, loads, signature

MEAN_TALK = Vad(EXTREME.valence + SHIFT.valence, EXTREME.arousal + SHIFT.arousal, EXTREME.dominance + SHIFT.dominance)
GAINS_FILE = Path(str(files("aptone.rooms.dialogue"))) / "hearing" / "gains.json"
"""Gains that ``benchmarks/dialogue_gains.py`` chose on training and dev speakers of several corpora."""

GAIN = from_json(Vad, loads(GAINS_FILE.read_bytes(), what=GAINS_FILE.name))


def to_paper_scale(trajectory: Trajectory) -> Trajectory:
    """Convert the ear's values to the scale of the paper: ``mean talk + gain · value`` per dimension, within -1 to 1.

    >>> raised = to_paper_scale(Trajectory(1.0, (0.0,), (0.5,), (0.0,)))
    >>> raised.arousal[0] == round(MEAN_TALK.arousal + 0.5 * GAIN.arousal, 9), round(raised.valence[0], 3)
    (True, 0.141)
    """

    def scaled(name: str) -> tuple[float, ...]:
        values = np.array(getattr(trajectory, name), dtype=np.float64)
        return tuple(np.clip(getattr(MEAN_TALK, name) + getattr(GAIN, name) * values, -1.0, 1.0).round(9).tolist())

    return Trajectory(trajectory.step, scaled("valence"), scaled("arousal"), scaled("dominance"))


HEARING_RATE = 16_000
"""Samples per second at which turns are read."""

LONGEST_TURN = 600.0
"""Seconds beyond which a recording is not one turn of a talk."""

SCORED_STEP = 1.0
"""Seconds between two points of the trajectories that EMO-Reasoning compares."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Perception of a turn: trajectory, ``None`` if not judged, and an emotion that the table knows, or empty.

    Args:
        shares: probabilities of the table's emotions where a listener named them; they need not add up to 1.
        is_forced: whether the label is the likeliest of the table's although others are likelier together.
        is_given: whether the trajectory was given, and not heard.
        listened: whether a listener heard the turn at all.
    """

    trajectory: Trajectory | None = None
    emotion: str = ""
    no_trajectory: str = ""
    no_emotion: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    is_forced: bool = False
    is_given: bool = False
    listened: bool = True

    def forced(self) -> "Heard":
        """Return the same with a label wherever an emotion of the table has a probability at all."""
        if self.emotion or not any(self.shares.values()):
            return self
        return replace(self, emotion=likeliest(self.shares), is_forced=True)

    @property
    def likely(self) -> dict[str, float]:
        """Probabilities of the table's emotions, which add up to 1: those heard, or all of it on a given label.

        Empty where there is neither a label nor enough to go by (`LEAST`).
        """
        total = sum(self.shares.values())
        if total > 0 and (self.is_forced or total >= LEAST):
            return {name: share / total for name, share in self.shares.items()}
        return {self.emotion: 1.0} if self.emotion else {}

    @property
    def likeliest(self) -> str:
        """The label, or else the likeliest of the table's emotions; empty where nothing is known."""
        return self.emotion or likeliest(self.shares)

    @property
    def points(self) -> npt.NDArray[np.float64]:
        """The points with speech, [points, 3]: a pause says nothing about the feeling, so it is not compared."""
        if self.trajectory is None:
            return np.empty((0, 3))
        columns = (self.trajectory.valence, self.trajectory.arousal, self.trajectory.dominance)
        points = np.array(columns, dtype=np.float64).T.reshape(-1, 3)
        return points[~np.isnan(points).any(axis=1)]


class Listener(Protocol):
    """Model that hears emotion over time: the built-in ear, or one of your own."""

    @property
    def signature(self) -> str:
        """Its part of the signature of scores."""
        ...

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        ...

    @property
    def step(self) -> float:
        """Seconds between two points of its trajectories."""
        ...

    def hear(self, audio: Audio, /, *, labels: Collection[str], voice: str = "") -> Heard:
        """Hear a recording at `HEARING_RATE`, for emotions that the table knows; `voice` finds its reference."""
        ...


@dataclass(frozen=True, slots=True)
class EarListener(Referenced):
    """The built-in ear on the scale of the paper (see the module), with `step` seconds between two points."""

    ear: str
    step: float = SCORED_STEP
    references: References | None = None

    @property
    def signature(self) -> str:
        """Signature of the ear, its time step, its scale, and references of voices."""
        gain: list[Json] = [GAIN.valence, GAIN.arousal, GAIN.dominance]
        parts: dict[str, Json] = {"step": self.step, "gain": gain, "ear": load_ear(self.ear).signature}
        return signature("listener", {**parts, **self.reference_signature})

    @property
    def about(self) -> About:
        """The licence of its weights, and what it was never measured on."""
        notes = (message("dialogue.note-trajectory"), *self.reference_notes)
        return About(notes=notes, licence=ear_and_licence(self.ear))

    def hear(self, audio: Audio, /, *, labels: Collection[str], voice: str = "") -> Heard:
        """See `Listener.hear`."""
        perception = self.heard_against(load_ear(self.ear).perceive(audio, trajectory=self.step), voice=voice)
        emotion, why, shares = heard_label(perception.emotion, labels)
        if not perception.emotion:
            why = perception.unjudged.get("emotion", why)
        if perception.trajectory is None:
            reason = perception.unjudged.get("vad", "no emotion was judged")
            return Heard(None, emotion, no_trajectory=reason, no_emotion=why, shares=shares)
        return Heard(to_paper_scale(perception.trajectory), emotion, no_emotion=why, shares=shares)


def turn_audio(turn: Turn) -> Audio | None:
    """The recording of a turn at `HEARING_RATE`, if it has one.

    Raises:
        AudioError: if it cannot be read, or is longer than a turn can be.
    """
    if turn.audio is None:
        return None
    channel: Channel = "mix" if turn.channel is None else turn.channel
    return read_ref(turn.audio, rate=HEARING_RATE, channel=channel, max_seconds=LONGEST_TURN)


def hear_turn(
    turn: Turn, audio: Audio | None, listener: Listener, *, table: Mapping[str, object], voice: str = ""
) -> Heard:
    """Hear a turn; what is known beforehand is taken as it is.

    Args:
        table: table whose keys are the possible emotion labels.
        voice: speaker, for references of voices.

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
        missing = "" if given is not None else message("dialogue.no-recording-no-trajectory")
        why = "" if emotion else unknown or message("dialogue.no-label-no-recording")
        return Heard(given, emotion, missing, why, is_given=given is not None, listened=False)
    heard = listener.hear(audio, labels=tuple(table), voice=voice)
    if given is not None:
        heard = replace(heard, trajectory=given, no_trajectory="", is_given=True)
    return replace(heard, emotion=emotion, no_emotion=unknown, shares={}) if emotion or unknown else heard


TAGS = {
    "NEUTRAL": "neutral",
    "HAPPY": "happy",
    "ANGRY": "angry",
    "SAD": "sad",
    "FEARFUL": "fear",
    "DISGUSTED": "disgust",
    "SURPRISED": "surprise",
    "EMO_UNKNOWN": "",
}

_BEGINNING = re.compile(r"\s*((?:<\|[^|<>]{1,40}\|>\s*)+)")
_TAG = re.compile(r"<\|([^|<>]+)\|>")


def tagged_emotion(text: str) -> str:
    """The emotion in the tags at the beginning of a transcript; empty where the recogniser was not sure.

    >>> tagged_emotion("<|en|><|HAPPY|><|Speech|>I said <|SAD|> things")
    'happy'

    Raises:
        UnusableReplyError: if no tag there names an emotion, or two differ.
    """
    beginning = _BEGINNING.match(text)
    found = {TAGS[tag] for tag in _TAG.findall(beginning[1] if beginning else "") if tag in TAGS}
    if len(found) != 1:
        raise UnusableReplyError(message("dialogue.no-emotion-tag"), raw_reply=text)
    return found.pop()


@dataclass(frozen=True, slots=True)
class ServedRecogniser:
    """A recogniser behind ``/audio/transcriptions``."""

    transcriber: OpenAiTranscriber

    @property
    def signature(self) -> str:
        """Whose labels these are."""
        return signature("tagged-emotion", {"transcriber": self.transcriber.signature})

    @property
    def about(self) -> About:
        """Its requirements, and the machine to which recordings go."""
        return self.transcriber.about

    async def recognise(self, audio: Audio, call: Call, *, language: Language) -> str:
        """The label of a recording; empty where the recogniser was not sure.

        Raises:
            UnusableReplyError: if no reply names an emotion.
        """

        async def send(seed: int) -> Reply:
            transcript = await self.transcriber.transcribe(audio, language=language)
            return Reply(transcript.text, cost=transcript.cost)

        request = Request(self.signature, prompt=language, audio_hash=audio.hash)
        return await call.ask(request, send, tagged_emotion)
