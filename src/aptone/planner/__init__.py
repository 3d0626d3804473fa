"""Planners: the intended delivery of a line, from the story around it."""

from aptone.planner.chat.planner import ChatPlanner
from aptone.planner.protocol import ByHand, KeepingPlanner, Planner
from aptone.planner.votes import (
    LARGEST_WINDOW,
    Stability,
    Window,
    context_window,
    elected_plan,
    next_windows,
    stability,
    voting_windows,
    winner,
)

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
