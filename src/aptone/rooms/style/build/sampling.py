"""Sampling for S3Bench.

Style seeds from clusters of voices, a pool of descriptions that grows without repeating itself, and which clips are
rated with which descriptions: retrieved, shuffled, and drawn evenly over a preliminary score.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.models.parts import Vectors

MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Clusters:
    """Clusters of vectors.

    Args:
        centres: [clusters, dimensions], of length 1.
        labels: the cluster of each vector.
        nearness: the cosine of each vector with its centre.
    """

    centres: Vectors
    labels: npt.NDArray[np.int64]
    nearness: npt.NDArray[np.float64]


def cluster(vectors: Vectors, *, count: int, seed: int) -> Clusters:
    """k-means of vectors of length 1, [items, dimensions], by their cosine; k-means++ (Arthur & Vassilvitskii 2007).

    A cluster that loses all its vectors gets the one that lies farthest from its centre. Equal vectors, seed and count
    give equal clusters. Fewer vectors than clusters give one cluster each.

    Raises:
        UsageError: if there are no vectors, one is NaN, or no cluster is asked for.

    >>> found = cluster(np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32), count=2, seed=0)
    >>> bool(found.labels[0] == found.labels[1] != found.labels[2])
    True
    """
    points = vectors.astype(np.float64)
    if count < 1 or not len(points) or np.isnan(points).any():
        raise UsageError(f"expected vectors to be put into 1 cluster or more, got {len(points)} for {count}.")
    centres = _begin(points, min(count, len(points)), np.random.default_rng(seed))
    labels = np.full(len(points), -1, dtype=np.int64)
    for _ in range(MOST_ROUNDS):
        cosines = points @ centres.T
        new = cosines.argmax(axis=1)
        nearness = cosines[np.arange(len(points)), new]
        for empty in np.setdiff1d(np.arange(len(centres)), new):
            stray = int(nearness.argmin())
            new[stray], nearness[stray] = empty, np.inf  # not taken away again
        if np.array_equal(new, labels):
            break
        labels = new
        sums = np.zeros_like(centres)
        np.add.at(sums, labels, points)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(lengths > 0, sums / np.where(lengths > 0, lengths, 1.0), centres)
    nearness = np.einsum("ij,ij->i", points, centres[labels])
    return Clusters(centres.astype(np.float32), labels, nearness)


def _begin(points: npt.NDArray[np.float64], count: int, generator: np.random.Generator) -> npt.NDArray[np.float64]:
    """Centres drawn from the points, each with a chance by its squared distance from those before it."""
    chosen = [int(generator.integers(len(points)))]
    distances = np.full(len(points), np.inf)
    while len(chosen) < count:
        distances = np.minimum(distances, np.maximum(0.0, 2.0 - 2.0 * points @ points[chosen[-1]]))
        distances[chosen] = 0.0
        total = distances.sum()
        left = np.setdiff1d(np.arange(len(points)), chosen)
        chosen.append(int(generator.choice(left, p=distances[left] / total if total > 0 else None)))
    return points[chosen].copy()


SEEDS = 200
CLUSTERS = 100
SIMILAR = 0.9
"""Cosine from which on two descriptions count as the same."""
EXAMPLES = 10
FROM_SEEDS = 0.7
"""Share of the examples that are seeds; the others were made in earlier rounds."""


def style_seeds(
    descriptions: Sequence[str],
    voices: Vectors,
    *,
    by_hand: Sequence[str] = (),
    count: int = SEEDS,
    clusters: int = CLUSTERS,
    seed: int = 0,
) -> list[str]:
    """Descriptions that cover the styles of a corpus: those written by hand, then those at the centres of clusters.

    From every cluster comes the description of the clip nearest to its centre, then from every cluster the second
    nearest, and so on, until there are enough; large clusters go first. None is taken twice.

    Args:
        voices: their vectors, [clips, dimensions]; clips with NaN are passed over.
        by_hand: what the clusters lack, in the eyes of whoever looked at them; all of them are kept.
    """
    heard = np.flatnonzero(~np.isnan(voices).any(axis=1))
    chosen = dict.fromkeys(_clean(by_hand))
    if heard.size:
        found = cluster(voices[heard], count=clusters, seed=seed)
        sizes = np.bincount(found.labels)
        members = {
            int(one): sorted(np.flatnonzero(found.labels == one), key=lambda place: -found.nearness[place])
            for one in np.argsort(-sizes, kind="stable")
        }
        for rank in range(int(sizes.max())):
            for places in members.values():
                if len(chosen) >= count:
                    break
                if rank < len(places):
                    chosen.update(dict.fromkeys(_clean([descriptions[heard[places[rank]]]])))
    return list(chosen)[: max(count, len(_clean(by_hand)))]


def _clean(texts: Iterable[str]) -> list[str]:
    return [" ".join(text.split()) for text in texts if text.strip()]


@dataclass(frozen=True, slots=True)
class RefusedCandidate:
    """A candidate that is not admitted, and the description that it repeats."""

    text: str
    nearest: str
    cosine: float


@dataclass(slots=True)
class DescriptionPool:
    """Descriptions of one language without repeats, seeds first (near-duplicates at will), and vectors of length 1."""

    seeds: list[str]
    vectors: Vectors
    made: list[str] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """All descriptions, seeds first."""
        return [*self.seeds, *self.made]

    def examples(self, generator: np.random.Generator, *, count: int = EXAMPLES) -> list[str]:
        """Descriptions that a writer is shown: 7 of 10 from the seeds, 3 of 10 from those that were made.

        While too few were made, seeds stand in for them.
        """
        of_made = min(len(self.made), count - round(FROM_SEEDS * count))
        of_seeds = min(len(self.seeds), count - of_made)
        drawn = [self.seeds[place] for place in generator.permutation(len(self.seeds))[:of_seeds]]
        drawn += [self.made[place] for place in generator.permutation(len(self.made))[:of_made]]
        return [drawn[place] for place in generator.permutation(len(drawn))]

    def admit(
        self, candidates: Sequence[str], vectors: Vectors, *, most: int
    ) -> tuple[list[str], list[RefusedCandidate]]:
        """Take candidates in, one after the other, whose cosine with every description of the pool is below 0.9.

        Returns:
            What was admitted, and what was refused and why; candidates beyond `most` are in neither.
        """
        admitted: list[str] = []
        refused: list[RefusedCandidate] = []
        for text, vector in zip(candidates, vectors, strict=True):
            if len(admitted) >= most:
                break
            cosines = self.vectors @ vector
            if np.isnan(vector).any() or (cosines.size and cosines.max() >= SIMILAR):
                nearest = int(np.nan_to_num(cosines, nan=-1.0).argmax()) if cosines.size else 0
                refused.append(
                    RefusedCandidate(text, self.texts[nearest], float(np.nan_to_num(cosines[nearest], nan=1.0)))
                )
                continue
            admitted.append(text)
            self.made.append(text)
            self.vectors = np.concatenate([self.vectors, vector[np.newaxis]])
        return admitted, refused


BINS = 10
NEAREST = 10
"""Clips that are retrieved for each description."""
KEPT = 0.5
"""Share of the retrieved pairs that are not shuffled."""


@dataclass(frozen=True, slots=True)
class SampledPair:
    """A pair with its preliminary similarity, which decides only what is rated, and its bin from 1, the least."""

    description: int
    clip: int
    score: float
    bin: int


def candidate_pairs(
    similarities: npt.NDArray[np.float64], *, nearest: int = NEAREST, kept: float = KEPT, seed: int = 0
) -> list[tuple[int, int]]:
    """Pairs of descriptions and clips over the whole range from mismatch to match.

    Every description is paired with its most similar clips; then the clips of some pairs are shuffled. The paper
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
) -> list[SampledPair]:
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
    extra = set(sorted(range(bins), key=lambda place: abs(2 * place - bins + 1))[:rest])
    drawn = []
    for place, part in enumerate(parts):
        wanted = share + (place in extra)
        for one in generator.permutation(part)[:wanted]:
            description, clip = pairs[int(one)]
            drawn.append(SampledPair(description, clip, float(scores[int(one)]), place + 1))
    return [drawn[place] for place in generator.permutation(len(drawn))]
