"""Thresholds of measured quantities from which a claim is true or false: one file, read once, checked.

``python -m recipes.claims.fit`` wrote the file; what it was fitted to stands there.
"""

import functools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from aptone.errors import RecordError
from aptone.types import loads

SHIPPED = Path(__file__).parent / "limits.json"
EVIDENCE = ("margin", "valence", "arousal")
"""Kinds of evidence for an emotion or against it; see `aptone.ear.claims.rules`."""

CHANGES = ("emotion", "pitch", "volume")
"""Attributes whose change within a clip has limits; see `aptone.ear.claims.change`."""


class Limits(NamedTuple):
    """Thresholds from which a claim is true and false, undecided in between. ``yes`` may be the lower of the two."""

    yes: float
    no: float

    def lean(self, quantity: float) -> float:
        """1 at the limit where the claim becomes true, -1 where it becomes false, and on along that line.

        >>> at_most = Limits(yes=-0.5, no=0.5)
        >>> [at_most.lean(place) for place in (-1.0, -0.5, 0.0, 0.5)]
        [2.0, 1.0, 0.0, -1.0]
        """
        return 1.0 + 2.0 * (quantity - self.yes) / (self.yes - self.no)


@dataclass(frozen=True, slots=True)
class EmotionLimits:
    """Thresholds for a claimed emotion; `weights` are those of `EVIDENCE` in the logit that the claim is true."""

    weights: Mapping[str, float]
    bias: float
    limits: Limits


@dataclass(frozen=True, slots=True)
class ClaimLimits:
    """Everything that was fitted.

    Args:
        scales: one or two limits by attribute and value, in spreads from the norm. Opposites exclude each other: no
            distance is both low and high.
        intensity: one or two limits of the intensity, by value.
        sex: limits of the probability of that sex.
        sounds: limits of the highest probability of a sound, by names of the training data.
        changes: limits of how far a clip goes the way from one value to another, by attribute.
    """

    scales: Mapping[str, Mapping[str, tuple[Limits, ...]]]
    intensity: Mapping[str, tuple[Limits, ...]]
    emotion: EmotionLimits
    sex: Limits
    sounds: Mapping[str, Limits]
    changes: Mapping[str, Limits]


@functools.cache
def load_limits(path: Path = SHIPPED) -> ClaimLimits:
    """The limits in a file.

    Raises:
        RecordError: if the file cannot be used; the message says why.
    """
    try:
        fields: Any = loads(path.read_bytes().decode())
        emotion = fields["emotion"]
        limits = ClaimLimits(
            scales={
                attribute: {value: tuple(Limits(*pair) for pair in pairs) for value, pairs in values.items()}
                for attribute, values in fields["scales"].items()
            },
            intensity={value: tuple(Limits(*pair) for pair in pairs) for value, pairs in fields["intensity"].items()},
            emotion=EmotionLimits(
                {name: float(emotion["weights"][name]) for name in EVIDENCE},
                float(emotion["bias"]),
                Limits(*emotion["limits"]),
            ),
            sex=Limits(*fields["sex"]),
            sounds={name: Limits(*pair) for name, pair in fields["sounds"].items()},
            changes={name: Limits(*fields["changes"][name]) for name in CHANGES},
        )
        for pair in _all(limits):
            if not (math.isfinite(pair.yes) and math.isfinite(pair.no) and pair.yes != pair.no):
                raise ValueError(f"two limits are finite and differ, got {pair.yes} and {pair.no}")
        for attribute, values in limits.scales.items():
            _check_opposites(attribute, values)
        if not all(end > 0.0 for pair in limits.sounds.values() for end in pair):
            raise ValueError("limits of sounds are above 0")
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError, AttributeError, RecordError) as error:
        raise RecordError(f"{path}: these are no limits of claims: {error}; run recipes.claims.fit.") from error
    return limits


def _check_opposites(attribute: str, values: Mapping[str, tuple[Limits, ...]]) -> None:
    """Check that no distance is true of values on both sides of the middle; raises `ValueError`."""
    listed = list(values.values())
    half = len(listed) // 2
    low = max(pair.yes for pairs in listed[:half] for pair in pairs)
    high = min(pair.yes for pairs in listed[half + 1 :] for pair in pairs)
    if low >= high:
        raise ValueError(f"{attribute}: both sides of the scale are true between {high} and {low}")


def _all(limits: ClaimLimits) -> Iterator[Limits]:
    for values in limits.scales.values():
        for pairs in values.values():
            yield from pairs
    for pairs in limits.intensity.values():
        yield from pairs
    yield limits.emotion.limits
    yield limits.sex
    yield from limits.sounds.values()
    yield from limits.changes.values()
