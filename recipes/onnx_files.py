"""Networks of torch as ONNX files: graphs without ballast, large weights in eight bits with a scale for each row.

What is stored in eight bits is brought back to single precision when it is loaded, so that arithmetic is done in it.
"""

import copy
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

OPSET = 18
SMALLEST = 4096
"""Tensors with fewer numbers than this stay as they are."""

Values = npt.NDArray[np.float32]


class EightBits(NamedTuple):
    """Numbers in eight bits, and a scale for each row."""

    steps: npt.NDArray[np.int8]
    scale: Values


def eight_bits(values: Values) -> EightBits:
    """Eight bits a number: at most 1/254 of the row's largest number off."""
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
    """A network as a graph; the file at the path is written on the way.

    Args:
        module: the network.
        inputs: an example of what it takes.
        path: of a file.
        names, outputs: of what it takes and gives.
        axes: which of their sizes differ from call to call.
        custom_opsets: whose operators it uses besides ONNX's own.
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
    """Without nodes that only name something, and with each constant once: it is loaded in half the time."""
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


Network = TypeVar("Network", bound=nn.Module)


def rounded(network: Network) -> Network:
    """The network with large weights as they will be stored: offsets that are computed from them then fit them."""
    changed = copy.deepcopy(network)
    for weights in changed.parameters():
        if weights.numel() >= SMALLEST:
            steps, scale = eight_bits(weights.detach().numpy())
            weights.data = torch.from_numpy(steps * _of_rows(scale, steps))
    return changed


def store_in_eight_bits(model: onnx.ModelProto) -> None:
    """Replace large tensors by eight bits a number, and a node that brings each of them back."""
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
