"""Devices to train on, by name."""

import torch

from aptone.errors import UsageError


def device_named(name: str | None) -> torch.device:
    """Where to train; a GPU if there is one, where nothing is named.

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
