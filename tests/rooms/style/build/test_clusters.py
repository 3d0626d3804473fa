"""Clusters of vectors: each in the nearest, none empty, equal ones included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from aptone.errors import UsageError
from aptone.rooms.style.build.pool import cluster
from tests.rooms.style.voices import units


@given(some.integers(1, 8), some.integers(1, 20), some.integers(0, 5))
def test_every_vector_is_in_the_cluster_nearest_to_it_and_none_is_empty(count: int, size: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    vectors = generator.normal(size=(size, 4))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    found = cluster(vectors, count=count, seed=seed)
    assert len(found.centres) == min(count, size)
    assert set(found.labels) == set(range(len(found.centres)))
    assert np.allclose(np.linalg.norm(found.centres, axis=1), 1.0, atol=1e-5)
    again = cluster(vectors, count=count, seed=seed)
    assert np.array_equal(found.labels, again.labels)


def test_two_bundles_are_two_clusters() -> None:
    found = cluster(units(0.0, 0.01, 0.02, 1.5, 1.51), count=2, seed=3)
    assert found.labels[0] == found.labels[1] == found.labels[2] != found.labels[3] == found.labels[4]
    with pytest.raises(UsageError, match="1 cluster or more"):
        cluster(units(0.0), count=0, seed=0)


def test_equal_vectors_still_fill_every_cluster() -> None:
    found = cluster(units(0.0, 0.0, 0.0, 0.0), count=3, seed=0)
    assert set(found.labels) == {0, 1, 2}
