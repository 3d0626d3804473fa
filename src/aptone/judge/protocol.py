"""Protocols of judges."""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from aptone.models import About
from aptone.run import Call
from aptone.types import Audio, Language, Outcome, Plan, Sample


class Judge(Protocol):
    """Judge: scores a clip against its plan. Making one is cheap; weights are loaded by the first verdict."""

    @property
    def about(self) -> About:
        """Requirements and limits."""

    @property
    def signature(self) -> str:
        """Identity in the signature of a score."""

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome | Awaitable[Outcome]:
        """Return the verdict on a clip; a plain method or a coroutine method."""


@runtime_checkable
class MultilingualJudge(Judge, Protocol):
    """Judge that can write rationales in another language than the story's; its scores are the same."""

    def with_language(self, language: Language, /) -> Judge:
        """Return the same judge, under the same signature, with rationales in this language."""


@dataclass(frozen=True, slots=True)
class Hearing:
    """Clip that is ready to be judged."""

    audio: Audio
    plan: Plan
    sample: Sample
    call: Call


@runtime_checkable
class BatchJudge(Judge, Protocol):
    """Judge that takes several clips at once; the verdict on one does not depend on the others."""

    batch_size: int
    """Largest number of clips in a batch; 1 for one after the other."""

    async def judge_batch(self, hearings: Sequence[Hearing], /) -> list[Outcome]:
        """Return the verdicts, in the order of the hearings.

        If one cannot be given, its error is raised after the others are done; their calls keep the replies, so that
        judging each alone repeats no request.
        """
