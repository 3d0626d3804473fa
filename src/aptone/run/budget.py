"""When a run stops by itself."""

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits after which no new work is begun. What is under way is finished and journalled.

    Args:
        max_cost: of the whole run, earlier sessions included: money that is spent stays spent.
        max_items: to be worked on in this session.
        max_seconds: of this session.

    Raises:
        ValueError: if a limit is negative or NaN.
    """

    max_cost: float = math.inf
    max_items: int | None = None
    max_seconds: float = math.inf

    def __post_init__(self) -> None:
        if not self.max_cost >= 0 or not self.max_seconds >= 0 or (self.max_items is not None and self.max_items < 0):
            raise ValueError("the limits of a budget are not negative.")


@dataclass(slots=True)
class Spending:
    """What a session has used up so far.

    Args:
        budget: the limits.
        cost_before: what earlier sessions of the run have cost.
        cost: of this session.
        begun: items begun in this session.
        finished: items finished in this session.
    """

    budget: Budget
    cost_before: float = 0.0
    cost: float = 0.0
    begun: int = 0
    finished: int = 0

    def allowed(self, wanted: int, *, seconds: float) -> tuple[int, str]:
        """How many of the wanted items may be begun now, and the limit that stands against the rest.

        With a limit on cost, an item under way is expected to cost as much as the finished ones did on average; until
        one has finished, only one is begun. So the limit is overrun by no more than the spread of the costs.
        """
        budget = self.budget
        if seconds >= budget.max_seconds:
            return 0, f"--max-seconds {budget.max_seconds:g} reached"
        if budget.max_items is not None and self.begun + wanted > budget.max_items:
            return budget.max_items - self.begun, f"--max-items {budget.max_items} reached"
        if math.isinf(budget.max_cost):
            return wanted, ""
        left = budget.max_cost - self.cost_before - self.cost
        reached = f"--max-cost {budget.max_cost:g} reached"
        if left <= 0:
            return 0, reached
        under_way = self.begun - self.finished
        if not self.finished:
            return (0 if under_way else 1), reached
        mean = self.cost / self.finished
        affordable = wanted if mean == 0 else math.floor(left / mean) - under_way
        return max(0, min(wanted, affordable)), reached
