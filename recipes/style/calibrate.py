"""Fit the calibration of the evidence (`aptone.rooms.style.evidence.odds`) to labelled clips.

Emotion and sex come from the answers of ears that never heard the speaker (``train-only`` about dev,
``style-foldN``), or never heard the corpus (``without-SET``); both kinds have the same weight. A true claim is the
label; false ones are all other emotions of that corpus, near misses included. The share of true claims that the fit
supposes is the largest at which the mean probability of a false claim stays at or below `FALSE`. Scales are fitted to
clips whose value was put there (`recipes.style.known`). A denial and its claim fit equally well where all but
`DOUBTED` of true claims lie above. Clips of the ``test`` split count nowhere.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.ear import load_ear
from aptone.ear.claims.limits import EVIDENCE
from aptone.ear.claims.rules import emotion_evidence
from aptone.ear.describe import Attribute, values_of
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.errors import UsageError
from aptone.files import write_whole
from aptone.rooms.style.evidence.odds import bounded_log_odds, is_middle
from aptone.stats.logits import sigmoid, softmax
from aptone.types import ClosedSet, Emotion, Sex
from recipes.claims.answers import mean_quantile
from recipes.ear.data import SPEECH_SETS, STYLE_FOLDS
from recipes.style.known import Distances, known_distances

Floats = npt.NDArray[np.float64]

FALSE = 0.16
"""Highest mean probability of a false emotion, over blocks: a fit of 0.8."""
SHARES = (0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1)
"""Shares of true emotions that are tried, the first that keeps false ones low is taken."""
KNOWN_SHARE = 0.35
"""Share of true claims about scales."""
DOUBTED = 0.04
"""Share of true claims, by speakers that the ear does not know, below the point where claim and denial are equal: at
most so many of every set."""
OFF_SCALE = 0.02
"""The same for every value of a scale, of all sets together."""
STEEPNESS = 4.0
RIDGE = 1.0
STEPS = 40
LEFT_OUT = "without-"
ABOUT = (
    "Written by `python -m recipes.style calibrate`: log odds that a value holds, from what the ear hears. Fitted to "
    "training and dev speakers that the ears had not heard; never to test."
)


class Answer(NamedTuple):
    """What an ear that does not know the speaker said of a clip."""

    truth: Emotion
    sex: str
    emotion: Mapping[Emotion, float]
    feeling: tuple[float, float]
    female: float


Blocks = Mapping[str, Sequence[Answer]]


def read_answers(data: Path, folder: Path, *, split: str = "", only: str = "*.npz") -> dict[str, list[Answer]]:
    """Return the answers about train and dev clips, by set, those of ears that never heard the set apart.

    Args:
        split: ``test`` for the answers about test clips instead, to report on.
        only: pattern of the files.

    Raises:
        UsageError: if the folder holds none.
    """
    blocks: dict[str, list[Answer]] = defaultdict(list)
    labels = {f"{name}/{clip.path.name}": clip for name in SPEECH_SETS for clip in read_labels(data / name)}
    emotions = [Emotion.parse(name) for name in load_ear("full").meaning.emotions]
    for path in sorted(folder.glob(only)):
        recipe = path.stem.rpartition("-seed")[0]
        with np.load(path, allow_pickle=False) as kept:
            if kept["emotion_logits"].shape[1] != len(emotions):
                continue  # of an ear with other emotions
            columns = {name: kept[name] for name in ("emotion_logits", "valence", "arousal", "sex_logit")}
            names = [str(name) for name in kept["name"]]
        for row, name in enumerate(names):
            if name in labels and (block := _block(recipe, name.partition("/")[0], labels[name], split)):
                said = {key: column[row] for key, column in columns.items()}
                blocks[block].append(_answer(labels[name], said, emotions))
    if not blocks:
        raise UsageError(f"{folder}: no answers of ears that do not know the speakers; see python -m recipes.ear run.")
    return dict(blocks)


def _block(recipe: str, of_set: str, clip: LabelledClip, split: str) -> str:
    """Return the block of an answer; empty for a clip of another split, or one that the ear was trained on."""
    if (clip.split == "test") != (split == "test"):
        return ""
    if recipe == f"{LEFT_OUT}{of_set}":
        return recipe
    if fold := re.fullmatch(r"style-fold(\d+)", recipe):
        return of_set if clip.speaker in STYLE_FOLDS[int(fold[1])] else ""
    if re.fullmatch(r"\w+-fold\d+", recipe):
        return of_set if recipe.startswith(f"{of_set}-fold") else ""
    return of_set if recipe == "train-only" and clip.split == "dev" else ""


def _answer(clip: LabelledClip, said: Mapping[str, Any], emotions: Sequence[Emotion]) -> Answer:
    warmth = load_ear("full").meaning.temperatures
    shares = softmax(np.asarray(said["emotion_logits"], dtype=np.float32) / np.float32(warmth["emotion"]))
    female = sigmoid(np.asarray(said["sex_logit"], dtype=np.float32) / np.float32(warmth["sex"]))
    return Answer(
        Emotion.parse(clip.emotion),
        clip.sex,
        dict(zip(emotions, shares.tolist(), strict=True)),
        (float(said["valence"]), float(said["arousal"])),
        float(female),
    )


class Claims(NamedTuple):
    """Numbers of the true and of the false claims of a block, one row a claim."""

    true: Floats
    false: Floats


def emotion_claims(block: Sequence[Answer]) -> Claims:
    """Return the evidence for the emotion of each clip, and for every other emotion of the block."""
    known = list(dict.fromkeys(answer.truth for answer in block))
    false = [claim_row(answer, other) for answer in block for other in known if other is not answer.truth]
    return Claims(np.array([claim_row(answer, answer.truth) for answer in block]), np.array(false))


def claim_row(answer: Answer, claimed: Emotion) -> list[float]:
    """Return the evidence for a claimed emotion, and 1 for the bias."""
    found = emotion_evidence(answer.emotion, answer.feeling, claimed)
    return [*(found[name] for name in EVIDENCE), 1.0]


def sex_claims(block: Sequence[Answer]) -> Claims:
    """Return the log odds of the sex of each clip, and of the other one; empty where none is labelled."""
    own = [
        bounded_log_odds(answer.female if Sex.parse(answer.sex) is Sex.FEMALE else 1.0 - answer.female)
        for answer in block
        if answer.sex
    ]
    rows = np.array([[odds, 1.0] for odds in own]).reshape(-1, 2)
    return Claims(rows, rows * [-1.0, 1.0])


def fitted(claims: Sequence[Claims], *, share: float) -> Floats:
    """Return the weights of a logistic regression in which every block has the same weight.

    Args:
        share: share of true claims.
    """
    rows, truths, weights = [], [], []
    for true, false in claims:
        rows += [true, false]
        truths += [np.ones(len(true)), np.zeros(len(false))]
        weights += [np.full(len(true), share / len(true)), np.full(len(false), (1.0 - share) / len(false))]
    return logistic(np.concatenate(rows), np.concatenate(truths), np.concatenate(weights))


def logistic(rows: Floats, truth: Floats, weights: Floats) -> Floats:
    """Return the coefficients of a logistic regression with a small ridge, by Newton's method."""
    weights = weights / weights.mean()
    found = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        likely = 1.0 / (1.0 + np.exp(-np.clip(rows @ found, -30.0, 30.0)))
        slope = rows.T @ (weights * (likely - truth)) + RIDGE * found
        curve = (rows * (weights * likely * (1.0 - likely))[:, np.newaxis]).T @ rows + RIDGE * np.eye(found.size)
        found = found - np.linalg.solve(curve, slope)
    return found


def mean_probability(rows: Sequence[Floats], weights: Floats) -> float:
    """Return the mean over blocks of the mean probability of claims."""
    return float(np.mean([np.mean(1.0 / (1.0 + np.exp(-(block @ weights)))) for block in rows]))


def equal_odds(groups: Sequence[Floats]) -> float:
    """Return the log odds above which all but a few true claims of every group lie; at most 0."""
    return round(min(0.0, *(float(np.quantile(group, DOUBTED)) for group in groups)), 3)


def fit_emotion(blocks: Blocks) -> tuple[dict[str, float], float, float]:
    """Return weights with the bias, the equal point of denials, and the share of true claims that was supposed."""
    claims = {name: emotion_claims(block) for name, block in blocks.items()}
    for share in SHARES:
        weights = fitted(list(claims.values()), share=share)
        if mean_probability([one.false for one in claims.values()], weights) <= FALSE:
            break
    seen = [one.true @ weights for name, one in claims.items() if not name.startswith(LEFT_OUT)]
    named = dict(zip((*EVIDENCE, "bias"), (round(float(one), 4) for one in weights), strict=True))
    return named, equal_odds(seen or [one.true @ weights for one in claims.values()]), share


def fit_sex(blocks: Blocks) -> tuple[list[float], float]:
    """Return slope and bias, and the equal point of denials."""
    claims = {name: one for name, block in blocks.items() if len((one := sex_claims(block)).true)}
    weights = fitted(list(claims.values()), share=0.5)
    return [round(float(one), 4) for one in weights], equal_odds([one.true @ weights for one in claims.values()])


def scale_claims(attribute: Attribute, value: ClosedSet, known: Mapping[ClosedSet, Sequence[Floats]]) -> list[Claims]:
    """Return distances of clips for which a value is true and false, a block for each set.

    "Low" is true of what is very low as well, "very low" is false of what is low.
    """
    scale = values_of(attribute)
    place, middle = scale.index(value), len(scale) // 2
    turned: Callable[[Floats], Floats] = np.abs if is_middle(attribute, value) else lambda away: away
    found = []
    for number in range(max(map(len, known.values()))):
        groups: dict[bool, list[Floats]] = {True: [], False: []}
        for other, blocks in known.items():
            if number >= len(blocks):
                continue
            there = scale.index(other)
            same_side = (there - middle) * (place - middle) > 0
            if there == place or (same_side and abs(there - middle) > abs(place - middle)):
                groups[True].append(turned(blocks[number]))
            else:
                groups[False].append(turned(blocks[number]))
        true, false = (np.concatenate(groups[kind]) for kind in (True, False))
        if len(true) and len(false):
            found.append(Claims(*(np.stack([one, np.ones_like(one)], axis=1) for one in (true, false))))
    return found


def fit_scales(known: Distances) -> tuple[dict[str, dict[str, list[float]]], dict[str, float]]:
    """Return slope and place of every value, and the equal points of denials, by attribute and value."""
    scales: dict[str, dict[str, list[float]]] = {}
    denied: dict[str, float] = {}
    for attribute, by_value in known.items():
        scales[attribute] = {}
        for value in values_of(attribute):
            claims = scale_claims(attribute, value, by_value)
            slope, bias = fitted(claims, share=KNOWN_SHARE)
            scales[attribute][value] = [round(float(slope), 4), round(float(-bias / slope), 4)]
            own = [one.true @ np.array([slope, bias]) for one in claims]
            denied[f"{attribute}: {value}"] = round(min(0.0, mean_quantile(own, OFF_SCALE)), 3)
    return scales, denied


def calibrate(data: Path, answers: Path, *, cache: Path, kept: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Fit everything, as the file holds it.

    Args:
        data: folder with a folder for each set.
        answers: folder with the answers of ears, ``RECIPE-seedN.npz``.
        cache: folder for what was measured in clips with known values.
        kept: an earlier calibration whose scales are kept; ``None`` to fit them again.
    """
    blocks = read_answers(data, answers)
    emotion, emotion_equal, share = fit_emotion(blocks)
    sex, sex_equal = fit_sex(blocks)
    if kept is None:
        scales, denied = fit_scales(known_distances(data, cache=cache))
    else:
        scales, denied = kept["scales"], {name: one for name, one in kept["denied"].items() if ": " in name}
    return {
        "about": ABOUT,
        "ear": load_ear("full").signature,
        "supposed_share": share,
        "emotion": emotion,
        "sex": sex,
        "scales": scales,
        "denied": {"emotion": emotion_equal, "sex": sex_equal, **denied},
        "steepness": STEEPNESS,
    }


def write_calibration(found: Mapping[str, Any], path: Path) -> None:
    """Write the file."""
    write_whole(path, json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def report(found: Mapping[str, Any], data: Path, answers: Path) -> Iterator[str]:
    """Yield how claims of the train and dev speakers come out, a line a block."""
    weights = np.array([found["emotion"][name] for name in (*EVIDENCE, "bias")])
    for name, block in read_answers(data, answers).items():
        true, false = (1.0 / (1.0 + np.exp(-(rows @ weights))) for rows in emotion_claims(block))
        yield f"{name}: mean fit of the own emotion {5 * true.mean():.2f}, of another {5 * false.mean():.2f}"
