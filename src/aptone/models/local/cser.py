"""CSER, EMO-Reasoning's recogniser of emotion over time: one vector a second in, valence, arousal and dominance out.

Frame features of a recording are averaged to one vector a second; two layers of bidirectional LSTM and a linear layer
map them to three numbers a second. No weights are shipped, for want of a corpus with ratings over time that we may
train on; ``aptone train cser`` trains them on yours.

A model is a folder: ``model.safetensors`` with the weights, ``model.json`` with their configuration.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from aptone.errors import RecordError, UsageError
from aptone.files import file_hash, write_bytes_whole, write_whole
from aptone.types import Json, dumps, loads, signature

Floats = npt.NDArray[np.float32]

DIMENSIONS = ("valence", "arousal", "dominance")
"""Outputs, in this order."""
WEIGHTS = "model.safetensors"
ABOUT = "model.json"
WINDOW = 4096
"""Steps in a window: more than an hour of seconds."""


@dataclass(frozen=True, slots=True)
class CserSizes:
    """Sizes of the network; the defaults are the paper's.

    Args:
        hidden: hidden size of a layer in each direction.

    Raises:
        UsageError: if a size is less than 1, or the dropout is not in [0, 1).
    """

    features: int
    hidden: int = 512
    layers: int = 2
    dropout: float = 0.5

    def __post_init__(self) -> None:
        if min(self.features, self.hidden, self.layers) < 1 or not 0.0 <= self.dropout < 1.0:
            raise UsageError(
                f"a network has one feature, hidden number and layer or more, and a dropout below 1; got {self}."
            )


class CserNetwork(nn.Module):
    """Bidirectional LSTM with a linear head; inputs are standardised by mean and spread of the training vectors."""

    centre: Tensor
    spread: Tensor

    def __init__(self, sizes: CserSizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.register_buffer("centre", torch.zeros(sizes.features))
        self.register_buffer("spread", torch.ones(sizes.features))
        inputs = [sizes.features] + [2 * sizes.hidden] * (sizes.layers - 1)
        self.layers = nn.ModuleList(
            nn.LSTM(size, sizes.hidden, batch_first=True, bidirectional=True) for size in inputs
        )
        self.drop = nn.Dropout(sizes.dropout)
        self.head = nn.Linear(2 * sizes.hidden, len(DIMENSIONS))

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        """Return the outputs of several recordings, [recordings, steps, 3]; padding changes nothing.

        Args:
            vectors: [recordings, steps, features].
            lengths: [recordings], on the CPU: number of steps of each.
        """
        steps = vectors.shape[1]
        heard = (vectors - self.centre) / self.spread
        for number, layer in enumerate(self.layers):
            packed = pack_padded_sequence(
                self.drop(heard) if number else heard, lengths, batch_first=True, enforce_sorted=False
            )
            heard, _ = pad_packed_sequence(layer(packed)[0], batch_first=True, total_length=steps)
        said: Tensor = self.head(heard)
        return said

    def windowed(self, vectors: Tensor, *, window: int = WINDOW) -> Tensor:
        """Return the outputs of one recording of any length, [steps, 3], in windows of at most `window` steps.

        The state of each direction is carried from window to window, so that windows change nothing.
        """
        heard = (vectors - self.centre) / self.spread
        for layer in self.layers:
            assert isinstance(layer, nn.LSTM)
            pieces = torch.split(heard, window)
            onward = _carried(layer, pieces, direction=0)
            backward = _carried(layer, pieces[::-1], direction=1)[::-1]
            heard = torch.cat([torch.cat(onward), torch.cat(backward)], dim=1)
        said: Tensor = self.head(heard)
        return said


def _carried(layer: nn.LSTM, pieces: Sequence[Tensor], *, direction: int) -> list[Tensor]:
    """Return the outputs of one direction of a layer for pieces in its own order."""
    hidden = layer.hidden_size
    states = [torch.zeros(2, hidden, device=pieces[0].device) for _ in range(2)]
    made = []
    for piece in pieces:
        out, after = layer(piece, (states[0], states[1]))
        for state, new in zip(states, after, strict=True):
            state[direction] = new[direction]
        made.append(out[:, direction * hidden : (direction + 1) * hidden])
    return made


@dataclass(frozen=True, slots=True)
class CserConfig:
    """Configuration of a model, and its origin.

    Args:
        front_end: kind and options of the feature extractor.
        step: seconds between two vectors.
        licence: licence of the front end; empty for none.
    """

    sizes: CserSizes
    front_end: Mapping[str, Json]
    front_end_signature: str
    step: float = 1.0
    training: Mapping[str, Json] = field(default_factory=dict)
    licence: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Cser:
    """Loaded model."""

    network: CserNetwork
    config: CserConfig
    signature: str

    def trajectories(self, recordings: Sequence[Floats], *, batch: int = 32) -> list[Floats]:
        """Return valence, arousal and dominance over time, within -1 to 1: [steps, 3] for each [steps, features]."""
        device = self.network.head.weight.device
        self.network.eval()
        heard: list[Floats] = []
        with torch.inference_mode():
            for first in range(0, len(recordings), batch):
                given = [torch.from_numpy(np.ascontiguousarray(one)) for one in recordings[first : first + batch]]
                if len(given) == 1:
                    said = [self.network.windowed(given[0].to(device))]
                else:
                    lengths = torch.tensor([len(one) for one in given])
                    together = self.network(pad_sequence(given, batch_first=True).to(device), lengths)
                    said = [row[:length] for row, length in zip(together, lengths.tolist(), strict=True)]
                heard += [one.clamp(-1.0, 1.0).cpu().numpy() for one in said]
        return heard


def write_cser(folder: Path, network: CserNetwork, config: CserConfig) -> None:
    """Write a model to a folder, each file atomically; raises `RunError` if it cannot be written."""
    weights = {name: value.detach().cpu().contiguous() for name, value in network.state_dict().items()}
    write_bytes_whole(folder / WEIGHTS, save(weights))
    described: dict[str, Json] = {"dimensions": list(DIMENSIONS), **asdict(config)}
    write_whole(folder / ABOUT, dumps(described, indent=1) + "\n")


def read_config(folder: Path) -> CserConfig:
    """Read the configuration of a model.

    Raises:
        UsageError: if the folder holds no model, or one that is not understood here.
    """
    path = folder / ABOUT
    try:
        given = loads(path.read_bytes(), what=str(path))
        if not isinstance(given, Mapping) or given.get("dimensions") != list(DIMENSIONS):
            raise TypeError(f"expected an object whose dimensions are {', '.join(DIMENSIONS)}")
        fields: dict[str, Any] = {name: value for name, value in given.items() if name != "dimensions"}
        return CserConfig(**{**fields, "sizes": CserSizes(**fields["sizes"])})
    except (OSError, KeyError, TypeError, RecordError) as error:
        raise UsageError(f"{folder}: no model of emotion over time ({error}); make one: aptone train cser") from error


def load_cser(folder: Path, *, device: str | None = None) -> Cser:
    """Load a model; by default to a GPU if there is one.

    Raises:
        UsageError: if the folder holds no model, or its weights do not fit its configuration.
    """
    config = read_config(folder)
    network = CserNetwork(config.sizes)
    try:
        network.load_state_dict(load((folder / WEIGHTS).read_bytes()))
    except (OSError, RuntimeError, SafetensorError) as error:
        raise UsageError(f"{folder / WEIGHTS}: not the weights of this model ({str(error)[:300]}).") from error
    place = torch.device(device or ("cuda" if torch.cuda.is_available() else "cpu"))
    return Cser(network.to(place).eval(), config, cser_signature(folder))


def cser_signature(folder: Path) -> str:
    """Return the identity of a model in the signature of scores."""
    return signature("cser", {"weights": file_hash(folder / WEIGHTS)[:16], "about": file_hash(folder / ABOUT)[:16]})
