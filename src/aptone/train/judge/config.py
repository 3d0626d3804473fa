"""How a judge is taught: sizes, precision and the schedule of the learning rate.

The schedule is CEAEval's (section 4.2): a straight rise to 5e-6 over the first tenth of the steps, then a decay to 5e-7
by the end. "Gradually" is read as half a cosine; ``linear`` is there as well. Eight GPUs with four examples each make
its batch of 32. The optimiser is not named in the paper: AdamW without weight decay.
"""

import math
from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

from aptone.errors import UsageError
from aptone.types import Json

Decay = Literal["cosine", "linear"]
TrainingPrecision = Literal["float32", "bfloat16"]

SEEDS = 2**32
"""Seeds that there are."""
FREE = frozenset({"chunk", "keep", "checkpointing"})
"""Settings that may change while a training goes on."""


@dataclass(frozen=True, slots=True)
class JudgeRecipe:
    """How a judge is taught.

    Args:
        batch: examples of a step, over all processes.
        chunk: examples that are in memory at once in a process; it changes nothing but rounding, and where dropout
            falls.
        steps: batches.
        rate: learning rate at its peak.
        last_rate: at the end.
        warm_up: share of the steps in which the rate rises from 0.
        decay: how it falls afterwards.
        weight_decay: of matrices.
        largest_gradient: norm beyond which a gradient is scaled down; 0 for never.
        precision: of the arithmetic, and of weights that stay as they are.
        checkpointing: whether layers are computed again in the backward pass, for less memory.
        keep: steps between two checkpoints.
        look: steps between two looks.
        seed: of order, adapters and dropout.

    Raises:
        UsageError: if a number is not one.
    """

    batch: int = 32
    chunk: int = 4
    steps: int = 1000
    rate: float = 5e-6
    last_rate: float = 5e-7
    warm_up: float = 0.1
    decay: Decay = "cosine"
    weight_decay: float = 0.0
    largest_gradient: float = 1.0
    precision: TrainingPrecision = "float32"
    checkpointing: bool = False
    keep: int = 200
    look: int = 200
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.batch, self.chunk, self.steps, self.keep, self.look) < 1:
            raise UsageError("batches, chunks, steps, and what lies between two looks or checkpoints, are 1 or more.")
        if not all(
            0 <= one < math.inf for one in (self.rate, self.last_rate, self.weight_decay, self.largest_gradient)
        ):
            raise UsageError("learning rates, decay and the largest gradient are finite numbers of 0 or more.")
        if not 0 <= self.seed < SEEDS:
            raise UsageError(f"a seed is a whole number from 0 to {SEEDS - 1}, got {self.seed}.")
        if not 0 <= self.warm_up <= 1:
            raise UsageError(f"the warm-up is a share of the steps, 0 to 1, got {self.warm_up}.")
        if self.decay not in get_args(Decay) or self.precision not in get_args(TrainingPrecision):
            raise UsageError("a rate decays by cosine or linear; arithmetic is in float32 or bfloat16.")

    @property
    def decisive(self) -> dict[str, Json]:
        """What the result depends on: not how a training is cut up, nor how often it is kept."""
        return {name: value for name, value in asdict(self).items() if name not in FREE}

    def for_epochs(self, epochs: float, *, per_epoch: int) -> "JudgeRecipe":
        """The same for so many rounds through the data.

        Raises:
            UsageError: if that is not a step.
        """
        if not 0 < epochs < math.inf:
            raise UsageError(f"epochs are a number above 0, got {epochs}.")
        return replace(self, steps=max(1, round(epochs * per_epoch)))


def rate_at(step: int, recipe: JudgeRecipe) -> float:
    """The learning rate of a step, from 0 on.

    >>> recipe = JudgeRecipe(steps=100)
    >>> [f"{rate_at(step, recipe):.2g}" for step in (0, 4, 9, 10, 99)]
    ['5e-07', '2.5e-06', '5e-06', '5e-06', '5e-07']
    """
    rising = round(recipe.warm_up * recipe.steps)
    if step < rising:
        return recipe.rate * (step + 1) / rising
    done = (step - rising) / max(1, recipe.steps - rising - 1)
    left = 1 - done if recipe.decay == "linear" else 0.5 * (1 + math.cos(math.pi * done))
    return recipe.last_rate + (recipe.rate - recipe.last_rate) * left
