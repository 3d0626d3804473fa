"""CSER, EMO-Reasoning's recogniser of emotion over time: one vector a second in, valence, arousal and dominance out.

Frame features of a recording are averaged to one vector a second, two layers of bidirectional LSTM read them, and a
linear layer says three numbers for each second. We ship no weights of it: nobody's ratings over time were ours to
train on. ``aptone train cser`` makes them from a corpus of yours.

A model is a folder: ``model.safetensors`` with the weights, ``model.json`` with what they need.
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
"""What the three numbers are, in this order."""
WEIGHTS = "model.safetensors"
ABOUT = "model.json"
WINDOW = 4096
"""Steps that are read at once: more than an hour of seconds."""


@dataclass(frozen=True, slots=True)
class CserSizes:
    """How large the network is; the defaults are the paper's.

    Args:
        features: numbers in the vector of a second.
        hidden: numbers that a layer remembers in each direction.
        layers: of LSTM, one over the other.
        dropout: share of numbers that are left out between layers, while it is taught.

    Raises:
        UsageError: if a size is less than 1, or the share is not one.
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
    """The network. It knows the mean and the spread of the vectors that it was taught with, and takes them out."""

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
        """What is said of several recordings, [recordings, steps, 3]; nothing depends on what stands behind an end.

        Args:
            vectors: [recordings, steps, features].
            lengths: [recordings], on the CPU: how many steps each of them has.
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
        """What is said of one recording of any length, [steps, 3], with at most `window` steps in the works at once.

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
    """What one direction of a layer makes of pieces in its own order."""
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
    """What the weights of a model need, and where they come from.

    Args:
        sizes: of the network.
        front_end: what makes the vectors: its kind and options.
        front_end_signature: of the very front end that it was taught with.
        step: seconds between two vectors.
        training: how it was made and what it reached, for the reader.
        licence: that comes with the front end; empty for none.
    """

    sizes: CserSizes
    front_end: Mapping[str, Json]
    front_end_signature: str
    step: float = 1.0
    training: Mapping[str, Json] = field(default_factory=dict)
    licence: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Cser:
    """A model that is ready to listen."""

    network: CserNetwork
    config: CserConfig
    signature: str

    def trajectories(self, recordings: Sequence[Floats], *, batch: int = 32) -> list[Floats]:
        """Valence, arousal and dominance over time, [steps, 3] for each recording, within -1 to 1.

        Args:
            recordings: the vectors of each, [steps, features].
            batch: how many are heard at once; changes nothing but the time that it takes.
        """
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
    """Keep a model in a folder, each file whole or not at all.

    Raises:
        RunError: if it cannot be written.
    """
    weights = {name: value.detach().cpu().contiguous() for name, value in network.state_dict().items()}
    write_bytes_whole(folder / WEIGHTS, save(weights))
    described: dict[str, Json] = {"dimensions": list(DIMENSIONS), **asdict(config)}
    write_whole(folder / ABOUT, dumps(described, indent=1) + "\n")


def read_config(folder: Path) -> CserConfig:
    """What a model says about itself, without its weights.

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
    """A model from its folder.

    Args:
        folder: written by `write_cser`.
        device: where it runs; by default on a GPU if there is one.

    Raises:
        UsageError: if the folder holds no model, or its weights do not fit what it says about itself.
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
    """What identifies a model in the signature of scores."""
    return signature("cser", {"weights": file_hash(folder / WEIGHTS)[:16], "about": file_hash(folder / ABOUT)[:16]})
