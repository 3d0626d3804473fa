"""How a line should sound."""

from aptone.planner.chat.planner import ChatPlanner
from aptone.planner.protocol import ByHand, KeepingPlanner, Planner
from aptone.planner.votes import Stability, elected_plan, next_windows, stability, winner
from aptone.planner.windows import LARGEST_WINDOW, Window, context_window, voting_windows

__all__ = [
    "LARGEST_WINDOW",
    "ByHand",
    "ChatPlanner",
    "KeepingPlanner",
    "Planner",
    "Stability",
    "Window",
    "context_window",
    "elected_plan",
    "next_windows",
    "stability",
    "voting_windows",
    "winner",
]
