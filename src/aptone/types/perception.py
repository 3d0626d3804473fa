"""Perception of a clip by an ear, and what it could not judge."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from aptone.types.closed_sets import AgeBand, Intonation, Rhythm, Sex
from aptone.types.display import Displayed
from aptone.types.score import Score
from aptone.types.story import Vad


@dataclass(frozen=True, slots=True)
class SoundEvent:
    """Something heard besides words: a laugh, a breath, a door."""

    name: str
    start: float
    end: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Trajectory:
    """Valence, arousal and dominance over time, in columns: value i stands at (i + 1/2) * `step` seconds.

    NaN where there is no speech to judge.
    """

    step: float
    valence: tuple[float, ...]
    arousal: tuple[float, ...]
    dominance: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.step > 0:
            raise ValueError(f"the step of a trajectory is a positive number of seconds, got {self.step}.")
        if not len(self.valence) == len(self.arousal) == len(self.dominance):
            raise ValueError("the three columns of a trajectory have the same length.")

    def __len__(self) -> int:
        return len(self.valence)

    @property
    def points(self) -> tuple[Vad, ...]:
        """The same, a point at a time."""
        return tuple(Vad(*point) for point in zip(self.valence, self.arousal, self.dominance, strict=True))


@dataclass(frozen=True, slots=True)
class Tracks:
    """Pitch and loudness over time, in columns: value i stands at (i + 1/2) * `step` seconds.

    Args:
        step: seconds between two values.
        pitch: F0 in Hz, NaN where the voice does not vibrate.
        loudness: level in dB relative to full scale.
    """

    step: float
    pitch: tuple[float, ...]
    loudness: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Perception(Displayed):
    """Everything an ear says about one clip.

    Distributions map a name to a probability and sum to 1; an empty one was not judged, and `unjudged` says why.

    Args:
        speech_seconds: seconds of speech in it.
        emotion: distribution over emotion names.
        phrase: the emotion in words, by language.
        intensity: 0 (none) to 1 (strong); NaN when not judged.
        measures: measured quantities with their units: pitch, range, rate, loudness, pauses, jitter, …
        music: probability of background music; NaN when not judged.
        naturalness: 0 to 5; NaN when not judged.
        events: sounds besides words, with times.
        sounds: by sound that the ear was trained on, its highest probability over 0.14 s anywhere,
            reported as an event or not.
        trajectory, tracks: valence, arousal, dominance over time; pitch and loudness over time; when asked for.
        unjudged: properties that could not be judged, and why.
    """

    seconds: float
    speech_seconds: float = math.nan
    emotion: Mapping[str, float] = field(default_factory=dict)
    phrase: Mapping[str, str] = field(default_factory=dict)
    vad: Vad | None = None
    intensity: float = math.nan
    rhythm: Mapping[Rhythm, float] = field(default_factory=dict)
    intonation: Mapping[Intonation, float] = field(default_factory=dict)
    recording_condition: Mapping[str, float] = field(default_factory=dict)
    measures: Mapping[str, Score] = field(default_factory=dict)
    music: float = math.nan
    naturalness: float = math.nan
    events: tuple[SoundEvent, ...] = ()
    sounds: Mapping[str, float] = field(default_factory=dict)
    sex: Mapping[Sex, float] = field(default_factory=dict)
    age: Mapping[AgeBand, float] = field(default_factory=dict)
    trajectory: Trajectory | None = None
    tracks: Tracks | None = None
    unjudged: Mapping[str, str] = field(default_factory=dict)
    signature: str = ""
    licence: str = ""

    @property
    def speech_coverage(self) -> float:
        """Share of the clip that is speech; NaN when that was not measured."""
        return self.speech_seconds / self.seconds if self.seconds > 0 else math.nan


@dataclass(frozen=True, slots=True)
class EmotionEstimate:
    """Estimate of the emotion in a voice by a model from elsewhere, in its own terms.

    Args:
        labels: its own label to a share of 0 or more; empty where it has no labels. Only their proportions count.
        vad: valence, arousal and dominance; ``None`` where it does not judge them.
        intensity: 0 (none) to 1 (strong); NaN where it does not judge it.

    Raises:
        ValueError: if a share is negative or not finite, or the intensity is beyond 0 to 1.
    """

    labels: Mapping[str, float] = field(default_factory=dict)
    vad: Vad | None = None
    intensity: float = math.nan

    def __post_init__(self) -> None:
        if wrong := [name for name, share in self.labels.items() if not 0.0 <= share < math.inf]:
            raise ValueError(f"the share of {wrong[0]!r} is a finite number of 0 or more, got {self.labels[wrong[0]]}.")
        if not (math.isnan(self.intensity) or 0.0 <= self.intensity <= 1.0):
            raise ValueError(f"an intensity lies between 0 and 1, got {self.intensity}.")
