"""Evaluate a trained judge on examples: its likeliest reply and its expected score.

The verdict is the likeliest reply, parsed as any judge's reply. The expected score is the mean over the scores that the
model considers possible. A judge that scores at once gives their probabilities at the position of the score. One that
reasons has settled on a score by then; for it, several replies are sampled and their scores averaged (self-consistency,
Wang et al. 2023).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from aptone.errors import UnusableReplyError
from aptone.judge.chat.verdict import RANGE, read_verdict
from aptone.models.chat import AnyMessage, Reply
from aptone.models.local.generation import write_replies
from aptone.models.omni.checkpoint import SCORE, Omni
from aptone.train.distributed import seeded
from aptone.train.grpo.rollouts import RolloutConfig, generate_rollouts
from aptone.train.judge.batch import END, IGNORED, conversation_inputs
from aptone.train.judge.config import TrainingPrecision
from aptone.train.judge.example import Example

Shares = npt.NDArray[np.floating]

SCORED_TOGETHER = 256
SEED = 1
"""Random seed of sampled replies."""


def score_place(ids: Sequence[int], opening: int, digits: Sequence[int]) -> int | None:
    """Return the place of the last score's first digit; None where there is none with one decimal behind it.

    >>> score_place([7, 3, 0, 8, 5], opening=7, digits=[0, 1, 2, 3, 4, 5]), score_place([7, 9], opening=7, digits=[1])
    (None, None)
    >>> score_place([9, 7, 3, 6, 5, 8], opening=7, digits=[0, 1, 2, 3, 4, 5])
    2

    Args:
        opening: id of the token before a score.
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
        decimal: probability of each digit behind it, after the one that was written.
        written: the digit before the point.
    """
    weight = np.arange(10.0)
    decimals = np.full(10, 0.5)
    decimals[written] = float(decimal @ weight) / 10.0
    return min(RANGE[1], float(first @ (weight + decimals)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict of a model on one example.

    Args:
        value: the score in it; NaN if none can be parsed.
        expected: mean of the possible scores; NaN if none can be parsed.
    """

    reply: str
    value: float
    expected: float


def evaluate_judge(
    omni: Omni, examples: Sequence[Example], *, batch_size: int, max_new_tokens: int, num_samples: int = 0
) -> list[Verdict]:
    """Return the likeliest verdict and the expected score of a model on each example.

    Args:
        batch_size: examples that are answered together.
        max_new_tokens: longest reply in tokens; a longer one has no verdict.
        num_samples: sampled replies for the expected score; 0 for the probabilities at the score of the likeliest
            reply.
    """
    likeliest: list[Reply] = []
    for first in range(0, len(examples), batch_size):
        conversations = [example.messages() for example in examples[first : first + batch_size]]
        likeliest += write_replies(
            omni.model,
            omni.tokenizer,
            omni.inputs(conversations, aac=False),
            max_tokens=max_new_tokens,
            temperature=0.0,
            json_schema=None,
            seeds=[0] * len(conversations),
        )
    values = [_value(reply.text, one, whole=not reply.cut) for reply, one in zip(likeliest, examples, strict=True)]
    if num_samples:
        expected = _sampled_scores(
            omni, examples, batch_size=batch_size, max_new_tokens=max_new_tokens, num_samples=num_samples
        )
    else:
        expected = []
        for at in range(0, len(examples), SCORED_TOGETHER):
            part = slice(at, at + SCORED_TOGETHER)
            conversations = [example.messages() for example in examples[part]]
            expected += expected_scores(omni, conversations, [reply.text for reply in likeliest[part]])
        expected = [mean if not np.isnan(value) else np.nan for mean, value in zip(expected, values, strict=True)]
    return [Verdict(reply.text, value, mean) for reply, value, mean in zip(likeliest, values, expected, strict=True)]


def _sampled_scores(
    omni: Omni, examples: Sequence[Example], *, batch_size: int, max_new_tokens: int, num_samples: int
) -> list[float]:
    """Return the mean score over sampled replies; replies without a score do not count."""
    precision: TrainingPrecision = "bfloat16" if omni.model.dtype == torch.bfloat16 else "float32"
    rollout = RolloutConfig(
        num_generations=num_samples, max_new_tokens=max_new_tokens, precision=precision, rollout_batch_size=batch_size
    )
    share = max(1, batch_size // num_samples)
    found: list[float] = []
    for first in range(0, len(examples), share):
        part = examples[first : first + share]
        with seeded(SEED, first, omni.model.device):
            rollouts = generate_rollouts(omni, part, rollout)
        repeated = [one for one in part for _ in range(num_samples)]
        replies = zip(rollouts.texts, repeated, rollouts.whole, strict=True)
        read = [_value(text, one, whole=whole) for text, one, whole in replies]
        rows = np.array(read).reshape(-1, num_samples)
        found += [float(row[~np.isnan(row)].mean()) if not np.isnan(row).all() else np.nan for row in rows]
    return found


def _value(text: str, example: Example, *, whole: bool) -> float:
    try:
        return read_verdict(text, shown=example.prompt_texts).value if whole else float("nan")
    except UnusableReplyError:
        return float("nan")


@torch.inference_mode()
def expected_scores(omni: Omni, conversations: Sequence[Sequence[AnyMessage]], replies: Sequence[str]) -> list[float]:
    """Return the mean score of a model at the position where each reply gives one; see `expected_score`.

    Returns:
        Expected scores; NaN for a reply without a score of one digit and a decimal.
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
    logits = omni.model(**{name: value for name, value in inputs.items() if name != "labels"}, use_cache=False).logits
    at = [begins[row] + (places[row] or 0) - 1 for row in scored]
    # (2, rows, digits): before the first digit, and before the one behind the point
    likely = torch.stack([logits[scored, [place + behind for place in at]][:, digits] for behind in (0, 2)])
    shares = likely.float().softmax(dim=-1).cpu().numpy()
    for number, row in enumerate(scored):
        written = digits.index(ids[row][places[row] or 0])
        found[row] = expected_score(shares[0, number], shares[1, number], written)
    return found.tolist()
