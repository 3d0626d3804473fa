"""Weights of the shipped encoder, taken out of its graph, for models that start from them."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from aptone.planner.encoder import MARKS, encoder_arrays, load_encoder
from recipes.planner.network import LAYERS

Floats = npt.NDArray[np.float32]
_PRODUCTS = ("query_key_value", "attended", "widened", "narrowed")
_SPLIT = ("query", "key_value")
_NODE = re.compile(r"/(\w+?)(?:_(\d+))?/")
_BIAS = re.compile(r"network\.(?:pooled|evidence|heads\.\w+)\.bias")
_NORMS = ("attended_norm", "narrowed_norm")


def encoder_layers() -> list[dict[str, Floats]]:
    """Return the weights of the layers, by their names in `recipes.planner.network.Layer`, in single precision."""
    _, stored = _graph()
    factors = _factors()
    lower = LAYERS - upper_layers()
    layers: list[dict[str, Floats]] = []
    for number in range(LAYERS):
        weights: dict[str, Floats] = {}
        for part in _PRODUCTS:
            if part == "query_key_value" and number >= lower:  # stored as two products
                split = number - lower
                both = [(factors[f"{own}.{split}"], _of(stored, f"_splits.{split}.{own}.bias")) for own in _SPLIT]
                factor, bias = (np.concatenate(own, axis=-1) for own in zip(*both, strict=True))
            else:
                factor, bias = factors[f"{part}.{number}"], _of(stored, f"network.layers.{number}.{part}.bias")
            weights |= {f"{part}.weight": factor.T.astype(np.float32), f"{part}.bias": bias}
        for norm in _NORMS:
            for name in ("weight", "bias"):
                weights[f"{norm}.{name}"] = _of(stored, f"network.layers.{number}.{norm}.{name}")
        layers.append(weights)
    return layers


def upper_layers() -> int:
    """Return the number of layers that are computed for the target alone."""
    _, stored = _graph()
    return sum(name.startswith("_splits.") and name.endswith(".query.bias") for name in stored)


def encoder_norm() -> dict[str, Floats]:
    """Return the weights of the norm before the first layer."""
    _, stored = _graph()
    return {part: _of(stored, f"network.norm.{part}") for part in ("weight", "bias")}


def encoder_weights() -> dict[str, Floats]:
    """Return all shipped weights, by their names in `recipes.planner.network.Encoder`, in single precision.

    The head of masked language modelling is not shipped and not among them.
    """
    _, stored = _graph()
    arrays = encoder_arrays()
    encoders = load_encoder("en"), load_encoder("zh")
    english, mandarin = (one.embedded(range(len(one.vocabulary))) for one in encoders)
    found = {
        "words.weight": np.concatenate([english, mandarin[len(MARKS) :]]),
        "places.weight": np.array(arrays["places"], dtype=np.float32),
        "target": np.array(arrays["target"], dtype=np.float32),
        "upper": np.array(upper_layers(), dtype=np.float32),
        **{f"norm.{part}": values for part, values in encoder_norm().items()},
        **{name.removeprefix("network."): _of(stored, name) for name in stored if _BIAS.fullmatch(name)},
    }
    for number, layer in enumerate(encoder_layers()):
        found |= {f"layers.{number}.{name}": values for name, values in layer.items()}
    factors = _factors()
    for name in [one for one in found if _BIAS.fullmatch(f"network.{one}")]:
        found[name.replace(".bias", ".weight")] = factors[f"{name.split('.')[-2]}.0"].T
    return {name: np.ascontiguousarray(values) for name, values in found.items()}


def _factors() -> dict[str, Floats]:
    """Return the matrices of the graph's products, [inputs, outputs], by the name and the number of their module."""
    graph, stored = _graph()
    found = {}
    for node in graph.node:
        if node.op_type == "MatMulInteger" and (module := _NODE.match(node.name)):
            name = node.input[1].removesuffix("_quantized")
            zero = stored.get(f"{name}_zero_point", np.zeros(1))
            whole = stored[node.input[1]].astype(np.float32) - zero.astype(np.float32)
            found[f"{module[1]}.{module[2] or 0}"] = (whole * stored[f"{name}_scale"]).astype(np.float32)
    return found


def _graph() -> tuple[Any, Mapping[str, npt.NDArray[Any]]]:
    graph = onnx.load_from_string(bytes(encoder_arrays()["graph"])).graph
    return graph, {one.name: numpy_helper.to_array(one) for one in graph.initializer}


def _of(stored: Mapping[str, npt.NDArray[Any]], name: str) -> Floats:
    return np.array(stored[name], dtype=np.float32)
