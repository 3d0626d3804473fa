"""Sampling for S3Bench: clusters, the pool of descriptions, and pairs of descriptions with clips."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from aptone.errors import UsageError
from aptone.rooms.style.build.sampling import DescriptionPool, candidate_pairs, cluster, draw_evenly, style_seeds
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


def test_seeds_come_from_every_cluster_before_a_second_one_comes_from_any() -> None:
    voices = units(0.0, 0.1, -0.1, 1.5, 1.6, 1.4)
    names = ["a", "a wide", "a left", "b", "b wide", "b left"]
    assert set(style_seeds(names, voices, count=2, clusters=2)) == {"a", "b"}  # those in the middle of their bundles
    assert style_seeds(names, voices, by_hand=["mine", " mine "], count=2, clusters=2)[0] == "mine"
    assert len(style_seeds(names, voices, count=100, clusters=2)) == 6
    assert style_seeds(["x"] * 6, voices, count=4, clusters=2) == ["x"]


def test_all_seeds_by_hand_are_kept_and_silent_clips_passed_over() -> None:
    silent = np.full((2, 2), np.nan, dtype=np.float32)
    assert style_seeds(["a", "b"], silent, by_hand=["x", "y", "z"], count=1) == ["x", "y", "z"]


def test_a_candidate_is_admitted_only_if_it_is_far_from_all_others() -> None:
    pool = DescriptionPool(["a"], units(0.0))
    near, far = 0.45, 0.46  # cos 0.45 = 0.9004, cos 0.46 = 0.8961: the bound is 0.9
    admitted, refused = pool.admit(["near", "far", "near far"], units(near, far, far + 0.1), most=5)
    assert admitted == ["far"]
    assert [(one.text, one.nearest) for one in refused] == [("near", "a"), ("near far", "far")]
    assert refused[0].cosine == pytest.approx(np.cos(near), abs=1e-6)
    assert pool.texts == ["a", "far"]


def test_no_more_are_admitted_than_there_is_room_for() -> None:
    pool = DescriptionPool(["a"], units(0.0))
    assert pool.admit(["b", "c"], units(1.0, 2.0), most=1)[0] == ["b"]


def test_examples_are_seven_seeds_and_three_that_were_made() -> None:
    pool = DescriptionPool([f"s{n}" for n in range(20)], units(*range(20)), [f"m{n}" for n in range(20)])
    drawn = pool.examples(np.random.default_rng(0))
    assert sum(text.startswith("s") for text in drawn) == 7
    assert len(set(drawn)) == 10
    fresh = DescriptionPool([f"s{n}" for n in range(20)], units(*range(20)), ["m0"])
    assert sorted(text[0] for text in fresh.examples(np.random.default_rng(0))) == ["m", *"s" * 9]


def test_without_a_shuffle_every_description_keeps_its_nearest_clips() -> None:
    similarities = np.array([[0.9, 0.1, 0.5], [0.2, np.nan, 0.8]])
    assert candidate_pairs(similarities, nearest=2, kept=1.0) == [(0, 0), (0, 2), (1, 2), (1, 0)]


@given(some.integers(2, 12), some.integers(2, 12), some.floats(0, 1), some.integers(0, 9))
def test_a_shuffle_keeps_how_often_descriptions_occur_but_for_doubles(
    texts: int, clips: int, kept: float, seed: int
) -> None:
    similarities = np.random.default_rng(seed).normal(size=(texts, clips))
    pairs = candidate_pairs(similarities, nearest=3, kept=kept, seed=seed)
    assert len(set(pairs)) == len(pairs) <= texts * min(3, clips)
    assert {text for text, _ in pairs} == set(range(texts))


@given(some.integers(1, 10), some.integers(1, 40), some.integers(0, 9))
def test_bins_give_equal_numbers_up_to_one(bins: int, per_bin: int, seed: int) -> None:
    count = bins * per_bin + bins // 2
    pairs = [(n, n) for n in range(2 * count + bins)]
    scores = np.random.default_rng(seed).normal(size=len(pairs))
    drawn = draw_evenly(pairs, scores, count=count, bins=bins, seed=seed)
    assert len(drawn) == count
    assert len({(one.description, one.clip) for one in drawn}) == count
    numbers = np.bincount([one.bin for one in drawn], minlength=bins + 1)[1:]
    assert numbers.max() - numbers.min() <= 1
    for low in range(1, bins):  # bins are quantiles: none reaches into the next
        highest = max(one.score for one in drawn if one.bin == low)
        assert highest <= min(one.score for one in drawn if one.bin == low + 1)


def test_too_few_candidates_are_refused() -> None:
    with pytest.raises(UsageError, match="1 candidate pairs are fewer than the 2 to draw"):
        draw_evenly([(0, 0)], np.zeros(1), count=2, bins=2)
    with pytest.raises(UsageError, match="nothing can be paired"):
        candidate_pairs(np.full((1, 1), np.nan))


def test_a_description_that_is_not_understood_is_paired_with_nothing() -> None:
    similarities = np.array([[0.1, 0.9], [np.nan, np.nan], [0.5, 0.2]])
    assert candidate_pairs(similarities, nearest=1, kept=1.0) == [(0, 1), (2, 0)]
