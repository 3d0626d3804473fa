"""The loss of group-relative policy optimisation (GRPO), on tensors of log-probabilities.

For the replies of one prompt, the advantage of each is its reward against the mean of the group, in units of the
group's standard deviation (with ``scale=False``, without that unit). With the ratio ρ = exp(log π - log π_old) of each
token, ε for the clip and β for the weight of the divergence from the reference,

  loss of a token = -min(ρ·A, clip(ρ, 1 - ε, 1 + ε)·A) + β·(exp(δ) - δ - 1),   δ = log π_ref - log π

which is averaged over the tokens of a reply, and then over the replies (`Averaging`): the original form, "grpo" in TRL.

**Departure.** Equation 5 of CEAEval reads clip(r, -ε, ε) with r the reward and ε = 0.1. Taken by the letter, all
scores within almost three points of the truth would be worth the same 0.1: no advantage, and no gradient. ε is taken
for what it is in GRPO, the clip of the policy ratio. A test shows the difference.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from aptone.errors import UsageError

Averaging = Literal["reply", "token", "length"]
"""How tokens are averaged: over each reply and then over replies (the original; TRL's ``grpo``), over all tokens of the
batch (``bnpo``), or by a fixed length (``dr_grpo``)."""
AVERAGINGS: tuple[Averaging, ...] = get_args(Averaging)

SMALLEST_DEVIATION = 1e-4
"""Added to the standard deviation of a group, so that equal rewards give advantages of 0."""


@dataclass(frozen=True, slots=True)
class Clipping:
    """How far a policy may move.

    Args:
        epsilon: how far the ratio of a token may lie from 1 before it stops to count (the paper's ε).
        beta: weight of the divergence from the reference (the paper's β).
        averaging: of tokens.
        length: tokens that every reply counts as, with ``averaging="length"``.
        corrected: whether the divergence of a token is weighted by its ratio, so that it stays unbiased when replies
            are learned from several times (TRL's default since 1.x; the original has it not).

    Raises:
        UsageError: if one of them is not what it should be.
    """

    epsilon: float = 0.1
    beta: float = 0.01
    averaging: Averaging = "reply"
    length: int = 0
    corrected: bool = False

    def __post_init__(self) -> None:
        if not 0.0 < self.epsilon < 1.0:
            raise UsageError(f"epsilon lies between 0 and 1, got {self.epsilon}.")
        if not 0.0 <= self.beta < math.inf:
            raise UsageError(f"the weight of the divergence is a finite number of 0 or more, got {self.beta}.")
        if self.averaging not in AVERAGINGS:
            raise UsageError(f"tokens are averaged by {', '.join(AVERAGINGS)}, got {self.averaging!r}.")
        if self.averaging == "length" and self.length < 1:
            raise UsageError("averaging by a fixed length needs that length, 1 token or more.")


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss, and what it was made of.

    Args:
        value: to be minimised.
        divergence: mean over tokens of exp(δ) - δ - 1, an estimate of the divergence from the reference.
        clipped: share of the tokens whose ratio was held.
    """

    value: Tensor
    divergence: float
    clipped: float


def advantages(rewards: Tensor, *, group: int, scale: bool = True) -> Tensor:
    """How much better each reply is than the others to the same prompt.

    Args:
        rewards: (replies,), those to one prompt next to each other.
        group: replies to a prompt.
        scale: in units of the group's standard deviation, as in the paper of GRPO; else in those of the reward.

    >>> advantages(torch.tensor([1.0, 2.0, 0.5, 0.5]), group=2, scale=False).tolist()
    [-0.5, 0.5, 0.0, 0.0]

    Raises:
        ValueError: if there are not whole groups.
    """
    if group < 2 or rewards.numel() % group:
        raise ValueError(f"{rewards.numel()} rewards are no whole groups of {group}, of 2 or more.")
    groups = rewards.view(-1, group)
    centred = groups - groups.mean(dim=1, keepdim=True)
    if scale:
        centred = centred / (groups.std(dim=1, keepdim=True) + SMALLEST_DEVIATION)
    return centred.view(-1)


def grpo_loss(
    current: Tensor,
    *,
    old: Tensor,
    reference: Tensor | None,
    advantages: Tensor,
    mask: Tensor,
    clipping: Clipping,
) -> Loss:
    """The loss over some replies.

    Args:
        current: (replies, tokens), log-probabilities under the policy, with their gradient.
        old: the same under the policy that wrote the replies.
        reference: the same under the reference; None with β = 0.
        advantages: (replies,).
        mask: (replies, tokens), true for tokens of the replies.
        clipping: how far the policy may move.

    Raises:
        ValueError: if there is no reference to compare with.
    """
    mask = mask.to(current.dtype)
    ratio = torch.exp(current - old)
    held = ratio.clamp(1.0 - clipping.epsilon, 1.0 + clipping.epsilon)
    weight = advantages[:, None]
    tokens = -torch.minimum(ratio * weight, held * weight)
    stopped = ((ratio < 1.0 - clipping.epsilon) & (weight < 0.0)) | ((ratio > 1.0 + clipping.epsilon) & (weight > 0.0))
    count = mask.sum().clamp(min=1.0)
    divergence = torch.zeros((), dtype=current.dtype)
    if clipping.beta:
        if reference is None:
            raise ValueError("the divergence needs a reference.")
        away = reference - current
        each = torch.exp(away) - away - 1.0
        each = each * ratio if clipping.corrected else each
        tokens = tokens + clipping.beta * each
        divergence = (each.detach() * mask).sum() / count
    return Loss(
        _averaged(tokens, mask, clipping),
        divergence=float(divergence),
        clipped=float((stopped * mask).sum() / count),
    )


def _averaged(tokens: Tensor, mask: Tensor, clipping: Clipping) -> Tensor:
    if clipping.averaging == "reply":
        return ((tokens * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1.0)).mean()
    if clipping.averaging == "token":
        return (tokens * mask).sum() / mask.sum().clamp(min=1.0)
    return (tokens * mask).sum() / (tokens.shape[0] * clipping.length)
