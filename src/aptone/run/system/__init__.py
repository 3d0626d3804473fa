"""A system under test: what it is given is a recording, what it answers is one.

Three kinds, chosen by how the system is written:

- ``http://…`` or ``https://…``: every recording is posted as a wav file, the answer is the body of the reply;
- a command with ``{input}`` and ``{output}`` in it: a program that reads one file and writes another, started without a
  shell, under limits (`aptone.run.system.limited`);
- a folder: answers that are there already, as ``<dialogue>/<turn>.wav``, or ``<dialogue>.wav`` for a single turn.

What comes back is a stranger's: it has to be a readable recording of limited length, and nothing else of it is used.
Nothing is tried again here. A time-out, a crash or a busy server is a `TransientError`, for which the runner tries
again; a command that is broken (see `aptone.run.system.command`) is a `UsageError`, for which it does not; a
recording that cannot be used is an `UnusableReplyError`, so that the item is unscored and says why.
"""

import contextlib
import hashlib
import math
import re
from dataclasses import dataclass
from pathlib import Path

from aptone.audio import RECORDINGS, write
from aptone.errors import AudioError, UsageError
from aptone.files import file_hash
from aptone.messages import message
from aptone.run.system.command import CommandSystem
from aptone.run.system.http import KEY_VARIABLE, ServedSystem
from aptone.run.system.limited import Limits
from aptone.run.system.protocol import RECORDED, TIMEOUT, Asked, System, checked_answer
from aptone.types import Audio, AudioRef, signature

__all__ = [
    "KEY_VARIABLE",
    "RECORDED",
    "TIMEOUT",
    "Asked",
    "CommandSystem",
    "FolderSystem",
    "Limits",
    "ServedSystem",
    "System",
    "kept_answer",
    "make_system",
    "ready_answer_hash",
]


@dataclass(frozen=True, slots=True)
class FolderSystem:
    """Answers that are there already.

    Args:
        folder: folder with ``<dialogue>/<turn>.wav`` (or another format), or ``<dialogue>.wav`` for a single turn.
    """

    folder: Path

    @property
    def signature(self) -> str:
        """The name of the folder."""
        return signature("system", {"answers": self.folder.resolve().name})

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """None."""
        return ()

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The file of this turn; see `System.respond`."""
        path = self.find(asked)
        return checked_answer(path, source=str(path))

    def find(self, asked: Asked) -> Path:
        """The file of this turn; raises `AudioError` if there is none."""
        root = self.folder.resolve()
        stems = [root / asked.dialogue / str(asked.turn), root / f"{asked.dialogue}_{asked.turn}"]
        if asked.of == 1:
            stems.append(root / asked.dialogue)
        for path in (Path(f"{stem}{ending}") for stem in stems for ending in RECORDINGS):
            with contextlib.suppress(OSError):  # an id that is no name of a file is the id of no answer
                if path.is_file() and path.resolve().is_relative_to(root):
                    return path
        expected = f"{asked.dialogue}/{asked.turn}.wav" + (f", or {asked.dialogue}.wav" if asked.of == 1 else "")
        named = {"folder": self.folder, "turn": asked.turn, "dialogue": repr(asked.dialogue)}
        raise AudioError(message("run.no-answer-to-turn", **named, expected=expected))


def kept_answer(system: System, question: Audio, asked: Asked, *, folder: Path) -> AudioRef:
    """The answer of a system as a file: from the folder where it is kept already, else asked for and kept there.

    So a run that is resumed asks only for what is missing. Answers that lie in a folder of their own stay there.

    Raises:
        TransientError: as `System.respond`, and its other errors.
    """
    if isinstance(system, FolderSystem):
        return _known(system.find(asked))
    asked_for = "\n".join((system.signature, question.hash, asked.dialogue, str(asked.turn)))
    path = folder / f"{asked.name}-{hashlib.sha256(asked_for.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}.wav"
    if not path.exists():
        answer = system.respond(question, asked)
        folder.mkdir(parents=True, exist_ok=True)
        write(path, answer, bits=32)  # what a system says may lie beyond full scale, and is kept as it came
    return _known(path)


def _known(path: Path) -> AudioRef:
    """A recording by its bytes, too, so that it is known again where the run was moved to."""
    return AudioRef(str(path.absolute()), sha256=file_hash(path))


def ready_answer_hash(system: System | None, asked: Asked) -> str:
    """The hash of an answer that lies in a folder already; empty where a system is yet to give it, or it is missing.

    A run that is resumed knows by it that an answer was replaced.
    """
    if not isinstance(system, FolderSystem):
        return ""
    try:
        return file_hash(system.find(asked))
    except AudioError:
        return ""


def make_system(
    text: str, *, timeout: float = TIMEOUT, environment: tuple[str, ...] = (), limits: Limits | None = None
) -> System:
    """The system by an address, a command with ``{input}`` and ``{output}``, or a folder; else raises `UsageError`.

    Args:
        environment: for a command: names of environment variables that it gets besides the usual ones.
        limits: for a command: its limits besides the time-out.
    """
    if not 0 < timeout < math.inf:
        raise UsageError(f"a time-out is a positive number of seconds, got {timeout}.")
    if re.match(r"https?://", text, re.IGNORECASE):
        return ServedSystem(text, timeout=timeout)
    if "{input}" in text or "{output}" in text:
        return CommandSystem(text, timeout=timeout, environment=environment, limits=limits or Limits())
    if Path(text).is_dir():
        return FolderSystem(Path(text))
    raise UsageError(
        f"{text[:80]!r} is no system: expected an address (http://…), a command with {{input}} and {{output}} in it, "
        "or a folder of answers, and there is no folder of that name."
    )
