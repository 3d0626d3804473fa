"""The loss of CLIP, CLAP and Speech-CLAP: every clip shall find its own description among all, and the other way round.

For N pairs of rows of length 1, with ``s_ij = scale · a_i · t_j``::

    L = -1/2N Σ_i [ log( exp s_ii / Σ_j exp s_ij ) + log( exp s_ii / Σ_j exp s_ji ) ]

Several processes share one batch: each gathers the rows of all, so that N is the batch of all of them, and gets the
gradient of that one loss with respect to its own rows. Summed over processes, the gradients of the weights are those
that a single process with the whole batch would have.
"""

import torch
import torch.distributed
from torch import Tensor
from torch.nn.functional import cross_entropy

from aptone.train.processes import process_number, processes


def info_nce(audio: Tensor, text: Tensor, scale: Tensor) -> Tensor:
    """The symmetric loss of pairs.

    Args:
        audio: [pairs, size], rows of length 1.
        text: the same; row i belongs to row i.
        scale: what cosines are multiplied by, one over the temperature.

    >>> rows = torch.eye(2)
    >>> round(info_nce(rows, rows, torch.tensor(1.0)).item(), 4)  # log(1 + exp(-1))
    0.3133
    """
    similarities = scale * (audio @ text.T)
    own = torch.arange(len(audio), device=audio.device)
    return (cross_entropy(similarities, own) + cross_entropy(similarities.T, own)) / 2


def gathered(rows: Tensor) -> Tensor:
    """The rows of all processes in their order, with those of this one as they are, so that its gradient goes on.

    Every process has equally many.
    """
    if processes() == 1:
        return rows
    held = [torch.empty_like(rows) for _ in range(processes())]
    torch.distributed.all_gather(held, rows.detach())
    held[process_number()] = rows
    return torch.cat(held)


@torch.no_grad()
def sum_gradients(parameters: list[torch.nn.Parameter]) -> None:
    """Replace gradients by their sums over all processes; what has none anywhere keeps none."""
    if processes() == 1:
        return
    for parameter in parameters:
        if parameter.requires_grad:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            torch.distributed.all_reduce(parameter.grad)
