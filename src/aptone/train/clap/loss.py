"""Contrastive loss of CLIP, CLAP and Speech-CLAP, and its gradient for large batches in little memory.

For N pairs of rows of length 1, with ``s_ij = scale · a_i · t_j``::

    L = -1/2N Σ_i [ log( exp s_ii / Σ_j exp s_ij ) + log( exp s_ii / Σ_j exp s_ji ) ]

Several processes share one batch: each gathers the rows of all, so that N is the batch of all of them, and gets the
gradient of that one loss with respect to its own rows. Summed over processes, the gradients of the weights are those
that a single process with the whole batch would have.

**Gradient caching** (Gao et al. 2021, "Scaling Deep Contrastive…"). The loss needs all rows of a batch at once, the
encoders do not. So a batch is embedded micro-batch by micro-batch without a graph; the loss gives the gradient of every
row; then each micro-batch is embedded again, with a graph, and the gradient of its rows is propagated to the weights.
The result is the gradient of the whole batch: plain accumulation would compare a clip with the descriptions of its
micro-batch only.

Dropout must use the same masks both times: the random state before each micro-batch is saved and restored. The price is
one more forward pass: with large encoders about half as much time again as a batch that fits into memory whole
(``benchmarks/clap_throughput.py``).
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import torch
import torch.distributed
from torch import Tensor
from torch.nn.functional import cross_entropy

from aptone.errors import UsageError
from aptone.models.clap.model import ClapNetwork
from aptone.train.distributed import process_rank, world_size

Precision = Literal["float32", "bfloat16"]


def info_nce(audio: Tensor, text: Tensor, scale: Tensor) -> Tensor:
    """Return the symmetric loss of pairs.

    Args:
        audio: [pairs, size], rows of length 1.
        text: [pairs, size]; row i belongs to row i of `audio`.
        scale: factor of the cosines, the inverse of the temperature.

    >>> rows = torch.eye(2)
    >>> round(info_nce(rows, rows, torch.tensor(1.0)).item(), 4)  # log(1 + exp(-1))
    0.3133
    """
    similarities = scale * (audio @ text.T)
    own = torch.arange(len(audio), device=audio.device)
    return (cross_entropy(similarities, own) + cross_entropy(similarities.T, own)) / 2


def gather_rows(rows: Tensor) -> Tensor:
    """Return the rows of all processes in order; only those of this process carry a gradient.

    Every process has the same number of rows.
    """
    if world_size() == 1:
        return rows
    held = [torch.empty_like(rows) for _ in range(world_size())]
    torch.distributed.all_gather(held, rows.detach())
    held[process_rank()] = rows
    return torch.cat(held)


@torch.no_grad()
def sum_gradients(parameters: list[torch.nn.Parameter]) -> None:
    """Replace gradients by their sums over all processes; frozen parameters keep none."""
    if world_size() == 1:
        return
    for parameter in parameters:
        if parameter.requires_grad:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            torch.distributed.all_reduce(parameter.grad)


@dataclass(frozen=True, slots=True, eq=False)
class MicroBatch:
    """Pairs that are embedded together, as inputs of `ClapNetwork.embed_audio` and `ClapNetwork.embed_text`."""

    audio: Mapping[str, Tensor]
    text: Mapping[str, Tensor]

    def to(self, device: torch.device) -> "MicroBatch":
        """Return the same pairs on a device."""
        audio, text = (
            {name: value.to(device, non_blocking=True) for name, value in side.items()}
            for side in (self.audio, self.text)
        )
        return MicroBatch(audio, text)


@contextlib.contextmanager
def _restored(processor: Tensor, on_device: Tensor | None, device: torch.device) -> Iterator[None]:
    """Restore the random generators of CPU and device while the context lasts."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.set_rng_state(processor)
        if on_device is not None:
            torch.cuda.set_rng_state(on_device, device)
        yield


def add_gradients(
    network: ClapNetwork, micro_batches: Sequence[MicroBatch], *, device: torch.device, precision: Precision = "float32"
) -> Tensor:
    """Add the gradient of the loss of a whole batch to the weights' gradients.

    With several processes, the batch is that of all of them, each passes its own micro-batches, and the gradients still
    have to be summed over processes (`sum_gradients`). The loss that is returned is the same in every process. A
    batch of one micro-batch is embedded once only.

    Raises:
        UsageError: if there is no micro-batch or no such precision.
    """
    if not micro_batches or precision not in get_args(Precision):
        raise UsageError(f"expected a chunk or more in float32 or bfloat16, got {len(micro_batches)} in {precision!r}.")
    if len(micro_batches) == 1:
        audio, text = _embedded(network, micro_batches[0].to(device), precision)
        return _loss_backward(network, audio, text)
    states, rows = [], []
    with torch.no_grad():
        for micro_batch in micro_batches:
            on_device = torch.cuda.get_rng_state(device) if device.type == "cuda" else None
            states.append((torch.get_rng_state(), on_device))
            rows.append(_embedded(network, micro_batch.to(device), precision))
    audio, text = (torch.cat([one[side] for one in rows]).requires_grad_() for side in (0, 1))
    loss = _loss_backward(network, audio, text)
    first = 0
    for micro_batch, state, (kept, _) in zip(micro_batches, states, rows, strict=True):
        own = slice(first, first + len(kept))
        first += len(kept)
        with _restored(*state, device):
            restored = _embedded(network, micro_batch.to(device), precision)
        assert audio.grad is not None
        assert text.grad is not None
        pairs = [
            (row, grad[own]) for row, grad in zip(restored, (audio.grad, text.grad), strict=True) if row.requires_grad
        ]
        torch.autograd.backward([row for row, _ in pairs], [grad for _, grad in pairs])
    return loss


def _loss_backward(network: ClapNetwork, audio: Tensor, text: Tensor) -> Tensor:
    """Propagate the loss; each process divides the gradient of the scale, which all of them have in full."""
    scale = network.scale()
    if world_size() > 1 and scale.requires_grad:
        scale.register_hook(lambda gradient: gradient / world_size())  # type: ignore[no-untyped-call]
    loss = info_nce(gather_rows(audio), gather_rows(text), scale)
    loss.backward()  # type: ignore[no-untyped-call]
    return loss.detach()


def _embedded(network: ClapNetwork, micro_batch: MicroBatch, precision: Precision) -> tuple[Tensor, Tensor]:
    # A context of its own for each pass: autocast remembers weights that it has cast, with or without a gradient.
    device = network.log_scale.device
    with torch.autocast(device.type, dtype=torch.bfloat16, enabled=precision == "bfloat16"):
        return network.embed_audio(micro_batch.audio), network.embed_text(micro_batch.text)
