"""Hyperparameters of judge training: batch sizes, precision and learning-rate schedule.

The schedule is CEAEval's (section 4.2): linear warm-up to 5e-6 over the first tenth of the steps, then decay to 5e-7 by
the end. "Gradually" is read as half a cosine; ``linear`` is there as well. Eight GPUs with four examples each make its
batch of 32. The optimiser is not named in the paper: AdamW without weight decay.
"""

import math
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

from aptone.errors import UsageError
from aptone.types import Json

LrSchedule = Literal["cosine", "linear"]
TrainingPrecision = Literal["float32", "bfloat16"]

SEEDS = 2**32
"""Number of possible seeds."""
FREE = frozenset({"micro_batch_size", "save_every", "gradient_checkpointing"})
"""Settings that may change when a training is resumed."""


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """Hyperparameters of judge training.

    Args:
        batch_size: examples per optimiser step, over all processes.
        micro_batch_size: examples in memory at once in a process; changes only rounding and dropout masks.
        lr: peak learning rate.
        min_lr: learning rate at the last step.
        warmup_ratio: share of the steps in which the learning rate rises from 0.
        lr_schedule: shape of the decay after the warm-up.
        weight_decay: weight decay of matrices; vectors have none.
        max_grad_norm: norm to which gradients are clipped; 0 disables.
        precision: precision of the arithmetic and of frozen weights.
        gradient_checkpointing: recompute layers in the backward pass, for less memory.
        save_every: steps between two checkpoints.
        eval_every: steps between two evaluations.
        seed: random seed of order, adapters and dropout.

    Raises:
        UsageError: if a value is out of range.
    """

    batch_size: int = 32
    micro_batch_size: int = 4
    steps: int = 1000
    lr: float = 5e-6
    min_lr: float = 5e-7
    warmup_ratio: float = 0.1
    lr_schedule: LrSchedule = "cosine"
    weight_decay: float = 0.0
    max_grad_norm: float = 1.0
    precision: TrainingPrecision = "float32"
    gradient_checkpointing: bool = False
    save_every: int = 200
    eval_every: int = 200
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.batch_size, self.micro_batch_size, self.steps, self.save_every, self.eval_every) < 1:
            raise UsageError("batch_size, micro_batch_size, steps, save_every and eval_every are 1 or more.")
        if not all(0 <= one < math.inf for one in (self.lr, self.min_lr, self.weight_decay, self.max_grad_norm)):
            raise UsageError("lr, min_lr, weight_decay and max_grad_norm are finite numbers of 0 or more.")
        if not 0 <= self.seed < SEEDS:
            raise UsageError(f"a seed is a whole number from 0 to {SEEDS - 1}, got {self.seed}.")
        if not 0 <= self.warmup_ratio <= 1:
            raise UsageError(f"warmup_ratio is a share of the steps, 0 to 1, got {self.warmup_ratio}.")
        if self.lr_schedule not in get_args(LrSchedule) or self.precision not in get_args(TrainingPrecision):
            raise UsageError("lr_schedule is cosine or linear; precision is float32 or bfloat16.")

    @property
    def decisive(self) -> dict[str, Json]:
        """Settings that the result depends on; a checkpoint is resumed with the same ones only."""
        return {name: value for name, value in asdict(self).items() if name not in FREE}

    def for_epochs(self, epochs: float, *, per_epoch: int) -> "JudgeConfig":
        """Return the same configuration with the steps of so many epochs.

        Raises:
            UsageError: if `epochs` is not a finite number above 0.
        """
        if not 0 < epochs < math.inf:
            raise UsageError(f"epochs are a number above 0, got {epochs}.")
        return replace(self, steps=max(1, round(epochs * per_epoch)))


def learning_rate(step: int, config: JudgeConfig) -> float:
    """Return the learning rate of a step, counted from 0.

    >>> config = JudgeConfig(steps=100)
    >>> [f"{learning_rate(step, config):.2g}" for step in (0, 4, 9, 10, 99)]
    ['5e-07', '2.5e-06', '5e-06', '5e-06', '5e-07']
    """
    warmup = round(config.warmup_ratio * config.steps)
    if step < warmup:
        return config.lr * (step + 1) / warmup
    done = (step - warmup) / max(1, config.steps - warmup - 1)
    left = 1 - done if config.lr_schedule == "linear" else 0.5 * (1 + math.cos(math.pi * done))
    return config.min_lr + (config.lr - config.min_lr) * left
