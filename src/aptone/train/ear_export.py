"""From trained weights to the two ONNX files that an ear runs on.

The stem is the same for all ears and is stored in half precision; the rest in eight bits a weight, with a scale for
each row. Both are brought back to single precision when they are loaded, so that all arithmetic is done in it.
"""

import hashlib
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import NodeProto, TensorProto, helper, numpy_helper
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from aptone.ear.filter_bank import BANDS
from aptone.ear.licences import LICENCES
from aptone.ear.network import Meaning
from aptone.errors import RecordError, UsageError
from aptone.models.local_ear import FIRST_WIDTH, STATISTICS, EarNetwork, Heard, NetworkSettings
from aptone.train.ear_data import PERMISSIVE_SETS, SOUND_SET
from aptone.train.ear_labels import EMOTION_ORDER
from aptone.train.ear_start import fresh_network

OPSET = 18
META = "aptone.ear"
"""Where in the file's metadata the meaning lies."""
SMALLEST = 4096
"""Tensors with fewer numbers than this stay as they are."""
OUTPUTS = Heard._fields[:-1]
"""All but the emotion of the frames, which only serves training."""
CONDITION_ORDER = ("normal", "phone", "far-field", "intermittent", "noisy")
"""As numbered in `aptone.train.ear_augment`."""

Values = npt.NDArray[np.float32]
Smaller = Callable[[str, Values], tuple[list[TensorProto], NodeProto]]
"""Gives, for a tensor's name and values, what is stored instead, and the node that makes the tensor of it."""


def half(name: str, values: Values) -> tuple[list[TensorProto], NodeProto]:
    """Sixteen bits a number."""
    stored = numpy_helper.from_array(values.astype(np.float16), f"{name}.half")
    return [stored], helper.make_node("Cast", [stored.name], [name], to=TensorProto.FLOAT)


def eight_bits(name: str, values: Values) -> tuple[list[TensorProto], NodeProto]:
    """Eight bits a number and a scale for each row: at most 1/254 of the row's largest number off."""
    scale = np.abs(values).reshape(len(values), -1).max(axis=1) / 127.0
    scale = np.maximum(scale, 1e-12).astype(np.float32)
    steps = np.rint(values / scale.reshape(-1, *[1] * (values.ndim - 1))).astype(np.int8)
    tensors = [numpy_helper.from_array(steps, f"{name}.steps"), numpy_helper.from_array(scale, f"{name}.scale")]
    node = helper.make_node("DequantizeLinear", [tensors[0].name, tensors[1].name], [name], axis=0)
    return tensors, node


class StemAlone(nn.Module):
    """The stem for one clip without padding."""

    def __init__(self, network: EarNetwork) -> None:
        super().__init__()
        self.stem = network.stem

    def forward(self, energies: Tensor) -> Tensor:
        """[1, filter-bank frames, 80] to [1, frames, 256]."""
        present = torch.ones_like(energies[:, ::2, 0])
        frames: Tensor = self.stem(energies, present, padded=False)
        return frames


class HeadsAlone(nn.Module):
    """All behind the stem, for one clip without padding."""

    def __init__(self, network: EarNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, frames: Tensor, statistics: Tensor, speech: Tensor) -> tuple[Tensor, ...]:
        """What is heard, in the order of `OUTPUTS`."""
        heard = self.network.hear(frames, statistics, speech, torch.ones_like(speech), padded=False)
        return tuple(heard)[:-1]


def average_weights(paths: Sequence[Path]) -> dict[str, Tensor]:
    """The mean of several runs that began with the same weights (Wortsman et al. 2022).

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
        raise RecordError(f"{path}: no weights ({error}); make them with `aptone train ear run`.") from error


class Kept(NamedTuple):
    """What a training run wrote about itself beside its weights: sounds are empty where it was not taught them."""

    sets: tuple[str, ...]
    sounds: tuple[str, ...]
    hidden: int


def read_kept(weights: Path) -> Kept:
    """What the `.json` beside a run's weights says.

    Raises:
        RecordError: if it is not there, or not by a training run.
    """
    path = weights.with_suffix(".json")
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        recipe = record["recipe"]
        sounds = tuple(record["sounds"]) if recipe["sounds"] else ()
        return Kept(tuple(recipe["sets"]), sounds, recipe["network"]["hidden"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path}: no record of a training run ({error}); it belongs beside the weights.") from error


def export_ear(runs: Sequence[Path], start: Path, out: Path, *, name: str) -> Meaning:
    """Average the weights of runs, and write `stem.onnx` and `NAME.onnx`; what the numbers of the latter mean.

    The temperatures are 1, every event's threshold is 0.5, and naturalness is not judged: they are fitted afterwards,
    on what the exported ear says.

    Args:
        runs: `.safetensors` files of `aptone train ear run`, of one recipe with different seeds.
        start: weights of CAM++ that they began with.
        out: folder.
        name: of the ear, one of `aptone.ear.licences.LICENCES`.

    Raises:
        UsageError: if the runs heard different things, or things that the ear's licence forbids.
        RecordError: if a file cannot be used.
    """
    about = [read_kept(path) for path in runs]
    if len(set(about)) > 1:
        raise UsageError("the runs were not trained on the same sets and sounds; export runs of one recipe.")
    kept = about[0]
    unfree = [each for each in kept.sets if each not in PERMISSIVE_SETS] + [SOUND_SET] * bool(kept.sounds)
    if name == "permissive" and unfree:
        raise UsageError(f"these runs heard {', '.join(unfree)}, which is not free for any use; export them as full.")
    network = fresh_network(NetworkSettings(events=len(kept.sounds), hidden=kept.hidden), start)
    _load(network, average_weights(runs), runs[0])
    meaning = Meaning(
        name=name,
        revision="",
        licence=LICENCES[name],
        emotions=tuple(emotion.value for emotion in EMOTION_ORDER),
        conditions=CONDITION_ORDER,
        events={sound.replace("_", " "): 0.5 for sound in kept.sounds},
        temperatures=dict.fromkeys(("emotion", "intensity", "sex", "adult", "condition", "music", "events"), 1.0),
        naturalness=(),
    )
    out.mkdir(parents=True, exist_ok=True)
    export_stem(network, out / "stem.onnx")
    revision = export_heads(network, out / f"{name}.onnx", meaning)
    return replace(meaning, revision=revision)


def _load(network: EarNetwork, weights: Mapping[str, Tensor], path: Path) -> None:
    try:
        missing, unexpected = network.load_state_dict(weights, strict=False)
    except RuntimeError as error:
        raise RecordError(f"{path}: {error}") from error
    lacking = [name for name in missing if not name.startswith("stem.") and not name.endswith("num_batches_tracked")]
    if lacking or unexpected:
        raise RecordError(f"{path}: not the weights of an ear ({len(lacking)} are missing, {len(unexpected)} unknown).")


def export_stem(network: EarNetwork, path: Path, *, smaller: Smaller | None = half) -> None:
    """Write the stem in half precision; as it is where `smaller` is None."""
    energies = torch.zeros(1, 348, BANDS)
    model = _exported(StemAlone(network), (energies,), path, ["energies"], ["frames"], {"energies": {1: "bank"}})
    if smaller is not None:
        _store(model, smaller)
    onnx.save(model, path)


def export_heads(network: EarNetwork, path: Path, meaning: Meaning, *, smaller: Smaller | None = eight_bits) -> str:
    """Write all behind the stem in eight bits a weight, with what its numbers mean; the revision of the weights.

    Args:
        network: trained.
        path: of the ONNX file.
        meaning: its revision is left aside.
        smaller: how large tensors are stored; None leaves them as they are.
    """
    frames, statistics, speech = torch.zeros(1, 174, FIRST_WIDTH), torch.zeros(1, STATISTICS), torch.ones(1, 174)
    axes = {"frames": {1: "frames"}, "speech": {1: "frames"}}
    names = ["frames", "statistics", "speech"]
    model = _exported(HeadsAlone(network), (frames, statistics, speech), path, names, list(OUTPUTS), axes)
    if smaller is not None:
        _store(model, smaller)
    return _with_meaning(model, path, asdict(meaning))


def change_meaning(path: Path, **changes: object) -> str:
    """Give the weights of an ear other temperatures, thresholds or naturalness; the new revision.

    Args:
        path: of the ONNX file that `export_heads` wrote.
        changes: fields of `Meaning`.
    """
    model = onnx.load(path)
    given = json.loads(next(entry.value for entry in model.metadata_props if entry.key == META))
    unknown = changes.keys() - given.keys()
    if unknown:
        raise UsageError(f"an ear has no {', '.join(sorted(unknown))}; expected some of {', '.join(given)}.")
    return _with_meaning(model, path, given | changes)


def _with_meaning(model: onnx.ModelProto, path: Path, meaning: Mapping[str, object]) -> str:
    """The revision is that of weights and meaning together: either changes what the ear says."""
    del model.metadata_props[:]
    plain = json.dumps({**meaning, "revision": ""}, ensure_ascii=False, sort_keys=True)
    revision = hashlib.sha256(model.SerializeToString() + plain.encode()).hexdigest()[:12]
    given = {**meaning, "revision": revision}
    helper.set_model_props(model, {META: json.dumps(given, ensure_ascii=False)})
    onnx.save(model, path)
    return revision


def _exported(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    names: list[str],
    outputs: list[str],
    axes: Mapping[str, Mapping[int, str]],
) -> onnx.ModelProto:
    module.eval()
    with warnings.catch_warnings():
        # The new exporter wants two more packages, and gives a graph with fixed sizes for our segments.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            inputs,
            path,
            input_names=names,
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
    return onnx.load(path)


def _store(model: onnx.ModelProto, smaller: Smaller) -> None:
    """Replace large tensors by smaller ones and a node that brings each of them back."""
    graph = model.graph
    kept, nodes = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < SMALLEST:
            kept.append(tensor)
            continue
        tensors, node = smaller(tensor.name, values)
        kept.extend(tensors)
        nodes.append(node)
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for node in reversed(nodes):
        graph.node.insert(0, node)
