"""Large contrastive batches in little memory, by gradient caching (Gao et al. 2021, "Scaling Deep Contrastive…").

The loss needs all rows of a batch at once, the encoders do not. So a batch is embedded chunk by chunk without keeping
what a gradient needs; the loss gives the gradient of every row; then each chunk is embedded again, this time with a
gradient, and the row's gradient is handed on to the weights. The result is the gradient of the whole batch, not of
small ones that were averaged: plain accumulation would compare a clip with the few descriptions of its chunk only.

Dropout must fall on the same places both times: the state of the random numbers before each chunk is kept and put back.
The price is one more pass without gradients: with large encoders about half as much time again as a batch that fits
into memory whole (``benchmarks/clap_throughput.py``).
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from aptone.errors import UsageError
from aptone.models.clap.model import ClapNetwork
from aptone.train.clap.loss import gathered, info_nce
from aptone.train.processes import processes

Precision = Literal["float32", "bfloat16"]


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Pairs that are embedded together.

    Args:
        audio: what `ClapNetwork.embed_audio` takes.
        text: what `ClapNetwork.embed_text` takes.
    """

    audio: Mapping[str, Tensor]
    text: Mapping[str, Tensor]

    def to(self, device: torch.device) -> "Chunk":
        """The same elsewhere."""
        audio, text = (
            {name: value.to(device, non_blocking=True) for name, value in side.items()}
            for side in (self.audio, self.text)
        )
        return Chunk(audio, text)


@dataclass(frozen=True, slots=True, eq=False)
class Randomness:
    """The state of the random numbers, of the processor and of the device."""

    processor: Tensor
    device: Tensor | None

    @classmethod
    def now(cls, device: torch.device) -> "Randomness":
        """As it is."""
        return cls(torch.get_rng_state(), torch.cuda.get_rng_state(device) if device.type == "cuda" else None)

    @contextlib.contextmanager
    def again(self, device: torch.device) -> Iterator[None]:
        """Back to it for a while."""
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            torch.set_rng_state(self.processor)
            if self.device is not None:
                torch.cuda.set_rng_state(self.device, device)
            yield


def add_gradients(
    network: ClapNetwork, chunks: Sequence[Chunk], *, device: torch.device, precision: Precision = "float32"
) -> Tensor:
    """Add the gradient of the loss of a whole batch to the weights' gradients.

    With several processes, the batch is that of all of them, each gives its own chunks, and the gradients are left to
    be summed over processes (`aptone.train.clap.loss.sum_gradients`). A batch of one chunk is embedded once only.

    Returns:
        The loss, the same in every process.

    Raises:
        UsageError: if there is no chunk or no such precision.
    """
    if not chunks or precision not in get_args(Precision):
        raise UsageError(f"expected a chunk or more in float32 or bfloat16, got {len(chunks)} in {precision!r}.")
    if len(chunks) == 1:
        audio, text = _embedded(network, chunks[0].to(device), precision)
        return _loss_backward(network, audio, text)
    states, rows = [], []
    with torch.no_grad():
        for chunk in chunks:
            states.append(Randomness.now(device))
            rows.append(_embedded(network, chunk.to(device), precision))
    audio, text = (torch.cat([one[side] for one in rows]).requires_grad_() for side in (0, 1))
    loss = _loss_backward(network, audio, text)
    first = 0
    for chunk, state, (kept, _) in zip(chunks, states, rows, strict=True):
        own = slice(first, first + len(kept))
        first += len(kept)
        with state.again(device):
            again = _embedded(network, chunk.to(device), precision)
        assert audio.grad is not None
        assert text.grad is not None
        pairs = [
            (row, grad[own]) for row, grad in zip(again, (audio.grad, text.grad), strict=True) if row.requires_grad
        ]
        torch.autograd.backward([row for row, _ in pairs], [grad for _, grad in pairs])
    return loss


def _loss_backward(network: ClapNetwork, audio: Tensor, text: Tensor) -> Tensor:
    """Every process has the gradient of the scale whole, so that its part in a sum is one of so many."""
    scale = network.scale()
    if processes() > 1 and scale.requires_grad:
        scale.register_hook(lambda gradient: gradient / processes())  # type: ignore[no-untyped-call]
    loss = info_nce(gathered(audio), gathered(text), scale)
    loss.backward()  # type: ignore[no-untyped-call]
    return loss.detach()


def _embedded(network: ClapNetwork, chunk: Chunk, precision: Precision) -> tuple[Tensor, Tensor]:
    # A context of its own for each pass: autocast remembers weights that it has cast, with or without a gradient.
    device = network.log_scale.device
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16"):
        return network.embed_audio(chunk.audio), network.embed_text(chunk.text)
