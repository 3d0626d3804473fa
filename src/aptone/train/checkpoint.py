"""Training checkpoint: weights, optimiser state and progress, in one safetensors file.

The file is complete or absent, and holds no pickle: a checkpoint of unknown origin can be refused, but never runs code.
Where only a part of a network is trained (an adapter), only that part is saved; sharded weights are gathered first, so
that a checkpoint does not depend on the number of processes that wrote it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.distributed.tensor import DTensor, distribute_tensor

from aptone.errors import RecordError, UsageError
from aptone.files import whole_file
from aptone.train.distributed import process_rank
from aptone.types import Json, dumps, loads

NETWORK, OPTIMISER = "network.", "optimiser."
STATE = "state"
"""Metadata key of the training state."""


def save_checkpoint(
    path: Path, network: nn.Module, optimiser: torch.optim.Optimizer, state: Mapping[str, Json]
) -> None:
    """Write a checkpoint over an earlier one.

    Raises:
        RunError: if it cannot be written; an earlier one is then unchanged.
    """
    tensors = {f"{NETWORK}{name}": value for name, value in _without_aliases(network).items()}
    for number, kept in optimiser.state_dict()["state"].items():
        tensors |= {f"{OPTIMISER}{number}.{name}": value for name, value in kept.items()}
    _write(path, tensors, state)


def load_checkpoint(
    path: Path, network: nn.Module, optimiser: torch.optim.Optimizer, *, identities: Sequence[str]
) -> Mapping[str, Any] | None:
    """Restore weights and optimiser state from a checkpoint; return its training state, ``None`` if there is none.

    Args:
        optimiser: optimiser over its parameters, in the same order.
        identities: accepted values of the checkpoint's ``identity``, a hash of settings and data.

    Raises:
        UsageError: if it cannot be read, or belongs to another training.
    """
    own = _without_aliases(network)
    if (found := _read(path, own, identities=identities)) is None:
        return None
    state, tensors = found
    with torch.no_grad():
        for name, value in _under(NETWORK, tensors).items():
            own[name].copy_(value)
    states: dict[int, dict[str, Tensor]] = {}
    for name, value in _under(OPTIMISER, tensors).items():
        number, _, field = name.partition(".")
        states.setdefault(int(number), {})[field] = value
    optimiser.load_state_dict({**optimiser.state_dict(), "state": states})
    return state


def save_trainable(
    path: Path, parameters: Mapping[str, nn.Parameter], optimiser: torch.optim.Optimizer, state: Mapping[str, Json]
) -> None:
    """Write a checkpoint of the trainable weights only. Every process calls this, the first one writes.

    Raises:
        RunError: if it cannot be written; an earlier one is then unchanged.
    """
    tensors: dict[str, Tensor] = {}
    for name, parameter in parameters.items():
        tensors[f"{NETWORK}{name}"] = _whole(parameter)
        kept = optimiser.state.get(parameter, {})
        tensors |= {f"{OPTIMISER}{field}.{name}": _whole(value) for field, value in kept.items()}
    if process_rank() == 0:
        _write(path, tensors, state)


def load_trainable(
    path: Path, parameters: Mapping[str, nn.Parameter], optimiser: torch.optim.Optimizer, *, identities: Sequence[str]
) -> Mapping[str, Any] | None:
    """Restore a checkpoint of `save_trainable`, in every process; see `load_checkpoint`."""
    if (found := _read(path, parameters, identities=identities)) is None:
        return None
    state, tensors = found
    for name, value in _under(NETWORK, tensors).items():
        with torch.no_grad():
            parameters[name].copy_(_as(value, parameters[name]))
    is_fused = any(group.get("fused") for group in optimiser.param_groups)  # then steps are counted on the device
    for key, value in _under(OPTIMISER, tensors).items():
        field, _, name = key.partition(".")
        parameter = parameters[name]
        single = value.to(parameter.device) if is_fused else value
        optimiser.state[parameter][field] = _as(value, parameter) if value.shape == parameter.shape else single
    return state


def checkpoint_weights(path: Path) -> dict[str, Tensor]:
    """Return the weights in a checkpoint, by name; raises `UsageError` if it cannot be read."""
    return _under(NETWORK, _opened(path)[1])


def _whole(tensor: Tensor) -> Tensor:
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def _as(value: Tensor, parameter: nn.Parameter) -> Tensor:
    """Return a full tensor in the layout of a parameter: this process's shard of it, or a copy."""
    placed = value.to(parameter.device)
    if isinstance(parameter, DTensor):
        return distribute_tensor(placed, parameter.device_mesh, parameter.placements)
    return placed


def _write(path: Path, tensors: Mapping[str, Tensor], state: Mapping[str, Json]) -> None:
    whole = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    with whole_file(path) as partial:
        try:
            save_file(whole, partial, {STATE: dumps(state)})
        except SafetensorError as error:
            raise OSError(str(error)) from error


def _read(
    path: Path, own: Mapping[str, Tensor], *, identities: Sequence[str]
) -> tuple[Mapping[str, Any], dict[str, Tensor]] | None:
    if not path.exists():
        return None
    state, tensors = _opened(path)
    if (
        not isinstance(state, dict)
        or state.get("identity") not in identities
        or set(own) != set(_under(NETWORK, tensors))
    ):
        raise UsageError(f"{path}: a training with other settings or data; name another folder, or remove this one.")
    return state, tensors


def _opened(path: Path) -> tuple[Any, dict[str, Tensor]]:
    try:
        with safe_open(path, framework="pt") as opened:
            state = loads((opened.metadata() or {}).get(STATE, "{}"), what=str(path))
            return state, {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  (no mapping)
    except (OSError, RecordError, SafetensorError) as error:
        raise UsageError(f"{path}: no checkpoint ({error}); remove it to start over.") from error


def _without_aliases(network: nn.Module) -> dict[str, Tensor]:
    """Return the tensors of a network under one name each; tied weights have several."""
    seen: set[int] = set()
    found: dict[str, Tensor] = {}
    for name, value in network.state_dict().items():
        if value.data_ptr() not in seen or value.numel() == 0:
            seen.add(value.data_ptr())
            found[name] = value
    return found


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
