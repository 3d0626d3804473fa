"""Agreement, aggregates and spread of answers about sets of clips."""

import pytest

from aptone.ratings.rules import is_right
from aptone.studio.agreement.items import as_clip_numbers, clip_numbers, combined_answer, control_spread
from aptone.studio.agreement.overview import agreement_report
from aptone.types import AudioRef, Control, Json, Rating, RatingItem, RatingTask, Shown

RATED = Control("rated", "ratings", {}, low=0, high=100, step=1, prefill="takes")
RANKED = Control("ranked", "ranking", {}, prefill="takes")
EXTREMES = Control("extremes", "best-worst", {}, prefill="takes")
CLIPS = ("a", "b", "c")


def test_answers_about_a_set_become_numbers_by_clip() -> None:
    assert as_clip_numbers({"a": 80, "b": 10.5}) == {"a": 80.0, "b": 10.5}
    assert as_clip_numbers([]) is None
    assert as_clip_numbers({}) is None
    apart = clip_numbers({"i": {"p": {"a": 1.0}, "q": {"b": -1.0}}}, missing=0.0)
    assert apart == {"i\na": {"p": 1.0, "q": 0.0}, "i\nb": {"p": 0.0, "q": -1.0}}


def test_ratings_are_combined_clip_by_clip_and_rankings_by_mean_place() -> None:
    assert combined_answer(RATED, [{"a": 80, "b": 10}, {"a": 60, "b": 30}, None]) == {"a": 70.0, "b": 20.0}
    # places: a 1, 1, 3; b 2, 3, 1; c 3, 2, 2: means 5/3, 2, 7/3
    assert combined_answer(RANKED, [["a", "b", "c"], ["a", "c", "b"], ["b", "c", "a"]]) == ["a", "b", "c"]
    best: list[Json] = [{"best": "a", "worst": "c"}, {"best": "a", "worst": "b"}, {"best": "b", "worst": "c"}]
    assert combined_answer(EXTREMES, best) == {"best": "a", "worst": "c"}
    assert combined_answer(RATED, [None]) is None


def test_the_spread_of_a_set_is_that_of_its_most_disputed_clip() -> None:
    assert control_spread(RATED, [{"a": 80, "b": 10}, {"a": 60, "b": 60}]) == 0.5
    assert control_spread(RANKED, [["a", "b", "c"], ["c", "b", "a"]]) == 1.0
    assert control_spread(EXTREMES, [{"best": "a", "worst": "c"}, {"best": "c", "worst": "a"}]) == 1.0
    assert control_spread(RATED, [{"a": 80}]) is None


def test_a_set_is_right_if_every_clip_with_a_right_number_is_near_it() -> None:
    assert is_right(RATED, {"a": 95, "b": 3}, {"a": 100}, tolerance=10)
    assert not is_right(RATED, {"a": 85}, {"a": 100}, tolerance=10)
    assert not is_right(RATED, {"b": 100}, {"a": 100}, tolerance=10)


@pytest.mark.parametrize("control", [RATED, RANKED, EXTREMES], ids=lambda control: control.kind)
def test_people_who_answer_alike_agree_perfectly_on_each_kind(control: Control) -> None:
    items = tuple(
        RatingItem(f"i{n}", {name: AudioRef("clips/a.wav") for name in CLIPS}, {"takes": [*CLIPS]}) for n in range(4)
    )
    task = RatingTask("t", {}, {}, (Shown("takes", "set"),), (control,), items)
    given: dict[str, Json] = {
        "ratings": {"a": 90, "b": 50, "c": 10},
        "ranking": ["a", "b", "c"],
        "best-worst": {"best": "a", "worst": "c"},
    }
    answers = {control.name: given[control.kind]}
    ratings = [Rating("t", item.id, rater, answers) for item in items for rater in ("p", "q", "r")]
    (report,) = agreement_report(task, ratings).controls
    figure = next(one for name, one in report.figures.items() if name == "alpha")
    assert figure.estimate.value == 1.0
