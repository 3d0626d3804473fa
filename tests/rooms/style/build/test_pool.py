"""The pool of descriptions: where its seeds come from, and who is admitted."""

import numpy as np
import pytest

from aptone.rooms.style.build.pool import DescriptionPool, style_seeds
from tests.rooms.style.voices import units


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
