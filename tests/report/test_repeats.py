import math
from collections.abc import Callable

from aptone.report.trust import repeat_probe, repeat_spread
from aptone.types import Entry, ProbeState

MakeEntry = Callable[..., Entry]


def test_without_repeats_the_probe_was_not_run(make_entry: MakeEntry) -> None:
    spread = repeat_spread([make_entry("a", 3.0), make_entry("b", 4.0)], score="aptness")
    assert repeat_probe(spread).state is ProbeState.NOT_RUN
    assert math.isnan(repeat_probe(spread).value)


def test_equal_scores_pass_with_a_deviation_of_zero(make_entry: MakeEntry) -> None:
    entries = [make_entry("a", 3.0, repeat=repeat) for repeat in range(3)]
    probe = repeat_probe(repeat_spread(entries, score="aptness"))
    assert (probe.state, probe.value, probe.items) == (ProbeState.PASSED, 0.0, 1)


def test_the_deviation_is_the_mean_of_the_sample_deviations_within_items(make_entry: MakeEntry) -> None:
    # a: 3 and 4, mean 3.5, sd = sqrt((0.25 + 0.25) / 1) = 0.7071; b: 2, 2, 2, sd = 0; mean 0.3536
    entries = [make_entry("a", 3.0), make_entry("a", 4.0, repeat=1)]
    entries += [make_entry("b", 2.0, repeat=repeat) for repeat in range(3)]
    spread = repeat_spread(entries, score="aptness")
    assert math.isclose(spread.deviation, math.sqrt(0.5) / 2)
    assert (spread.compared, spread.changed, spread.most_repeats) == (2, 1, 3)
    probe = repeat_probe(spread)
    assert probe.state is ProbeState.FAILED
    assert probe.detail == "2 items judged up to 3 times; 1 of 2 changed their score (50%)."


def test_an_item_scored_in_one_repeat_only_fails_the_probe(make_entry: MakeEntry) -> None:
    entries = [make_entry("a", 3.0), make_entry("a", unscored="no score", repeat=1)]
    entries += [make_entry("b", 2.0), make_entry("b", 2.0, repeat=1)]
    probe = repeat_probe(repeat_spread(entries, score="aptness"))
    assert probe.state is ProbeState.FAILED
    assert probe.value == 0.0
    assert "1 scored in one repeat and not in another" in probe.detail


def test_items_that_never_got_a_score_tell_nothing_about_repeats(make_entry: MakeEntry) -> None:
    entries = [make_entry("a", failed="down"), make_entry("a", failed="down", repeat=1)]
    probe = repeat_probe(repeat_spread(entries, score="aptness"))
    assert probe.state is ProbeState.NOT_APPLICABLE
    assert math.isnan(probe.value)
    assert "none got two scores" in probe.detail
