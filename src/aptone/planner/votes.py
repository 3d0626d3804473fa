"""The vote of the windows: who wins, when that is certain, and how stable the plan is.

Every window has one vote for a whole plan (emotion, rhythm, intonation, recording condition: all four together). Most
votes win; of plans with equally many, the one that was seen at the longest window (CEAEval, appendix C).

A thrifty vote asks the longest window first and stops as soon as the outcome is certain. With r windows left, a plan
can gain r votes at most; a plan that nobody has named yet can gain r, and its longest window is shorter than all that
were asked. So the plan in front is certain to win if and only if no other can catch up with it under the rule for
ties.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from aptone.errors import UnusableReplyError
from aptone.messages import joined, message
from aptone.types import Intonation, NoVote, Plan, Rhythm, Vote

Choice = tuple[str, Rhythm, Intonation, str]
"""The four fields that are voted on together."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A plan in a vote; the greater of two is in front.

    Args:
        count: its votes.
        longest: the longest window that voted for it.
        choice: the plan.
    """

    count: int
    longest: int
    choice: Choice

    @property
    def rank(self) -> tuple[int, int]:
        """What decides: votes, then the longest window."""
        return self.count, self.longest


def standings(votes: Sequence[Vote]) -> list[Standing]:
    """Every plan that got a vote, the one in front first."""
    counts = Counter(vote.choice for vote in votes)
    longest: dict[Choice, int] = {}
    for vote in votes:
        longest[vote.choice] = max(vote.window, longest.get(vote.choice, vote.window))
    found = [Standing(count, longest[choice], choice) for choice, count in counts.items()]
    return sorted(found, key=lambda standing: standing.rank, reverse=True)


def winner(votes: Sequence[Vote]) -> Choice | None:
    """The plan with the most votes, of several the one that was seen at the longest window; ``None`` without votes."""
    ranked = standings(votes)
    return ranked[0].choice if ranked else None


def _is_certain(ranked: Sequence[Standing], *, left: int) -> bool:
    first, *others = ranked
    if left > first.count:  # a plan that nobody has named yet; with as many votes it would lose the tie
        return False
    return all((other.count + left, other.longest) < first.rank for other in others)


def next_windows(windows: Sequence[int], answers: Sequence[Vote | NoVote], *, thrifty: bool) -> tuple[int, ...]:
    """Which windows to ask next, all at once; none when the outcome is certain.

    A full vote asks all of them. A thrifty one asks, the longest first, only as many as it needs in the best case: if
    all of them agreed with the plan in front, the last one would settle it. So it asks exactly those windows that it
    would ask one by one, in a few rounds.

    >>> next_windows(range(1, 16), [], thrifty=True)
    (15, 14, 13, 12, 11, 10, 9, 8)

    Args:
        windows: sizes of all windows, in any order.
        answers: so far, in any order.
        thrifty: whether to stop as soon as the outcome is certain.
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
    """The plan that the windows voted for.

    Args:
        answers: of the windows that were asked.
        windows: how many there are.
        source: name of the planner.
        signature: of the planner.

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
    """How firm the vote is when windows up to one size are counted.

    Args:
        window: the longest window that is counted.
        choice: the plan that wins.
        share: of the votes, for that plan.
        entropy: of the votes in bits; 0 when all agree.
    """

    window: int
    choice: Choice
    share: float
    entropy: float


def stability(votes: Sequence[Vote]) -> tuple[Stability, ...]:
    """How firm the vote is at every window, the shortest first: does more context change the plan?"""
    in_order = sorted(votes, key=lambda vote: vote.window)
    return tuple(_stability(in_order[: end + 1]) for end in range(len(in_order)))


def _stability(votes: Sequence[Vote]) -> Stability:
    ranked = standings(votes)
    shares = [standing.count / len(votes) for standing in ranked]
    entropy = -math.fsum(share * math.log2(share) for share in shares) + 0.0
    return Stability(max(vote.window for vote in votes), ranked[0].choice, shares[0], entropy)
