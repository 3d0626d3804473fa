"""A system that is a program on this machine: it reads one file and writes another."""

import errno
import os
import re
import shlex
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from aptone.audio.write import wav_bytes
from aptone.errors import TransientError, UnusableReplyError, UsageError
from aptone.messages import message
from aptone.run.http.keys import hide_environment_keys, holds_key
from aptone.run.system.limited import Limits, clean_environment, run_limited
from aptone.run.system.protocol import TIMEOUT, Asked, checked_answer, one_line
from aptone.types import Audio, signature

NOT_RUN = (126, 127)  # what shells end with when a command is no program, or is not there
SAME_FAILURES = 3  # failures alike at one question after which a program that has never answered counts as broken


@dataclass(slots=True)
class Failures:
    """Failures of a program so far."""

    _worked: bool = False
    _broken: str = ""
    _alike: dict[Asked, tuple[str, int]] = field(default_factory=dict)

    def forget(self) -> None:
        """It worked once, so it can work: from now on every failure may pass."""
        self._worked = True
        self._alike.clear()

    def error(self, asked: Asked, code: int, said: str) -> TransientError | UsageError:
        """Return the exception for a failure.

        Args:
            code: exit code of the program; negative for a signal.
            said: the last of what it said, alike for failures that are.
        """
        failure = f"the system failed with {code}: {said or 'it did not say why'}"
        if code in NOT_RUN:
            return UsageError(
                f"{failure}. That means that there is nothing to run. Next: check the command after --system, and what "
                "it starts, then type the same again."
            )
        if self._worked or code < 0:
            return TransientError(failure)
        before, times = self._alike.get(asked, ("", 0))
        times = times + 1 if before == failure else 1
        self._alike[asked] = failure, times
        if times < SAME_FAILURES and failure != self._broken:
            return TransientError(failure)
        self._broken = failure
        return UsageError(
            f"{failure}. It fails in the same way every time and has answered nothing yet, so it is not tried again. "
            "Next: fix the command after --system, then type the same again."
        )


_PLACES = ("input", "output", "dialogue", "turn")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_MOST_READ = 1 << 16  # bytes of its output: more than are shown, so that no part of a key is left at their beginning
_NO_ROOM = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM)


@dataclass(frozen=True, slots=True)
class CommandSystem:
    """A program on this machine.

    Args:
        command: command as typed, with ``{input}`` and ``{output}`` for the two files, and ``{dialogue}`` and
            ``{turn}`` where the program wants to know them.
        timeout: seconds for one answer.
        environment: names of environment variables that it gets besides the usual ones (`KEPT`).
        limits: its other limits.

    Raises:
        UsageError: if a placeholder is missing or unknown, the program or a variable is not there, or the command holds
            a key.
    """

    command: str
    timeout: float = TIMEOUT
    environment: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    _failures: Failures = field(default_factory=Failures, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if holds_key(self.command):
            raise UsageError(message("run.key-in-command"))
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise UsageError(f"--system {self.command[:80]!r}: cannot be split into words ({error}).") from error
        found = set(_PLACEHOLDER.findall(self.command))
        if missing := {"input", "output"} - found:
            raise UsageError(f"--system: where does {{{sorted(missing)[0]}}} stand in {self.command[:80]!r}?")
        if unknown := found - set(_PLACES):
            known = ", ".join(f"{{{name}}}" for name in _PLACES)
            raise UsageError(f"--system: {{{sorted(unknown)[0]}}} means nothing; known are {known}.")
        if shutil.which(words[0]) is None:
            raise UsageError(f"--system: there is no program {words[0]!r} on this machine; check the name or the path.")
        clean_environment(self.environment, Path())

    @property
    def signature(self) -> str:
        """The command as typed."""
        return signature("system", {"command": self.command})

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """None that we know of: what the program does is its own business."""
        return ()

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The file that the program writes; see `System.respond`."""
        with tempfile.TemporaryDirectory(prefix="aptone-", ignore_cleanup_errors=True) as folder:
            paths = {"input": Path(folder) / "question.wav", "output": Path(folder) / "answer.wav"}
            paths["input"].write_bytes(wav_bytes(question))
            filled = {
                **{name: str(path) for name, path in paths.items()},
                "dialogue": asked.name,
                "turn": str(asked.turn),
            }
            words = [_PLACEHOLDER.sub(lambda match: filled[match[1]], word) for word in shlex.split(self.command)]
            code, said = self._run(words, Path(folder))
            if code:
                raise self._failures.error(asked, code, said)
            self._failures.forget()
            if not paths["output"].exists():
                raise UnusableReplyError(message("run.system-wrote-no-answer"), raw_reply=said)
            return checked_answer(paths["output"], source="the system's answer", said=said)

    def _run(self, words: list[str], folder: Path) -> tuple[int, str]:
        """Run the program to its end; gives its code and the last of what it said. Its own children end with it.

        Raises:
            TransientError: if it passes a limit, or this machine has no room for it now.
            UsageError: if there is no such program, or it is none.
        """
        limits = replace(self.limits, seconds=self.timeout)
        try:
            ended = run_limited(
                words, environment=clean_environment(self.environment, folder), folder=folder, limits=limits
            )
        except OSError as error:
            problem = f"the system cannot be started ({error.strerror or error})"
            if error.errno in _NO_ROOM:
                raise TransientError(problem) from error
            raise UsageError(f"{problem}. Next: check {words[0]!r} in the command after --system.") from error
        if ended.passed:
            raise TransientError(ended.passed)
        said = ended.said.replace(os.fsencode(folder), b"").decode("utf-8", "replace")
        return ended.code, one_line(hide_environment_keys(said).encode())
