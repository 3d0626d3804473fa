import math
from dataclasses import replace

import numpy as np
import pytest

from aptone.messages import translate
from aptone.rooms.aptness.production.book_lines import gather_lines
from aptone.rooms.aptness.production.retakes import (
    RetakeFilter,
    Usual,
    expected_score,
    order_retakes,
    trust_of,
    usual_scores,
)
from aptone.types import Entry, Intonation, Item, Outcome, Plan, Rhythm, Vote
from tests.rooms.aptness.production.books import SURE, UNSAID, UNSURE, entry


def test_an_expected_score_lies_between_the_score_and_the_mean_by_its_trust() -> None:
    usual = Usual(mean=3.0, deviation=0.5)
    # mean 0.8 · 1 + 0.2 · 3 = 1.4; variance 0.8 · 0.3² + 0.2 · 0.5² + 0.8 · 0.2 · 2² = 0.072 + 0.05 + 0.64
    mean, deviation = expected_score(1.0, spread=0.3, trust=0.8, usual=usual)
    assert mean == pytest.approx(1.4)
    assert deviation == pytest.approx(math.sqrt(0.762))
    assert expected_score(1.0, spread=0.0, trust=1.0, usual=usual) == (1.0, 0.0)


def test_the_variance_is_that_of_draws_from_the_mixture() -> None:
    rng = np.random.default_rng(0)
    draws = np.where(rng.random(200_000) < 0.7, rng.normal(1.0, 0.4, 200_000), rng.normal(3.0, 0.8, 200_000))
    mean, deviation = expected_score(1.0, spread=0.4, trust=0.7, usual=Usual(3.0, 0.8))
    assert mean == pytest.approx(float(draws.mean()), abs=0.02)
    assert deviation == pytest.approx(float(draws.std()), abs=0.02)


def test_trust_is_the_confidence_of_the_plan_times_the_words_found() -> None:
    assert trust_of(replace(SURE, unsaid=0.5), placed=0.5) == 0.25
    assert trust_of(Plan("angry")) == 1.0  # by hand
    assert trust_of(None, placed=0.9) == 0.9
    votes = [Vote(size, "angry", Rhythm.HEAVY, Intonation.FALLING) for size in (1, 2, 3)]
    voted = Plan("angry", Rhythm.HEAVY, Intonation.FALLING, "normal", votes=(*votes, replace(votes[0], emotion="sad")))
    assert trust_of(voted) == 0.75


def test_lines_are_ordered_by_expected_gain_and_a_shaky_low_score_comes_behind_a_sure_one() -> None:
    shaky = replace(SURE, emotions={"angry": 0.5, "sad": 0.5})  # names an emotion that has one half only
    entries = [entry(1, 0.5, plan=shaky), entry(2, 1.0), *(entry(number, 4.0) for number in (3, 4, 5, 6))]
    found = order_retakes(gather_lines(entries, "aptness"))
    assert [retake.line.position for retake in found.retakes] == [2, 1]
    # mean (0.5 + 1 + 16) / 6 = 2.9167; of the shaky line 0.5 · 0.5 + 0.5 · 2.9167 = 1.7083; a good line has 4
    assert [retake.gain for retake in found.retakes] == pytest.approx([3.0, 4.0 - 1.708333], abs=1e-5)
    assert found.retakes[0].low == found.retakes[0].high == 3.0  # sure plan, sure place: no interval
    shaky_one = found.retakes[1]
    assert shaky_one.low < shaky_one.gain < shaky_one.high
    assert [retake.line.position for retake in found.fine] == [3, 4, 5, 6]


def test_where_emotions_have_probabilities_the_chance_that_another_is_heard_counts_as_much_as_the_score() -> None:
    plan = replace(SURE, emotions={"angry": 0.9, "sad": 0.1})
    right, wrong = {"angry": 0.9, "sad": 0.1}, {"sad": 0.5, "boredom": 0.5}
    entries = [entry(1, 3.0, plan=plan, emotion=wrong), entry(2, 2.5, plan=plan, emotion=right)]
    entries += [entry(number, 3.0, plan=plan, emotion=right) for number in (3, 4, 5, 6)]
    found = order_retakes(gather_lines(entries, "aptness"))
    assert [retake.line.position for retake in found.retakes] == [1, 2]  # by score alone the second came first
    # agreement of the first: 0.9 · 0 + 0.1 · 0.5 = 0.05; of the others 0.81 + 0.01 = 0.82. Trust 0.9, mean 17.5 / 6.
    mean = 17.5 / 6
    expected = (0.9 * 3.0 + 0.1 * mean + 5 * 0.05) / 2, (0.9 * 3.0 + 0.1 * mean + 5 * 0.82) / 2
    assert found.retakes[0].expected == pytest.approx(expected[0])
    assert found.retakes[0].gain == pytest.approx(expected[1] - expected[0])  # 5 · 0.77 / 2


def test_unsure_plans_and_lines_without_a_score_are_apart_with_their_reasons() -> None:
    entries = [
        entry(1, 0.0, plan=UNSURE),
        entry(2, 0.0, plan=UNSAID),
        entry(3, None),
        entry(4, 0.0, placed=0.2),
        entry(5, 0.0, plan=replace(SURE, unsaid=0.35), placed=0.5),
        entry(6, 2.0),
        entry(7, 4.0),
    ]
    found = order_retakes(gather_lines(entries, "aptness"))
    assert [retake.line.position for retake in found.retakes] == [6]
    assert [(one.line.position, str(one.reason)) for one in found.apart] == [
        (1, "the plan is not sure: its likeliest feeling has 35 %"),
        (2, "the story does not say how it should sound (likely to 80 %)"),
        (3, "not found in the recording: nobody seems to read it"),
        (4, "its place in the recording is not sure: 20 % of its words were heard"),
        (5, "plan and place together are right to 32 % only"),
    ]
    assert translate(found.apart[0].reason, "zh") == "计划没有把握：最可能的情感只有 35%"


def test_speech_and_narration_are_measured_by_their_own_good_lines() -> None:
    speech = [entry(number, score) for number, score in enumerate((1.0, 3.0, 3.0, 3.0, 3.0), start=1)]
    told = [entry(number, 1.0, role="", speech=False) for number in range(6, 11)]
    found = order_retakes(gather_lines([*speech, *told], "aptness"))
    assert [retake.line.position for retake in found.retakes] == [1]  # narration of 1.0 is as good as its kind gets


def test_narration_is_a_retake_for_its_pace_where_no_feeling_is_asked_for() -> None:
    unsaid = replace(SURE, emotion="", unsaid=0.8, rhythm=Rhythm.RELAXED)
    told = [entry(number, score, role="", speech=False, plan=unsaid) for number, score in ((1, 1.0), (2, 4.0))]
    found = order_retakes(gather_lines([*told, *(entry(number, 4.0) for number in (3, 4))], "aptness"))
    assert found.retakes[0].line.position == 1
    assert not found.apart


def test_repeats_of_a_line_are_averaged_and_widen_its_interval() -> None:
    others = [entry(number, 4.0) for number in (2, 3, 4, 5)]
    once = order_retakes(gather_lines([entry(1, 1.0), *others], "aptness")).retakes[0]
    again = [entry(1, value, repeat=repeat) for repeat, value in enumerate((0.5, 1.5))]
    twice = order_retakes(gather_lines([*again, *others], "aptness")).retakes[0]
    assert twice.line.score == 1.0
    assert once.gain == twice.gain
    # standard error of 0.5 and 1.5: sqrt(0.5 / 2) = 0.5
    assert twice.gain - twice.low == pytest.approx(1.96 * 0.5)


def test_a_filter_takes_the_first_of_a_character_below_a_score() -> None:
    entries = [
        entry(1, 0.5, role="Ann"),
        entry(2, 1.0),
        entry(3, 1.5, role="Ann", chapter="Chapter 2"),
        entry(4, 1.6, role="", speech=True),
        *(entry(number, 4.0) for number in range(5, 10)),
    ]
    retakes = order_retakes(gather_lines(entries, "aptness")).retakes

    def places(choice: RetakeFilter) -> list[int]:
        return [retake.line.position for retake in choice.apply(retakes)]

    assert places(RetakeFilter()) == [1, 2, 3, 4]
    assert places(RetakeFilter(worst=2)) == [1, 2]
    assert places(RetakeFilter(below=1.0)) == [1]
    assert places(RetakeFilter(characters=frozenset({"Ann"}))) == [1, 3]
    assert places(RetakeFilter(characters=frozenset({"unknown"}))) == [4]
    assert places(RetakeFilter(characters=frozenset({"narration"}))) == []
    assert places(RetakeFilter(chapters=frozenset({"Chapter 2"}))) == [3]


def test_a_book_without_any_score_has_no_retakes() -> None:
    found = order_retakes(gather_lines([entry(1, None)], "aptness"))
    assert (found.retakes, found.fine, len(found.apart)) == ((), (), 1)
    with pytest.raises(ValueError, match="no line has a score"):
        usual_scores([])


def test_entries_of_other_runs_are_no_lines_of_a_book() -> None:
    assert gather_lines([Entry(Item.make("a", {}), Outcome.unscored("silence"))], "aptness") == []
