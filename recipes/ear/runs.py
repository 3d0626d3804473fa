"""Weights of training runs: one run, or the average of several."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from aptone.errors import RecordError, UsageError
from recipes.ear.initial_weights import fresh_network
from recipes.ear.network import EarNetwork, NetworkSettings


def load_runs(runs: Sequence[Path], start: Path) -> tuple[EarNetwork, "Kept"]:
    """Return the network with the average weights of runs, and the record of their training.

    Args:
        runs: `.safetensors` files of `python -m recipes.ear run`, of one recipe with different seeds.
        start: initial weights from CAM++.

    Raises:
        UsageError: if the runs have different training data.
        RecordError: if a file cannot be used.
    """
    about = [read_kept(path) for path in runs]
    if len(set(about)) > 1:
        raise UsageError("the runs were not trained on the same sets and sounds; name runs of one recipe.")
    kept = about[0]
    network = fresh_network(NetworkSettings(events=len(kept.sounds), hidden=kept.hidden), start)
    weights = average_weights(runs)
    if kept.sounds:  # a run has an output for every sound of the pack; the others were never trained
        for name in ("frame_events.weight", "frame_events.bias"):
            if name in weights:
                weights[name] = weights[name][list(kept.columns)]
    _load(network, weights, runs[0])
    return network, kept


def average_weights(paths: Sequence[Path]) -> dict[str, Tensor]:
    """Return the mean of several runs that started from the same weights (Wortsman et al. 2022).

    Raises:
        RecordError: if a file holds no weights, or other ones than the first.
    """
    runs = [_read_weights(path) for path in paths]
    for path, run in zip(paths, runs, strict=True):
        if {name: value.shape for name, value in run.items()} != {name: value.shape for name, value in runs[0].items()}:
            raise RecordError(f"{path}: is not of the same size as {paths[0]}; average runs of one recipe only.")
    return {name: torch.stack([run[name].float() for run in runs]).mean(dim=0) for name in runs[0]}


def _read_weights(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise RecordError(f"{path}: no weights ({error}); make them with `python -m recipes.ear run`.") from error


class Kept(NamedTuple):
    """Record of a training run next to its weights.

    Args:
        sets: sets of speech with emotions.
        plain: sets of speech without.
        sound_sets: sets of sounds.
        sounds: sounds that it was trained on; columns: their places among the outputs of the run.
        hidden: width of the layer before the heads.
    """

    sets: tuple[str, ...]
    plain: tuple[str, ...]
    sound_sets: tuple[str, ...]
    sounds: tuple[str, ...]
    columns: tuple[int, ...]
    hidden: int


def read_kept(weights: Path) -> Kept:
    """Read the `.json` next to a run's weights.

    Raises:
        RecordError: if it is missing, or not by a training run.
    """
    path = weights.with_suffix(".json")
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        recipe = record["recipe"]
        sounds = tuple(record["trained_sounds"])
        columns = tuple(record["sounds"].index(name) for name in sounds)
        speech, plain, heard = (tuple(recipe[kind]) for kind in ("sets", "plain", "sounds"))
        return Kept(speech, plain, heard, sounds, columns, recipe["network"]["hidden"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path}: no record of a training run ({error}); it belongs beside the weights.") from error


def _load(network: EarNetwork, weights: Mapping[str, Tensor], path: Path) -> None:
    try:
        missing, unexpected = network.load_state_dict(weights, strict=False)
    except RuntimeError as error:
        raise RecordError(f"{path}: {error}") from error
    lacking = [name for name in missing if not name.startswith("stem.") and not name.endswith("num_batches_tracked")]
    if lacking or unexpected:
        raise RecordError(f"{path}: not the weights of an ear ({len(lacking)} are missing, {len(unexpected)} unknown).")
