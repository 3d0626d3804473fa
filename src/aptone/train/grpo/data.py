"""Which examples a judge is reinforced with: clips of a usual length, and as many of each score (appendix G).

Scores are counted in whole steps, as the reward does. Every step of the scale that occurs gets the same number of
examples, so many that the whole stays about as large as it was: where there are more, some are drawn, and where there
are fewer, all are repeated and some once more.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.errors import RecordError
from aptone.train.grpo.reward import HIGHEST_BIN
from aptone.train.judge.dataset import ExampleIndex, Wanted, index_examples
from aptone.train.judge.example import Kind
from aptone.types import Language

SHORTEST, LONGEST = 1.0, 45.0
"""Seconds; shorter and longer clips are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Examples to reinforce with.

    Args:
        index: where they lie.
        left_out: why examples were left out, and how many.
        before: examples at each whole step of the scale, before they were drawn.
        after: and afterwards.
    """

    index: ExampleIndex
    left_out: Mapping[str, int]
    before: Mapping[int, int]
    after: Mapping[int, int]


def draw_examples(
    folder: Path,
    *,
    seed: int,
    kinds: tuple[Kind, ...] = ("reasoned", "score"),
    languages: tuple[Language, ...] = (),
    shortest: float = SHORTEST,
    longest: float = LONGEST,
    balance: bool = True,
) -> Drawn:
    """The examples of a folder of shards to reinforce with.

    Args:
        folder: of shards.
        seed: of what is drawn.
        kinds: how judges are asked: with reasons, for the score only, or both.
        languages: empty for all.
        shortest: seconds.
        longest: seconds.
        balance: whether scores are made equally frequent.

    Raises:
        RecordError: if there is no such example, or a shard is damaged.
        RunError: if the folder cannot be read.
    """
    whole = index_examples(folder, Wanted(kinds=kinds, languages=languages, longest=np.inf))
    unscored, short, long = np.isnan(whole.scores), whole.seconds < shortest, whole.seconds > longest
    usable = np.flatnonzero(~(unscored | short | long))
    if usable.size == 0:
        raise RecordError(f"{folder}: no example has a score and {shortest:g} to {longest:g} s; make others.")
    scores = whole.scores[usable]
    chosen = usable[balanced(scores, seed=seed)] if balance else usable
    return Drawn(
        whole.take(chosen),
        {
            "no score": int(unscored.sum()),
            f"shorter than {shortest:g} s": int((short & ~unscored).sum()),
            f"longer than {longest:g} s": int((long & ~unscored).sum()),
        },
        _counts(scores),
        _counts(whole.scores[chosen]),
    )


def balanced(scores: npt.ArrayLike, *, seed: int) -> npt.NDArray[np.int64]:
    """Places of examples, ascending and some of them several times, with as many of each whole step of the scale.

    Args:
        scores: 0 to 5.
        seed: of the draw.

    >>> balanced([0.5, 4.1, 4.2, 4.3, 4.4, 4.5], seed=1).tolist()[:3]
    [0, 0, 0]

    Raises:
        ValueError: if there is no score, or one is no number.
    """
    given = np.asarray(scores, dtype=np.float64)
    if given.size == 0 or not np.isfinite(given).all():
        raise ValueError("scores to balance are finite numbers, one or more.")
    bins = _bins(given)
    present = np.unique(bins)
    share = -(-given.size // present.size)
    drawn = np.random.default_rng([seed, given.size])
    chosen = []
    for one in present:
        members = np.flatnonzero(bins == one)
        whole, rest = divmod(share, members.size)
        chosen += [np.tile(members, whole), drawn.permutation(members)[:rest]]
    return np.sort(np.concatenate(chosen))


def _bins(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """As `aptone.train.grpo.reward.score_bin`, for many."""
    return np.clip(np.floor(scores), 0, HIGHEST_BIN).astype(np.int64)


def _counts(scores: npt.ArrayLike) -> dict[int, int]:
    steps, counts = np.unique(_bins(np.asarray(scores, dtype=np.float64)), return_counts=True)
    return {int(step): int(count) for step, count in zip(steps, counts, strict=True)}
