"""Turn a trained network, its encoder and its phrases into the one file of the built-in planner's text model."""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.models.four_bits import pack
from aptone.train.planner import PlannerNetwork


def model_bytes(
    network: PlannerNetwork,
    encoder: Mapping[str, npt.NDArray[Any]],
    vocabulary: Sequence[str],
    *,
    shifts: Mapping[str, npt.NDArray[np.float64]],
    about: Mapping[str, object],
) -> bytes:
    """The file's bytes: equal input gives equal bytes.

    Args:
        network: trained.
        encoder: its English encoder.
        vocabulary: its Mandarin phrases.
        shifts: by label set, what is added to the logits (see `planner_balance.py`).
        about: what the file says about itself.
    """
    values = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    arrays: dict[str, npt.NDArray[Any]] = {f"encoder.{name}": value for name, value in encoder.items()}
    arrays["phrases.vocabulary"] = np.frombuffer("\n".join(vocabulary).encode("utf-8"), dtype=np.uint8)
    arrays["phrases.nibbles"], arrays["phrases.scales"] = pack(values["table.weight"])
    for language in ("en", "zh"):
        weights, bias = values[f"line.{language}.weight"].copy(), values[f"line.{language}.bias"].copy()
        if language == "en":
            size = values["centre"].size
            weights[:, :size] /= values["deviation"]
            bias -= weights[:, :size] @ values["centre"]
        arrays[f"line.{language}"] = _half(np.concatenate([weights, bias[:, np.newaxis]], axis=1))
    for name in ("query", "key", "value", "found", "joined"):
        arrays[f"network.{name}"] = _half(values[f"{name}.weight"])
    arrays["network.joined_bias"] = _half(values["joined.bias"])
    arrays["network.nearness"], arrays["network.nothing"] = _half(values["nearness"]), _half(values["nothing"])
    for name in network.heads:
        bias = values[f"heads.{name}.bias"] + shifts.get(name, 0.0)
        arrays[f"network.head.{name}"] = _half(
            np.concatenate([values[f"heads.{name}.weight"], bias[:, np.newaxis]], axis=1)
        )
    arrays["about"] = np.frombuffer(json.dumps(about, sort_keys=True).encode("utf-8"), dtype=np.uint8)
    held = io.BytesIO()
    np.savez_compressed(held, **{name: arrays[name] for name in sorted(arrays)})  # type: ignore[arg-type]
    return held.getvalue()


def _half(values: npt.NDArray[Any]) -> npt.NDArray[np.float16]:
    return np.asarray(values, dtype=np.float16)
