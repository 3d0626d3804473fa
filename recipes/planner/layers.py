"""Weights of the shipped encoder, taken out of its graph, for models that start from them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import numpy_helper

from aptone.planner.encoder import encoder_arrays
from recipes.planner.network import LAYERS

Floats = npt.NDArray[np.float32]
_PRODUCTS = ("query_key_value", "attended", "widened", "narrowed")
_NORMS = ("attended_norm", "narrowed_norm")


def encoder_layers() -> list[dict[str, Floats]]:
    """Return the weights of the layers, by their names in `recipes.planner.network.Layer`, in single precision."""
    graph, stored = _graph()
    products = []
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            name = node.input[1].removesuffix("_quantized")
            zero = stored.get(f"{name}_zero_point", np.zeros(1))
            whole = stored[node.input[1]].astype(np.float32) - zero.astype(np.float32)
            products.append(whole * stored[f"{name}_scale"])
    layers: list[dict[str, Floats]] = []
    for number in range(LAYERS):
        weights: dict[str, Floats] = {}
        for place, part in enumerate(_PRODUCTS):
            weights[f"{part}.weight"] = products[4 * number + place].T.astype(np.float32)
            weights[f"{part}.bias"] = _of(stored, f"network.layers.{number}.{part}.bias")
        for norm in _NORMS:
            for part in ("weight", "bias"):
                weights[f"{norm}.{part}"] = _of(stored, f"network.layers.{number}.{norm}.{part}")
        layers.append(weights)
    return layers


def encoder_norm() -> dict[str, Floats]:
    """Return the weights of the norm before the first layer."""
    _, stored = _graph()
    return {part: _of(stored, f"network.norm.{part}") for part in ("weight", "bias")}


def _graph() -> tuple[Any, Mapping[str, npt.NDArray[Any]]]:
    graph = onnx.load_from_string(bytes(encoder_arrays()["graph"])).graph
    return graph, {one.name: numpy_helper.to_array(one) for one in graph.initializer}


def _of(stored: Mapping[str, npt.NDArray[Any]], name: str) -> Floats:
    return np.array(stored[name], dtype=np.float32)
