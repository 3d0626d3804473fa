"""Initial weights of the ear's network: those of CAM++, a speaker-recognition network.

They come from 3D-Speaker (Apache-2.0) as a PyTorch file, and are saved under our names as safetensors, in half
precision.
"""

import pickle
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from aptone.errors import RecordError, UsageError
from recipes.ear.network import EarNetwork, NetworkSettings, from_campplus


def write_start(campplus: Path, out: Path) -> int:
    """Save the used weights of CAM++ as safetensors, and return the number of values.

    Args:
        campplus: 3D-Speaker's `campplus_*.pt` or `.bin`; only tensors are read from it, no code is run.
        out: safetensors file to write.

    Raises:
        UsageError: if there is no such file.
        RecordError: if it holds other weights.
    """
    if not campplus.is_file():
        raise UsageError(f"{campplus}: no such file; expected the weights of CAM++ that 3D-Speaker publishes.")
    try:
        weights = torch.load(campplus, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError) as error:
        raise RecordError(f"{campplus}: no PyTorch weights; expected those of CAM++ by 3D-Speaker.") from error
    if not isinstance(weights, dict):
        raise RecordError(f"{campplus}: holds a {type(weights).__name__}; expected a dictionary of tensors.")
    used = {name: value.half().contiguous() for name, value in from_campplus(weights).items()}
    needed = {
        name: value.shape
        for name, value in EarNetwork(NetworkSettings()).state_dict().items()
        if name.startswith(("stem", "second")) and not name.endswith("num_batches_tracked")
    }
    wrong = [name for name, shape in needed.items() if name not in used or used[name].shape != shape]
    if wrong:
        raise RecordError(
            f"{campplus}: not the weights of CAM++, or of another size ({len(wrong)} of {len(needed)} do not fit)."
        )
    save_file(used, out)
    return sum(value.numel() for value in used.values())


def fresh_network(settings: NetworkSettings, start: Path) -> EarNetwork:
    """Return a network with CAM++'s weights in its trunk and random weights in its heads.

    Args:
        settings: sizes of the network.
        start: file made by `write_start`.

    Raises:
        RecordError: if the file does not hold these weights.
    """
    network = EarNetwork(settings)
    try:
        given = {name: value.float() for name, value in load_file(start).items()}
        missing, unexpected = network.load_state_dict(given, strict=False)
    except (OSError, SafetensorError, RuntimeError) as error:
        raise RecordError(f"{start}: {error}; make it with `python -m recipes.ear start`.") from error
    lacking = [name for name in missing if name.startswith(("stem", "second")) and "num_batches" not in name]
    if lacking or unexpected:
        raise RecordError(
            f"{start}: not the weights of CAM++ ({len(lacking)} are missing, {len(unexpected)} unknown); make it with "
            "`python -m recipes.ear start`."
        )
    network.stem.requires_grad_(False)
    return network
