"""How far a training is, on the disk: weights, the optimiser's memory and a few words, in one safetensors file.

The file is whole or not there, and holds no pickle: a checkpoint of unknown origin can be refused, but not run.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from aptone.errors import RecordError, UsageError
from aptone.run.files import whole_file
from aptone.types import Json, dumps, loads

STATE = "state"
"""Under this name of its metadata a checkpoint says how far the training is, and of what."""


def keep_checkpoint(
    path: Path, network: nn.Module, optimiser: torch.optim.Optimizer, state: Mapping[str, Json]
) -> None:
    """Write a checkpoint in the place of an earlier one.

    Raises:
        RunError: if it cannot be written; an earlier one is then as it was.
    """
    tensors = {f"network.{name}": value for name, value in _without_aliases(network).items()}
    for number, kept in optimiser.state_dict()["state"].items():
        tensors |= {f"optimiser.{number}.{name}": value for name, value in kept.items()}
    whole = {name: value.detach().cpu().contiguous() for name, value in tensors.items()}
    with whole_file(path) as partial:
        try:
            save_file(whole, partial, {STATE: dumps(state)})
        except SafetensorError as error:
            raise OSError(str(error)) from error


def resume_checkpoint(
    path: Path, network: nn.Module, optimiser: torch.optim.Optimizer, *, identity: str
) -> Mapping[str, Any] | None:
    """Put weights and the optimiser's memory back to where they were.

    Args:
        path: of the checkpoint.
        network: as it was built.
        optimiser: over its parameters, in the same order.
        identity: what the checkpoint must say under ``identity``.

    Returns:
        What the checkpoint says besides; ``None`` where there is none.

    Raises:
        UsageError: if it cannot be read, or belongs to another training.
    """
    if not path.exists():
        return None
    try:
        with safe_open(path, framework="pt") as opened:
            state = loads((opened.metadata() or {}).get(STATE, "{}"), what=str(path))
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  (no mapping)
    except (OSError, RecordError, SafetensorError) as error:
        raise UsageError(f"{path}: no checkpoint ({error}); remove it to begin anew.") from error
    own, kept = _without_aliases(network), _under("network.", tensors)
    if not isinstance(state, dict) or state.get("identity") != identity or set(own) != set(kept):
        raise UsageError(f"{path}: a training with other settings or data; name another folder, or remove this one.")
    with torch.no_grad():
        for name, value in kept.items():
            own[name].copy_(value)
    states: dict[int, dict[str, Tensor]] = {}
    for name, value in _under("optimiser.", tensors).items():
        number, _, field = name.partition(".")
        states.setdefault(int(number), {})[field] = value
    optimiser.load_state_dict({**optimiser.state_dict(), "state": states})
    return state


def _without_aliases(network: nn.Module) -> dict[str, Tensor]:
    """The tensors of a network under one name each: tied weights have several."""
    seen: set[int] = set()
    found: dict[str, Tensor] = {}
    for name, value in network.state_dict().items():
        if value.data_ptr() not in seen or value.numel() == 0:
            seen.add(value.data_ptr())
            found[name] = value
    return found


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
