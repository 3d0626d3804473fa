"""What a reply of a judge is worth in reinforcement learning: CEAEval's equations 3 and 4.

r(ŝ, s) = exp(-|ŝ - s| / σ) + exp(-|b(ŝ) - b(s)|),   b(s) = min(5, max(0, ⌊s⌋))

with ŝ the score in the reply and s the score that people gave. The first part falls with the distance, the second with
the whole numbers between the two: 2.9 and 3.1 are close, yet on different sides of a step of the scale.

A reply whose score cannot be read, by the very reader that judges are read with (`aptone.judge.chat.verdict`), is worth
0. That is the lowest a reward can come to: both parts are positive, and within the scale no reply earns less than
exp(-5/σ) + exp(-5), 0.0135 with σ = 1. So the worst legible score is still better than none, and not by much. The same
holds for a reply that was cut off before its end, since a judge's is refused then, whatever it says.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from aptone.errors import UnusableReplyError
from aptone.judge.chat.verdict import read_verdict

SIGMA = 1.0
"""The paper's σ."""
UNREADABLE = 0.0
"""What a reply without a readable score is worth."""
HIGHEST_BIN = 5
CUT = "the reply is not whole: stopped before its end"


@dataclass(frozen=True, slots=True)
class Reward:
    """What one reply is worth.

    Args:
        value: from 0 to 2, more is better.
        score: that the reply gives; NaN where none can be read.
        problem: why none can be read; empty where one can.
        reasons: whether the reply says why it gives that score.
    """

    value: float
    score: float = math.nan
    problem: str = ""
    reasons: bool = False

    @property
    def readable(self) -> bool:
        """Whether the reply gives a score."""
        return not self.problem


def score_bin(score: float) -> int:
    """The whole number that a score lies above, within 0 to 5 (equation 4).

    >>> [score_bin(score) for score in (-0.5, 0.9, 3.0, 4.99, 5.0, 7.2)]
    [0, 0, 3, 4, 5, 5]

    Raises:
        ValueError: if the score is NaN or infinite.
    """
    if not math.isfinite(score):
        raise ValueError(f"a score is a finite number, got {score}.")
    return min(HIGHEST_BIN, max(0, math.floor(score)))


def score_reward(given: float, truth: float, *, sigma: float = SIGMA) -> float:
    """What a score is worth where people gave another (equation 3), above 0 and up to 2.

    >>> score_reward(4.0, 4.0)
    2.0
    >>> round(score_reward(2.5, 3.5), 4)
    0.7358

    Raises:
        ValueError: if a score is NaN or infinite, or σ is not positive.
    """
    if not 0.0 < sigma < math.inf:
        raise ValueError(f"sigma is positive, got {sigma}.")
    steps = abs(score_bin(given) - score_bin(truth))
    return math.exp(-abs(given - truth) / sigma) + math.exp(-steps)


def reply_reward(
    reply: str, truth: float, *, shown: Iterable[str] = (), whole: bool = True, sigma: float = SIGMA
) -> Reward:
    """What a reply is worth.

    Args:
        reply: as the model wrote it.
        truth: the score that people gave.
        shown: what the model read and people wrote; a score that stands there is not the model's own.
        whole: whether the model ended it itself.
        sigma: of the distance.

    >>> reply_reward("<think>Flat, as planned.</think><score>4.0</score>", 4.0).value
    2.0
    >>> reply_reward("Four out of five.", 4.0)
    Reward(value=0.0, score=nan, problem='the reply has no score tag', reasons=False)

    Raises:
        ValueError: if the truth is NaN or infinite, or σ is not positive.
    """
    if not whole:
        return Reward(UNREADABLE, problem=CUT)
    try:
        verdict = read_verdict(reply, shown=shown)
    except UnusableReplyError as error:
        return Reward(UNREADABLE, problem=error.reason)
    worth = score_reward(verdict.value, truth, sigma=sigma)
    return Reward(worth, verdict.value, reasons=bool(verdict.rationale))
