"""Splits by whole stories: nothing is shared, and what cannot be split says so."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import UsageError
from aptone.studio.exchange.rows import NOBODY, components, shared_values, story_split
from aptone.types import RatingItem

names = st.sampled_from(["", "a", "b", "c", "d", "e", "f", "Narrator", "旁白"])
hidden = st.fixed_dictionaries({}, optional={"story": names, "character": names, "scene": names, "system": names})


@given(st.lists(hidden, min_size=1, max_size=30), st.floats(0.05, 0.95), st.integers(0, 5))
def test_train_and_test_share_no_story_character_or_scene(known: list[dict[str, str]], share: float, seed: int) -> None:
    items = [RatingItem(str(number), hidden=dict(one)) for number, one in enumerate(known)]
    if len(components(items)) < 2:
        with pytest.raises(UsageError, match="hang together"):
            story_split(items, test_share=share, seed=seed)
        return
    split = story_split(items, test_share=share, seed=seed)
    by_id = {item.id: item for item in items}
    assert sorted((*split.train, *split.test), key=int) == [item.id for item in items]
    assert split.train
    assert split.test
    for one, other in itertools.product(split.train, split.test):
        assert not set(shared_values(by_id[one])) & set(shared_values(by_id[other]))
    assert split == story_split(items, test_share=share, seed=seed)


def items_of(*stories: int) -> list[RatingItem]:
    return [
        RatingItem(
            f"{story}-{line}", hidden={"story": f"s{story}", "character": "narrator", "scene": f"s{story}-{line}"}
        )
        for story, lines in enumerate(stories)
        for line in range(lines)
    ]


def test_the_share_is_met_where_stories_are_small_enough() -> None:
    split = story_split(items_of(*[10] * 20), test_share=0.2, seed=4)
    assert (len(split.test), len(split.train), split.components) == (40, 160, 20)
    assert split.reason == ""
    assert split.test_share == 0.2


@given(st.lists(st.integers(1, 6), min_size=2, max_size=7), st.floats(0.02, 0.98), st.integers(0, 3))
def test_no_other_choice_of_whole_stories_comes_nearer_to_the_share(
    stories: list[int], share: float, seed: int
) -> None:
    split = story_split(items_of(*stories), test_share=share, seed=seed)
    choices = itertools.chain.from_iterable(itertools.combinations(stories, count) for count in range(1, len(stories)))
    nearest = min(abs(sum(choice) - share * sum(stories)) for choice in choices)
    assert abs(len(split.test) - share * sum(stories)) == pytest.approx(nearest)


def test_which_stories_are_tested_with_is_drawn() -> None:
    drawn = {story_split(items_of(*[2] * 10), test_share=0.2, seed=seed).test for seed in range(20)}
    assert len(drawn) > 10  # of the 45 pairs of stories


def test_a_story_that_is_too_large_is_named_as_the_reason() -> None:
    split = story_split(items_of(90, 10), test_share=0.5)
    assert set(split.test) in ({f"1-{n}" for n in range(10)}, {f"0-{n}" for n in range(90)})
    assert "2 components that stay whole, the largest of 90" in split.reason


def test_a_character_of_two_stories_joins_them_and_a_narrator_does_not() -> None:
    def item(name: str, story: str, character: str) -> RatingItem:
        return RatingItem(name, hidden={"story": story, "character": character})

    anna = [item("1", "x", "Anna"), item("2", "y", "Anna"), item("3", "z", "Ben")]
    assert components(anna) == [["1", "2"], ["3"]]
    told = [item("1", "x", "narrator"), item("2", "y", "Narrator ")]
    assert components(told) == [["1"], ["2"]]
    assert "narrator" in NOBODY


def test_a_share_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="between 0 and 1"):
        story_split(items_of(1, 1), test_share=1.0)
