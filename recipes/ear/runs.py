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
    _load(network, average_weights(runs), runs[0])
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
    """Record of a training run next to its weights; sounds are empty for a run without them."""

    sets: tuple[str, ...]
    sounds: tuple[str, ...]
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
        sounds = tuple(record["sounds"]) if recipe["sounds"] else ()
        return Kept(tuple(recipe["sets"]), sounds, recipe["network"]["hidden"])
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
