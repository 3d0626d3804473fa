"""Windows of a story and their vote: the winner, when it is certain, and the stability of the plan.

Every window has one vote for a whole plan (emotion, rhythm, intonation, recording condition: all four together). Most
votes win; of plans with equally many, the one with the longest window (CEAEval, appendix C).

A thrifty vote asks the longest window first and stops as soon as the outcome is certain. With r windows left, a plan
can gain at most r votes, and a new plan's longest window is shorter than all that were asked. So the leading plan is
certain to win if and only if no other can catch up with it under the rule for ties.

Votes are normalised, so that different spellings are one. Rhythm and intonation are closed sets and know their own
spellings. Emotion and recording condition are free text: a synonym of a member of `Emotion` or `RecordingCondition`
becomes that member's name in the language of the story; of the rest, case, width, punctuation and spacing are
normalised.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from aptone.errors import UnusableReplyError, UsageError
from aptone.messages import joined, message
from aptone.types import Intonation, Line, NoVote, Plan, Rhythm, Vote

LARGEST_WINDOW = 15
"""Lines in the longest window of CEAEval."""

Voting = Literal["release", "paper", "one"]
"""Windows that a planner reads: those of the public release, those of the paper, or one without a vote."""


@dataclass(frozen=True, slots=True)
class Window:
    """Lines around a target, without the target."""

    before: tuple[Line, ...] = ()
    after: tuple[Line, ...] = ()

    @property
    def size(self) -> int:
        """Number of lines; 0 is context-free."""
        return len(self.before) + len(self.after)


def context_window(before: Sequence[Line], after: Sequence[Line], *, size: int) -> Window:
    """Return the window of context size C: the C lines before the target, filled up with lines after it.

    >>> story = [Line(name) for name in "abXcde"]
    >>> window = context_window(story[:2], story[3:], size=4)
    >>> [line.text for line in window.before], [line.text for line in window.after]
    (['a', 'b'], ['c', 'd'])

    Args:
        size: C; 0 is context-free.

    Raises:
        UsageError: if the size is negative.
    """
    checked_size(size)
    kept = tuple(before[max(0, len(before) - size) :])
    return Window(kept, tuple(after[: size - len(kept)]))


def voting_windows(
    before: Sequence[Line], after: Sequence[Line] = (), *, largest: int = LARGEST_WINDOW, voting: Voting = "release"
) -> tuple[Window, ...]:
    """Return the windows that a planner votes on, the shortest first.

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
    """Check a way to vote; raises `UsageError` if there is none of that name."""
    for known in get_args(Voting):
        if voting == known:
            return known  # type: ignore[no-any-return]
    raise UsageError(f"voting is {', '.join(get_args(Voting)[:-1])} or {get_args(Voting)[-1]}, got {voting!r}.")


def checked_size(size: object) -> int:
    """Check a context size.

    Raises:
        UsageError: if it is not a whole number of 0 or more; options that users set may be anything.
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 0:
        raise UsageError(f"a context has 0 lines or more, got {size!r}.")
    return size


Choice = tuple[str, Rhythm, Intonation, str]
"""Four fields that are voted on together."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Plan in a vote, its votes and the longest window among them; the greater of two leads."""

    count: int
    longest: int
    choice: Choice

    @property
    def rank(self) -> tuple[int, int]:
        """Sort key: votes, then the longest window."""
        return self.count, self.longest


def standings(votes: Sequence[Vote]) -> list[Standing]:
    """Return every plan with a vote, the leading one first."""
    counts = Counter(vote.choice for vote in votes)
    longest: dict[Choice, int] = {}
    for vote in votes:
        longest[vote.choice] = max(vote.window, longest.get(vote.choice, vote.window))
    found = [Standing(count, longest[choice], choice) for choice, count in counts.items()]
    return sorted(found, key=lambda standing: standing.rank, reverse=True)


def winner(votes: Sequence[Vote]) -> Choice | None:
    """Return the plan with the most votes, of several the one with the longest window; ``None`` without votes."""
    ranked = standings(votes)
    return ranked[0].choice if ranked else None


def _is_certain(ranked: Sequence[Standing], *, left: int) -> bool:
    first, *others = ranked
    if left > first.count:  # a plan that nobody has named yet; with as many votes it would lose the tie
        return False
    return all((other.count + left, other.longest) < first.rank for other in others)


def next_windows(windows: Sequence[int], answers: Sequence[Vote | NoVote], *, thrifty: bool) -> tuple[int, ...]:
    """Return the windows to ask next, all at once; none when the outcome is certain.

    A full vote asks all of them. A thrifty one asks, the longest first, as many as it needs in the best case, in which
    all agree with the leading plan. So it asks the same windows as one by one, in a few rounds.

    >>> next_windows(range(1, 16), [], thrifty=True)
    (15, 14, 13, 12, 11, 10, 9, 8)
    """
    answered = {answer.window for answer in answers}
    left = sorted(set(windows) - answered, reverse=True)
    if not thrifty:
        return tuple(left)
    ranked = standings([answer for answer in answers if isinstance(answer, Vote)])
    for asked in range(len(left)):
        if ranked and _is_certain(_with_more_votes(ranked, asked), left=len(left) - asked):
            return tuple(left[:asked])
        if not ranked and asked >= len(left) - asked:  # all for a plan that nobody has named yet
            return tuple(left[:asked])
    return tuple(left)


def _with_more_votes(ranked: Sequence[Standing], votes: int) -> list[Standing]:
    first, *others = ranked
    return [Standing(first.count + votes, first.longest, first.choice), *others]


def elected_plan(answers: Sequence[Vote | NoVote], *, windows: int, source: str, signature: str) -> Plan:
    """Return the plan that the windows voted for.

    Raises:
        UnusableReplyError: if there is no vote at all; with the reasons.
    """
    votes = tuple(sorted((answer for answer in answers if isinstance(answer, Vote)), key=lambda vote: vote.window))
    silent = tuple(sorted((answer for answer in answers if isinstance(answer, NoVote)), key=lambda vote: vote.window))
    elected = winner(votes)
    if elected is None:
        reasons = joined(dict.fromkeys(answer.reason for answer in silent), "text.space")
        raise UnusableReplyError(message("planner.no-window-gave-plan", why=reasons), raw_reply="")
    emotion, rhythm, intonation, condition = elected
    return Plan(
        emotion=emotion,
        rhythm=rhythm,
        intonation=intonation,
        recording_condition=condition,
        votes=votes,
        no_votes=silent,
        windows=windows,
        source=source,
        signature=signature,
    )


@dataclass(frozen=True, slots=True)
class Stability:
    """Stability of the vote over windows up to one size.

    Args:
        window: longest window that is counted.
        entropy: entropy of the votes in bits; 0 when all agree.
    """

    window: int
    choice: Choice
    share: float
    entropy: float


def stability(votes: Sequence[Vote]) -> tuple[Stability, ...]:
    """Return the stability of the vote at every window, the shortest first: does more context change the plan?"""
    in_order = sorted(votes, key=lambda vote: vote.window)
    return tuple(_stability(in_order[: end + 1]) for end in range(len(in_order)))


def _stability(votes: Sequence[Vote]) -> Stability:
    ranked = standings(votes)
    shares = [standing.count / len(votes) for standing in ranked]
    entropy = -math.fsum(share * math.log2(share) for share in shares) + 0.0
    return Stability(max(vote.window for vote in votes), ranked[0].choice, shares[0], entropy)
