"""Which of several processes that train together this one is, and random numbers that depend on that and the step."""

import contextlib
from collections.abc import Iterator

import torch
import torch.distributed


def processes() -> int:
    """How many train together."""
    return torch.distributed.get_world_size() if torch.distributed.is_initialized() else 1


def process_number() -> int:
    """Which one of them this is, from 0 on."""
    return torch.distributed.get_rank() if torch.distributed.is_initialized() else 0


@contextlib.contextmanager
def drawn_by(seed: int, step: int, device: torch.device) -> Iterator[None]:
    """Random numbers of a step and process, and afterwards back to where they were."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed * 1_000_003 + step * processes() + process_number())
        yield
