"""Decomposition of captions into atomic units."""

from dataclasses import dataclass
from typing import Protocol

from aptone.models import About
from aptone.rooms.caption.data import Unit
from aptone.run import Call
from aptone.types import Language


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A caption in its units.

    Args:
        units: each claim once, in the order of the caption.
        dropped: number of units whose evidence does not stand in the caption.
        problem: reason why the caption cannot be taken apart at all; empty where it can.
    """

    units: tuple[Unit, ...]
    dropped: int = 0
    problem: str = ""


class Decomposer(Protocol):
    """Takes captions apart."""

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        ...

    @property
    def signature(self) -> str:
        """Everything that its units depend on besides the caption."""
        ...

    async def decompose(self, caption: str, *, language: Language, call: Call) -> Decomposition:
        """The units of a caption that says something.

        Raises:
            TransientError: if another try may succeed.
            UnusableReplyError: if a model's replies cannot be read.
        """
        ...
