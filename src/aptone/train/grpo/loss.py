"""The loss of group-relative policy optimisation (GRPO), on tensors of log-probabilities.

The advantage of a reply is its reward minus the mean of its group, divided by the group's standard deviation (with
``scale_rewards=False``, undivided). With the ratio ρ = exp(log π - log π_old) of each token, ε for the clip and β for
the weight of the divergence from the reference,

  loss of a token = -min(ρ·A, clip(ρ, 1 - ε, 1 + ε)·A) + β·(exp(δ) - δ - 1),   δ = log π_ref - log π

which is averaged over the tokens of a reply, and then over the replies (`LossType`): the original form, "grpo" in TRL.

**Departure.** Equation 5 of CEAEval reads clip(r, -ε, ε) with r the reward and ε = 0.1. Taken by the letter, all
scores within almost three points of the truth would have the same reward of 0.1: no advantage, and no gradient. ε is
taken for what it is in GRPO, the clip of the policy ratio. A test shows the difference.
"""

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from aptone.errors import UsageError

LossType = Literal["grpo", "bnpo", "dr_grpo"]
"""Average over tokens, named as in TRL: over each reply and then over replies (``grpo``), over all tokens of the batch
(``bnpo``), or over a fixed length (``dr_grpo``)."""
LOSS_TYPES: tuple[LossType, ...] = get_args(LossType)

MIN_DEVIATION = 1e-4
"""Added to the standard deviation of a group, so that equal rewards give advantages of 0."""


@dataclass(frozen=True, slots=True)
class PolicyLossConfig:
    """Settings of the policy loss.

    Args:
        epsilon: clip of the policy ratio, as a distance from 1 (the paper's ε).
        beta: weight of the KL divergence from the reference (the paper's β).
        loss_type: average over tokens.
        length: tokens that every reply counts as, with ``loss_type="dr_grpo"``.
        kl_correction: weight the divergence of a token by its ratio, so that it stays unbiased over several iterations
            (TRL's default since 1.x; the original has it not).

    Raises:
        UsageError: if a value is out of range.
    """

    epsilon: float = 0.1
    beta: float = 0.01
    loss_type: LossType = "grpo"
    length: int = 0
    kl_correction: bool = False

    def __post_init__(self) -> None:
        if not 0.0 < self.epsilon < 1.0:
            raise UsageError(f"epsilon lies between 0 and 1, got {self.epsilon}.")
        if not 0.0 <= self.beta < math.inf:
            raise UsageError(f"beta is a finite number of 0 or more, got {self.beta}.")
        if self.loss_type not in LOSS_TYPES:
            raise UsageError(f"the loss type is {', '.join(LOSS_TYPES)}, got {self.loss_type!r}.")
        if self.loss_type == "dr_grpo" and self.length < 1:
            raise UsageError("dr_grpo averages over a fixed length; give that length, 1 token or more.")


@dataclass(frozen=True, slots=True)
class PolicyLoss:
    """A loss and its parts.

    Args:
        kl: mean over tokens of exp(δ) - δ - 1, an estimate of the divergence from the reference.
        clip_ratio: share of the tokens whose ratio was clipped.
    """

    value: Tensor
    kl: float
    clip_ratio: float


def advantages(rewards: Tensor, *, num_generations: int, scale_rewards: bool = True) -> Tensor:
    """Return the advantage of each reply over the others to the same prompt.

    Args:
        rewards: (replies,), those to one prompt next to each other.
        scale_rewards: divide by the group's standard deviation, as in the paper of GRPO.

    >>> advantages(torch.tensor([1.0, 2.0, 0.5, 0.5]), num_generations=2, scale_rewards=False).tolist()
    [-0.5, 0.5, 0.0, 0.0]

    Raises:
        ValueError: if groups are incomplete.
    """
    if num_generations < 2 or rewards.numel() % num_generations:
        raise ValueError(f"{rewards.numel()} rewards are no whole groups of {num_generations}, of 2 or more.")
    groups = rewards.view(-1, num_generations)
    centred = groups - groups.mean(dim=1, keepdim=True)
    if scale_rewards:
        centred = centred / (groups.std(dim=1, keepdim=True) + MIN_DEVIATION)
    return centred.view(-1)


def grpo_loss(
    current: Tensor,
    *,
    old: Tensor,
    reference: Tensor | None,
    advantages: Tensor,
    mask: Tensor,
    config: PolicyLossConfig,
) -> PolicyLoss:
    """Return the loss over replies.

    Args:
        current: (replies, tokens), log-probabilities under the policy, with their gradient.
        old: the same under the policy that sampled the replies.
        reference: the same under the reference; None with β = 0.
        advantages: (replies,).
        mask: (replies, tokens), true for tokens of the replies.

    Raises:
        ValueError: if β is above 0 and there is no reference.
    """
    mask = mask.to(current.dtype)
    low, high = 1.0 - config.epsilon, 1.0 + config.epsilon
    ratio = torch.exp(current - old)
    weight = advantages[:, None]
    tokens = -torch.minimum(ratio * weight, ratio.clamp(low, high) * weight)
    clipped = ((ratio < low) & (weight < 0.0)) | ((ratio > high) & (weight > 0.0))
    count = mask.sum().clamp(min=1.0)
    kl = torch.zeros((), dtype=current.dtype)
    if config.beta:
        if reference is None:
            raise ValueError("the divergence needs a reference.")
        delta = reference - current
        each = torch.exp(delta) - delta - 1.0
        each = each * ratio if config.kl_correction else each
        tokens = tokens + config.beta * each
        kl = (each.detach() * mask).sum() / count
    return PolicyLoss(_average(tokens, mask, config), kl=float(kl), clip_ratio=float((clipped * mask).sum() / count))


def _average(tokens: Tensor, mask: Tensor, config: PolicyLossConfig) -> Tensor:
    if config.loss_type == "grpo":
        return ((tokens * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1.0)).mean()
    if config.loss_type == "bnpo":
        return (tokens * mask).sum() / mask.sum().clamp(min=1.0)
    return (tokens * mask).sum() / (tokens.shape[0] * config.length)
