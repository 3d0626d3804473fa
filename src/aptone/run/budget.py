"""Limits on the cost, items and time of a run."""

import math
from dataclasses import dataclass

from aptone.messages import message

_ROUNDING = 1e-9  # ten items at 0.1 each fit into 1.0, although the floats do not add up to it
_MANY = 1e15  # no division by a tiny mean may give what no whole number holds


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits after which no new work is begun. What is under way is finished and journalled.

    Args:
        max_cost: highest cost of the whole run, earlier sessions included: money that is spent stays spent.
        max_items: most items of this session.
        max_seconds: longest time of this session.

    Raises:
        ValueError: if a limit is negative or NaN.
    """

    max_cost: float = math.inf
    max_items: int | None = None
    max_seconds: float = math.inf

    def __post_init__(self) -> None:
        if not self.max_cost >= 0 or not self.max_seconds >= 0 or (self.max_items is not None and self.max_items < 0):
            raise ValueError("the limits of a budget are not negative.")


def countable(cost: float) -> float:
    """A cost as far as it can be added up: one that is undefined, infinite or negative does not count."""
    return cost if 0.0 <= cost < math.inf else 0.0


@dataclass(slots=True)
class Spending:
    """Consumption of a session so far.

    Args:
        budget: the limits.
        cost_before: cost of earlier sessions of the run.
        paid_before: items of earlier sessions that cost anything.
        cost: cost of this session.
        paid: items finished in this session that cost anything.
        begun: items begun in this session.
        finished: items finished in this session.
    """

    budget: Budget
    cost_before: float = 0.0
    paid_before: int = 0
    cost: float = 0.0
    paid: int = 0
    begun: int = 0
    finished: int = 0

    def allowed(self, wanted: int, *, seconds: float) -> tuple[int, str]:
        """Return how many of the wanted items may begin now, and the limit that stops the rest.

        With a limit on cost, an item under way is expected to cost as much as those did on average that cost anything
        (replies from the cache do not); until one has, items are begun one by one. So the limit is overrun by no more
        than the spread of the costs.
        """
        budget = self.budget
        if seconds >= budget.max_seconds:
            return 0, message("run.max-seconds-reached", limit=budget.max_seconds)
        limits = [(wanted, "")]
        if budget.max_items is not None:
            limits.append((budget.max_items - self.begun, message("run.max-items-reached", limit=budget.max_items)))
        if not math.isinf(budget.max_cost):
            limits.append((self._affordable(), message("run.max-cost-reached", limit=budget.max_cost)))
        return min(limits, key=lambda limit: limit[0])

    def _affordable(self) -> int:
        left = self.budget.max_cost - self.cost_before - self.cost
        if left <= 0:
            return 0
        under_way = self.begun - self.finished
        paid = self.paid_before + self.paid
        if not paid:
            return 0 if under_way else 1
        mean = (self.cost_before + self.cost) / paid
        affordable = min(left / mean, _MANY) if mean > 0 else _MANY
        return max(0, math.floor(affordable + _ROUNDING) - under_way)
