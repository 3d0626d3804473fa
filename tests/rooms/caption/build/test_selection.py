"""SURABench's selection, counted by hand."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import UsageError
from aptone.rooms.caption.build.ratings import RatedClip, Rating
from aptone.rooms.caption.build.selection import SelectionSettings, cell_of, select, spread
from tests.tables import for_each


def clip(name: str, *pairs: tuple[float, float]) -> RatedClip:
    return RatedClip(name, Path(name), tuple(Rating(*pair) for pair in pairs))


def test_each_step_counts_what_went_in_and_out_and_says_why() -> None:
    clips = [
        clip("short", (4, 4), (4, 4)),
        clip("long", (4, 4), (4, 4)),
        clip("broken", (4, 4), (4, 4)),
        clip("alone", (4, 4)),
        clip("quarrel", (2, 4), (5, 4)),  # deviation of valence: 3 / √2 = 2.12
        clip("excited", (4, 2), (4, 5)),
        clip("limit", (4, 2.5), (4, 5.5), (4, 4)),  # deviation of arousal: √(2 · 1.5² / 2) = 1.5, still in
        clip("edge", (7, 7), (7, 7)),
    ]
    seconds: dict[str, float | str] = dict.fromkeys([one.id for one in clips], 3.0)
    seconds |= {"short": 2.99, "long": 8.01, "broken": "not a recording", "edge": 8.0}
    found = select(clips, seconds, settings=SelectionSettings())
    assert [one.id for one in found.clips] == ["limit", "edge"]
    assert {name: (counts["in"], counts["out"]) for name, counts in found.yields.items()} == {
        "audio": (8, 7),
        "length": (7, 5),
        "agreement": (5, 2),
        "grid": (2, 2),
    }
    assert found.yields["grid"]["cells filled"] == 2
    reasons = {one.id: (one.step, one.reason) for one in found.rejects}
    assert reasons["broken"] == ("audio", "not a recording")
    assert reasons["short"] == ("length", "2.99 s is not between 3 and 8 s")
    assert reasons["alone"] == ("agreement", "one rater has no deviation")
    assert reasons["quarrel"] == ("agreement", "raters differ on valence: standard deviation 2.12 > 1.5")
    assert reasons["excited"][1].startswith("raters differ on arousal")


def test_a_cell_takes_those_with_the_lowest_variance_and_ties_go_by_name() -> None:
    agreed = [clip(name, (4, 4), (4, 4)) for name in ("d", "b", "c")]
    torn = clip("a", (3.9, 4), (4.1, 4))
    found = select([torn, *agreed], dict.fromkeys("abcd", 5.0), settings=SelectionSettings(most_in_cell=2))
    assert [one.id for one in found.clips] == ["b", "c"]
    assert [(one.id, one.step) for one in found.rejects] == [("d", "grid"), ("a", "grid")]
    # 4 is the middle of 1 to 7: the sixth of ten cells
    assert found.rejects[1].reason == "cell 6, 6 of valence and arousal is full: 4 of 4 by variance, 2 are picked"
    assert spread(torn) == pytest.approx(0.02)  # (0.1² + 0.1²) / 1


@given(st.floats(1, 7), st.integers(1, 30))
def test_every_mean_has_a_cell_that_holds_it(value: float, grid: int) -> None:
    cell = cell_of(value, grid=grid)
    assert 0 <= cell < grid
    width = 6 / grid
    assert 1 + cell * width - 1e-6 <= value <= 1 + (cell + 1) * width + 1e-6


@given(st.permutations(range(12)))
def test_the_order_of_the_corpus_does_not_matter(order: list[int]) -> None:
    clips = [clip(f"{place:02}", (4, 4), (4 + place % 4 / 10, 4)) for place in range(12)]
    seconds = dict.fromkeys([one.id for one in clips], 5.0)
    settings = SelectionSettings(most_in_cell=3)
    expected = select(clips, seconds, settings=settings)
    assert select([clips[place] for place in order], seconds, settings=settings).clips == expected.clips


@for_each("wrong", [{"shortest": 9.0}, {"largest_deviation": math.nan}, {"grid": 0}, {"most_in_cell": 0}])
def test_settings_that_pick_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        SelectionSettings(**wrong)  # type: ignore[arg-type]
