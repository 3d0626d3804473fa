"""Which clips are rated with which descriptions: retrieved, shuffled, and drawn evenly over a preliminary score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError

BINS = 10
NEAREST = 10
"""Clips that are retrieved for each description."""
KEPT = 0.5
"""Share of the retrieved pairs that are not shuffled."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A pair of the benchmark.

    Args:
        score: the preliminary similarity; it decides what is rated and nothing else.
        bin: from 1 (the least similar pairs) upwards.
    """

    description: int
    clip: int
    score: float
    bin: int


def candidate_pairs(
    similarities: npt.NDArray[np.float64], *, nearest: int = NEAREST, kept: float = KEPT, seed: int = 0
) -> list[tuple[int, int]]:
    """Pairs of descriptions and clips over the whole range from mismatch to match.

    Every description is paired with its most similar clips; then the clips of some pairs are dealt out anew. The paper
    shuffles all of them, which leaves few close matches where styles are many: by default half stay as they were.

    Args:
        similarities: [descriptions, clips]; NaN where a clip cannot be heard or a description is not understood: such
            are not paired.
        nearest: clips for each description.
        kept: share of the pairs that stay as retrieved, 0 to 1.

    Returns:
        Places of descriptions and clips, each pair once.

    Raises:
        UsageError: if an option makes no sense, no clip can be heard, or no description is understood.
    """
    if nearest < 1 or not 0 <= kept <= 1:
        raise UsageError(f"expected 1 clip or more a description, and a share from 0 to 1, got {nearest} and {kept}.")
    heard = np.flatnonzero(~np.isnan(similarities).all(axis=0))
    understood = np.flatnonzero(~np.isnan(similarities).all(axis=1))
    if not heard.size or not understood.size:
        raise UsageError(
            "there is no clip in which a voice can be heard, or no description that the model understands; nothing can "
            "be paired."
        )
    generator = np.random.default_rng(seed)
    order = np.argsort(-np.nan_to_num(similarities[:, heard], nan=-2.0), axis=1, kind="stable")[:, :nearest]
    pairs = np.array([(row, heard[place]) for row in understood for place in order[row]])
    moved = np.flatnonzero(generator.random(len(pairs)) >= kept)
    pairs[moved, 1] = pairs[generator.permutation(moved), 1]
    return list(dict.fromkeys((int(description), int(clip)) for description, clip in pairs))


def draw_evenly(
    pairs: Sequence[tuple[int, int]], scores: npt.NDArray[np.float64], *, count: int, bins: int = BINS, seed: int = 0
) -> list[Drawn]:
    """An equal number of pairs from each quantile of the preliminary score, in random order.

    Bins hold the same number of candidates, up to one; where the count is no multiple of the bins, the middle ones
    give one more.

    Raises:
        UsageError: if there are fewer candidates than pairs to draw, or an option makes no sense.
    """
    if bins < 1 or count < bins:
        raise UsageError(f"expected at least one pair a bin, got {count} pairs and {bins} bins.")
    if len(pairs) < count:
        raise UsageError(
            f"{len(pairs)} candidate pairs are fewer than the {count} to draw; take more clips, more descriptions or "
            "more clips a description."
        )
    generator = np.random.default_rng(seed)
    parts = np.array_split(np.argsort(scores, kind="stable"), bins)
    share, rest = divmod(count, bins)
    middle_first = sorted(range(bins), key=lambda place: abs(2 * place - bins + 1))
    extra = set(middle_first[:rest])
    drawn = []
    for place, part in enumerate(parts):
        wanted = share + (place in extra)
        for one in generator.permutation(part)[:wanted]:
            description, clip = pairs[int(one)]
            drawn.append(Drawn(description, clip, float(scores[int(one)]), place + 1))
    return [drawn[place] for place in generator.permutation(len(drawn))]
