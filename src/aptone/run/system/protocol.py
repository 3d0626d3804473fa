"""What a system under test is asked, and what every one of them can do."""

import re
from dataclasses import dataclass
from typing import Protocol

from aptone.types import Audio

TIMEOUT = 120.0
"""Seconds that a system may take for one answer unless told otherwise."""

RECORDED = "recorded"
"""Name of the system whose answers came with the questions, where others are to be compared with it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which recording a system is given.

    Args:
        dialogue: id of the dialogue, or of the single question.
        turn: number of the turn, from 1 on.
        of: how many turns the dialogue has.
    """

    dialogue: str
    turn: int = 1
    of: int = 1

    @property
    def name(self) -> str:
        """A name for a file: letters, digits, dots and hyphens only, so that no id can lead elsewhere.

        >>> Asked("../évil id", turn=2).name
        'évil_id-2'
        """
        plain = re.sub(r"[^\w.-]+", "_", self.dialogue).strip("._")[:80]
        return f"{plain or 'dialogue'}-{self.turn}"


class System(Protocol):
    """What answers a recording with a recording."""

    @property
    def signature(self) -> str:
        """What it is, in the signature of scores."""
        ...

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """Machines that receive recordings; empty when they stay on this one."""
        ...

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The answer to a recording.

        Raises:
            TransientError: if another try may succeed.
            UnusableReplyError: if it answered, but not with a usable recording.
            AptoneError: if no try will succeed.
        """
        ...
