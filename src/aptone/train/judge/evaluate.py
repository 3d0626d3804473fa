"""What a judge that was taught says about examples, for a benchmark: its likeliest reply, and what it expects.

A verdict is the likeliest reply, read as any judge's and as the reward reads it. Beside it stands what the model
expects: the mean over the scores that it thinks possible. A judge that scores at once has them all at the place of the
score. One that reasons has settled on one by then, on what it happened to name first; for it, several replies are drawn
and their scores averaged (self-consistency, Wang et al. 2023).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from aptone.errors import UnusableReplyError
from aptone.judge.chat.verdict import RANGE, read_verdict
from aptone.models.audio_chat import AnyMessage
from aptone.models.chat import Reply
from aptone.models.local.generation import write_replies
from aptone.models.omni.checkpoint import SCORE, Omni
from aptone.train.grpo.rollouts import Writing, write_groups
from aptone.train.judge.batch import END, IGNORED, conversation_inputs
from aptone.train.judge.config import TrainingPrecision
from aptone.train.judge.example import Example
from aptone.train.processes import drawn_by

Shares = npt.NDArray[np.floating]


def score_place(ids: Sequence[int], opening: int, digits: Sequence[int]) -> int | None:
    """Where the first digit of the last score stands; None where there is none with one decimal behind it.

    >>> score_place([7, 3, 0, 8, 5], opening=7, digits=[0, 1, 2, 3, 4, 5]), score_place([7, 9], opening=7, digits=[1])
    (None, None)
    >>> score_place([9, 7, 3, 6, 5, 8], opening=7, digits=[0, 1, 2, 3, 4, 5])
    2

    Args:
        ids: tokens of a reply.
        opening: id of the token before a score.
        digits: ids of the ten digits.
    """
    starts = [place + 1 for place, token in enumerate(ids) if token == opening]
    if not starts or starts[-1] + 2 >= len(ids):
        return None
    first, decimal = ids[starts[-1]], ids[starts[-1] + 2]
    return starts[-1] if first in digits and decimal in digits else None


def expected_score(first: Shares, decimal: Shares, written: int) -> float:
    """The mean score of a judge at the place where it gives one.

    Over the first digit all that it thinks possible count; decimals are those that it expects behind the digit that it
    wrote, and half a point behind others: each digit could have its own, but would need a pass of its own.

    >>> certain = np.eye(10)
    >>> expected_score((certain[3] + certain[4]) / 2, certain[2], written=3)  # 3.2 or 4.5
    3.85

    Args:
        first: probability of each digit before the point.
        decimal: of each digit behind it, after the one that was written.
        written: the digit before the point.
    """
    weight = np.arange(10.0)
    decimals = np.full(10, 0.5)
    decimals[written] = float(decimal @ weight) / 10.0
    return min(RANGE[1], float(first @ (weight + decimals)))


WEIGHED_AT_ONCE = 256
SEED = 1
"""Of what is drawn."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a model says about one example.

    Args:
        reply: the likeliest one, as a judge gives it.
        value: the score in it; NaN where none can be read.
        expected: the mean of the scores that it thinks possible; NaN where none can be read.
    """

    reply: str
    value: float
    expected: float


def verdicts(
    omni: Omni, examples: Sequence[Example], *, at_once: int, max_tokens: int, draws: int = 0
) -> list[Verdict]:
    """The likeliest verdict of a model on each example, and what it expects.

    Args:
        omni: the model.
        examples: that are asked.
        at_once: how many are answered together.
        max_tokens: of a reply; one that is longer has no verdict.
        draws: replies that are drawn for what it expects; 0 for what it thinks possible behind the likeliest reply.
    """
    likeliest: list[Reply] = []
    for first in range(0, len(examples), at_once):
        conversations = [example.messages() for example in examples[first : first + at_once]]
        likeliest += write_replies(
            omni.model,
            omni.tokenizer,
            omni.inputs(conversations, aac=False),
            max_tokens=max_tokens,
            temperature=0.0,
            json_schema=None,
            seeds=[0] * len(conversations),
        )
    values = [_value(reply.text, one, whole=not reply.cut) for reply, one in zip(likeliest, examples, strict=True)]
    if draws:
        expected = _over_draws(omni, examples, at_once=at_once, max_tokens=max_tokens, draws=draws)
    else:
        expected = _behind(omni, examples, [reply.text for reply in likeliest])
        expected = [mean if not np.isnan(value) else np.nan for mean, value in zip(expected, values, strict=True)]
    return [Verdict(reply.text, value, mean) for reply, value, mean in zip(likeliest, values, expected, strict=True)]


def _over_draws(omni: Omni, examples: Sequence[Example], *, at_once: int, max_tokens: int, draws: int) -> list[float]:
    """The mean score over drawn replies; those without a score do not count."""
    precision: TrainingPrecision = "bfloat16" if omni.model.dtype == torch.bfloat16 else "float32"
    writing = Writing(group=draws, max_tokens=max_tokens, precision=precision, at_once=at_once)
    share = max(1, at_once // draws)
    found: list[float] = []
    for first in range(0, len(examples), share):
        with drawn_by(SEED, first, omni.model.device):
            written = write_groups(omni, examples[first : first + share], writing)
        asked = [one for one in examples[first : first + share] for _ in range(draws)]
        given = zip(written.texts, asked, written.whole, strict=True)
        read = [_value(text, one, whole=whole) for text, one, whole in given]
        rows = np.array(read).reshape(-1, draws)
        found += [float(row[~np.isnan(row)].mean()) if not np.isnan(row).all() else np.nan for row in rows]
    return found


def _behind(omni: Omni, examples: Sequence[Example], replies: Sequence[str]) -> list[float]:
    """What it expects at the place of the score of each reply."""
    found: list[float] = []
    for at in range(0, len(examples), WEIGHED_AT_ONCE):
        part = slice(at, at + WEIGHED_AT_ONCE)
        found += expected_scores(omni, [example.messages() for example in examples[part]], replies[part])
    return found


def _value(text: str, example: Example, *, whole: bool) -> float:
    try:
        return read_verdict(text, shown=example.shown).value if whole else float("nan")
    except UnusableReplyError:
        return float("nan")


@torch.inference_mode()
def expected_scores(omni: Omni, conversations: Sequence[Sequence[AnyMessage]], replies: Sequence[str]) -> list[float]:
    """The mean score of a model at the place where each reply gives one; see `expected_score`.

    Args:
        omni: the model.
        conversations: that were answered.
        replies: the answers.

    Returns:
        NaN for a reply without a score of one digit and a decimal.
    """
    tokenizer = omni.tokenizer
    digits = tokenizer.convert_tokens_to_ids([str(digit) for digit in range(10)])
    opening = tokenizer.convert_tokens_to_ids(SCORE[0])
    ids = [tokenizer(reply + END, add_special_tokens=False)["input_ids"] for reply in replies]
    places = [score_place(one, opening, digits) for one in ids]
    scored = [row for row, place in enumerate(places) if place is not None]
    found = np.full(len(ids), np.nan)
    if not scored:
        return found.tolist()
    inputs = conversation_inputs(omni, conversations, ids)
    begins = (inputs["labels"] != IGNORED).int().argmax(dim=1).tolist()
    given = {name: value for name, value in inputs.items() if name != "labels"}
    logits = omni.model(**given, use_cache=False).logits
    at = [begins[row] + (places[row] or 0) - 1 for row in scored]
    # (2, rows, digits): before the first digit, and before the one behind the point
    likely = torch.stack([logits[scored, [place + behind for place in at]][:, digits] for behind in (0, 2)])
    shares = likely.float().softmax(dim=-1).cpu().numpy()
    for number, row in enumerate(scored):
        written = digits.index(ids[row][places[row] or 0])
        found[row] = expected_score(shares[0, number], shares[1, number], written)
    return found.tolist()
