"""Emotion by how a voice departs from its own habits: the prosody of an ear's references (`aptone.ear.reference`).

A softmax regression over the measures of a clip, each standardised over the clips of its speaker. Every set and every
emotion of a set weigh the same, and only the emotions of a set are compared. The measures come from the clips once
and are kept in a file, so that the regression can be fitted again without some sets.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from aptone.audio import read
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.ear.measures.frames import RATE
from aptone.ear.measures.pitch import track_pitch
from aptone.ear.measures.voice import measure
from aptone.ear.perceive import speech_at_any_level
from aptone.ear.reference import BIAS, departures_from, habits_of
from aptone.types import Score
from recipes.ear.data import SPEECH_SETS
from recipes.ear.labels import EMOTION_ORDER

MEASURES = (
    "pitch level",
    "pitch range",
    "pitch slope",
    "loudness",
    "loudness range",
    "speech rate",
    "articulation rate",
    "pause share",
    "jitter",
    "shimmer",
    "HNR",
    "spectral tilt",
    "high band",
    "voiced share",
)
STRENGTH = 0.01
"""Inverse strength of the ridge for a set of unit weight; 0.001 to 0.1 differ by 0.01 in recall on left-out sets."""

Floats = npt.NDArray[np.float64]
Measures = Mapping[str, Score]


class Measured(NamedTuple):
    """A clip with its set and its measures."""

    set: str
    clip: LabelledClip
    measures: Measures


def measure_clip(path: Path) -> dict[str, Score]:
    """Return the measures of a clip as the ear takes them."""
    audio = read(path, rate=RATE)
    return dict(measure(audio.samples, track_pitch(audio.samples), speech_at_any_level(audio)))


def measured_clips(
    data: Path, cache: Path, *, sets: Sequence[str] = SPEECH_SETS, log: Callable[[str], None] = print
) -> list[Measured]:
    """Measure all clips of some sets; what was measured before is read from the folder `cache`."""
    cache.mkdir(parents=True, exist_ok=True)
    found = []
    for name in sets:
        kept = cache / f"{name}.json"
        clips = read_labels(data / name)
        if not kept.is_file():
            log(f"measuring {len(clips)} clips of {name}")
            numbers = {clip.path.name: _numbers(measure_clip(clip.path)) for clip in clips}
            kept.write_text(json.dumps(numbers) + "\n", encoding="utf-8")
        by_file = json.loads(kept.read_text(encoding="utf-8"))
        found += [Measured(name, clip, _scores(by_file[clip.path.name])) for clip in clips]
    return found


def _numbers(measures: Measures) -> dict[str, float | None]:
    return {name: None if math.isnan(measures[name].value) else measures[name].value for name in MEASURES}


def _scores(numbers: Mapping[str, float | None]) -> dict[str, Score]:
    return {
        name: Score(math.nan, reason="not measured") if value is None else Score(value)
        for name, value in numbers.items()
    }


def fit_prosody(clips: Sequence[Measured], *, strength: float = STRENGTH) -> dict[str, tuple[float, ...]]:
    """Return the weights by measure: its scale, then one for each emotion; under `BIAS` those of the bias.

    Args:
        clips: training clips; all of a speaker's clips are its habits.
        strength: inverse strength of the ridge.
    """
    scales = {name: _spread([one.measures[name].value for one in clips]) for name in MEASURES}
    plain = {name: (scale,) for name, scale in scales.items()}
    speakers: dict[str, list[Measured]] = {}
    for one in clips:
        speakers.setdefault(one.clip.speaker, []).append(one)
    habits = {speaker: habits_of([one.measures for one in own]) for speaker, own in speakers.items()}
    departures = [departures_from(habits[one.clip.speaker], one.measures, plain) for one in clips]
    features = np.array([[each.get(name, 0.0) for name in MEASURES] for each in departures])
    weights = _fit(np.column_stack([features, np.ones(len(clips))]), clips, strength=strength)
    rows = dict(zip((*MEASURES, BIAS), weights.tolist(), strict=True))
    return {name: (round(scales.get(name, 0.0), 6), *(round(value, 4) for value in row)) for name, row in rows.items()}


def _spread(values: Sequence[float]) -> float:
    return float(np.nanstd(np.array(values)))


def _fit(features: Floats, clips: Sequence[Measured], *, strength: float) -> Floats:
    """Return the weights [features, emotions] with the least masked cross-entropy; the last feature is the bias."""
    names = [emotion.value for emotion in EMOTION_ORDER]
    known = {one.set: {other.clip.emotion for other in clips if other.set == one.set} for one in clips}
    truth = np.array([names.index(one.clip.emotion) for one in clips])
    mask = np.array([[name in known[one.set] for name in names] for one in clips])
    counts: dict[tuple[str, str], int] = {}
    for one in clips:
        counts[one.set, one.clip.emotion] = counts.get((one.set, one.clip.emotion), 0) + 1
    share = np.array([1 / counts[one.set, one.clip.emotion] / len(known[one.set]) for one in clips])
    share /= share.sum()
    ridge = np.full((features.shape[1], 1), 1 / (strength * len(clips)))
    ridge[-1] = 2e-4
    rows = np.arange(len(clips))

    def surprise(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(-1, len(names))
        logits = np.where(mask, features @ weights, -1e9)
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities = raised / raised.sum(axis=1, keepdims=True)
        loss = -float(share @ np.log(probabilities[rows, truth] + 1e-12)) + float((ridge * weights**2).sum()) / 2
        probabilities[rows, truth] -= 1.0
        gradient = features.T @ (share[:, None] * probabilities) + ridge * weights
        return loss, gradient.ravel()

    start = np.zeros(features.shape[1] * len(names))
    found = minimize(surprise, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    weights: Floats = found.x.reshape(-1, len(names))
    return weights
