"""A number is defined or says why not, and its signature is that of nothing else."""

import copy
import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.types import Estimate, Json, Score, ScoreState, signature
from tests.tables import for_each


def test_a_number_is_defined() -> None:
    score = Score(3.5, range=(0.0, 5.0))
    assert score.state is ScoreState.DEFINED
    assert score.is_defined


def test_both_ends_of_the_range_belong_to_it() -> None:
    assert Score(0.0, range=(0.0, 5.0)).is_defined
    assert Score(5.0, range=(0.0, 5.0)).is_defined


def test_undefined_and_not_needed_are_two_states() -> None:
    undefined = Score(math.nan, reason="no voiced frames")
    not_needed = Score(math.nan, reason="the user was calm", needed=False)
    assert (undefined.state, undefined.is_defined) == (ScoreState.UNDEFINED, False)
    assert (not_needed.state, not_needed.is_defined) == (ScoreState.NOT_NEEDED, False)


def test_a_nan_without_a_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="an undefined score needs a reason"):
        Score(math.nan)
    with pytest.raises(ValueError, match="an undefined score needs a reason"):
        Score(math.nan, needed=False)


def test_a_number_with_a_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="a reason belongs to an undefined score"):
        Score(1.0, reason="because")


def test_a_number_that_is_not_needed_is_refused() -> None:
    with pytest.raises(ValueError, match="a reason belongs to an undefined score"):
        Score(1.0, needed=False)


@pytest.mark.parametrize("value", [-0.001, 5.001])
def test_a_number_outside_its_range_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=rf"score {value} lies outside its range 0\.0 to 5\.0"):
        Score(value, range=(0.0, 5.0))


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_an_infinite_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite number or NaN"):
        Score(value)


@for_each("ends", [(5.0, 0.0), (math.nan, 5.0), (0.0, math.nan), (0.0, math.inf), (-math.inf, 0.0)])
def test_a_range_whose_ends_are_not_finite_and_in_order_is_refused(ends: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="a range has a finite lower and upper end"):
        Score(0.0, range=ends)
    with pytest.raises(ValueError, match="a range has a finite lower and upper end"):
        Score(math.nan, range=ends, reason="unknown")


@pytest.mark.parametrize(
    "score", [Score(2.0), Score(math.nan, reason="silence"), Score(1.0, range=(0.0, 5.0), spread=0.2)]
)
def test_a_score_of_another_process_equals_that_of_this_one(score: Score) -> None:
    # NaN equals nothing but is the same object in both, as long as every undefined number is `math.nan`.
    assert pickle.loads(pickle.dumps(score)) == score
    assert copy.deepcopy(score) == score


def test_an_estimate_is_defined_when_its_value_is_a_number() -> None:
    assert Estimate(0.72, 0.65, 0.78, 600, method="fisher-z").is_defined
    assert not Estimate(math.nan, reason="one item").is_defined


def test_an_estimate_may_lack_its_interval_only() -> None:
    assert Estimate(0.72, reason="three items are too few for an interval").is_defined


def test_an_undefined_estimate_without_a_reason_is_refused() -> None:
    with pytest.raises(ValueError, match="an undefined estimate needs a reason"):
        Estimate(math.nan)


@for_each("numbers", [(math.inf, 0.0, 1.0), (0.0, -math.inf, 1.0), (0.0, 0.0, math.inf)])
def test_an_infinite_estimate_or_interval_is_refused(numbers: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="an estimate is finite or NaN with a reason"):
        Estimate(*numbers)


def test_a_signature_does_not_depend_on_the_order_of_the_parameters() -> None:
    assert signature("judge", {"seed": 7, "model": "q"}) == signature("judge", {"model": "q", "seed": 7})
    assert signature("judge", {"seed": 7, "model": "q"}) == "judge|model:q|seed:7"


def test_a_signature_holds_any_json() -> None:
    assert signature("ear", {}) == "ear"
    parameters: dict[str, Json] = {"bands": [1, 2.5, None], "on": True, "名": "声"}
    assert signature("ear", parameters) == "ear|bands:[1,2.5,null]|on:true|名:声"


def test_text_that_holds_a_separator_is_quoted() -> None:
    assert signature("a|b", {"x:y": 'p|q"', "z": "k:v"}) == r'"a|b"|"x:y":"p|q\""|z:k:v'


def test_a_signature_is_one_line() -> None:
    assert len(signature("judge", {"prompt": "one\ntwo\rthree"}).splitlines()) == 1


@pytest.mark.slow
@settings(max_examples=300, derandomize=True, deadline=None)
@given(
    st.lists(st.dictionaries(st.text('ab|:"\n', max_size=4), st.text('ab|:"\n', max_size=4), max_size=3), max_size=6)
)
def test_other_parameters_give_another_signature(many: list[dict[str, str]]) -> None:
    distinct = {tuple(sorted(parameters.items())) for parameters in many}
    assert len({signature("judge", parameters) for parameters in many}) == len(distinct)
