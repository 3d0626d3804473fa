"""The average, its parts and the pair measure: every number is derived here."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.rooms.answer.data import AnswerStyle, Dimension, Fields, Prompt, Source
from aptone.rooms.answer.score import (
    OVERALL,
    JudgedAnswer,
    PairMargin,
    answers_differ,
    average,
    category_means,
    compare_pairs,
    mean_fitness,
    pair_margin,
    pair_margins,
    pair_measure,
    pair_measures,
    part_of,
)

FITNESS = st.floats(1.0, 5.0)


def prompt(name: str, category: str = "happy", *, pair: str = "", source: Source = Source.SYNTHETIC) -> Prompt:
    dimensions = {"sincere": "sarcasm", "sarcastic": "sarcasm", "child": "age", "adult": "age", "male": "gender"}
    dimension = Dimension(dimensions.get(category, "emotion"))
    return Prompt(name, "Is it?", dimension, category, pair=pair, source=source)


def judged(
    name: str, fitness: float, category: str = "happy", *, pair: str = "", swapped: float = math.nan
) -> JudgedAnswer:
    return JudgedAnswer(prompt(name, category, pair=pair), fitness, swapped)


def both(
    own: Sequence[float], swapped: Sequence[float], *, pair: str = "p", ways: Sequence[str] = ("happy", "sad")
) -> list[JudgedAnswer]:
    """The two answers of a pair."""
    return [
        judged(f"{pair}{place}", own[place], way, pair=pair, swapped=swapped[place]) for place, way in enumerate(ways)
    ]


def fields(words: str = "Well.", style: AnswerStyle | None = None) -> Fields:
    return Fields("Is it?", Dimension.EMOTION, "sad", words, style or AnswerStyle())


def test_the_average_weighs_parts_alike_whatever_their_sizes() -> None:
    answers = [judged(str(n), 2.0) for n in range(10)] + [judged("s", 4.0, "sincere")]
    found = average(answers)
    assert found.value.value == 3.0  # (2 + 4) / 2, not (10 * 2 + 4) / 11
    assert {name: part.value for name, part in found.parts.items()} == {"emotion": 2.0, "sarcasm": 4.0}
    assert found.missing == ("age", "gender", "iemocap", "meld")


def test_real_corpora_are_parts_of_their_own() -> None:
    answers = [
        judged("a", 1.0),
        JudgedAnswer(prompt("b", source=Source.IEMOCAP), 2.0),
        JudgedAnswer(prompt("c", source=Source.MELD), 3.0),
    ]
    assert [part_of(answer.prompt) for answer in answers] == ["emotion", "iemocap", "meld"]
    assert average(answers).value.value == 2.0


def test_answers_without_a_fitness_are_left_out_of_their_part() -> None:
    found = average([judged("a", 2.0), judged("b", math.nan), judged("c", math.nan, "sincere")])
    assert found.value.value == 2.0
    assert "sarcasm" in found.missing


def test_an_average_counts_answers_as_its_parts_do_and_not_pairs() -> None:
    found = average([*both((2.0, 4.0), (1.0, 1.0)), *both((3.0, 3.0), (1.0, 1.0), pair="q"), judged("n", math.nan)])
    assert (found.value.count, found.parts["emotion"].count) == (4, 4)


def test_an_average_of_nothing_is_undefined_and_says_why() -> None:
    found = average([judged("a", math.nan)])
    assert math.isnan(found.value.value)
    assert found.value.reason
    assert len(found.missing) == 6


def test_two_answers_of_a_pair_count_as_one_draw_in_the_interval() -> None:
    # Four pairs whose two answers agree: drawn as pairs the mean varies more than drawn one by one.
    paired = [judged(f"{n}{m}", value, pair=str(n)) for n, value in enumerate((1.0, 2.0, 4.0, 5.0)) for m in "ab"]
    single = [judged(f"{n}{m}", value) for n, value in enumerate((1.0, 2.0, 4.0, 5.0)) for m in "ab"]
    wide, narrow = mean_fitness(paired), mean_fitness(single)
    assert wide.value == narrow.value == 3.0
    assert wide.count == narrow.count == 8
    assert wide.high - wide.low > narrow.high - narrow.low


def test_categories_have_means_of_their_own() -> None:
    found = category_means([judged("a", 2.0), judged("b", 4.0), judged("c", 5.0, "sad")])
    assert {name: one.value for name, one in found.items()} == {("emotion", "happy"): 3.0, ("emotion", "sad"): 5.0}


def test_a_margin_is_what_answers_gain_by_their_own_questions() -> None:
    (one,) = pair_margins(both((5.0, 4.0), (2.0, 3.0)))
    assert one.margin == 2.0  # (5 + 4) / 2 - (2 + 3) / 2
    assert one.is_won


@given(FITNESS, FITNESS)
def test_a_system_that_gives_both_the_same_answer_never_wins_a_pair(to_one: float, to_other: float) -> None:
    # A = B: f(A, α) = f(B, α), so the swapped judgement of the one is the own judgement of the other.
    (one,) = pair_margins(both((to_one, to_other), (to_other, to_one)))
    assert one.margin == pytest.approx(0.0, abs=1e-12)
    assert not one.is_won
    assert pair_measure([one]).won.value == 0.0
    assert pair_measure([one]).ties == 1


@given(FITNESS, FITNESS, FITNESS, FITNESS)
def test_exchanging_own_and_swapped_turns_the_margin_round(a: float, b: float, c: float, d: float) -> None:
    assert pair_margin((a, b), (c, d)) == pytest.approx(-pair_margin((c, d), (a, b)))
    assert -4.0 <= pair_margin((a, b), (c, d)) <= 4.0


@given(st.lists(st.tuples(FITNESS, FITNESS, FITNESS, FITNESS), min_size=1, max_size=6))
def test_won_lost_and_tied_pairs_are_all_pairs(values: list[tuple[float, float, float, float]]) -> None:
    margins = pair_margins(
        answer for n, (a, b, c, d) in enumerate(values) for answer in both((a, b), (c, d), pair=str(n))
    )
    found = pair_measure(margins, resamples=100)
    assert found.pairs == len(values) == round(found.won.value * found.pairs) + found.ties + found.lost


def test_a_pair_with_an_unscored_answer_has_no_margin_and_says_why() -> None:
    margins = [
        *pair_margins(both((5.0, math.nan), (2.0, 3.0))),
        *pair_margins(both((5.0, 4.0), (math.nan, 3.0), pair="q")),
        *pair_margins([judged("r", 5.0, pair="r", swapped=1.0)]),
    ]
    found = pair_measure(margins)
    assert found.pairs == 0
    assert math.isnan(found.won.value)
    assert found.won.reason
    assert sum(found.undefined.values()) == 3
    assert len(found.undefined) == 3


def test_two_answers_in_the_same_way_are_no_pair() -> None:
    (one,) = pair_margins(both((5.0, 4.0), (2.0, 3.0), ways=("sad", "sad")))
    assert math.isnan(one.margin)
    assert "two ways" in one.reason


def test_pair_measures_come_for_all_and_by_dimension() -> None:
    margins = pair_margins(
        [*both((5.0, 5.0), (1.0, 1.0)), *both((3.0, 3.0), (3.0, 3.0), pair="s", ways=("sincere", "sarcastic"))]
    )
    found = pair_measures(margins)
    assert {name: one.won.value for name, one in found.items()} == {OVERALL: 0.5, "emotion": 1.0, "sarcasm": 0.0}


def test_systems_are_compared_pair_by_pair_and_ties_count_for_neither() -> None:
    def margins(*values: float) -> list[PairMargin]:
        return [PairMargin(str(n), Dimension.AGE, value) for n, value in enumerate(values)]

    found = compare_pairs(margins(2.0, 1.0, 0.0, -1.0, 1.0), margins(0.0, 0.0, 0.0, 0.0, math.nan))
    assert (found.first_larger, found.second_larger, found.ties, found.left_out) == (2, 1, 1, 1)
    assert found.first.value == 0.5  # 2 of 4
    assert found.difference.value == 0.5  # (2 + 1 + 0 - 1) / 4


def test_systems_without_a_common_pair_cannot_be_compared() -> None:
    found = compare_pairs([PairMargin("a", Dimension.AGE, 1.0)], [PairMargin("b", Dimension.AGE, 1.0)])
    assert math.isnan(found.first.value)
    assert found.left_out == 2


def test_answers_differ_by_their_words_or_by_their_sound() -> None:
    assert not answers_differ(fields("Well, yes."), fields("well yes"))
    assert answers_differ(fields("Yes."), fields("No."))
    assert answers_differ(fields(), fields(style=AnswerStyle(rate="slow")))
    calm, mostly = AnswerStyle({"calm": 0.6, "sad": 0.4}), AnswerStyle({"calm": 0.7, "sad": 0.3})
    assert not answers_differ(fields(style=calm), fields(style=mostly))


def test_a_pair_says_whether_its_answers_differ_at_all() -> None:
    one, other = both((3.0, 3.0), (3.0, 3.0))
    same = [JudgedAnswer(answer.prompt, 3.0, 3.0, fields()) for answer in (one, other)]
    assert pair_margins(same)[0].changed is False
    assert pair_margins([one, other])[0].changed is None
    assert pair_measure(pair_margins(same)).changed.value == 0.0


def test_a_fitness_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="between 1 and 5"):
        judged("a", 5.5)
