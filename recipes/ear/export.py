"""Export of the ear as ONNX files: compact graphs, large weights in eight bits with a scale for each row.

Weights that are stored in eight bits are dequantised to single precision when the file is loaded, so that arithmetic is
done in it.
"""

import copy
import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from aptone.ear import LICENCES
from aptone.ear.network.filter_bank import BANDS
from aptone.ear.network.inference import Meaning
from aptone.errors import UsageError
from recipes.ear.data import BURST_SET, INTENSITY_SET, PERMISSIVE_SETS
from recipes.ear.fused_heads import FusedHeads
from recipes.ear.integer_stem import IntegerStem
from recipes.ear.labels import EMOTION_ORDER
from recipes.ear.network import FIRST_WIDTH, STATISTICS, EarNetwork, Heard
from recipes.ear.runs import load_runs

OPSET = 18
SMALLEST = 4096
"""Tensors with fewer values are not quantised."""

Values = npt.NDArray[np.float32]
Network = TypeVar("Network", bound=nn.Module)
META = "aptone.ear"
"""Key of the meaning in the file's metadata."""
OUTPUTS = Heard._fields[:-1]
"""All outputs but the emotion of the frames, which only serves training."""
CONDITION_ORDER = ("normal", "phone", "far-field", "intermittent", "noisy")
"""Conditions as numbered in `recipes.ear.augment`."""
HEADS = ("emotion", "intensity", "sex", "adult", "condition", "music", "events")
"""Heads with a temperature."""


class EightBits(NamedTuple):
    """Values in eight bits, and a scale for each row."""

    steps: npt.NDArray[np.int8]
    scale: Values


def eight_bits(values: Values) -> EightBits:
    """Quantise to eight bits; the error is at most 1/254 of the row's largest value."""
    scale = np.abs(values).reshape(len(values), -1).max(axis=1) / 127.0
    scale = np.maximum(scale, 1e-12).astype(np.float32)
    return EightBits(np.rint(values / _of_rows(scale, values)).astype(np.int8), scale)


def _of_rows(scale: Values, values: npt.NDArray[np.generic]) -> Values:
    return scale.reshape(-1, *[1] * (values.ndim - 1))


def exported(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    path: Path,
    names: list[str],
    outputs: list[str],
    axes: Mapping[str, Mapping[int, str]],
    *,
    custom_opsets: Mapping[str, int] | None = None,
) -> onnx.ModelProto:
    """Return a network as an ONNX graph; the file at the path is written on the way.

    Args:
        module: the network.
        inputs: example inputs.
        path: path of a file.
        names, outputs: names of inputs and outputs.
        axes: dynamic axes.
        custom_opsets: operator sets besides ONNX's own.
    """
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
            do_constant_folding=False,
            autograd_inlining=False,
            custom_opsets=custom_opsets,
        )
    return _tidied(onnx.load(path))


def _tidied(model: onnx.ModelProto) -> onnx.ModelProto:
    """Remove identity nodes and duplicate constants, which halves the loading time."""
    graph = model.graph
    names: dict[str, str] = {}
    constants: dict[bytes, TensorProto] = {}
    nodes = []

    def keep(tensor: TensorProto, name: str) -> None:
        nameless = TensorProto()
        nameless.CopyFrom(tensor)
        nameless.ClearField("name")
        kept = constants.setdefault(nameless.SerializeToString(), tensor)
        if kept is tensor:
            tensor.name = name
        else:
            names[name] = kept.name

    for tensor in graph.initializer:
        keep(tensor, tensor.name)
    for node in graph.node:
        if node.op_type == "Constant":
            keep(node.attribute[0].t, node.output[0])
        elif node.op_type == "Identity":
            names[node.output[0]] = node.input[0]
        else:
            nodes.append(node)
    for node in nodes:
        node.input[:] = [_followed(names, name) for name in node.input]
    tidied = helper.make_graph(nodes, graph.name, graph.input, graph.output, list(constants.values()))
    used = {node.domain for node in nodes}
    opsets = [opset for opset in model.opset_import if opset.domain in used]
    return helper.make_model(tidied, ir_version=model.ir_version, opset_imports=opsets)


def _followed(names: Mapping[str, str], name: str) -> str:
    while name in names:
        name = names[name]
    return name


def rounded(network: Network) -> Network:
    """Return the network with large weights quantised, so that offsets computed from them match."""
    changed = copy.deepcopy(network)
    for weights in changed.parameters():
        if weights.numel() >= SMALLEST:
            steps, scale = eight_bits(weights.detach().numpy())
            weights.data = torch.from_numpy(steps * _of_rows(scale, steps))
    return changed


def store_in_eight_bits(model: onnx.ModelProto) -> None:
    """Replace large tensors by eight-bit values and a node that dequantises them."""
    graph = model.graph
    kept, nodes = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.size < SMALLEST:
            kept.append(tensor)
            continue
        smaller = eight_bits(values)
        names = [f"{tensor.name}.steps", f"{tensor.name}.scale"]
        kept.extend(
            [numpy_helper.from_array(smaller.steps, names[0]), numpy_helper.from_array(smaller.scale, names[1])]
        )
        nodes.append(helper.make_node("DequantizeLinear", names, [tensor.name], axis=0))
    del graph.initializer[:]
    graph.initializer.extend(kept)
    for node in reversed(nodes):
        graph.node.insert(0, node)


def export_ear(runs: Sequence[Path], start: Path, out: Path, *, name: str) -> Meaning:
    """Average the weights of runs, write `stem.onnx` and `NAME.onnx`, and return the meaning of the outputs.

    The temperatures are 1, every event's threshold is 0.5, and naturalness is not judged: they are fitted afterwards
    (`recipes.ear.calibrate`, `recipes.ear.naturalness`) and stored with `change_meaning`.

    Args:
        runs: `.safetensors` files of `python -m recipes.ear run`, of one recipe with different seeds.
        start: initial weights from CAM++.
        out: output folder.
        name: name of the ear, one of `aptone.ear.LICENCES`.

    Raises:
        UsageError: if the runs have different training data, or data that the ear's licence forbids.
        RecordError: if a file cannot be used.
    """
    network, kept = load_runs(runs, start)
    heard = (*kept.sets, *kept.sound_sets)
    unfree = [each for each in heard if each not in (*PERMISSIVE_SETS, BURST_SET)]
    if name == "permissive" and unfree:
        raise UsageError(f"these runs heard {', '.join(unfree)}, which is not free for any use; export them as full.")
    untrained = {"intensity": INTENSITY_SET not in kept.sets, "events": not kept.sounds}
    meaning = Meaning(
        name=name,
        revision="",
        licence=LICENCES[name],
        emotions=tuple(emotion.value for emotion in EMOTION_ORDER),
        conditions=CONDITION_ORDER,
        events={sound.replace("_", " "): 0.5 for sound in kept.sounds},
        temperatures={head: 1.0 for head in HEADS if not untrained.get(head)},
        naturalness=(),
    )
    out.mkdir(parents=True, exist_ok=True)
    export_stem(network, out / "stem.onnx")
    revision = export_heads(network, out / f"{name}.onnx", meaning)
    return replace(meaning, revision=revision)


def export_stem(network: EarNetwork, path: Path, *, exact: bool = False) -> None:
    """Write the stem in eight-bit integers; in floats if `exact`."""
    energies = torch.zeros(1, 348, BANDS)
    stem = IntegerStem(network.stem, exact=exact)
    onnx.save(
        exported(
            stem,
            (energies,),
            path,
            ["energies"],
            ["frames"],
            {"energies": {1: "bank"}},
            custom_opsets={"com.microsoft": 1},
        ),
        path,
    )


def export_heads(network: EarNetwork, path: Path, meaning: Meaning, *, exact: bool = False) -> str:
    """Write everything after the stem with eight-bit weights and its meaning, and return the revision of the weights.

    Args:
        network: trained network.
        path: path of the ONNX file.
        meaning: meaning of the outputs; its revision is ignored.
        exact: do not quantise.
    """
    frames, statistics, speech = torch.zeros(1, 174, FIRST_WIDTH), torch.zeros(1, STATISTICS), torch.ones(1, 174)
    axes = {"frames": {1: "frames"}, "speech": {1: "frames"}}
    names = ["frames", "statistics", "speech"]
    heads = FusedHeads(network if exact else rounded(network))
    model = exported(heads, (frames, statistics, speech), path, names, list(OUTPUTS), axes)
    if not exact:
        store_in_eight_bits(model)
    return _with_meaning(model, path, asdict(meaning))


def change_meaning(path: Path, **changes: object) -> str:
    """Store other temperatures, thresholds or naturalness in an ear, and return the new revision.

    Args:
        path: ONNX file of `export_heads`.
        changes: fields of `Meaning`.
    """
    model = onnx.load(path)
    given = json.loads(next(entry.value for entry in model.metadata_props if entry.key == META))
    unknown = changes.keys() - given.keys()
    if unknown:
        raise UsageError(f"an ear has no {', '.join(sorted(unknown))}; expected some of {', '.join(given)}.")
    return _with_meaning(model, path, given | changes)


def _with_meaning(model: onnx.ModelProto, path: Path, meaning: Mapping[str, object]) -> str:
    """Store the meaning; the revision hashes weights and meaning together, since either changes the answers."""
    del model.metadata_props[:]
    plain = json.dumps({**meaning, "revision": ""}, ensure_ascii=False, sort_keys=True)
    revision = hashlib.sha256(model.SerializeToString() + plain.encode()).hexdigest()[:12]
    given = {**meaning, "revision": revision}
    helper.set_model_props(model, {META: json.dumps(given, ensure_ascii=False)})
    onnx.save(model, path)
    return revision
