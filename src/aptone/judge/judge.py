"""What a judge is."""

from collections.abc import Awaitable
from typing import Protocol

from aptone.models import About
from aptone.run import Call
from aptone.types import Audio, Outcome, Plan, Sample


class Judge(Protocol):
    """Listens to a clip and says how well it does what the plan asks for.

    Making one is cheap: what is heavy is loaded by the first verdict.
    """

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
        ...

    @property
    def signature(self) -> str:
        """What identifies it in the signature of a score."""
        ...

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome | Awaitable[Outcome]:
        """The verdict on a clip; a plain method or a coroutine method."""
        ...
