"""What a judge is."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from aptone.models import About
from aptone.run import Call
from aptone.types import Audio, Language, Outcome, Plan, Sample


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


@runtime_checkable
class TellingJudge(Judge, Protocol):
    """A judge that can give its reasons in another language than the story's; its scores stay what they are."""

    def told_in(self, language: Language, /) -> Judge:
        """The same judge, under the same signature, that tells its reasons in this language."""
        ...


@dataclass(frozen=True, slots=True)
class Hearing:
    """A clip that is ready to be judged.

    Args:
        audio: the clip.
        plan: how it should sound.
        sample: what it is a reading of.
        call: what may be used for it.
    """

    audio: Audio
    plan: Plan
    sample: Sample
    call: Call


@runtime_checkable
class BatchJudge(Judge, Protocol):
    """A judge that hears several clips at once; the verdict on one does not depend on the others."""

    batch_size: int
    """How many at most; 1 where it hears one after the other."""

    async def judge_batch(self, hearings: Sequence[Hearing], /) -> list[Outcome]:
        """The verdicts, in the order of the hearings.

        If one cannot be given, its reason is raised, but only when the others are through: what they brought is known
        to their calls, and judging each alone asks nothing twice.
        """
        ...
