"""How much of a story is shown beside a line.

A window of a context size C holds the C lines before the target; where fewer stand before it, it is filled up with
later lines (CEAEval, appendix B). A planner may vote on windows of growing size: as the paper has them, filled up; or
as the public release has them, which grow backwards only and stop growing where the story begins. Or it reads one
window, the largest, without a vote (the paper's ablation, rows 3 and 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from aptone.errors import UsageError
from aptone.types import Line

LARGEST_WINDOW = 15
"""Lines in the longest window that CEAEval looks at."""

Voting = Literal["release", "paper", "one"]
"""Which windows a planner reads: those of the public release, those of the paper, or one without a vote."""


@dataclass(frozen=True, slots=True)
class Window:
    """Lines around a target, which itself is not among them.

    Args:
        before: the lines directly before it, in order.
        after: the lines directly after it, in order.
    """

    before: tuple[Line, ...] = ()
    after: tuple[Line, ...] = ()

    @property
    def size(self) -> int:
        """How many lines there are; 0 is context-free."""
        return len(self.before) + len(self.after)


def context_window(before: Sequence[Line], after: Sequence[Line], *, size: int) -> Window:
    """The window of a context size C: the C lines before the target.

    Where fewer than C lines stand before it, as many lines after it are added as are missing, so that there are C of
    them unless the whole story is shorter.

    >>> story = [Line(name) for name in "abXcde"]
    >>> window = context_window(story[:2], story[3:], size=4)
    >>> [line.text for line in window.before], [line.text for line in window.after]
    (['a', 'b'], ['c', 'd'])

    Args:
        before: all lines before the target.
        after: all lines after it.
        size: C; 0 is context-free.

    Raises:
        UsageError: if the size is negative.
    """
    checked_size(size)
    kept = tuple(before[max(0, len(before) - size) :])
    return Window(kept, tuple(after[: size - len(kept)]))


def voting_windows(
    before: Sequence[Line],
    after: Sequence[Line] = (),
    *,
    largest: int = LARGEST_WINDOW,
    voting: Voting = "release",
) -> tuple[Window, ...]:
    """The windows that a planner votes on, the shortest first.

    ``release``: the last 1, 2, … lines before the target; the one that covers the whole story before it is the last.
    ``paper``: windows of the sizes 1, 2, …, filled up with later lines where the story begins; the one that covers the
    whole story is the last. ``one``: the largest of these alone. Where there is nothing to show, or `largest` is 0,
    there is one window without lines, so that the line still gets a plan.

    >>> [window.size for window in voting_windows([Line("a"), Line("b"), Line("c")])]
    [1, 2, 3]
    >>> [len(window.after) for window in voting_windows([Line("a")], [Line("b"), Line("c")], voting="paper")]
    [0, 1, 2]
    >>> [window.size for window in voting_windows([Line("a"), Line("b")], voting="one")]
    [2]

    Args:
        before: all lines before the target.
        after: all lines after it.
        largest: lines in the longest window.
        voting: which windows.

    Raises:
        UsageError: if the largest window is negative, or there is no such way to vote.
    """
    checked_size(largest)
    checked_voting(voting)
    if voting == "one":
        return (context_window(before, after, size=largest),)
    there = len(before) + (len(after) if voting == "paper" else 0)
    longest = min(there, largest)
    if not longest:
        return (Window(),)
    if voting == "paper":
        return tuple(context_window(before, after, size=size) for size in range(1, longest + 1))
    return tuple(Window(tuple(before[len(before) - size :])) for size in range(1, longest + 1))


def checked_voting(voting: object) -> Voting:
    """A way to vote that can be used.

    Raises:
        UsageError: if there is none of that name.
    """
    for known in get_args(Voting):
        if voting == known:
            return known  # type: ignore[no-any-return]
    raise UsageError(f"voting is {', '.join(get_args(Voting)[:-1])} or {get_args(Voting)[-1]}, got {voting!r}.")


def checked_size(size: object) -> int:
    """A context size that can be used.

    Raises:
        UsageError: if it is not a whole number of 0 or more; options that users set may be anything.
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise UsageError(f"a context has 0 lines or more, got {size!r}.")
    return size
