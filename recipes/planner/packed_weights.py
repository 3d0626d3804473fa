"""Weights of encoders in eight bits a number, as files that travel."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor


def packed(weights: Mapping[str, Tensor]) -> dict[str, npt.NDArray[Any]]:
    """Return the weights in eight bits, with a scale for each row of a matrix; vectors in half precision."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, value in weights.items():
        values = value.float().cpu().numpy()
        if name.startswith("guess"):
            continue
        if values.ndim == 2 and values.size > 4096:
            scale = np.maximum(np.abs(values).max(axis=1) / 127.0, 1e-12).astype(np.float32)
            found[f"{name}|steps"] = np.rint(values / scale[:, None]).astype(np.int8)
            found[f"{name}|scale"] = scale
        else:
            found[name] = values.astype(np.float32)
    return found


def unpacked(arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, Tensor]:
    """Return weights from the result of `packed`."""
    found = {}
    for name, values in arrays.items():
        if name.endswith("|steps"):
            plain = name.removesuffix("|steps")
            found[plain] = torch.from_numpy(values.astype(np.float32) * arrays[f"{plain}|scale"][:, None])
        elif not name.endswith("|scale"):
            found[name] = torch.from_numpy(values.astype(np.float32))
    return found
