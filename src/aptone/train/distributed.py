"""Devices, processes that train together, and random numbers that depend on process and step."""

import contextlib
from collections.abc import Iterator

import torch
import torch.distributed

from aptone.errors import UsageError


def resolve_device(name: str | None) -> torch.device:
    """Return the device of a name; without a name, a GPU if there is one.

    Raises:
        UsageError: if there is no such device here.
    """
    if name is None:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise UsageError(f"there is no device {name!r}; name cpu or cuda.") from error
    if device.type not in {"cpu", "cuda"} or (device.type == "cuda" and not torch.cuda.is_available()):
        raise UsageError(f"the device {name!r} cannot be used here; leave --device out, or name cpu.")
    return device


def world_size() -> int:
    """Return the number of processes that train together."""
    return torch.distributed.get_world_size() if torch.distributed.is_initialized() else 1


def process_rank() -> int:
    """Return the number of this process, from 0."""
    return torch.distributed.get_rank() if torch.distributed.is_initialized() else 0


@contextlib.contextmanager
def seeded(seed: int, step: int, device: torch.device) -> Iterator[None]:
    """Seed torch by seed, step and process; the state of before is restored afterwards."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed * 1_000_003 + step * world_size() + process_rank())
        yield
