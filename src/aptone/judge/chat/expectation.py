"""Expected score of a verdict, by the probabilities that the model gave to the tokens of its number.

A judge that wavers between 3.4 and 3.8 writes one of them; the mean over what it might have written is finer, and equal
takes tie less often (Liu et al., *G-Eval*, EMNLP 2023). The digits are taken for independent of each other: with p_i(a)
the probability of the token a in the place of the i-th token of the number, renormalised over the tokens that leave a
score there, and v(i, a) the score that is then written::

    expected = written + Σ_i (Σ_a p_i(a) · v(i, a) - written)
"""

from collections.abc import Sequence
from dataclasses import replace

from aptone.judge.chat.verdict import RANGE, WELL_FORMED, Verdict
from aptone.models.chat import Token
from aptone.types import Json

LOGPROBS = "logprobs"
"""Key of the evidence: the score as it was written, the expected one, and the share of probability that it rests on."""


def by_expectation(verdict: Verdict, tokens: Sequence[Token]) -> tuple[Verdict, dict[str, Json]]:
    """Return a verdict with the expected score in place of the written one, and both of them.

    Where the tokens do not hold the number that was written, or there are none, the verdict stays as it is, and nothing
    is said of an expectation.
    """
    found = expected_score(tokens, written=verdict.value)
    if found is None:
        return verdict, {"written": verdict.value}
    value, share = found
    return replace(verdict, value=value), {"written": verdict.value, "expected": value, "share": share}


def expected_score(tokens: Sequence[Token], *, written: float) -> tuple[float, float] | None:
    """Return the expected score, and the least share of probability over the tokens of the number that it rests on.

    >>> last = Token("5", {"5": 0.5, "0": 0.25, "x": 0.25})
    >>> number = [Token("3", {"3": 0.6, "4": 0.4}), Token(".", {".": 1.0}), last]
    >>> tokens = [Token("<score>", {}), *number, Token("</score>", {})]
    >>> value, share = expected_score(tokens, written=3.5)  # 3.5 + 0.4 · 1 - 1/3 · 0.5
    >>> round(value, 4), round(share, 4)
    (3.7333, 0.75)
    """
    text = "".join(token.text for token in tokens)
    matches = list(WELL_FORMED.finditer(text))
    if not matches or float(matches[-1][2]) != written:
        return None
    tag = matches[-1]
    first, last = tag.span(2)
    value, share, start = written, 1.0, 0
    for token in tokens:
        end = start + len(token.text)
        if start < last and end > first:
            likely: dict[float, float] = {}
            for other, probability in token.likely.items():
                changed = WELL_FORMED.match(text[:start] + other + text[end:], tag.start())
                if changed is not None and float(changed[2]) < RANGE[1] + 1.0:
                    score = min(float(changed[2]), RANGE[1])  # 5.4, where the first digit was changed alone
                    likely[score] = likely.get(score, 0.0) + probability
            mass = sum(likely.values())
            if not mass > 0.0:
                return None
            value += sum(score * probability for score, probability in likely.items()) / mass - written
            share = min(share, mass)
        start = end
    return min(max(value, RANGE[0]), RANGE[1]), min(share, 1.0)
