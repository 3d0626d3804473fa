"""How likely every value of every attribute holds in a clip, as log odds calibrated on single attributes.

- *emotion*: ``bias + Σ weight · evidence`` of `aptone.ear.claims.rules.emotion_evidence`: the margin of its
  log-probability over the likeliest other, and how far valence and arousal lie from where that emotion usually lies.
- *sex*: a line through the log odds that the ear gives.
- *pitch, pitch variation, rate, volume*: a line through the distance from the norm, in spreads; for the value in the
  middle through its size.
- *everything else*: `BY_HAND` times the lean of the ear's rule for claims (`aptone.ear.claims.rules`); nobody labelled
  these, so that they are not calibrated.

``weights/evidence.json`` holds the numbers, ``python -m recipes.style calibrate`` fits them: to clips of speakers and
of corpora that the ears had never heard, with as many false claims as there are other values. NaN where nothing was
heard.
"""

import functools
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from aptone.ear.claims.rules import MEASURES, Hearing, emotion_evidence
from aptone.ear.describe import ATTRIBUTES, Attribute, Sense, values_of
from aptone.types import ClosedSet, Emotion, Perception, Sex

Floats = npt.NDArray[np.float64]

VALUES: tuple[Sense, ...] = tuple(Sense(name, value) for name in ATTRIBUTES for value in values_of(name))
"""Every value of every attribute, in the order of the log odds."""
PLACES: Mapping[Sense, int] = {sense: place for place, sense in enumerate(VALUES)}
BY_HAND = 1.4
"""Log odds for a lean of 1, where a rule begins to call a claim true: a probability of 0.8."""
MOST = 6.0
"""Log odds beyond which nothing gets surer."""
REVISION = 1
"""Raise it when equal numbers and equal texts may give other fits."""
SHIPPED = Path(__file__).parents[1] / "weights" / "evidence.json"


@dataclass(frozen=True, slots=True)
class Calibration:
    """Fitted numbers.

    Args:
        ear: signature of the ear that they were fitted to.
        emotion: weights of the evidence for an emotion, and ``bias``.
        sex: slope and bias over the log odds of that sex.
        scales: by attribute and value, slope and place: the log odds are ``slope * (distance - place)``; of the middle
            value ``slope * (|distance| - place)``.
        denied: by attribute, or by attribute and value (``rate: slow``), the log odds at which a claim and its denial
            fit equally well; 0 for those not named.
        steepness: by how much the log odds of a denial fall as those of the claim rise.
    """

    ear: str
    emotion: Mapping[str, float]
    sex: tuple[float, float]
    scales: Mapping[str, Mapping[str, tuple[float, float]]]
    denied: Mapping[str, float]
    steepness: float

    def log_odds(self, perception: Perception) -> Floats:
        """Return the log odds of every value of `VALUES` in a clip; NaN for what was not judged."""
        hearing = Hearing(perception, language=None)
        found: Floats = np.clip([self._odds(hearing, sense) for sense in VALUES], -MOST, MOST)
        return found

    def denial(self, sense: Sense, odds: Floats) -> Floats:
        """Return the log odds of a denial from those of the claim.

        A denial holds where the ear rules a value out, and that takes more than to doubt it: both are unlikely in
        between. With ``d`` the log odds at which both are equal and ``s`` the steepness::

            denial = -s (odds - d (1 + s) / s)     where d < 0, else -odds
        """
        by_attribute = self.denied.get(sense.attribute, 0.0)
        equal = min(0.0, self.denied.get(f"{sense.attribute}: {sense.value}", by_attribute))
        if equal == 0.0:
            return -odds
        steep = self.steepness
        return np.clip(-steep * (odds - equal * (1.0 + steep) / steep), -MOST, MOST)

    def _odds(self, hearing: Hearing, sense: Sense) -> float:
        attribute, value = sense
        if isinstance(value, Emotion):
            return self._emotion(hearing, value)
        if attribute == "sex":
            share = hearing.perception.sex.get(cast("Sex", value), math.nan)
            slope, bias = self.sex
            return bias + slope * bounded_log_odds(share)
        if attribute in MEASURES:
            return self._scale(hearing, attribute, value)
        return BY_HAND * hearing.read(attribute, value).lean

    def _emotion(self, hearing: Hearing, value: Emotion) -> float:
        if not hearing.emotions:
            return math.nan
        evidence = emotion_evidence(hearing.emotions, hearing.feeling, value)
        return self.emotion["bias"] + sum(self.emotion[name] * amount for name, amount in evidence.items())

    def _scale(self, hearing: Hearing, attribute: Attribute, value: ClosedSet) -> float:
        slope, place = self.scales[attribute][value]
        away = hearing.distance(MEASURES[attribute])
        return slope * ((abs(away) if is_middle(attribute, value) else away) - place)


def is_middle(attribute: Attribute, value: ClosedSet) -> bool:
    """Return True for the middle value of a scale.

    >>> from aptone.ear.describe import Pitch
    >>> is_middle("pitch", Pitch.MEDIUM), is_middle("pitch", Pitch.LOW)
    (True, False)
    """
    values = values_of(attribute)
    return values.index(value) == len(values) // 2


def bounded_log_odds(probability: float) -> float:
    """Return the log odds of a probability, at most `MOST`; NaN stays NaN."""
    if math.isnan(probability):
        return math.nan
    least = math.exp(-MOST)
    within = min(max(probability, least), 1.0 - least)
    return math.log(within / (1.0 - within))


@functools.cache
def load_calibration() -> Calibration:
    """Load the calibration that comes with Aptone."""
    kept: dict[str, Any] = json.loads(_bytes())
    return Calibration(
        ear=kept["ear"],
        emotion=kept["emotion"],
        sex=(kept["sex"][0], kept["sex"][1]),
        scales={
            attribute: {value: (line[0], line[1]) for value, line in lines.items()}
            for attribute, lines in kept["scales"].items()
        },
        denied=kept["denied"],
        steepness=kept["steepness"],
    )


@functools.cache
def evidence_signature() -> str:
    """Revision of the code, and hash of the calibration: what a fit depends on besides the ear and the description."""
    return f"{REVISION}-{hashlib.sha256(_bytes()).hexdigest()[:8]}"


def _bytes() -> bytes:
    return SHIPPED.read_bytes()
