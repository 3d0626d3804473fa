"""How a line should sound."""

from aptone.planner.planner import ByHand, Planner

__all__ = ["ByHand", "Planner"]
