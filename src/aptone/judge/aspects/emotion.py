"""Emotion aspect: the perceived feeling against the plan's words for it."""

import functools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from aptone.judge.aspects.feelings import LONGEST_TEXT, Feeling, emotions_near, read_feeling
from aptone.judge.chat.verdict import RANGE
from aptone.judge.parameters import OPEN, AspectVerdict, Parameters, scored, unheard, unjudged
from aptone.lexicon.feelings import TURNS
from aptone.messages import message
from aptone.types import TYPICAL_VAD, Emotion, Language, Perception, Plan, Score, Trajectory, Vad, in_language

STEP = 0.5
"""Seconds between two points of the trajectory."""
PARTS = 3
"""Number of equal parts of the speech; the first and the last are compared."""

_FROM_TO = re.compile(r"(?i:(?<=\bfrom\b)(.+?)\b(?:in)?to\b)|(?<=[从由])([^，。；]+?)到")


def planned_change(plan: Plan) -> tuple[Feeling, Feeling] | None:
    """Return the first and the last feeling of a plan whose words name a change; None for a plan that names none.

    A place that the planner gave is one place for the whole line.

    >>> first, last = planned_change(Plan("calm turning into joy"))
    >>> first.words, last.words
    (('calm',), ('joy',))
    >>> planned_change(Plan("calm and joyful")) is None
    True
    """
    if plan.vad is not None:
        return None
    parts = _turn().split(_FROM_TO.sub(r"\1\2→", plan.emotion[:LONGEST_TEXT]))
    first, last = read_feeling(parts[0]), read_feeling(parts[-1])
    return (first, last) if len(parts) > 1 and first is not None and last is not None else None


def first_and_last(trajectory: Trajectory | None) -> tuple[Vad, Vad] | None:
    """Return the mean places of the first and the last third of the speech; None where points are too few."""
    points = [point for point in trajectory.points if not math.isnan(point.valence)] if trajectory else []
    count = len(points) // PARTS
    return (_mean(points[:count]), _mean(points[-count:])) if count else None


def _mean(points: Sequence[Vad]) -> Vad:
    columns = zip(*((point.valence, point.arousal, point.dominance) for point in points), strict=True)
    return Vad(*(math.fsum(column) / len(points) for column in columns))


@functools.cache
def _turn() -> re.Pattern[str]:
    english, mandarin = (listed.split(mark) for listed, mark in zip(TURNS, (", ", "，"), strict=True))
    return re.compile(rf"(?i:\b(?:{'|'.join(english)})\b)|{'|'.join(mandarin)}|->|→")


NOT_SAID = message("judge.emotion-not-said")
"""Reason for a missing emotion score, with what to do."""
FAINTEST = 0.01
"""Probability of an emotion below which a plan is not judged by it."""
UNKNOWN_FEELING = message("judge.unknown-emotion")


def judge_emotion(plan: Plan, perception: Perception, *, language: Language, parameters: Parameters) -> AspectVerdict:
    """Score the perceived feeling against the plan's words for it.

    Two views are averaged with their shares: categories, the Bhattacharyya coefficient Σ √(asked · heard) of the two
    distributions over emotions; and nearness, exp(-d² / (2·reach²)) of the two places in valence, arousal and
    dominance. Where the plan words a strength, 1 - |asked - heard| intensity is the third. A view that is missing (an
    emotion that the ear does not know, a word that is about loudness only) drops out with its share.

    Where the plan words a change ("calm turning into joy") and the ear followed it over time, nearness is the mean of
    two: the first feeling at the beginning of the speech, the last one at its end.

    Where the plan gives probabilities of emotions, the score is the expected one over them, Σ p · score, and its spread
    the standard deviation: an unsure plan gives a middling score with a wide spread. Where it is likeliest that the
    story does not say how the line feels, there is no score, with the reason.
    """
    if plan.is_unsaid:
        return unjudged(NOT_SAID, language, heard=perception.phrase.get(language, ""), asked=False)
    if plan.emotions and perception.emotion:
        return _expected(plan, perception, language=language, parameters=parameters)
    feeling = read_feeling(plan.emotion)
    if plan.vad is not None:
        feeling = _at(plan.vad, feeling)
    planned = in_language(plan.emotion.strip(), Emotion, language)
    heard = perception.phrase.get(language, "")
    if feeling is None:
        unasked = not planned
        return unjudged(OPEN if unasked else UNKNOWN_FEELING, language, planned=planned, heard=heard, asked=not unasked)
    if not perception.emotion:
        return unheard("emotion", perception, language, planned=planned)
    views = _views(feeling, perception, parameters)
    stages = _stages(plan, perception, parameters)
    if stages:
        views["nearness"] = math.fsum(stages.values()) / len(stages)
    fit = _fit(views, parameters)
    if math.isnan(fit):
        return unjudged(UNKNOWN_FEELING, language, planned=planned, heard=heard)
    likeliest = max(perception.emotion, key=lambda name: perception.emotion[name])
    wanted = max(feeling.emotions, key=lambda name: feeling.emotions[name], default=None)
    measured = {name: value for name, value in views.items() if not math.isnan(value)}
    measured |= stages | _places(feeling.vad, perception.vad)
    if wanted is not None:
        measured |= {f"P({wanted})": perception.emotion.get(wanted, 0.0)}
    measured |= {f"P({likeliest})": perception.emotion[likeliest], "fit": fit}
    return AspectVerdict(
        scored("emotion", fit, parameters),
        planned=planned or _typical(feeling, language),
        heard=heard,
        measured=measured,
        agrees=likeliest == wanted,
    )


def _expected(plan: Plan, perception: Perception, *, language: Language, parameters: Parameters) -> AspectVerdict:
    """Return the verdict with the expected score over the emotions of a plan."""
    kept = {Emotion.parse(name): share for name, share in plan.emotions.items() if share >= FAINTEST}
    total = math.fsum(kept.values())
    alternatives, fits = [], []
    for emotion, share in kept.items():
        feeling = Feeling(TYPICAL_VAD[emotion], emotions={emotion: 1.0}, intensity=plan.intensity)
        fit = _fit(_views(feeling, perception, parameters), parameters)
        if not math.isnan(fit):
            fits.append(share / total * fit)
            alternatives.append((share / total, scored("emotion", fit, parameters).value))
    heard = perception.phrase.get(language, "")
    planned = in_language(plan.emotion.strip(), Emotion, language) or _either(kept, language)
    if not alternatives:
        return unjudged(UNKNOWN_FEELING, language, planned=planned, heard=heard)
    value = math.fsum(share * score for share, score in alternatives)
    spread = math.sqrt(math.fsum(share * (score - value) ** 2 for share, score in alternatives))
    likeliest = max(perception.emotion, key=lambda name: perception.emotion[name])
    wanted = max(kept, key=lambda name: kept[name])
    measured = {f"asked P({name})": share for name, share in sorted(kept.items(), key=lambda pair: -pair[1])[:3]}
    measured |= _places(TYPICAL_VAD[wanted], perception.vad)
    measured |= {f"P({wanted})": perception.emotion.get(wanted, 0.0), f"P({likeliest})": perception.emotion[likeliest]}
    measured |= {"fit": math.fsum(fits)}
    return AspectVerdict(
        Score(value, range=RANGE, spread=spread),
        planned=planned,
        heard=heard,
        measured=measured,
        agrees=likeliest == wanted,
        alternatives=tuple(alternatives),
    )


def _either(shares: Mapping[Emotion, float], language: Language) -> str:
    """Name the two likeliest emotions, where none is likely enough to be named alone."""
    likeliest = sorted(shares, key=lambda name: -shares[name])[:2]
    return ("或" if language == "zh" else " or ").join(emotion.label(language) for emotion in likeliest)


def _at(place: Vad, feeling: Feeling | None) -> Feeling:
    """Return the feeling at the place that the planner gave; its words still decide the categories."""
    if feeling is not None and feeling.emotions:
        return replace(feeling, vad=place)
    complete = not any(math.isnan(value) for value in (place.valence, place.arousal, place.dominance))
    return Feeling(place, emotions=emotions_near(place) if complete else {})


def _views(feeling: Feeling, perception: Perception, parameters: Parameters) -> dict[str, float]:
    return {
        "categories": _categories(feeling.emotions, perception.emotion),
        "nearness": _nearness(feeling.vad, perception.vad, parameters),
        "intensity": 1.0 - abs(feeling.intensity - perception.intensity),
    }


def _fit(views: Mapping[str, float], parameters: Parameters) -> float:
    """Return the mean of the views by their shares; one that is NaN drops out with its share, NaN if all do."""
    shares = {name: parameters.feeling[name] for name in views if not math.isnan(views[name])}
    total = math.fsum(shares.values())
    return math.fsum(share * views[name] for name, share in shares.items()) / total if total else math.nan


def _stages(plan: Plan, perception: Perception, parameters: Parameters) -> dict[str, float]:
    """Return the nearness of beginning and end of the speech to the two feelings of a change; empty without one."""
    change, ends = planned_change(plan), first_and_last(perception.trajectory)
    if change is None or ends is None:
        return {}
    nearness = [_nearness(feeling.vad, place, parameters) for feeling, place in zip(change, ends, strict=True)]
    if any(map(math.isnan, nearness)):
        return {}
    return dict(zip(("first nearness", "last nearness"), nearness, strict=True))


def _categories(asked: Mapping[Emotion, float], heard: Mapping[str, float]) -> float:
    """Return the Bhattacharyya coefficient; NaN when the ear does not know most of what is asked for."""
    known = math.fsum(share for name, share in asked.items() if name in heard)
    if known < 0.5:
        return math.nan
    shared = math.fsum(math.sqrt(share / known * heard[name]) for name, share in asked.items() if name in heard)
    return min(1.0, shared)


def _nearness(asked: Vad, heard: Vad | None, parameters: Parameters) -> float:
    if heard is None:
        return math.nan
    squares, weights = [], []
    for name, weight in parameters.dimensions.items():
        difference = getattr(asked, name) - getattr(heard, name)
        if not math.isnan(difference):
            squares.append(weight * difference**2)
            weights.append(weight)
    if not math.fsum(weights):
        return math.nan
    # As if the open dimensions lay as far off as the others: fewer of them do not make a place nearer.
    square = math.fsum(squares) * math.fsum(parameters.dimensions.values()) / math.fsum(weights)
    return math.exp(-square / (2.0 * parameters.feeling["reach"] ** 2))


def _places(asked: Vad, heard: Vad | None) -> dict[str, float]:
    places = {"asked": asked} if heard is None else {"asked": asked, "heard": heard}
    return {
        f"{whose} {name}": value
        for name in ("valence", "arousal", "dominance")
        for whose, place in places.items()
        if not math.isnan(value := getattr(place, name))
    }


def _typical(feeling: Feeling, language: Language) -> str:
    """Name the nearest emotion of a plan that gives a place and no words."""
    return max(feeling.emotions, key=lambda name: feeling.emotions[name]).label(language) if feeling.emotions else ""
