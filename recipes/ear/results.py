"""Results of a training run: weights, answers on held-out clips, and metrics."""

import itertools
import json
import math
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from safetensors.torch import save_file

from aptone.ear.network.filter_bank import RATE, frame_centres, frame_count
from recipes.ear.clip_bank import HOP, Bank
from recipes.ear.config import Recipe, is_trained_on
from recipes.ear.data import SPEECH_SETS, Clip
from recipes.ear.filter_bank import LEVEL, filter_bank, speech_level
from recipes.ear.labels import EMOTION_ORDER, Labels, is_sound
from recipes.ear.network import EMOTIONS, EarNetwork
from recipes.ear.rows import Corpus

SHARED = ("neutral", "happy", "sad", "angry", "fear", "surprise")
"""Emotions that at least three of the four sets have."""
HIGH_AROUSAL = ("angry", "happy", "fear", "surprise")
LOW_AROUSAL = ("sad", "calm", "neutral")
LISTENED = {"emotion": (EMOTIONS,), "vad": (3,), "intensity": (), "sex": ()}
"""Outputs of the network for whole clips, and their shapes."""

Floats = npt.NDArray[np.float32]
Heard = dict[str, Floats]
Figures = dict[str, float]


@torch.no_grad()
def listen(network: EarNetwork, bank: Bank, which: Sequence[int], *, rows: int = 64, longest: float = 12.0) -> Heard:
    """Return the outputs of a network for whole clips (at most their first seconds), in batches of similar length."""
    device = bank.samples.device
    order = sorted(range(len(which)), key=lambda i: int(bank.length[which[i]]))
    collected = {name: [torch.zeros(0, *shape)] for name, shape in LISTENED.items()}
    for begin in range(0, len(order), rows):
        chosen = torch.tensor([which[i] for i in order[begin : begin + rows]], device=device)
        size = max(min(int(bank.length[chosen].max()), int(longest * RATE)), RATE // 10)
        time_ = torch.arange(size, device=device)
        inside = time_ < bank.length[chosen][:, None]
        index = torch.where(inside, bank.start[chosen][:, None] + time_, 0)
        wave = torch.where(inside, bank.samples[index].float(), 0.0)
        centres = torch.from_numpy(frame_centres(frame_count(size))).to(device)
        present = (centres < bank.length[chosen][:, None]).float()
        speech = torch.where(inside[:, centres], bank.speech[index[:, centres] // HOP].float(), 0.0)
        wave = wave * (LEVEL / speech_level(wave, speech, present))[:, None]
        energies, statistics = filter_bank(wave, speech, present)
        heard = network(energies, statistics, speech, present)
        for name in LISTENED:
            collected[name].append(getattr(heard, name).float().cpu())
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    return {name: torch.cat(parts).numpy()[back] for name, parts in collected.items()}


def keep(recipe: Recipe, network: EarNetwork, corpus: Corpus, labels: Labels, *, bank: Bank, out: Path) -> Figures:
    """Write the weights and the answers on held-out speech clips, and return the metrics there.

    Args:
        recipe: settings of the run.
        network: trained network.
        corpus: all clips.
        labels: labels of all clips.
        bank: samples of all clips, on the network's device.
        out: folder for `NAME.safetensors`, `NAME.npz` and `NAME.json`.
    """
    out.mkdir(parents=True, exist_ok=True)
    unseen = [
        place for place, clip in enumerate(corpus.clips) if clip.set in SPEECH_SETS and not is_trained_on(clip, recipe)
    ]
    heard = listen(network, bank, unseen)
    weights = {
        name: value.half().cpu().contiguous()
        for name, value in network.state_dict().items()
        if not name.startswith("stem.") and not name.endswith("num_batches_tracked")
    }
    save_file(weights, out / f"{recipe.name}.safetensors")
    np.savez_compressed(
        out / f"{recipe.name}.npz",
        name=np.array([corpus.clips[place].name for place in unseen]),
        emotion_logits=heard["emotion"].astype(np.float16),
        arousal=heard["vad"][:, 1].astype(np.float16),
        valence=heard["vad"][:, 0].astype(np.float16),
        intensity=heard["intensity"].astype(np.float16),
        sex_logit=heard["sex"].astype(np.float16),
    )
    clips = [corpus.clips[place] for place in unseen]
    emotion, allowed = labels.emotion.cpu().numpy()[unseen], labels.allowed.cpu().numpy()[unseen]
    figures = _recalls(clips, heard["emotion"], emotion, allowed, sets=recipe.sets) | _ravdess_figures(clips, heard)
    trained = {clip.label for clip in corpus.clips if is_sound(clip) and is_trained_on(clip, recipe)}
    record = {
        "recipe": asdict(recipe),
        "recall": figures,
        "sounds": corpus.sounds,
        "trained_sounds": [name for name in corpus.sounds if name in trained],
    }
    (out / f"{recipe.name}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return figures


def _recalls(clips: Sequence[Clip], logits: Floats, target: Floats, allowed: Floats, *, sets: Sequence[str]) -> Figures:
    """Return the unweighted recall of every set and split; undefined ones are left out."""
    figures = {}
    for name, split in itertools.product(SPEECH_SETS, ("train", "dev", "test")):
        rows = [row for row, clip in enumerate(clips) if (clip.set, clip.split) == (name, split)]
        recall = unweighted_recall(logits[rows], target[rows], allowed[rows], shared=name not in sets)
        if not math.isnan(recall):
            figures[f"{name}-{split}"] = round(recall, 4)
    return figures


def _ravdess_figures(clips: Sequence[Clip], heard: Heard) -> Figures:
    """Return sex, arousal and intensity on held-out speakers of RAVDESS, by split."""
    figures: Figures = {}
    for split in ("dev", "test"):
        rows = [row for row, clip in enumerate(clips) if (clip.set, clip.split) == ("ravdess", split)]
        high = [heard["vad"][row, 1] for row in rows if clips[row].label in HIGH_AROUSAL]
        low = [heard["vad"][row, 1] for row in rows if clips[row].label in LOW_AROUSAL]
        by_name = {clips[row].path.name: heard["intensity"][row] for row in rows}
        right = {
            f"sex-{split}": [(heard["sex"][row] > 0) == (clips[row].sex == "female") for row in rows],
            f"arousal-{split}": [one > other for one in high for other in low],
            f"pairs-{split}": [by_name[strong] > by_name[normal] for normal, strong in _intensity_pairs(by_name)],
        }
        figures |= {name: round(float(np.mean(each)), 4) for name, each in right.items() if each}
    return figures


def _intensity_pairs(names: Collection[str]) -> list[tuple[str, str]]:
    """Return pairs of files of RAVDESS that differ in intensity only (their fourth field: normal and strong)."""
    normal = [name for name in names if name[9:11] == "01" and name[6:8] != "01"]
    pairs = [(name, f"{name[:9]}02{name[11:]}") for name in normal]
    return [(name, strong) for name, strong in pairs if strong in names]


def unweighted_recall(logits: Floats, target: Floats, allowed: Floats, *, shared: bool) -> float:
    """Return the mean over classes of the share that is recognised; NaN if there is no clip.

    Args:
        logits: [clips, emotions].
        target: one-hot, [clips, emotions].
        allowed: 1 for the emotions of the clip's set, [clips, emotions].
        shared: count only the emotions of `SHARED`, for a set that the network was not trained on.
    """
    kept = np.array([not shared or label.value in SHARED for label in EMOTION_ORDER])
    truth = target.argmax(axis=1)
    rows = kept[truth]
    if not rows.any():
        return math.nan
    said = np.where((allowed > 0) & kept, logits, -np.inf).argmax(axis=1)
    return float(np.mean([np.mean(said[rows & (truth == kind)] == kind) for kind in np.unique(truth[rows])]))
