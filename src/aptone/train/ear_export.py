"""From trained weights to the two ONNX files that an ear runs on.

The stem is the same for all ears and is stored in half precision; the rest in eight bits a weight, with a scale for each
row. Both are brought back to single precision when they are loaded, so that all arithmetic is done in it.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from safetensors.torch import load_file
from torch import Tensor, nn

from aptone.ear.network import Meaning
from aptone.models.local_ear import STATISTICS, EarNetwork, Heard

OPSET = 18
SMALLEST = 4096
"""Tensors with fewer numbers than this stay as they are."""
OUTPUTS = Heard._fields[:-1]
"""All but the emotion of the frames, which only serves training."""


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
    """The mean of several runs that began with the same weights (Wortsman et al. 2022)."""
    runs = [load_file(path) for path in paths]
    return {name: torch.stack([run[name].float() for run in runs]).mean(dim=0) for name in runs[0]}


def export_stem(network: EarNetwork, path: Path) -> None:
    """Write the stem in half precision."""
    energies = torch.randn(1, 348, 80)
    _export(StemAlone(network), (energies,), path, ["energies"], ["frames"], {"energies": {1: "bank"}})
    model = onnx.load(path)
    _store(model, _half)
    onnx.save(model, path)


def export_heads(network: EarNetwork, path: Path, meaning: Meaning) -> None:
    """Write all behind the stem in eight bits a weight, with what its numbers mean."""
    speech = torch.ones(1, 174)
    inputs = (torch.randn(1, 174, 256), torch.randn(1, STATISTICS), speech)
    axes = {"frames": {1: "frames"}, "speech": {1: "frames"}}
    _export(HeadsAlone(network), inputs, path, ["frames", "statistics", "speech"], list(OUTPUTS), axes)
    model = onnx.load(path)
    _store(model, _eight_bits)
    revision = hashlib.sha256(model.SerializeToString()).hexdigest()[:12]
    given = {**asdict(meaning), "revision": revision}
    helper.set_model_props(model, {"aptone.ear": json.dumps(given, ensure_ascii=False)})
    onnx.save(model, path)


def _export(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    names: list[str],
    outputs: list[str],
    axes: Mapping[str, Mapping[int, str]],
) -> None:
    module.eval()
    torch.onnx.export(
        module, inputs, str(path), input_names=names, output_names=outputs, dynamic_axes=axes, opset_version=OPSET, dynamo=False
    )


def _store(model: onnx.ModelProto, smaller: object) -> None:
    graph = model.graph
    kept, nodes = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < SMALLEST:
            kept.append(tensor)
            continue
        tensors, node = smaller(tensor.name, values)  # type: ignore[operator]
        kept.extend(tensors)
        nodes.append(node)
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for node in reversed(nodes):
        graph.node.insert(0, node)


def _half(name: str, values: np.ndarray) -> tuple[list[TensorProto], onnx.NodeProto]:
    stored = numpy_helper.from_array(values.astype(np.float16), f"{name}.half")
    return [stored], helper.make_node("Cast", [stored.name], [name], to=TensorProto.FLOAT)


def _eight_bits(name: str, values: np.ndarray) -> tuple[list[TensorProto], onnx.NodeProto]:
    scale = np.abs(values).reshape(len(values), -1).max(axis=1) / 127.0
    scale = np.maximum(scale, 1e-12).astype(np.float32)
    steps = np.rint(values / scale.reshape(-1, *[1] * (values.ndim - 1))).astype(np.int8)
    tensors = [numpy_helper.from_array(steps, f"{name}.steps"), numpy_helper.from_array(scale, f"{name}.scale")]
    node = helper.make_node("DequantizeLinear", [tensors[0].name, tensors[1].name], [name], axis=0)
    return tensors, node
