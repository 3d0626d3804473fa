"""Fit the parameters of the built-in judge to proxy benchmarks (`aptone.rooms.aptness.build.proxy`).

The clips are by actors that the shipped ear was trained on, so it is overconfident about them. So emotion, valence,
arousal and intensity come from ears that never heard the actor (``python -m recipes.ear run --recipe judge-foldN``),
and everything else, which an ear measures rather than recalls, from the shipped one. Dominance is that of the emotions
that were heard.

Two steps. The shares are searched one at a time from their present values, for the highest mean correlation with the
grades over all benchmarks, with the true plan and with the plan from context alike. Then the curve of the overall score
is fitted by least squares to the grades with the true plan: a monotone, piecewise linear curve with a few knots. No
listeners are involved, and parameters that a proxy cannot determine keep their values: sounds, naturalness, intonation,
and rhythm, since the plans of a proxy ask for none of their own.
"""

import itertools
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.audio import read_ref
from aptone.ear import load_ear
from aptone.errors import RecordError, UsageError
from aptone.files import write_whole
from aptone.judge.aspects.comparison import judge_aspects
from aptone.judge.built_in import overall_score, too_little
from aptone.judge.parameters import SHIPPED, Curve, Parameters, load_parameters
from aptone.planner.built_in import BuiltInPlanner
from aptone.rooms.aptness.api import plan_sample
from aptone.rooms.aptness.build.proxy import MANIFEST
from aptone.rooms.aptness.data import read_manifest
from aptone.stats.logits import sigmoid, softmax
from aptone.stats.regression import non_negative_least_squares
from aptone.types import TYPICAL_VAD, AudioRef, Emotion, Perception, Plan, Sample, Vad
from recipes.ear.data import JUDGE_FOLDS

RATE = 16_000
ABOUT = (
    "Shares of feeling, the weight of the recording condition, and the curve of the overall score were fitted to "
    "proxy benchmarks (`recipes.judge`): acted clips in dialogues, graded by a formula. The rest was set by hand. "
    "Nothing here was fitted to listeners."
)
KNOTS = 6
"""Points of the fitted curve, at equal shares of the items."""
SEARCHED: Mapping[str, tuple[float, ...]] = {
    "categories": (0.2, 0.35, 0.5, 0.65, 0.8),
    "reach": (0.5, 0.6, 0.75, 0.9, 1.1),
    "dominance": (0.0, 0.4, 0.7, 1.0),
    "recording_condition": (0.06, 0.1, 0.14, 0.2, 0.26),
    "unasked_condition": (0.1, 0.3, 0.6, 1.0),
}
"""Searched parameters, and their candidate values."""
PASSES = 2

Floats = npt.NDArray[np.float64]


class Said(NamedTuple):
    """Answers of one ear about one clip, in the order of `COLUMNS`."""

    emotion_logits: Floats
    valence: Floats
    arousal: Floats
    intensity: Floats


COLUMNS = Said._fields


@dataclass(frozen=True, slots=True)
class Answer:
    """Answers of ears that never heard the speaker."""

    emotion: Mapping[str, float]
    vad: Vad
    intensity: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A benchmark, prepared for repeated judging.

    Args:
        name: name of its folder.
        samples: its items.
        heard: a perception for each item.
        plans: plans of each item, by planner: ``true`` and ``context``.
    """

    name: str
    samples: tuple[Sample, ...]
    heard: tuple[Perception, ...]
    plans: Mapping[str, tuple[Plan, ...]]

    @property
    def grades(self) -> Floats:
        """Grades of the items."""
        return np.array([sample.proxy_score for sample in self.samples])


class Fitted(NamedTuple):
    """Parameters, and their correlation and mean absolute error by benchmark and planner."""

    parameters: Parameters
    before: Mapping[str, float]
    after: Mapping[str, float]


def read_answers(paths: Iterable[Path]) -> dict[str, Answer]:
    """Return the answers of the ears of ``judge-foldN`` about held-out speakers; the mean over seeds, by file name.

    Args:
        paths: ``judge-foldN-seedM.npz`` files of ``python -m recipes.ear run``.

    Raises:
        UsageError: if a file is none of them.
    """
    found: dict[str, list[Said]] = {}
    for path in paths:
        fold = path.stem.partition("-fold")[2].partition("-seed")[0]
        if not path.stem.startswith("judge-fold") or not fold.isdigit() or int(fold) >= len(JUDGE_FOLDS):
            raise UsageError(f"{path}: expected judge-foldN-seedM.npz of: recipes.ear run --recipe judge-foldN.")
        with np.load(path, allow_pickle=False) as kept:
            columns = [np.asarray(kept[name], dtype=np.float64) for name in COLUMNS]
            names = kept["name"].tolist()
        for row, name in enumerate(names):
            if _speaker(name) in JUDGE_FOLDS[int(fold)]:
                found.setdefault(Path(name).stem, []).append(Said(*(column[row] for column in columns)))
    return {name: _mean_answer(answers) for name, answers in found.items()}


def _speaker(name: str) -> str:
    """Return the speaker of a clip from its name: the end of it in RAVDESS, the beginning in CSEMOTIONS."""
    of_set, _, file = name.partition("/")
    stem = Path(file).stem
    number = stem.rpartition("-")[2] if of_set == "ravdess" else stem.partition("_")[0].removeprefix("Speaker")
    return f"{of_set}{number}"


def _mean_answer(answers: Sequence[Said]) -> Answer:
    meaning = load_ear("full").meaning
    logits, valence, arousal, intensity = (np.mean(column, axis=0) for column in zip(*answers, strict=True))
    shares = softmax(logits / meaning.temperatures["emotion"])
    emotion = {name: float(share) for name, share in zip(meaning.emotions, shares, strict=True)}
    dominance = math.fsum(share * TYPICAL_VAD[Emotion.parse(name)].dominance for name, share in emotion.items())
    strength = float(sigmoid(intensity / meaning.temperatures["intensity"]))
    return Answer(emotion, Vad(float(valence), float(arousal), dominance), strength)


def prepare(folder: Path, answers: Mapping[str, Answer]) -> Judged:
    """Perceive and plan all items of a benchmark.

    Args:
        folder: folder made by ``aptone build aptness-proxy``.
        answers: answers about its clips, by the stem of their source file.

    Raises:
        UsageError: if there is no answer about a clip.
    """
    samples = tuple(read_manifest(folder / MANIFEST))
    ear, planner = load_ear("full"), BuiltInPlanner(replan=True)
    kept: dict[str, Perception] = {}
    for sample in samples:
        assert isinstance(sample.audio, AudioRef)
        if sample.audio.path in kept:
            continue
        stem = Path(sample.audio.path).stem.partition("_" + sample.ids["heard"])[0]
        if stem not in answers:
            raise UsageError(f"{sample.audio.path}: no ear that never heard its speaker has heard it.")
        heard = ear.perceive(read_ref(sample.audio, rate=RATE, channel="mix"), language=sample.language)
        answer = answers[stem]
        if heard.emotion:
            heard = replace(heard, emotion=answer.emotion, vad=answer.vad, intensity=answer.intensity)
        kept[sample.audio.path] = heard
    true = [sample.plan for sample in samples if sample.plan is not None]
    if len(true) < len(samples):
        raise RecordError(f"{folder}: a record has no plan; make it with `aptone build aptness-proxy`.")
    return Judged(
        folder.name,
        samples,
        tuple(kept[sample.audio.path] for sample in samples if isinstance(sample.audio, AudioRef)),
        {"true": tuple(true), "context": tuple(_planned(sample, planner) for sample in samples)},
    )


def _planned(sample: Sample, planner: BuiltInPlanner) -> Plan:
    plan = plan_sample(sample, planner).plan
    assert plan is not None  # the built-in planner always has one
    return plan


def scores(benchmark: Judged, planned: str, parameters: Parameters) -> Floats:
    """Return the judge's overall scores; NaN for none."""
    sounds = load_ear("full").meaning.events
    found = []
    for sample, heard, plan in zip(benchmark.samples, benchmark.heard, benchmark.plans[planned], strict=True):
        aspects = judge_aspects(
            plan, heard, line=sample.target.text, sounds=sounds, language=sample.language, parameters=parameters
        )
        unscored = not heard.emotion or too_little(aspects, parameters)
        found.append(math.nan if unscored else overall_score(aspects, parameters))
    return np.array(found)


def correlation(benchmark: Judged, planned: str, parameters: Parameters) -> float:
    """Return the correlation of the judge's scores with the grades, over the items that have a score."""
    given = scores(benchmark, planned, parameters)
    scored = ~np.isnan(given)
    return float(np.corrcoef(given[scored], benchmark.grades[scored])[0, 1])


def fit(benchmarks: Sequence[Judged], *, start: Parameters, log: Callable[[str], None]) -> Fitted:
    """Search the shares, then fit the curve.

    Args:
        benchmarks: benchmarks to fit to.
        start: initial parameters.
        log: receives a line for every step.
    """

    def value(parameters: Parameters) -> float:
        return float(np.mean([correlation(one, by, parameters) for one in benchmarks for by in one.plans]))

    plain = replace(start, curves={**start.curves, "aptness": ((0.0, 0.0), (5.0, 5.0))})
    best, highest = plain, value(plain)
    log(f"start: {highest:.4f}")
    for _ in range(PASSES):
        for name, number in _trials(best):
            tried = with_number(best, name, number)
            reached = value(tried)
            if reached > highest + 1e-4:
                best, highest = tried, reached
                log(f"{name} {number}: {highest:.4f}")
    fitted = replace(best, curves={**best.curves, "aptness": fit_curve(benchmarks, best)})
    return Fitted(fitted, figures(benchmarks, start), figures(benchmarks, fitted))


def _trials(parameters: Parameters) -> Iterator[tuple[str, float]]:
    return ((name, number) for name, numbers in SEARCHED.items() for number in numbers)


def with_number(parameters: Parameters, name: str, number: float) -> Parameters:
    """Return the parameters with another value of a searched one."""
    match name:
        case "categories":
            changed = {**parameters.feeling, "categories": number, "nearness": round(1.0 - number, 6)}
            return replace(parameters, feeling=changed)
        case "reach":
            return replace(parameters, feeling={**parameters.feeling, "reach": number})
        case "dominance":
            return replace(parameters, dimensions={**parameters.dimensions, "dominance": number})
        case "unasked_condition":
            return replace(parameters, unasked_condition=number)
        case _:
            return replace(parameters, weights={**parameters.weights, name: number})


def fit_curve(benchmarks: Sequence[Judged], parameters: Parameters) -> Curve:
    """Fit the curve from the weighted mean of the aspects to the grades, with the true plan.

    Monotone least squares, at knots that split the items into equal parts, the last one at the highest; level beyond
    it.
    """
    given = np.concatenate([scores(one, "true", parameters) for one in benchmarks])
    grades = np.concatenate([one.grades for one in benchmarks])[~np.isnan(given)]
    given = given[~np.isnan(given)]
    ends = np.quantile(given, np.linspace(0, 1, KNOTS))[1:]
    knots = [0.0, *sorted({round(float(knot), 2) for knot in ends if knot >= 0.01})]
    # A height is the sum of the rises before it; how much of each rise counts at a value is a ramp between its knots.
    ramps = np.stack(
        [np.clip((given - left) / (right - left), 0.0, 1.0) for left, right in itertools.pairwise(knots)], axis=1
    )
    rises = non_negative_least_squares(ramps, grades)
    heights = np.minimum(np.concatenate([[0.0], np.cumsum(rises)]), 5.0)
    return tuple((knot, round(float(height), 2)) for knot, height in zip(knots, heights, strict=True))


def figures(benchmarks: Sequence[Judged], parameters: Parameters) -> dict[str, float]:
    """Return correlation and mean absolute error for every benchmark and planner."""
    found = {}
    for one in benchmarks:
        for by in one.plans:
            given = scores(one, by, parameters)
            scored = ~np.isnan(given)
            found[f"{one.name}, {by} plan, LCC"] = round(correlation(one, by, parameters), 4)
            found[f"{one.name}, {by} plan, MAE"] = round(float(np.abs(given - one.grades)[scored].mean()), 4)
    return found


def write_parameters(parameters: Parameters, path: Path) -> None:
    """Write parameters in the judge's format."""
    fields: dict[str, Any] = json.loads(SHIPPED.read_text(encoding="utf-8"))
    fields |= {
        "about": ABOUT,
        "weights": dict(parameters.weights),
        "unasked_condition": parameters.unasked_condition,
        "feeling": dict(parameters.feeling),
        "dimensions": dict(parameters.dimensions),
        "curves": {name: [list(point) for point in curve] for name, curve in parameters.curves.items()},
    }
    write_whole(path, json.dumps(fields, indent=1, ensure_ascii=False) + "\n")
    load_parameters.cache_clear()
    load_parameters(path)
