"""Protocols of planners, and the simplest ones."""

from collections.abc import Awaitable
from typing import Protocol, runtime_checkable

from aptone.errors import RecordError
from aptone.models import About
from aptone.run import Call
from aptone.types import Plan, Sample


class Unplanned:
    """Planner whose plans leave everything open."""

    about = About()

    @property
    def signature(self) -> str:
        """Always ``unplanned``."""
        return "unplanned"

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """Return a plan that asks for nothing."""
        return Plan("", source="unplanned")


class Planner(Protocol):
    """Planner: reads the story around a line and plans its delivery. Making one is cheap; weights load on first use."""

    @property
    def about(self) -> About:
        """Requirements and limits."""

    @property
    def signature(self) -> str:
        """Identity in the signature of a score."""

    def plan(self, sample: Sample, call: Call, /) -> Plan | Awaitable[Plan]:
        """Return the plan of a line; a plain method or a coroutine method."""


@runtime_checkable
class KeepingPlanner(Planner, Protocol):
    """Planner that can keep the plan that a sample brings."""

    @property
    def replans(self) -> bool:
        """True if it also plans samples that bring a plan."""


class ByHand:
    """Planner that returns the plan in the sample."""

    about = About()

    @property
    def signature(self) -> str:
        """Always ``by-hand``: the plan itself is part of the item."""
        return "by-hand"

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """Return the plan in the sample; raises `RecordError` if there is none."""
        if sample.plan is None:
            raise RecordError(
                f"{sample.id}: there is no plan, and this planner makes none. Give it as the record's field "
                '"plan" (or with --plan), for instance {"emotion": "calm", "rhythm": "relaxed"}.'
            )
        return sample.plan
