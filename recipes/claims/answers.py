"""Limits of emotion, intensity and sex, fitted to what networks say about speakers that they never heard.

The shipped ear was trained on these speakers and is overconfident about them. So the answers are those of networks
that never heard the speaker (``train-only`` about dev, ``style-foldN`` or ``SET-foldN`` about the speakers that they
left out) or, for the sex, the set (``without-SET``). Emotions are fitted to unseen speakers alone: of a set that no
network heard, a half of the emotions are missed whatever the limit, and weights that were fitted to both (with the
left-out sets' answers) found fewer false claims about unseen speakers. False claims are all other emotions alike, so
that near misses (sad for fearful) count as much as far ones.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.ear import Ear, load_ear
from aptone.ear.claims.limits import EVIDENCE
from aptone.ear.claims.rules import emotion_evidence
from aptone.ear.describe import Intensity
from aptone.ear.describe.levels import STEPS as INTENSITY_STEPS
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.errors import UsageError
from aptone.stats.logits import sigmoid, softmax
from aptone.types import Emotion
from recipes.ear.data import FOLDS, JUDGE_FOLDS, SPEECH_SETS, STYLE_FOLDS

REFUSED, DENIED = 0.10, 0.06
"""Shares of true emotions that are refused, and that are called false; denials of what is below are verified."""
WEAK, VERY_WEAK = 0.15, 0.05
"""Shares of true intensities that are refused, and that are called false."""
REFUSED_SEX, DENIED_SEX = 0.03, 0.01
"""Shares of true sexes that are refused and called false. One is never true with less than half of the probability."""
HALF = 0.5
NARROWEST = 0.25
"""Smallest distance of the two limits of the emotions, in logits."""
NEAREST = 0.05
"""Smallest distance of the two limits of an intensity."""
RIDGE = 10.0
STEPS = 30
UNSEEN_SET = "without-"
"""Beginning of the names of blocks of sets that no network heard."""

Floats = npt.NDArray[np.float64]


class Answer(NamedTuple):
    """Answer of a network about a clip that it was not trained on."""

    truth: Emotion
    sex: str
    emotion: npt.NDArray[np.float32]
    feeling: tuple[float, float]
    female: float
    intensity: float = float("nan")
    strength: str = ""


Block = Sequence[Answer]


def read_blocks(data: Path, runs: Path) -> dict[str, list[Answer]]:
    """Return the answers about train and dev clips, in blocks: by set, and by what was unseen, set or speaker.

    Raises:
        UsageError: if a block is empty.
    """
    ear = load_ear("full")
    labels = {f"{name}/{clip.path.name}": clip for name in SPEECH_SETS for clip in read_labels(data / name)}
    blocks: dict[str, list[Answer]] = defaultdict(list)
    for path in sorted(runs.glob("*.npz")):
        recipe = path.stem.rpartition("-seed")[0]
        with np.load(path, allow_pickle=False) as kept:
            columns = {name: kept[name] for name in ("emotion_logits", "valence", "arousal", "sex_logit", "intensity")}
            names = [str(name) for name in kept["name"]]
        for row, name in enumerate(names):
            block = _block(recipe, name.partition("/")[0], labels[name])
            if block:
                blocks[block].append(_answer(ear, labels[name], {key: value[row] for key, value in columns.items()}))
    wanted = [f"{kind}{name}" for name in SPEECH_SETS for kind in ("", "without-")]
    if missing := [name for name in wanted if not blocks[name]]:
        needed = "train-only, without-SET and style-foldN or SET-foldN"
        raise UsageError(f"{runs}: no answers for {missing[0]}; run the recipes {needed}.")
    return {name: blocks[name] for name in wanted}


def _block(recipe: str, of_set: str, clip: LabelledClip) -> str:
    """Return the block of an answer; empty for a test clip, or one that the network was trained on."""
    if clip.split == "test":
        return ""
    if recipe == f"{UNSEEN_SET}{of_set}":
        return recipe
    if recipe == "train-only":
        return of_set if clip.split == "dev" else ""
    name, _, number = recipe.partition("-fold")
    folds = {**FOLDS, "judge": JUDGE_FOLDS, "style": STYLE_FOLDS}.get(name, ())
    is_held_out = number.isdecimal() and int(number) < len(folds) and clip.speaker in folds[int(number)]
    return of_set if is_held_out else ""


def _answer(ear: Ear, clip: LabelledClip, said: Mapping[str, Any]) -> Answer:
    meaning = ear.meaning
    return Answer(
        Emotion.parse(clip.emotion),
        clip.sex,
        softmax(np.asarray(said["emotion_logits"], dtype=np.float32) / np.float32(meaning.temperatures["emotion"])),
        (float(said["valence"]), float(said["arousal"])),
        float(sigmoid(np.asarray(said["sex_logit"], dtype=np.float32) / np.float32(meaning.temperatures["sex"]))),
        float(sigmoid(np.asarray(said["intensity"], dtype=np.float32) / np.float32(meaning.temperatures["intensity"]))),
        clip.intensity,
    )


def fit_emotion(blocks: Mapping[str, Block]) -> dict[str, Any]:
    """Fit weights by logistic regression, with equal weight for blocks and for true and false claims, and limits."""
    names = [Emotion.parse(name) for name in load_ear("full").meaning.emotions]
    rows, truths, weights, true_rows = [], [], [], []
    for name, block in blocks.items():
        if name.startswith(UNSEEN_SET):
            continue
        true = np.array([_row(answer, answer.truth, names) for answer in block])
        false, shares = [], []
        for answer in block:
            others = [name for name in names if name is not answer.truth]
            false += [_row(answer, other, names) for other in others]
            shares += [1.0 / len(others)] * len(others)
        rows += [true, np.array(false)]
        truths += [np.ones(len(true)), np.zeros(len(false))]
        weights += [np.full(len(true), 1.0 / len(true)), np.array(shares) / len(true)]
        true_rows.append(true)
    found = logistic(np.concatenate(rows), np.concatenate(truths), np.concatenate(weights))
    logits = [true @ found for true in true_rows]
    yes, no = (mean_quantile(logits, share) for share in (REFUSED, DENIED))
    return {
        "weights": {name: round(float(weight), 3) for name, weight in zip(EVIDENCE, found[:-1], strict=True)},
        "bias": round(float(found[-1]), 3),
        "limits": [round(yes, 2), round(min(no, yes - NARROWEST), 2)],
    }


def _row(answer: Answer, claimed: Emotion, names: Sequence[Emotion]) -> list[float]:
    shares = dict(zip(names, map(float, answer.emotion), strict=True))
    evidence = emotion_evidence(shares, answer.feeling, claimed)
    return [*(evidence[name] for name in EVIDENCE), 1.0]


def fit_intensity(blocks: Mapping[str, Block]) -> dict[str, list[list[float]]]:
    """Fit limits of the intensity where the actors were told how strong to be: ``normal`` or ``strong``.

    A normal one passes for clear, whatever it is below; no actor was told to be slight: that is set by the steps by
    which the ear describes an intensity, and so is all where no label tells.
    """
    known = [
        answer
        for name, block in blocks.items()
        if not name.startswith(UNSEEN_SET)
        for answer in block
        if answer.strength and answer.truth is not Emotion.NEUTRAL and np.isfinite(answer.intensity)
    ]
    groups = {
        value: np.array([answer.intensity for answer in known if Intensity.parse(answer.strength) is value])
        for value in (Intensity.CLEAR, Intensity.STRONG)
    }
    slight, strong = INTENSITY_STEPS
    yes_strong, no_strong, yes_clear, no_clear = strong - NEAREST, slight, strong + NEAREST, 1.0
    if all(group.size for group in groups.values()):
        yes_strong = min(yes_strong, mean_quantile([groups[Intensity.STRONG]], WEAK))
        no_strong = min(yes_strong - NEAREST, mean_quantile([groups[Intensity.STRONG]], VERY_WEAK))
        yes_clear = max(yes_clear, -mean_quantile([-groups[Intensity.CLEAR]], WEAK))
        no_clear = max(yes_clear + NEAREST, -mean_quantile([-groups[Intensity.CLEAR]], VERY_WEAK))
    fitted = {
        Intensity.SLIGHT: (slight + NEAREST, strong),
        Intensity.CLEAR: (yes_clear, no_clear),
        Intensity.STRONG: (yes_strong, no_strong),
    }
    return {value.value: [[round(yes, 3), round(no, 3)]] for value, (yes, no) in fitted.items()}


def logistic(rows: Floats, truth: Floats, weights: Floats) -> Floats:
    """Return coefficients of a logistic regression with a small ridge, by Newton's method."""
    weights = weights / weights.mean()
    found = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        likely = 1.0 / (1.0 + np.exp(-rows @ found))
        slope = rows.T @ (weights * (likely - truth)) + RIDGE * found
        curve = (rows * (weights * likely * (1.0 - likely))[:, np.newaxis]).T @ rows + RIDGE * np.eye(found.size)
        found = found - np.linalg.solve(curve, slope)
    return found


def mean_quantile(groups: Sequence[Floats], share: float) -> float:
    """Return the value below which, on average over the groups, a share of each group lies.

    >>> mean_quantile([np.arange(101.0), np.arange(101.0)], 0.25)
    25.0
    """
    low, high = min(group.min() for group in groups), max(group.max() for group in groups)
    for _ in range(60):
        middle = (low + high) / 2.0
        below = float(np.mean([np.mean(group < middle) for group in groups]))
        low, high = (middle, high) if below < share else (low, middle)
    return round(float(high), 6)


def fit_sex(blocks: Mapping[str, Block]) -> list[float]:
    """Fit limits of the probability of a voice's sex."""
    groups = []
    for block in blocks.values():
        own = [answer.female if answer.sex == "female" else 1.0 - answer.female for answer in block if answer.sex]
        if own:
            groups.append(np.array(own))
    yes = max(mean_quantile(groups, REFUSED_SEX), HALF)
    return [round(yes, 2), round(min(mean_quantile(groups, DENIED_SEX), HALF - 0.1), 2)]
