"""Reward of a judge's reply in GRPO: CEAEval's equations 3 and 4.

r(ŝ, s) = exp(-|ŝ - s| / σ) + exp(-|b(ŝ) - b(s)|),   b(s) = min(5, max(0, ⌊s⌋))

with ŝ the score in the reply and s the score by people. The first term falls with the distance, the second with the
whole numbers between the two: 2.9 and 3.1 are close, yet on different sides of a step of the scale.

A reply whose score cannot be parsed, by the parser of all judges (`aptone.judge.chat.verdict`), has reward 0. That is
the lower bound: both terms are positive, and within the scale no reply gets less than exp(-5/σ) + exp(-5), 0.0135 with
σ = 1. So the worst legible score is still better than none, and not by much. The same holds for a truncated reply,
since that of a judge is refused then, whatever it contains.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from aptone.errors import UnusableReplyError
from aptone.judge.chat.verdict import read_verdict

SIGMA = 1.0
"""The paper's σ."""
UNREADABLE = 0.0
"""Reward of a reply without a readable score."""
HIGHEST_BIN = 5
CUT = "the reply is not whole: stopped before its end"


@dataclass(frozen=True, slots=True)
class Reward:
    """Reward of one reply.

    Args:
        value: reward from 0 to 2, higher is better.
        score: score in the reply; NaN if none can be parsed.
        problem: reason why none can be parsed; empty otherwise.
        reasons: true if the reply gives reasons for its score.
    """

    value: float
    score: float = math.nan
    problem: str = ""
    reasons: bool = False

    @property
    def readable(self) -> bool:
        """True if the reply gives a score."""
        return not self.problem


def score_bin(score: float) -> int:
    """Return the floor of a score, within 0 to 5 (equation 4).

    >>> [score_bin(score) for score in (-0.5, 0.9, 3.0, 4.99, 5.0, 7.2)]
    [0, 0, 3, 4, 5, 5]

    Raises:
        ValueError: if the score is NaN or infinite.
    """
    if not math.isfinite(score):
        raise ValueError(f"a score is a finite number, got {score}.")
    return min(HIGHEST_BIN, max(0, math.floor(score)))


def score_reward(given: float, truth: float, *, sigma: float = SIGMA) -> float:
    """Return the reward of a score (equation 3), above 0 and up to 2.

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
    """Return the reward of a reply.

    Args:
        shown: text of users in the prompt; a score in it is not the model's own.
        whole: true if the model ended the reply itself.

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
