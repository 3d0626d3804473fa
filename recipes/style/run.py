"""Train the style network, calibrate it, and export the two ONNX files of the built-in style embedder."""

import hashlib
import json
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import onnx
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from aptone.ear.describe import ATTRIBUTES
from aptone.errors import RecordError, UsageError
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.rooms.style.embedding.built_in import AUDIO_FILE, LICENCE, META, NAMES, TEXT_FILE
from recipes.ear.data import STYLE_FOLDS
from recipes.style.examples import (
    Description,
    EarAnswers,
    Floats,
    Rows,
    descriptions,
    read_answers,
    read_rows,
    with_answers,
)
from recipes.style.network import StyleNetwork, StyleRecipe, TextSide
from recipes.style.train import Texts, TrainingData, train_style

OPSET = 18
SHARES: Mapping[str, float] = {"ravdess": 0.35, "nemo": 0.3, "emodb": 0.2, "csemotions": 0.15}
"""Sampling share of each set; that of the last for a set that is not listed."""
WHISPERS = 1.5
"""Sampling factor of whispered rows."""
DESCRIBED = 6
"""Descriptions per row."""


class OneText(nn.Module):
    """The text encoder for one description: [units, size] and [units] to [128]."""

    def __init__(self, text: TextSide) -> None:
        super().__init__()
        self.text = text

    def forward(self, vectors: Tensor, known: Tensor) -> Tensor:
        """Return the vector of a description."""
        present = torch.ones_like(known, dtype=vectors.dtype)
        found: Tensor = self.text(vectors[None], known[None], present[None])
        return found[0]


def export_style(
    network: StyleNetwork, known: Sequence[int], out: Path, *, about: Mapping[str, object]
) -> tuple[Path, Path]:
    """Write both files and return their paths.

    Args:
        network: trained network.
        known: units of the built-in text embedder in the order of the trained table, the first at 1.
        out: folder for the files.
        about: metadata of the files.
    """
    network = network.cpu().float().eval()
    out.mkdir(parents=True, exist_ok=True)
    audio, text = out / AUDIO_FILE, out / TEXT_FILE
    size = network.text.meaning.in_features
    _export(network.audio, (torch.zeros(1, len(NAMES)),), audio, names=["numbers"], axes={})
    example = (torch.zeros(7, size), torch.zeros(7, dtype=torch.long))
    _export(
        OneText(network.text),
        example,
        text,
        names=["vectors", "known"],
        axes={"vectors": {0: "units"}, "known": {0: "units"}},
    )
    revision = hashlib.sha256(audio.read_bytes() + text.read_bytes()).hexdigest()[:12]
    said = {**about, "licence": LICENCE, "revision": revision, "numbers": list(NAMES), "known": list(known)}
    for path in (audio, text):
        model = onnx.load(path)
        entry = model.metadata_props.add()
        entry.key, entry.value = META, json.dumps(said if path == text else {"revision": revision}, sort_keys=True)
        onnx.save(model, path)
    return audio, text


def _export(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    *,
    names: list[str],
    axes: Mapping[str, Mapping[int, str]],
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns that it will be replaced by one with more dependencies
        torch.onnx.export(
            module.eval(),
            inputs,
            path,
            input_names=names,
            output_names=["vector"],
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )


def answers_of_folds(paths: Iterable[Path], rows: Rows) -> dict[str, EarAnswers]:
    """Return the answers of the ears of ``style-foldN`` about the speakers held out of each.

    Raises:
        UsageError: if a file is none of theirs.
    """
    speakers = dict(zip(rows.name.tolist(), rows.speaker.tolist(), strict=True))
    wanted: dict[Path, frozenset[str]] = {}
    for path in paths:
        named = re.fullmatch(r"style-fold([0-9])(-.*)?", path.stem)
        if named is None or int(named[1]) >= len(STYLE_FOLDS):
            raise UsageError(f"{path}: expected style-foldN…npz of `python -m recipes.ear run --recipe style-foldN`.")
        unheard = STYLE_FOLDS[int(named[1])]
        wanted[path] = frozenset(name for name, speaker in speakers.items() if speaker in unheard)
    return read_answers(wanted, speakers=wanted)


def make_training_data(
    rows: Rows, *, known: Sequence[int] = (), longest: int = 0, seed: int = 1, workers: int = 1
) -> tuple[TrainingData, list[int]]:
    """Return the training data of some rows, and the units of its table.

    Args:
        rows: rows to describe.
        known: first units of the table, whether they occur or not.
        longest: longest description in units; 0 for no limit.
        seed: random seed of the descriptions.
        workers: processes that write them.
    """
    texts: list[Description] = []
    first = [0]
    for described in _described(rows, seed=seed, workers=workers):
        texts += _short(described, longest) if longest else described
        first.append(len(texts))
    packed, units = pack_texts(texts, known=known)
    table = load_static_vectors().unit_vectors(units)
    return TrainingData(rows.numbers, rows.style, row_weights(rows), packed, np.array(first), table), units


def _short(described: Sequence[Description], longest: int) -> list[Description]:
    """Return the description pairs within the limit; the shortest pair if none is."""
    vectors = load_static_vectors()
    pairs = list(zip(described[::2], described[1::2], strict=True))
    lengths = [max(len(vectors.units(said.text)) for said in pair) for pair in pairs]
    most = max(longest, min(lengths))
    return [said for pair, length in zip(pairs, lengths, strict=True) if length <= most for said in pair]


def _described(rows: Rows, *, seed: int, workers: int) -> Iterable[list[Description]]:
    work = partial(descriptions, count=DESCRIBED, seed=seed)
    if workers == 1:
        return map(work, rows.style.tolist())
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        return list(pool.map(work, rows.style.tolist(), chunksize=200))


def pack_texts(texts: Sequence[Description], *, known: Sequence[int] = ()) -> tuple[Texts, list[int]]:
    """Return descriptions as indices into a table of units, and that table: known units first, then others."""
    vectors = load_static_vectors()
    numbers = [vectors.units(said.text) for said in texts]
    place = {unit: number for number, unit in enumerate(known)}
    for unit in sorted({unit for each in numbers for unit in each}):
        place.setdefault(unit, len(place))
    return (
        Texts(
            np.array([place[unit] for each in numbers for unit in each], dtype=np.int32),
            np.concatenate([[0], np.cumsum([len(each) for each in numbers])]),
            np.array([said.style for said in texts], dtype=np.int16),
            np.array([[name in said.denied for name in ATTRIBUTES] for said in texts]),
        ),
        list(place),
    )


def row_weights(rows: Rows) -> Floats:
    """Return the sampling weight of each row: sets by `SHARES`, whispers more often than others."""
    sets = rows.set
    weights = np.zeros(len(rows), dtype=np.float32)
    for name in np.unique(sets).tolist():
        own = sets == name
        weights[own] = SHARES.get(name, min(SHARES.values())) / own.sum()
    return weights * np.where(rows.variant == "whispered", np.float32(WHISPERS), np.float32(1.0))


def run_style(
    rows_file: Path,
    answers: Sequence[Path],
    out: Path,
    *,
    recipe: StyleRecipe,
    start: Path | None = None,
    without: str = "",
    workers: int = 1,
    device: torch.device,
    log: Callable[[str], None],
) -> Path:
    """Train a model, write its weights and known units, and return the path of the weights.

    Args:
        rows_file: rows made by `recipes.style.rows`.
        answers: answers of ``style-foldN``, or of ``style-foldN-without-SET``.
        out: output folder.
        recipe: settings of the run.
        start: weights to start from; random if None.
        without: set that is left out.
        workers: processes that write descriptions.
        device: device to train on.
        log: receives progress lines.
    """
    rows = read_rows(rows_file)
    rows = rows.take(np.flatnonzero((rows.split == "train") & (rows.set != without)))
    rows = with_answers(rows, answers_of_folds(answers, rows))
    if not len(rows):
        raise UsageError(f"{rows_file}: there is no row that the answers know the clip of.")
    log(f"{len(rows)} rows")
    begun, known = (None, []) if start is None else load_style(start, recipe)
    made, known = make_training_data(rows, known=known, longest=recipe.max_units, seed=recipe.seed, workers=workers)
    network = train_style(made, recipe, start=begun, device=device, log=log)
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"style{'-without-' + without if without else ''}.safetensors"
    kept = {name: value.half().cpu().contiguous() for name, value in network.state_dict().items()}
    save_file(kept, path, metadata={"known": json.dumps(known)})
    return path


def load_style(path: Path, recipe: StyleRecipe) -> tuple[StyleNetwork, list[int]]:
    """Load the network of `run_style`, and its known units.

    Raises:
        RecordError: if the file holds another network.
    """
    try:
        with safe_open(path, framework="pt") as file:
            known: list[int] = json.loads(file.metadata()["known"])
    except (SafetensorError, TypeError, KeyError) as error:
        raise RecordError(f"{path}: no weights of `python -m recipes.style run` ({error}).") from error
    weights = {name: value.float() for name, value in load_file(path).items()}
    network = StyleNetwork(len(weights["audio.centre"]), len(known), load_static_vectors().size, recipe)
    network.load_state_dict(weights)
    return network.eval(), known


def finish_style(weights: Path, out: Path, *, recipe: StyleRecipe, about: Mapping[str, object]) -> list[Path]:
    """Write the shipped files, both sides as ONNX; fits from 0 to 5 are calibrated by `recipes.style.calibrate`."""
    network, known = load_style(weights, recipe)
    return list(export_style(network, known, out, about=about))
