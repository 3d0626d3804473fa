"""Calibration of an ear: a temperature for each head and a threshold for each event, fitted on held-out data.

Logits are divided by the temperature that maximises the likelihood (Guo et al. 2017, "On calibration of modern neural
networks"). Users' recordings are in none of our sets, so the temperatures of feeling and voice come from runs that were
evaluated on speakers, and whole sets, that they were not trained on. There the likelihood is dominated by the worst of
them; so the temperature of the emotion is the one at which the mean probability of the likeliest emotion equals its
accuracy. Recording condition, music, age and sounds are synthetic: for them the ear itself is evaluated on new rows.
Clips of a test part are never used.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch

from aptone.ear.network.filter_bank import RATE, STEP
from aptone.ear.network.inference import SHORTEST_EVENT
from aptone.errors import RecordError, UsageError
from recipes.ear.augment import AugmentSettings, Rows
from recipes.ear.data import INTENSITY_SET, SPEECH_SETS, Clip, read_pack
from recipes.ear.labels import Labels, label_tensors
from recipes.ear.network import EarNetwork, Heard
from recipes.ear.rows import load_corpus, make_rows
from recipes.ear.runs import load_runs, read_kept

TEMPERATURES = (0.2, 5.0)
"""Lowest and highest temperature."""
CALIBRATION_ROWS = 2000
FALSE_ALARMS = 0.005
"""Largest share of speech rows without any event in which an event is reported."""
CONFUSIONS = 0.05
"""Largest share of rows with other events only in which it is reported."""
THRESHOLDS = (0.02, 0.95)
"""Lowest and highest threshold."""
HARDER = AugmentSettings(condition=0.8, strange=0.3, music=0.3, event=0.3)
"""Stronger augmentation than in training, so that each condition occurs often enough."""
SOUND_SHARE = 0.3

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Fitted values, as fields of `aptone.ear.network.inference.Meaning`.

    Args:
        temperatures: temperature by head; a head that was never trained is missing.
        events: probability from which an event is reported, by name.
    """

    temperatures: Mapping[str, float]
    events: Mapping[str, float]


def calibrate(
    runs: Sequence[Path],
    start: Path,
    pack: Path,
    answers: Sequence[Path],
    *,
    rows: int = CALIBRATION_ROWS,
    seed: int = 77,
    device: torch.device,
    workers: int,
    log: Callable[[str], None],
) -> Calibration:
    """Fit the temperatures and thresholds of an ear.

    Args:
        runs: `.safetensors` files that the ear is the average of.
        start: initial weights from CAM++.
        pack: pack made by `recipes.ear.pack.prepare`; its ``dev`` parts are used.
        answers: `.npz` files of runs, about clips held out of each.
        rows: number of rows to evaluate the ear on.
        seed: random seed of the rows.
        device: device of the evaluation.
        workers: clips decoded at once.
        log: receives progress lines.

    Raises:
        UsageError: if the answers lack a head of the ear.
        RecordError: if a file cannot be used.
    """
    network, kept = load_runs(runs, start)
    network.to(device).eval()
    corpus = load_corpus(pack, workers=workers, splits=("dev",))
    labels = label_tensors(corpus.clips, kept.sounds)
    temperatures = answered_temperatures(answers, read_pack(pack), intensity=INTENSITY_SET in kept.sets)
    log(f"{rows} rows from {len(corpus.clips)} clips")
    made = make_rows(
        corpus,
        labels,
        HARDER,
        which=np.array(
            [row for row, clip in enumerate(corpus.clips) if clip.set in (*kept.sets, *kept.plain, *kept.sound_sets)]
        ),
        count=rows,
        sound_share=SOUND_SHARE,
        sounds=kept.sound_sets,
        seed=seed,
        start=start,
        device=device,
    )
    heard = _heard(network, made)
    temperatures |= made_temperatures(heard, made, labels, sounds=bool(kept.sounds))
    if not kept.sounds:
        return Calibration(temperatures, {})
    probabilities = 1 / (1 + np.exp(-_numbers(heard.frame_events) / temperatures["events"]))
    return Calibration(temperatures, event_thresholds(probabilities, _numbers(made.sounds).astype(int), kept.sounds))


@torch.no_grad()
def _heard(network: EarNetwork, rows: Rows, *, batch: int = 64) -> Heard:
    parts = []
    for begin in range(0, len(rows.first), batch):
        chosen = slice(begin, begin + batch)
        given = (rows.frames, rows.statistics, rows.speech, rows.present)
        parts.append(network.hear(*(tensor[chosen].float() for tensor in given)))
    return Heard(*(torch.cat([part[place] for part in parts]).cpu() for place in range(len(Heard._fields))))


def _numbers(tensor: torch.Tensor) -> Floats:
    numbers: Floats = tensor.detach().cpu().numpy().astype(np.float64)
    return numbers


def answered_temperatures(answers: Sequence[Path], clips: Sequence[Clip], *, intensity: bool) -> dict[str, float]:
    """Fit temperatures of emotion, sex and intensity to answers of runs about clips outside the test parts.

    Every set in every file has the same weight, however many clips it has.

    Args:
        answers: `.npz` files, each with the `.json` of its run next to it.
        clips: all clips that may occur in them.
        intensity: true if the ear was trained on intensity.

    Raises:
        UsageError: if there is no data for one of them.
    """
    clips = [clip for clip in clips if clip.set in SPEECH_SETS]
    known = {clip.name: place for place, clip in enumerate(clips) if clip.split != "test"}
    labels = label_tensors(clips, ())
    emotion, sex, strength = _Collected(), _Collected(), _Collected()
    for path in answers:
        said, places = _said(path, known)
        for name in SPEECH_SETS:
            rows = np.array([row for row, place in places if clips[place].set == name], dtype=np.int64)
            where = np.array([place for _, place in places if clips[place].set == name], dtype=np.int64)
            if not rows.size:
                continue
            allowed = _numbers(labels.allowed)[where]
            emotion.add(np.where(allowed > 0, said["emotion_logits"][rows], -1e9), _numbers(labels.emotion)[where])
            sex.add_binary(said["sex_logit"][rows], labels.sex, labels.has_sex, where)
            if name in read_kept(path).sets:
                strength.add_binary(said["intensity"][rows], labels.intensity, labels.has_intensity, where)
    wanted = {"emotion": emotion, "sex": sex} | ({"intensity": strength} if intensity else {})
    lacking = [name for name, collected in wanted.items() if not collected.logits]
    if lacking:
        raise UsageError(f"the answers hold nothing to calibrate {lacking[0]} with; name more runs with --answers.")
    fits = {name: collected.cases() for name, collected in wanted.items()}
    return {"emotion": matched_temperature(*fits.pop("emotion"))} | {
        name: fitted_temperature(*cases) for name, cases in fits.items()
    }


def _said(path: Path, known: Mapping[str, int]) -> tuple[dict[str, Floats], list[tuple[int, int]]]:
    """Return the answers of a run, and the rows of each clip."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            said = {name: arrays[name].astype(np.float64) for name in ("emotion_logits", "sex_logit", "intensity")}
            names = [str(name) for name in arrays["name"]]
    except (OSError, ValueError, KeyError) as error:
        raise RecordError(f"{path}: no answers of a run ({error}); `python -m recipes.ear run` writes them.") from error
    return said, [(row, known[name]) for row, name in enumerate(names) if name in known]


class _Collected:
    """Logits and truth in groups of equal weight."""

    def __init__(self) -> None:
        self.logits: list[Floats] = []
        self.truth: list[Integers] = []

    def add(self, logits: Floats, target: Floats) -> None:
        """Add a group of logits and one-hot truth, both [clips, choices]."""
        self.logits.append(logits)
        self.truth.append(target.argmax(axis=1))

    def add_binary(self, logits: Floats, truth: torch.Tensor, has: torch.Tensor, places: Integers) -> None:
        """Add a group of one logit per clip, and the truth of those clips that have one."""
        chosen = _numbers(has)[places] > 0
        if chosen.any():
            self.logits.append(_two_choices(logits[chosen]))
            self.truth.append(_numbers(truth)[places][chosen].astype(np.int64))

    def cases(self) -> tuple[Floats, Integers, Floats]:
        """Return all logits, [cases, choices], the truth, and the weight of each case."""
        weights = np.concatenate([np.full(len(truth), 1 / len(truth)) for truth in self.truth])
        width = max(logits.shape[1] for logits in self.logits)
        padded = [np.pad(each, ((0, 0), (0, width - each.shape[1])), constant_values=-1e9) for each in self.logits]
        return np.concatenate(padded), np.concatenate(self.truth), weights


def made_temperatures(heard: Heard, rows: Rows, labels: Labels, *, sounds: bool) -> dict[str, float]:
    """Fit temperatures of recording condition, music, age and sounds to augmented rows.

    Args:
        heard: answers of the ear.
        rows: the rows; a child is no adult, and nobody is whose voice was made much higher or lower.
        labels: labels of all clips.
        sounds: true if the ear was trained on sounds.
    """
    known = _numbers(rows.known)
    found = {
        "condition": fitted_temperature(_numbers(heard.condition), _numbers(rows.condition).astype(np.int64), known)
    }
    first, own_voice = rows.first.cpu(), _numbers(rows.adult)
    adult = (1 - _numbers(labels.child)[first]) * own_voice
    clear = np.maximum(_numbers(labels.has_age)[first], 1 - own_voice)
    for name, logits, truth, weights in (
        ("music", heard.music, _numbers(rows.music), None),
        ("adult", heard.adult, adult, clear),
    ):
        found[name] = fitted_temperature(_two_choices(_numbers(logits)), truth.astype(np.int64), weights)
    if sounds:
        kinds = np.arange(heard.frame_events.shape[-1])
        truth = _numbers(rows.sounds)[..., None] == kinds
        present = np.broadcast_to(_numbers(rows.present)[..., None], truth.shape)
        chosen = present > 0
        found["events"] = fitted_temperature(
            _two_choices(_numbers(heard.frame_events)[chosen]), truth[chosen].astype(np.int64)
        )
    return found


def _two_choices(logits: Floats) -> Floats:
    """Return two logits, no and yes, from one."""
    return np.stack([np.zeros_like(logits), logits], axis=-1)


def fitted_temperature(logits: Floats, truth: Integers, weights: Floats | None = None) -> float:
    """Return the temperature that maximises the likelihood of the truth.

    Args:
        logits: [cases, choices].
        truth: right choice of each case.
        weights: weight of each case; None for equal weights.

    >>> sure = np.log(np.array([[0.9, 0.1]] * 10))  # nine in ten, where it is right eight times
    >>> temperature = fitted_temperature(sure, np.array([0] * 8 + [1] * 2))
    >>> round(1 / (1 + math.exp(-math.log(9) / temperature)), 2)
    0.8
    """
    share = np.full(len(truth), 1.0) if weights is None else weights
    share = share / share.sum()
    rows = np.arange(len(truth))

    def surprise(logarithm: float) -> float:
        scaled = logits / math.exp(logarithm)
        highest = scaled.max(axis=1)
        total = highest + np.log(np.exp(scaled - highest[:, None]).sum(axis=1))
        return float(share @ (total - scaled[rows, truth]))

    low, high = math.log(TEMPERATURES[0]), math.log(TEMPERATURES[1])
    while high - low > 1e-3:  # the surprise has one valley in the temperature
        third = (high - low) / 3
        if surprise(low + third) < surprise(high - third):
            high -= third
        else:
            low += third
    return round(math.exp((low + high) / 2), 3)


def matched_temperature(logits: Floats, truth: Integers, weights: Floats) -> float:
    """Return the temperature at which the mean probability of the likeliest choice equals its accuracy.

    Args:
        logits: [cases, choices].
        truth: right choice of each case.
        weights: weight of each case.

    >>> sure = np.log(np.array([[0.9, 0.1]] * 10))  # nine in ten, where it is right eight times
    >>> temperature = matched_temperature(sure, np.array([0] * 8 + [1] * 2), np.ones(10))
    >>> round(1 / (1 + math.exp(-math.log(9) / temperature)), 2)
    0.8
    """
    share = weights / weights.sum()
    right = float(share @ (logits.argmax(axis=1) == truth))

    def confidence(logarithm: float) -> float:
        raised = np.exp((logits - logits.max(axis=1, keepdims=True)) / math.exp(logarithm))
        return float(share @ (1 / raised.sum(axis=1)))

    low, high = math.log(TEMPERATURES[0]), math.log(TEMPERATURES[1])
    while high - low > 1e-3:  # the higher the temperature, the less sure
        middle = (low + high) / 2
        if confidence(middle) > right:
            low = middle
        else:
            high = middle
    return round(math.exp((low + high) / 2), 3)


def event_thresholds(probabilities: Floats, sounds: Integers, names: Sequence[str]) -> dict[str, float]:
    """Return for each event the probability that few rows without it reach for the duration of an event.

    Args:
        probabilities: [rows, frames, events].
        sounds: index of the event in each frame or -1, [rows, frames].
        names: names of the events.
    """
    shortest = math.ceil(SHORTEST_EVENT * RATE / STEP)
    held = np.lib.stride_tricks.sliding_window_view(probabilities, shortest, axis=1).min(axis=-1).max(axis=1)
    silent = (sounds < 0).all(axis=1)
    found = {}
    for kind, name in enumerate(names):
        without = (sounds != kind).all(axis=1)
        reached = [
            float(np.quantile(held[rows, kind], 1 - share))
            for rows, share in ((silent, FALSE_ALARMS), (without & ~silent, CONFUSIONS))
            if rows.any()
        ]
        found[name.replace("_", " ")] = round(min(max(*reached, THRESHOLDS[0]), THRESHOLDS[1]), 3)
    return found
