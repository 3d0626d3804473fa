"""How a line should sound: what a planner is, and the simplest one."""

from collections.abc import Awaitable
from typing import Protocol, runtime_checkable

from aptone.errors import RecordError
from aptone.models import About
from aptone.run import Call
from aptone.types import Plan, Sample


class Unplanned:
    """Gives a plan that leaves everything open, without asking anybody."""

    about = About()

    @property
    def signature(self) -> str:
        """Always ``unplanned``."""
        return "unplanned"

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """A plan that asks for nothing."""
        return Plan("", source="unplanned")


class Planner(Protocol):
    """Reads the story around a line and says how the line should sound.

    Making one is cheap: what is heavy is loaded by the first plan.
    """

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
        ...

    @property
    def signature(self) -> str:
        """What identifies it in the signature of a score."""
        ...

    def plan(self, sample: Sample, call: Call, /) -> Plan | Awaitable[Plan]:
        """The plan of a line; a plain method or a coroutine method."""
        ...


@runtime_checkable
class KeepingPlanner(Planner, Protocol):
    """A planner that can leave a plan that a sample brings as it is."""

    @property
    def replans(self) -> bool:
        """Whether it plans such samples all the same."""
        ...


class ByHand:
    """Takes the plan that a person wrote into the sample."""

    about = About()

    @property
    def signature(self) -> str:
        """Always ``by-hand``: the plan itself is part of the item."""
        return "by-hand"

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        """The plan in the sample.

        Raises:
            RecordError: if there is none.
        """
        if sample.plan is None:
            raise RecordError(
                f"{sample.id}: there is no plan, and this planner makes none. Give it as the record's field "
                '"plan" (or with --plan), for instance {"emotion": "calm", "rhythm": "relaxed"}.'
            )
        return sample.plan
