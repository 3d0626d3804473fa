"""The stages of the planner's training from folders to files, as ``aptone train planner`` runs them.

1. `make_encoder`: MiniLM's beginning, taught with English lines → ``encoder.npz``.
2. `run_planner`: the network over lines, one for each seed → ``seedN.npz``, each a whole text model, with what it
   reaches on the dev parts in ``seedN.json``. Any of them can be shipped as ``planner/weights/planner.npz``.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from aptone.errors import UsageError
from aptone.planner.label_sets import LABEL_SETS, SET_OF_LANGUAGE
from aptone.planner.labelled_dialogues import Dialogue, read_cped, read_meld
from aptone.train.planner import PlannerNetwork, PlannerRecipe, answers_of, train_planner
from aptone.train.planner_balance import Balance, choose_balance
from aptone.train.planner_data import read_emobank, read_goemotions
from aptone.train.planner_encoder import EncoderRecipe, train_encoder
from aptone.train.planner_export import model_bytes
from aptone.train.planner_lines import Lines, make_lines, phrase_vocabulary
from aptone.train.planner_start import LAYERS, encoder_arrays

ENCODER_FILE = "encoder.npz"
COMMENTS = 8000
"""How many of GoEmotions' comments the network over lines is trained on."""
SENTENCES = 4000
"""Likewise of EmoBank's sentences."""
MELD_COUNTS = 3
"""How often MELD's lines count in choosing the pieces of the vocabulary: it is the smallest set, and matters most."""
CHOSEN_AT = 15
"""Lines of context at which the balance of the labels is chosen."""


def make_encoder(
    data: Path,
    minilm: Path,
    out: Path,
    *,
    recipe: EncoderRecipe | None = None,
    layers: int = LAYERS,
    log: Callable[[str], None],
) -> Path:
    """Teach the encoder and write it; gives its file.

    Args:
        data: folder of the text sets.
        minilm: folder with MiniLM's ``model.safetensors`` and ``vocab.txt``.
        out: folder for ``encoder.npz``.
        recipe: how; the recipe of the shipped one when left out.
        layers: how many of MiniLM's layers are kept.
        log: is told how far it is.
    """
    torch.set_num_threads(1)
    dialogues = [*read_meld(data), *read_goemotions(data), *read_emobank(data)]
    taught = [
        line.line.text
        for one in dialogues
        if one.part == "train"
        for line in one.lines
        for _ in range(MELD_COUNTS if one.set == "meld" else 1)
    ]
    start = encoder_arrays(minilm, taught, layers=layers)
    arrays = train_encoder(start, dialogues, recipe or EncoderRecipe(), log=log)
    out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(out / ENCODER_FILE, **arrays)  # type: ignore[arg-type]
    return out / ENCODER_FILE


def run_planner(
    data: Path,
    encoder: Path,
    out: Path,
    *,
    seeds: Sequence[int] = (1,),
    recipe: PlannerRecipe | None = None,
    log: Callable[[str], None],
) -> dict[str, dict[str, float]]:
    """Train one network for each seed and write it; gives by run what it reaches on the dev parts.

    Args:
        data: folder of the text sets.
        encoder: made by `make_encoder`.
        out: folder for ``seedN.npz`` and ``seedN.json``.
        seeds: of the runs.
        recipe: how; the recipe of the shipped one when left out.
        log: is told how far it is.

    Raises:
        UsageError: if the encoder's file cannot be read.
    """
    torch.set_num_threads(1)
    arrays = _arrays(encoder)
    dialogues = chosen_dialogues(data)
    vocabulary = phrase_vocabulary(dialogues)
    lines = make_lines(dialogues, arrays, vocabulary, log=log)
    out.mkdir(parents=True, exist_ok=True)
    reached: dict[str, dict[str, float]] = {}
    for seed in seeds:
        settings = replace(recipe or PlannerRecipe(), seed=seed)
        network = train_planner(lines, settings, phrases=len(vocabulary), log=log)
        balances = {name: balance_on_dev(network, lines, name) for name in SET_OF_LANGUAGE.values()}
        about = {
            "seed": seed,
            "steps": settings.steps,
            "labels": {name: list(labels) for name, labels in LABEL_SETS.items()},
            "strength": {name: balance.strength for name, balance in balances.items()},
        }
        shifts = {name: balance.shift for name, balance in balances.items()}
        (out / f"seed{seed}.npz").write_bytes(model_bytes(network, arrays, vocabulary, shifts=shifts, about=about))
        reached[f"seed{seed}"] = {name: balance.score for name, balance in balances.items()}
        (out / f"seed{seed}.json").write_text(
            json.dumps(reached[f"seed{seed}"], sort_keys=True) + "\n", encoding="utf-8"
        )
        log(f"seed {seed}, weighted F1 on dev: {reached[f'seed{seed}']}")
    return reached


def chosen_dialogues(data: Path) -> list[Dialogue]:
    """All dialogues, and a part of the single comments and sentences that is drawn once."""
    generator = np.random.default_rng(0)
    singles: list[Dialogue] = []
    for found, count in ((read_goemotions(data), COMMENTS), (read_emobank(data), SENTENCES)):
        taught = [one for one in found if one.part == "train"]
        singles += [taught[number] for number in generator.permutation(len(taught))[:count]]
    return [*read_meld(data), *read_cped(data), *singles]


def balance_on_dev(network: PlannerNetwork, lines: Sequence[Lines], name: str) -> Balance:
    """How much rare labels of a set are favoured, chosen on its dev part."""
    dev = [one for one in lines if one.set == name and one.part == "dev"]
    taught = np.concatenate([one.target for one in lines if one.set == name and one.part == "train"])
    logits = answers_of(network, dev, context=CHOSEN_AT)[name]
    truth = np.concatenate([one.target for one in dev]).argmax(axis=1)
    return choose_balance(logits, truth, taught.mean(axis=0, dtype=np.float64))


def _arrays(path: Path) -> Mapping[str, npt.NDArray[Any]]:
    try:
        with np.load(path, allow_pickle=False) as opened:
            return {name: opened[name] for name in opened.files}
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: no encoder ({error}); make one with: aptone train planner encoder") from error
