"""Parameters of the built-in judge, and its verdict on one aspect of a line.

The parameters are one file, read once, checked, and identified in signatures by its hash. A verdict is a score with the
measures behind it, or the reason why there is none.
"""

import functools
import hashlib
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from aptone.errors import RecordError
from aptone.judge.chat.verdict import ASPECTS, RANGE
from aptone.messages import Message, message, translate
from aptone.types import Intonation, Language, Perception, Rhythm, Score, loads

SHIPPED = Path(__file__).parent / "weights" / "built_in.json"

Curve = tuple[tuple[float, float], ...]
"""Points (fit, score) of a piecewise linear curve that never falls."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of the built-in judge.

    Args:
        weights: share of each aspect in the overall score; an aspect without a score drops out with its share.
        unasked_condition: factor on the weight of a recording condition that the plan leaves open.
        least_share: share of the weight that the plan asks for that must be judged for an overall score.
        feeling: shares of ``categories``, ``nearness`` and (where the plan words one) ``intensity`` in the fit of an
            emotion, and the ``reach`` of nearness, exp(-d² / (2·reach²)) at distance d.
        dimensions: weights of valence, arousal and dominance in that distance.
        kinship: rhythms and intonations as points; near ones are akin.
        kinship_reach: reach of kinship, for rhythm and for intonation.
        missing_event: fit of a sound that was asked for and not heard; an ear misses some.
        faintest_event: fit of a sound that was heard with confidence 0.
        curves: curve from fit to score of each aspect, and of ``aptness``, the overall score.
    """

    weights: Mapping[str, float]
    unasked_condition: float
    least_share: float
    feeling: Mapping[str, float]
    dimensions: Mapping[str, float]
    kinship: Mapping[str, Mapping[str, Sequence[float]]]
    kinship_reach: Mapping[str, float]
    missing_event: float
    faintest_event: float
    curves: Mapping[str, Curve]
    hash: str


@functools.cache
def load_parameters(path: Path = SHIPPED) -> Parameters:
    """Read the parameters from a file.

    Raises:
        RecordError: if the file cannot be used; the message says why.
    """
    try:
        text = path.read_bytes()
        fields: Any = loads(text.decode())
        curves = {name: _curve(name, points) for name, points in fields["curves"].items()}
        parameters = Parameters(
            **{name: value for name, value in fields.items() if name not in ("about", "curves")},
            curves=curves,
            hash=hashlib.sha256(text).hexdigest()[:12],
        )
        _check(parameters)
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError, AttributeError, RecordError) as error:
        raise RecordError(f"{path}: these are no parameters of the built-in judge: {error}") from error
    return parameters


def on_curve(curve: Curve, fit: float) -> float:
    """Return the score at a fit: straight lines between the points, level beyond the ends.

    >>> on_curve(((0.0, 0.0), (0.5, 4.0), (1.0, 5.0)), 0.25)
    2.0
    """
    if fit <= curve[0][0]:
        return curve[0][1]
    for (left, low), (right, high) in itertools.pairwise(curve):
        if fit <= right:
            return low + (high - low) * (fit - left) / (right - left)
    return curve[-1][1]


def _curve(name: str, points: Sequence[Sequence[float]]) -> Curve:
    curve = tuple((float(fit), float(score)) for fit, score in points)
    if len(curve) < 2 or not all(math.isfinite(number) for point in curve for number in point):
        raise ValueError(f"the curve of {name} needs two points or more, all of them finite")
    if any(right <= left or high < low for (left, low), (right, high) in itertools.pairwise(curve)):
        raise ValueError(f"the curve of {name} has to go on to the right and never fall")
    if curve[0][1] < RANGE[0] or curve[-1][1] > RANGE[1]:
        raise ValueError(f"the curve of {name} leaves the scale from {RANGE[0]:g} to {RANGE[1]:g}")
    return curve


def _check(parameters: Parameters) -> None:
    if set(parameters.weights) != set(ASPECTS) or set(parameters.curves) != {*ASPECTS, "aptness"}:
        raise ValueError(f"weights and curves are for {', '.join(ASPECTS)}")
    for name, members in (("rhythm", set(Rhythm)), ("intonation", set(Intonation))):
        if set(parameters.kinship[name]) != members:
            raise ValueError(f"the kinship of {name} has a place for each of {', '.join(sorted(members))}")
    positive = (*parameters.weights.values(), parameters.feeling["reach"], *parameters.kinship_reach.values())
    if not all(0.0 < value < math.inf for value in positive):
        raise ValueError("weights and reaches are positive")
    shares = (
        *(parameters.feeling[name] for name in ("categories", "nearness", "intensity")),
        *(parameters.dimensions[name] for name in ("valence", "arousal", "dominance")),
        *(parameters.missing_event, parameters.faintest_event, parameters.unasked_condition, parameters.least_share),
    )
    if not all(0.0 <= value <= 1.0 for value in shares):
        raise ValueError("shares lie between 0 and 1")


OPEN = message("judge.plan-leaves-open")


@dataclass(frozen=True, slots=True)
class AspectVerdict:
    """Verdict on one aspect.

    Args:
        score: 0 to 5, or NaN with a reason.
        planned: request of the plan, in the language of the story; empty when it leaves the aspect open.
        heard: perception of the ear, in the same language; empty when it could not judge.
        agrees: true if the likeliest label that was heard is the one that was asked for.
        asked: true if the plan, or the line, asks for something here.
        why: reason for a missing score, in the language of the story.
        alternatives: probability and score of each possible request, where the plan is not sure.
    """

    score: Score
    planned: str = ""
    heard: str = ""
    measured: Mapping[str, float] = field(default_factory=dict)
    agrees: bool = False
    asked: bool = True
    why: str = ""
    alternatives: tuple[tuple[float, float], ...] = ()


def scored(aspect: str, fit: float, parameters: Parameters) -> Score:
    """Return the verdict for a fit, on the curve of its aspect."""
    return Score(on_curve(parameters.curves[aspect], fit), range=RANGE)


def unjudged(why: str, language: Language, *, planned: str = "", heard: str = "", asked: bool = True) -> AspectVerdict:
    """Return a verdict without a score; the reason is in the language of the story."""
    score = Score(math.nan, range=RANGE, reason=why)
    return AspectVerdict(score, planned=planned, heard=heard, asked=asked, why=translate(why, language))


def unheard(topic: str, perception: Perception, language: Language, *, planned: str = "") -> AspectVerdict:
    """Return the verdict for what the ear could not judge, with its reason.

    For a Mandarin story, an English reason of a plugin's ear is replaced by "the ear did not judge".
    """
    reason = perception.unjudged.get(topic) or message("judge.ear-did-not-judge")
    found = unjudged(reason, language, planned=planned)
    ours = language == "en" or isinstance(reason, Message)
    return found if ours else replace(found, why=translate(message("judge.ear-did-not-judge"), language))


def joined(names: Sequence[str], language: Language) -> str:
    """Join several names into one text."""
    return ("、" if language == "zh" else ", ").join(names)
