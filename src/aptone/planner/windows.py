"""How much of a story is shown beside a line.

Two rules, both of CEAEval. What a judge reads is a window of a fixed size that fills up with later lines where a story
begins (appendix B). What a planner votes on are windows that grow backwards only, and stop growing where the story
begins (the public release).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aptone.errors import UsageError
from aptone.types import Line

LARGEST_WINDOW = 15
"""Lines in the longest window that CEAEval looks at."""


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


def voting_windows(before: Sequence[Line], *, largest: int = LARGEST_WINDOW) -> tuple[Window, ...]:
    """The windows that a planner votes on, the shortest first: the last 1, 2, … lines before the target.

    A window that covers the whole story before the target is the last one. Where there is nothing before it, or
    `largest` is 0, there is one window without lines, so that the line still gets a plan.

    >>> [window.size for window in voting_windows([Line("a"), Line("b"), Line("c")])]
    [1, 2, 3]

    Args:
        before: all lines before the target.
        largest: lines in the longest window.

    Raises:
        UsageError: if the largest window is negative.
    """
    checked_size(largest)
    longest = min(len(before), largest)
    first = len(before) - longest
    sizes = range(1, longest + 1) if longest else range(1)
    return tuple(Window(tuple(before[first + longest - size :])) for size in sizes)


def checked_size(size: object) -> int:
    """A context size that can be used.

    Raises:
        UsageError: if it is not a whole number of 0 or more; options that users set may be anything.
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise UsageError(f"a context has 0 lines or more, got {size!r}.")
    return size
