import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import UsageError
from aptone.rooms.aptness.takes.ranking import Take, explain, pooled_deviation, rank_takes, takes_of
from aptone.types import Entry, Item, Outcome, Score, State
from tests.tables import for_each

SCORES = st.lists(st.floats(0.0, 5.0, allow_nan=False), min_size=0, max_size=3)


def take(name: str, *scores: float, **aspects: float) -> Take:
    return Take(name, scores, asked=max(1, len(scores)), aspects=aspects, reason="" if scores else "silent")


def ids(takes: tuple[Take, ...]) -> list[str]:
    return [one.id for one in takes]


def test_the_order_is_that_of_the_scores_and_takes_without_one_come_last() -> None:
    ranking = rank_takes([take("a", 1.0), take("b"), take("c", 4.0), take("d", 2.5)])
    assert ids(ranking.takes) == ["c", "d", "a", "b"]
    assert ranking.ranks == (1, 2, 3, 0)
    assert ids(ranking.best) == ["c"]


def test_takes_that_are_too_close_share_a_rank_and_nobody_wins() -> None:
    ranking = rank_takes([take("a", 3.0), take("b", 3.2), take("c", 1.0)], least_lead=0.25)
    assert ranking.ranks == (1, 1, 3)  # 0.2 apart, 0.25 needed; c is 2.2 behind
    assert ids(ranking.best) == ["b", "a"]


def test_a_chain_of_small_steps_does_not_tie_the_first_with_the_last() -> None:
    # 4.0, 3.8, 3.6: each is 0.2 behind the one before, the last 0.4 behind the first
    ranking = rank_takes([take("a", 4.0), take("b", 3.8), take("c", 3.6)], least_lead=0.25)
    assert ranking.ranks == (1, 1, 3)


def test_equal_scores_are_a_tie_even_without_a_least_lead() -> None:
    assert rank_takes([take("a", 3.0), take("b", 3.0)], least_lead=0.0).ranks == (1, 1)


def test_a_judge_that_strays_needs_a_larger_lead() -> None:
    # deviation within a: √(((2-3)² + (4-3)²) / 1) = √2, within b: √2; pooled √(4 / 2) = √2
    # margin = 1.96 · √2 · √(1/2 + 1/2) = 2.77, and the lead is 1
    ranking = rank_takes([take("a", 2.0, 4.0), take("b", 1.0, 3.0)])
    assert ranking.deviation == pytest.approx(math.sqrt(2))
    assert ranking.leads[0].margin == pytest.approx(1.96 * math.sqrt(2))
    assert not ranking.leads[0].is_clear
    assert ranking.ranks == (1, 1)


def test_a_judge_that_always_says_the_same_has_only_the_least_lead() -> None:
    ranking = rank_takes([take("a", 3.0, 3.0), take("b", 2.0, 2.0)])
    assert ranking.deviation == 0.0
    assert ranking.leads[0].margin == ranking.least_lead
    assert ranking.leads[0].is_clear


def test_what_decides_is_named_by_the_size_of_the_difference() -> None:
    ranking = rank_takes([take("a", 4.0, emotion=5.0, rhythm=2.0), take("b", 2.0, emotion=1.0, rhythm=2.5, pitch=1.0)])
    (lead,) = ranking.leads
    assert [(aspect.name, aspect.difference) for aspect in lead.aspects] == [("emotion", 4.0), ("rhythm", -0.5)]


@for_each(
    ("takes", "least_lead"),
    [([], 0.25), ([take("a", 1.0), take("a", 2.0)], 0.25), ([take("a", 1.0)], -1.0), ([take("a", 1.0)], math.nan)],
)
def test_what_cannot_be_ranked_is_refused(takes: list[Take], least_lead: float) -> None:
    with pytest.raises(UsageError):
        rank_takes(takes, least_lead=least_lead)


@given(groups=st.lists(SCORES, min_size=1, max_size=6), least_lead=st.floats(0.0, 2.0))
def test_every_take_is_there_once_and_ranks_never_fall(groups: list[list[float]], least_lead: float) -> None:
    takes = [take(str(number), *scores) for number, scores in enumerate(groups)]
    ranking = rank_takes(takes, least_lead=least_lead)
    assert sorted(ids(ranking.takes)) == sorted(one.id for one in takes)
    scored = [rank for rank in ranking.ranks if rank]
    assert scored == sorted(scored)
    assert all((rank == 0) == (not one.scores) for one, rank in zip(ranking.takes, ranking.ranks, strict=True))
    strays = 0.0 if math.isnan(ranking.deviation) else ranking.deviation
    for place, (one, rank) in enumerate(zip(ranking.takes, ranking.ranks, strict=True), start=1):
        if one.scores and place > rank:  # whoever shares a rank is not clearly behind the first of that rank
            first = ranking.takes[rank - 1]
            margin = max(least_lead, 1.96 * strays * math.sqrt(1 / len(first.scores) + 1 / len(one.scores)))
            assert first.score == one.score or first.score - one.score < margin


def test_deviation_is_pooled_over_groups_of_any_size() -> None:
    # (1, 2, 3): squares 1 + 0 + 1 = 2 with 2 degrees; (5, 5): 0 with 1; (4): none. √(2 / 3)
    assert pooled_deviation([[1.0, 2.0, 3.0], [5.0, 5.0], [4.0], []]) == pytest.approx(math.sqrt(2 / 3))


def entry(name: str, repeat: int, value: float | None, **aspects: float) -> Entry:
    item = Item.make(name, {"id": name})
    if value is None:
        return Entry(item, Outcome.unscored("no speech found"), repeat=repeat)
    scores = {"aptness": Score(value, range=(0.0, 5.0)), "raw_aptness": Score(1.0, range=(0.0, 5.0))}
    scores |= {aspect: Score(number, range=(0.0, 5.0)) for aspect, number in aspects.items()}
    return Entry(item, Outcome(State.DONE, scores=scores, main_score="aptness"), repeat=repeat)


def test_repeats_of_a_take_come_together_and_its_raw_score_is_no_aspect() -> None:
    entries = [entry("a", 0, 2.0, emotion=1.0), entry("a", 1, 3.0, emotion=2.0), entry("b", 0, None)]
    first, second = takes_of(entries, names={"a": "take one"}, language="en")
    assert (first.id, first.scores, first.asked) == ("take one", (2.0, 3.0), 2)
    assert first.aspects == {"emotion": 1.5}
    assert (second.id, second.scores, second.reason) == ("b", (), "no speech found")


def test_a_take_that_was_scored_only_sometimes_says_so() -> None:
    (only,) = takes_of([entry("a", 0, None), entry("a", 1, 3.0)], names={}, language="en")
    assert (only.scores, only.asked) == ((3.0,), 2)


GOOD = Take(
    "b.wav", (3.9,), aspects={"emotion": 4.5, "rhythm": 2.0}, planned={"emotion": "fear"}, heard={"emotion": "afraid"}
)
POOR = Take(
    "a.wav", (3.1,), aspects={"emotion": 2.0, "rhythm": 3.0}, planned={"emotion": "fear"}, heard={"emotion": "bored"}
)
SILENT = Take("c.wav", (), reason="no speech found")


def test_the_winner_is_explained_aspect_by_aspect_with_what_speaks_against_it() -> None:
    assert explain(rank_takes([POOR, GOOD, SILENT]), language="en") == (
        "b.wav is the best of 3 takes: 3.9 of 5, 0.8 ahead of a.wav. It fits better in emotion (4.5 against 2; "
        "asked for “fear”, heard in b.wav: afraid, in a.wav: bored). a.wav fits better in rhythm (3 against 2). "
        "Without a score: c.wav (no speech found)."
    )


def test_the_same_in_mandarin() -> None:
    assert explain(rank_takes([POOR, GOOD]), language="zh") == (
        "2条录音中b.wav最好：3.9分（满分5分），比a.wav高0.8分。它更符合要求的是情感（4.5对2：要求“fear”，b.wav听来afraid，"
        "a.wav听来bored）。a.wav更符合要求的是节奏（3对2）。"
    )


def test_a_tie_is_called_a_tie_with_the_reason() -> None:
    told = explain(rank_takes([Take("a", (3.0,)), Take("b", (3.1,))]), language="en")
    assert told == (
        "Too close to call: b, a. The first two of them are 0.1 apart, and a difference of less than 0.5 is none that "
        "this judge can vouch for (the least lead that is called). Listen to them."
    )


def test_a_tie_by_the_judges_own_spread_says_how_far_it_strays() -> None:
    told = explain(rank_takes([Take("a", (2.0, 4.0)), Take("b", (1.0, 3.0))]), language="en")
    assert "asked again, it strays by 1.41 points" in told


def test_one_score_has_nothing_to_compare_with_and_none_is_said_so() -> None:
    assert "the only take with a score: 3.9 of 5" in explain(rank_takes([GOOD, SILENT]), language="en")
    assert explain(rank_takes([SILENT]), language="en").startswith("No take has a score.")
