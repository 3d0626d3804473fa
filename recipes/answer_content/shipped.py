"""The shipped scorer as a network again, so that a training can go on from it."""

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor

from recipes.answer_content.network import Scorer

_PRODUCT = re.compile(r"/(query_key_value|attended|widened|narrowed|pooled|outputs)(?:_(\d+))?/")
_HEADS = ("pooled", "outputs")


def shipped_scorer(path: Path) -> Scorer:
    """Return the network in a file that `recipes.answer_content.export` wrote; heads that do not ship are new.

    Raises:
        ValueError: if the graph holds no whole scorer.
    """
    with np.load(path) as stored:
        graph = onnx.load_model_from_string(bytes(stored["graph"])).graph
    weights = _weights(graph)
    layers = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("layers."))
    torch.manual_seed(0)
    scorer = Scorer(layers=layers)
    found = scorer.load_state_dict(weights, strict=False)
    missing = [name for name in found.missing_keys if not name.startswith(("kinds.", "follows."))]
    if missing or found.unexpected_keys:
        wrong = [*missing, *found.unexpected_keys][0]
        raise ValueError(f"{path}: {wrong} is missing or unknown; expected a graph as the recipe exports it.")
    return scorer.eval()


def _weights(graph: onnx.GraphProto) -> Mapping[str, Tensor]:
    """Weights of the network: vectors as they stand, matrices from eight bits and a scale for each column."""
    stored: dict[str, npt.NDArray[np.float32]] = {
        one.name: np.asarray(numpy_helper.to_array(one)) for one in graph.initializer
    }
    weights = {
        name.removeprefix("scorer."): torch.from_numpy(values.copy())
        for name, values in stored.items()
        if name.startswith("scorer.") and not name.endswith(("_scale", "_zero_point", "_quantized"))
    }
    for node in graph.node:
        product = _PRODUCT.match(node.name)
        if node.op_type != "MatMulInteger" or product is None:
            continue
        name = node.input[1].removesuffix("_quantized")
        matrix = stored[f"{name}_quantized"].astype(np.float32) * stored[f"{name}_scale"]
        own = product[1] if product[1] in _HEADS else f"layers.{product[2] or 0}.{product[1]}"
        weights[f"{own}.weight"] = torch.from_numpy(np.ascontiguousarray(matrix.T))
    return weights
