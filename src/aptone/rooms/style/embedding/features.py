"""What the built-in style model reads of a clip: what the ear says about it, as one row of numbers.

The model sees nothing but what the ear reports: probabilities, valence and arousal, and measures in spreads from
ordinary speech. So it costs next to nothing beside the ear, it generalises as far as the ear does, and it can be taught
with what ears say about speakers that they never heard (`recipes.style.rows`), on whom they are as unsure as they
will be at a user's.
"""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.ear.measures.norms import MEASURES, spreads_from_norm
from aptone.types import Intonation, Perception, Rhythm, Sex

Numbers = npt.NDArray[np.float32]

EMOTIONS: tuple[str, ...] = (
    "neutral",
    "calm",
    "happy",
    "sad",
    "angry",
    "fear",
    "disgust",
    "surprise",
    "boredom",
    "playful",
)
CONDITIONS: tuple[str, ...] = ("normal", "phone", "far-field", "intermittent", "noisy")
EVENTS: tuple[str, ...] = ("laughter", "breath", "cough", "sneeze", "crying baby")
SOUNDS: Mapping[str, str] = MappingProxyType(
    {
        "laughing": "laughter",
        "breathing": "breath",
        "coughing": "cough",
        "sneezing": "sneeze",
        "crying baby": "crying baby",
    }
)
"""The events, by the names that the ear reports them under."""
MEASURED: tuple[str, ...] = tuple(MEASURES)
EVENT_CONFIDENCE = 0.1
"""About what the ear's confidence in a sound must be for it to be reported at all."""
LARGEST = 4.0
"""Spreads, and natural logarithms of odds, beyond which a number counts no more."""

NAMES: tuple[str, ...] = (
    *(f"log odds of {name}" for name in EMOTIONS),
    *(f"probability of {name}" for name in EMOTIONS),
    "valence",
    "arousal",
    "intensity",
    "log odds of female",
    "log odds of adult",
    *(f"log odds of {name}" for name in CONDITIONS),
    "log odds of music",
    *(f"confidence in {name}" for name in EVENTS),
    *(f"{name} for the sex" for name in MEASURED),
    *(f"{name} for anyone" for name in MEASURED),
    *(f"{name} not measured" for name in MEASURED),
    *(f"probability of {name.value} rhythm" for name in Rhythm),
    *(f"probability of {name.value} intonation" for name in Intonation),
)
"""What each number is, in their order."""


def numbers_of(perception: Perception) -> Numbers:
    """The row of a clip. What was not judged is 0, which is "nothing special", and so is what has no name here.

    >>> from aptone.types import Perception
    >>> numbers_of(Perception(seconds=1.0, emotion={"angry": 1.0}))[NAMES.index("probability of angry")].item()
    1.0
    """
    feeling = perception.vad
    row = [
        *_odds(perception.emotion, EMOTIONS),
        *_shares(perception.emotion, EMOTIONS),
        *((_or_zero(feeling.valence), _or_zero(feeling.arousal)) if feeling else (0.0, 0.0)),
        _or_zero(perception.intensity - 0.5),
        _log_odds(perception.sex.get(Sex.FEMALE, 0.5)),
        _log_odds(max(perception.age.values(), default=0.5)),
        *_odds(perception.recording_condition, CONDITIONS),
        _log_odds(perception.music),
        *_events(perception),
        *_measured(perception),
        *_shares(perception.rhythm, tuple(Rhythm)),
        *_shares(perception.intonation, tuple(Intonation)),
    ]
    return np.array(row, dtype=np.float32)


def _odds(distribution: Mapping[Any, float], names: Sequence[str]) -> list[float]:
    if not distribution:
        return [0.0] * len(names)
    return [_log_odds(distribution.get(name, 0.0)) for name in names]


def _shares(distribution: Mapping[Any, float], names: Sequence[str]) -> list[float]:
    return [_or_zero(distribution.get(name, 0.0)) for name in names]


def _events(perception: Perception) -> list[float]:
    surest = dict.fromkeys(EVENTS, 0.0)
    for event in perception.events:
        if event.name in SOUNDS:
            name = SOUNDS[event.name]
            surest[name] = max(surest[name], event.confidence)
    return [_bounded(confidence / EVENT_CONFIDENCE) for confidence in surest.values()]


def _measured(perception: Perception) -> list[float]:
    own, anyone, missing = [], [], []
    for name in MEASURED:
        score = perception.measures.get(name)
        value = score.value if score is not None else math.nan
        known = math.isfinite(value)
        own.append(_bounded(spreads_from_norm(name, value, sex=perception.sex, language=None)) if known else 0.0)
        anyone.append(_bounded(spreads_from_norm(name, value, sex=None, language=None)) if known else 0.0)
        missing.append(float(not known))
    return [*own, *anyone, *missing]


def _log_odds(probability: float) -> float:
    if math.isnan(probability):
        return 0.0
    least = math.exp(-LARGEST)
    within = min(max(probability, least), 1.0 - least)
    return math.log(within / (1.0 - within))


def _bounded(value: float) -> float:
    return min(max(value, -LARGEST), LARGEST)


def _or_zero(value: float) -> float:
    return 0.0 if math.isnan(value) else float(value)
