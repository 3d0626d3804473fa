"""Groups of clips that sound alike: k-means on the sphere, seeded."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.errors import UsageError
from aptone.models.text_embedder import Vectors

MOST_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Clusters:
    """Where the groups lie, and what belongs to them.

    Args:
        centres: [clusters, dimensions], of length 1.
        labels: the cluster of each vector.
        nearness: the cosine of each vector with its centre.
    """

    centres: Vectors
    labels: npt.NDArray[np.int64]
    nearness: npt.NDArray[np.float64]


def cluster(vectors: Vectors, *, count: int, seed: int) -> Clusters:
    """k-means of vectors of length 1 by their cosine, begun by k-means++ (Arthur & Vassilvitskii 2007).

    A cluster that loses all its vectors gets the one that lies farthest from its centre. Equal vectors, seed and count
    give equal clusters. Fewer vectors than clusters give one cluster each.

    Args:
        vectors: [items, dimensions], of length 1.
        count: of clusters.
        seed: of the beginning.

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
        weights = distances[left] / total if total > 0 else None
        chosen.append(int(generator.choice(left, p=weights)))
    return points[chosen].copy()
