"""Fit the limits of claims (`aptone.ear.claims.limits`) to training and dev speakers, and print the file.

    python -m recipes.claims.fit DATA --answers RUNS > src/aptone/ear/claims/limits.json

`DATA` holds a folder for each set, with clips and a ``labels.csv``; `RUNS` the ``.npz`` files of ``python -m
recipes.ear run``. Clips of the ``test`` split count nowhere. Everywhere the limit ``yes`` is set where some share of
true claims would be refused, and ``no`` where a smaller share would be called false; false claims determine nothing but
the weights of the emotions, so their detection rate is a result, not a setting.

- *Emotion and sex*: the shipped ear was trained on these speakers and is overconfident about them. So the answers are
  those of networks that never heard the speaker (``train-only`` about dev, ``SET-foldN``) or never heard the set
  (``without-SET``). Half of the weight lies on unseen speakers, half on unseen sets. False claims are all that
  `aptone.ear.describe.different_values` would flip to.
- *Pitch, pitch variation, rate, volume*: clips with known values (`recipes.claims.clips`).
- *Sounds*: those of ESC-50's train and dev parts, put into dev speech (`recipes.claims.sounds`). The ear was trained on
  many of them and hears unseen ones less clearly: so the limit goes down to where one clip in ten of dev speech without
  such a sound would pass.

The scales' limits are never narrower than the steps by which `aptone.ear.describe.style_of` names a value: a claim that
the ear itself would make is always verified.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.audio import read
from aptone.ear import Ear, load_ear
from aptone.ear.claims.limits import EVIDENCE, SHIPPED
from aptone.ear.claims.rules import MEASURES, Hearing, emotion_evidence
from aptone.ear.describe import Attribute, Style, VocalEvent, different_values, values_of
from aptone.ear.describe.levels import FIVE_STEPS, THREE_STEPS
from aptone.ear.labelled_clips import LabelledClip, read_labels
from aptone.errors import UsageError
from aptone.stats.logits import sigmoid, softmax
from aptone.types import ClosedSet, Emotion
from recipes.claims.clips import PLACES, know_speakers, known_clips, spread_over
from recipes.claims.sounds import KINDS, PLACINGS
from recipes.claims.vocoder import load_world
from recipes.ear.data import FOLDS, SOUND_SET, SPEECH_SETS

RATE = 16_000
SEED = 6
CLIPS = 40
"""Clips of each set that are augmented."""
EACH = 2
"""Values of each scale per clip."""
REFUSED, DENIED = 0.12, 0.04
"""Shares of true emotions that are refused, and that are called false."""
OFF_SCALE, FAR_OFF_SCALE = 0.10, 0.02
"""Shares of true values of scales that are refused and called false; middle values, which have two sides, split
them."""
UNHEARD, SURELY_UNHEARD = 0.10, 0.03
"""Shares of true sounds that are refused, and that are called false."""
PASSING = 0.90
"""Share of clips without a sound that stay below its limit, however far below it those with the sound would reach."""
FAINTER = 0.75
"""Largest ratio of the limit for a false sound to that for a true one."""
SPOKEN = 100
"""Clips of each set for the level of a sound in speech without it."""
REFUSED_SEX, DENIED_SEX = 0.03, 0.01
"""Shares of true sexes that are refused and called false. One is never true with less than half of the probability."""
HALF = 0.5
NARROWEST = 0.25
"""Smallest distance of the two limits of a scale, in spreads, and of the emotions, in logits."""
RIDGE = 10.0
STEPS = 30

Floats = npt.NDArray[np.float64]
ABOUT = (
    "Written by `python -m recipes.claims.fit`: from how much of a measured quantity on a claim is true, and from "
    "how much on false. Fitted on training and dev speakers; never on test."
)


class Answer(NamedTuple):
    """Answer of a network about a clip that it was not trained on."""

    truth: Emotion
    sex: str
    emotion: npt.NDArray[np.float32]
    feeling: tuple[float, float]
    female: float


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
            columns = {name: kept[name] for name in ("emotion_logits", "valence", "arousal", "sex_logit")}
            names = [str(name) for name in kept["name"]]
        for row, name in enumerate(names):
            block = _block(recipe, name.partition("/")[0], labels[name])
            if block:
                blocks[block].append(_answer(ear, labels[name], {key: value[row] for key, value in columns.items()}))
    wanted = [f"{kind}{name}" for name in SPEECH_SETS for kind in ("", "without-")]
    if missing := [name for name in wanted if not blocks[name]]:
        raise UsageError(f"{runs}: no answers for {missing[0]}; run the recipes train-only, SET-foldN and without-SET.")
    return {name: blocks[name] for name in wanted}


def _block(recipe: str, of_set: str, clip: LabelledClip) -> str:
    """Return the block of an answer; None for a test clip, or one that the network was trained on."""
    if clip.split == "test":
        return ""
    if recipe == f"without-{of_set}":
        return recipe
    if of_set in FOLDS:
        return of_set if recipe.startswith(f"{of_set}-fold") else ""
    return of_set if recipe == "train-only" and clip.split == "dev" else ""


def _answer(ear: Ear, clip: LabelledClip, said: Mapping[str, Any]) -> Answer:
    meaning = ear.meaning
    return Answer(
        Emotion.parse(clip.emotion),
        clip.sex,
        softmax(np.asarray(said["emotion_logits"], dtype=np.float32) / np.float32(meaning.temperatures["emotion"])),
        (float(said["valence"]), float(said["arousal"])),
        float(sigmoid(np.asarray(said["sex_logit"], dtype=np.float32) / np.float32(meaning.temperatures["sex"]))),
    )


def fit_emotion(blocks: Mapping[str, Block]) -> dict[str, Any]:
    """Fit weights by logistic regression, with equal weight for blocks and for true and false claims, and limits."""
    names = [Emotion.parse(name) for name in load_ear("full").meaning.emotions]
    rows, truths, weights, true_rows = [], [], [], []
    for block in blocks.values():
        true = np.array([_row(answer, answer.truth, names) for answer in block])
        false, shares = [], []
        for answer in block:
            others = different_values(Style(emotion=answer.truth), "emotion")
            false += [_row(answer, Emotion.parse(other), names) for other in others]
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
    evidence = emotion_evidence(float(answer.emotion[names.index(claimed)]), answer.feeling, claimed)
    return [*(evidence[name] for name in EVIDENCE), 1.0]


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


def measure_known(
    data: Path, scales: Iterable[Attribute], *, count: int
) -> dict[Attribute, dict[ClosedSet, list[Floats]]]:
    """Return the distance of clips with known values from the norm: by attribute and value, a group for each set."""
    world, ear = load_world(), load_ear("full")
    dice = np.random.default_rng(SEED)
    found: dict[Attribute, dict[ClosedSet, list[Floats]]] = {name: defaultdict(list) for name in scales}
    for of_set in SPEECH_SETS:
        clips = read_labels(data / of_set)
        speakers = know_speakers(world, clips)
        away: dict[tuple[Attribute, ClosedSet], list[float]] = defaultdict(list)
        for clip in spread_over([clip for clip in clips if clip.split != "test"], count=count, seed=SEED):
            wanted = [(name, value) for name, places in PLACES.items() for value in _drawn(dice, places)]
            for known in known_clips(world, clip, speakers, [pair for pair in wanted if pair[0] in found]):
                perception = ear.perceive(known.audio, language=clip.language)
                distance = Hearing(perception, language=clip.language).distance(
                    MEASURES[known.attribute], described=speakers.sexes[clip.speaker]
                )
                away[known.attribute, known.value].append(distance)
        for (attribute, value), distances in away.items():
            found[attribute][value].append(np.array([one for one in distances if np.isfinite(one)]))
    return found


def _drawn(dice: np.random.Generator, values: Iterable[ClosedSet]) -> list[ClosedSet]:
    """Return a random subset of the values of a scale, in order."""
    listed = list(values)
    return [listed[place] for place in sorted(dice.permutation(len(listed))[:EACH])]


def fit_scale(attribute: Attribute, groups: Mapping[ClosedSet, Sequence[Floats]]) -> dict[str, list[list[float]]]:
    """Fit limits of every value of a scale, in spreads: an upper one in the low half, a lower one in the high half."""
    scale = values_of(attribute)
    steps = FIVE_STEPS if len(scale) > 3 else THREE_STEPS
    middle = (len(scale) - 1) / 2.0
    limits: dict[str, list[list[float]]] = {}
    for place, value in enumerate(scale):
        if not any(group.size for group in groups[value]):
            raise UsageError(f"no clip could be made {value} and measured; give more clips.")
        sides = 2 if place == middle else 1
        limits[value] = []
        if place >= middle:
            limits[value].append(_side(groups[value], steps[place - 1], sign=1.0, sides=sides))
        if place <= middle:
            limits[value].append(_side(groups[value], steps[place], sign=-1.0, sides=sides))
    return limits


def _side(groups: Sequence[Floats], step: float, *, sign: float, sides: int) -> list[float]:
    """Return the two limits on one side: beyond a share of true clips, but not inside of the step."""
    turned = [sign * group for group in groups if group.size]
    yes = min(mean_quantile(turned, OFF_SCALE / sides), sign * step)
    no = min(mean_quantile(turned, FAR_OFF_SCALE / sides), yes - NARROWEST)
    return [round(sign * yes, 2), round(sign * no, 2)]


def hear_sounds(data: Path) -> dict[str, list[Floats]]:
    """Return the maximum of each trained sound in dev speech that holds it: a group for each way of mixing."""
    ear = load_ear("full")
    names = {VocalEvent.parse(name): name for name in ear.meaning.events if _is_vocal(name)}
    speech = [clip for name in SPEECH_SETS for clip in _spoken(read_labels(data / name))]
    speech = spread_over(speech, count=len(speech), seed=SEED)
    sounds = [clip for clip in read_labels(data / SOUND_SET) if clip.split != "test" and clip.emotion in KINDS]
    peaks: dict[tuple[str, str], list[float]] = defaultdict(list)
    for number, sound in enumerate(sounds):
        words, noise = read(speech[number % len(speech)].path, rate=RATE), read(sound.path, rate=RATE)
        name = names[KINDS[sound.emotion]]
        for placing in PLACINGS:
            peaks[name, placing.name].append(ear.perceive(placing.put(words, noise)).sounds[name])
    heard = sorted({name for name, _ in peaks})
    return {name: [np.array(peaks[name, placing.name]) for placing in PLACINGS] for name in heard}


def hear_speech(data: Path, names: Iterable[str]) -> dict[str, list[Floats]]:
    """Return the maximum of each sound in unchanged dev speech: a group for each set."""
    ear = load_ear("full")
    heard = []
    for of_set in SPEECH_SETS:
        clips = spread_over(list(_spoken(read_labels(data / of_set))), count=SPOKEN, seed=SEED)
        heard.append([ear.perceive(read(clip.path, rate=RATE)).sounds for clip in clips])
    return {name: [np.array([peaks[name] for peaks in of_set]) for of_set in heard] for name in names}


def _is_vocal(name: str) -> bool:
    return any(name.replace(" ", "_") == kind for kind in KINDS)


def _spoken(clips: Sequence[LabelledClip]) -> Iterator[LabelledClip]:
    """Return the dev clips of a set; the training clips if it has none."""
    part = "dev" if any(clip.split == "dev" for clip in clips) else "train"
    return (clip for clip in clips if clip.split == part)


def fit_sounds(
    present: Mapping[str, Sequence[Floats]], absent: Mapping[str, Sequence[Floats]]
) -> dict[str, list[float]]:
    """Fit limits of the level of each sound.

    Args:
        present: levels in speech with that sound, in groups.
        absent: levels in speech without it.
    """
    fitted = {}
    for name, peaks in present.items():
        yes = min(mean_quantile(peaks, UNHEARD), mean_quantile(absent[name], PASSING))
        no = min(mean_quantile(peaks, SURELY_UNHEARD), FAINTER * yes)
        fitted[name] = [round(yes, 4), round(no, 4)]
    return fitted


def fit(data: Path, runs: Path, *, count: int, kept: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Fit all limits, as the file holds them.

    Args:
        data: folder with the sets.
        runs: folder with the answers.
        count: clips of each set that are augmented.
        kept: limits of scales that are not fitted again, by attribute.
    """
    blocks = read_blocks(data, runs)
    scales = dict(kept or {})
    known = measure_known(data, [name for name in PLACES if name not in scales], count=count)
    scales |= {attribute: fit_scale(attribute, groups) for attribute, groups in known.items()}
    present = hear_sounds(data)
    return {
        "about": ABOUT,
        "scales": {attribute: scales[attribute] for attribute in PLACES},
        "emotion": fit_emotion(blocks),
        "sex": fit_sex(blocks),
        "sounds": fit_sounds(present, hear_speech(data, present)),
    }


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description="Fit the limits of aptone.ear.claims.limits.")
    parser.add_argument("data", type=Path, help="Folder with a folder for each corpus.")
    parser.add_argument("--answers", type=Path, required=True, help="Folder with answers of python -m recipes.ear run.")
    parser.add_argument("--clips", type=int, default=CLIPS, help="Clips of each corpus to augment.")
    parser.add_argument("--keep", nargs="*", default=[], choices=list(PLACES), help="Scales to keep as shipped.")
    options = parser.parse_args()
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))["scales"] if options.keep else {}
    kept = {attribute: shipped[attribute] for attribute in options.keep}
    found = fit(options.data, options.answers, count=options.clips, kept=kept)
    sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
