"""Whether a program that failed is worth another try.

Most failures may pass: a GPU that is taken, a server that is not up yet. Two kinds do not. A shell ends with 126 or 127
where there is nothing to run. And a program that has never answered, and fails one question the same way time and
again, lacks a module or an option, not patience.
"""

from dataclasses import dataclass, field

from aptone.errors import TransientError, UsageError
from aptone.run.system.protocol import Asked

NOT_RUN = (126, 127)
"""What shells end with when a command is no program, or is not there."""

SAME_FAILURES = 3
"""Failures alike at one question after which a program that has never answered counts as broken."""


@dataclass(slots=True)
class Failures:
    """How a program has failed so far."""

    _worked: bool = False
    _broken: str = ""
    _alike: dict[Asked, tuple[str, int]] = field(default_factory=dict)

    def forget(self) -> None:
        """It worked once, so it can work: from now on every failure may pass."""
        self._worked = True
        self._alike.clear()

    def error(self, asked: Asked, code: int, said: str) -> TransientError | UsageError:
        """What to raise for a failure.

        Args:
            asked: the question.
            code: that the program ended with; negative for a signal.
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
            "Next: mend the command after --system, then type the same again."
        )
