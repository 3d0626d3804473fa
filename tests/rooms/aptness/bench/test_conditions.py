import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import UsageError
from aptone.rooms.aptness.bench.conditions import Condition, Grid, folder_name
from aptone.types import AudioRef, Line, Plan, Sample
from tests.tables import for_each

STORY = tuple(Line(name) for name in "abcdefgh")


def sample(place: int) -> Sample:
    return Sample(
        "x",
        AudioRef("x.wav"),
        Line("X"),
        context=STORY[:place],
        following=STORY[place:],
        plan=Plan("calm"),
        human_score=3.0,
    )


def test_a_sample_is_shown_with_no_more_of_the_story_than_the_condition_allows_and_without_its_plan() -> None:
    shown = Condition("plan", 5).apply(sample(3))  # 3 lines stand before it, so 2 of those after it are added
    assert [line.text for line in shown.context] == ["a", "b", "c"]
    assert [line.text for line in shown.following] == ["d", "e"]
    assert shown.plan is None
    assert shown.human_score == 3.0


@given(st.integers(0, 8), st.integers(0, 12), st.sampled_from(["story", "plan"]))
def test_as_many_lines_are_shown_as_the_condition_says_or_the_story_has(place: int, size: int, guide: str) -> None:
    shown = Condition("story" if guide == "story" else "plan", size).apply(sample(place))
    assert len(shown.context) + len(shown.following) == min(size, len(STORY))


def test_with_a_given_plan_the_sample_stays_as_it_is() -> None:
    assert Condition("given").apply(sample(3)) == sample(3)


def test_a_grid_is_in_order_without_doubles() -> None:
    grid = Grid((15, 0, 5, 0), ("plan", "plan"))
    assert grid.context_sizes == (0, 5, 15)
    assert (grid.guides, grid.largest) == (("plan",), 15)


@for_each(
    ("options", "complaint"),
    [
        ({"context_sizes": ()}, "no context sizes"),
        ({"context_sizes": (-1,)}, "0 lines or more, got -1"),
        ({"guides": ("novel",)}, "guides are story, plan, given, got 'novel'"),
        ({"prompt_languages": ("fr",)}, "prompt languages are en, zh, got 'fr'"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(options: dict[str, tuple[object, ...]], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Grid(**options)  # type: ignore[arg-type]


@given(st.text(max_size=30))
def test_no_name_leads_out_of_the_folder_of_the_benchmark(name: str) -> None:
    made = folder_name(name)
    assert made not in ("", ".", "..")
    assert not set(made) & set("/\\:\0")
