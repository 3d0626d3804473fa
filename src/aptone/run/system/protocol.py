"""Protocol of systems under test, and checks of their answers."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from aptone.audio import read
from aptone.errors import AudioError, UnusableReplyError
from aptone.messages import message, replaced
from aptone.types import Audio

LONGEST_ANSWER = 600.0  # seconds of sound beyond which an answer is not one turn of a talk
LARGEST_ANSWER = 128 << 20  # bytes of an answer beyond which it is not read
_SHOWN = 300
MOST_BYTES_SHOWN = 4 * _SHOWN  # bytes of what a program or server said that `one_line` can make use of


def checked_answer(path: Path, *, source: str, said: str = "") -> Audio:
    """Read the answer of a system, if it is a recording that can be used; `said` is its other output.

    Raises:
        UnusableReplyError: if it is too large, too long, or no recording.
    """
    refuse_large(path.stat().st_size, said=said)
    try:
        audio = read(path, rate=None, channel="mix", max_seconds=LONGEST_ANSWER)
    except AudioError as error:
        problem = replaced(str(error), str(path), message("run.it"))
        raise UnusableReplyError(message("run.not-usable-recording", why=problem), raw_reply=said) from error
    return Audio(audio.samples, rate=audio.rate, source=source)


def refuse_large(size: int, *, said: str = "") -> None:
    """Make sure that so many bytes may be an answer; raises `UnusableReplyError` if they are too many."""
    if size > LARGEST_ANSWER:
        raise UnusableReplyError(message("run.answer-too-large", size=LARGEST_ANSWER >> 20), raw_reply=said)


def one_line(data: bytes) -> str:
    """Return the output of a program or server, short, on one line, without terminal control characters."""
    text = data.decode("utf-8", "replace")
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())[-_SHOWN:]


TIMEOUT = 120.0
"""Seconds that a system may take for one answer unless told otherwise."""

RECORDED = "recorded"
"""Name of the system whose answers came with the questions, where others are to be compared with it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Position of a recording: id of the dialogue, or of the single question, and number of the turn, from 1 on."""

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
    """System under test: answers a recording with a recording."""

    @property
    def signature(self) -> str:
        """Name and version of the system, for the signature of scores."""

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """Machines that receive recordings; empty when they stay on this one."""

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The answer to a recording.

        Raises:
            TransientError: if another try may succeed.
            UnusableReplyError: if it answered, but not with a usable recording.
            AptoneError: if no try will succeed.
        """
