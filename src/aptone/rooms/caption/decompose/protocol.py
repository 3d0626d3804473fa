"""What takes a caption apart into atomic units."""

from dataclasses import dataclass
from typing import Protocol

from aptone.ear.describe import Attribute, Music
from aptone.models import About
from aptone.rooms.caption.data import Unit
from aptone.run import Call
from aptone.types import ClosedSet, Language


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A caption in its units.

    Args:
        units: each claim once, in the order of the caption.
        dropped: how many were given whose evidence does not stand in the caption.
        problem: why the caption cannot be taken apart at all; empty where it can.
    """

    units: tuple[Unit, ...]
    dropped: int = 0
    problem: str = ""


def plainly(attribute: Attribute, value: ClosedSet, *, is_denied: bool) -> tuple[ClosedSet, bool]:
    """A claim without its denial, where that says the same: music that is not present is absent.

    >>> value, is_denied = plainly("music", Music.PRESENT, is_denied=True)
    >>> str(value), is_denied
    ('absent', False)
    """
    if attribute == "music" and is_denied:
        return (Music.ABSENT if value is Music.PRESENT else Music.PRESENT), False
    return value, is_denied


class Decomposer(Protocol):
    """Takes captions apart."""

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
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
