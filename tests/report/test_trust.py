import dataclasses
import math
from collections.abc import Callable

import pytest

from aptone.errors import RecordError, UsageError
from aptone.report.trust import main_score_name, trust_card
from aptone.types import Entry, Item, Outcome, Probe, ProbeState, Score, State, TrustCard, from_json, to_json

MakeEntry = Callable[..., Entry]


def test_counts_add_up_and_reasons_are_grouped(make_entry: MakeEntry) -> None:
    entries = [make_entry(f"t{index}", failed=f"timed out after {index} s") for index in range(3)]
    entries += [make_entry("u", unscored="no score in the reply"), make_entry("a", 3.0), make_entry("n", None)]
    card = trust_card(entries, version="1")
    assert (card.items, card.done) == (6, 1)
    assert card.failed == {"timed out after … s": 3}
    assert card.unscored == {"no score in the reply": 1, "too short": 1}  # an undefined score is unscored, not done
    assert card.items == card.done + sum(card.unscored.values()) + sum(card.failed.values())


def test_a_score_that_is_not_needed_is_done(make_entry: MakeEntry) -> None:
    entry = make_entry("a", 3.0)
    score = Score(math.nan, reason="nothing to balance", needed=False)
    entry = dataclasses.replace(entry, outcome=Outcome(State.DONE, {"aptness": score}))
    assert trust_card([entry], version="1").done == 1


def test_repeats_cost_but_do_not_count_as_items(make_entry: MakeEntry) -> None:
    entries = [
        make_entry("a", 3.0, cost=0.25, seconds=1.5, parse_failures=1),
        make_entry("a", 3.0, repeat=1, cost=0.25, seconds=2.0, parse_failures=2),
    ]
    card = trust_card(entries, version="1")
    assert (card.items, card.cost, card.seconds, card.parse_failures) == (1, 0.5, 3.5, 3)
    assert card.repeat.state is ProbeState.PASSED


def test_signatures_are_counted_and_missing_ones_named(make_entry: MakeEntry) -> None:
    plain = Outcome(State.DONE, {"aptness": Score(1.0)})
    own = Outcome(State.DONE, {"aptness": Score(1.0, signature="the score's own")})
    entries = [make_entry("a", 3.0), make_entry("b", 3.0), make_entry("f", failed="down")]
    entries += [dataclasses.replace(make_entry("c", 1.0), outcome=plain)]
    entries += [dataclasses.replace(make_entry("d", 1.0), outcome=own)]
    found = trust_card(entries, version="1").signatures
    assert found == {"judge|model:test|version:1": 2, "the score's own": 1, "unsigned": 1}
    assert next(iter(found)) == "judge|model:test|version:1"


def test_human_scores_of_the_caller_replace_those_of_the_items(make_entry: MakeEntry) -> None:
    entries = [make_entry(name, value, payload={"human_score": 0.0}) for name, value in (("a", 1.0), ("b", 2.0))]
    card = trust_card(entries, version="1", human={"a": 1.0, "b": 2.0})
    assert math.isclose(card.agreement["LCC"].value, 1.0)
    assert trust_card(entries, version="1").agreement["LCC"].reason  # the items' own have no variance
    assert trust_card(entries, version="1", human={}).agreement == {}


def test_ratings_give_the_ceiling(make_entry: MakeEntry) -> None:
    entries = [make_entry(f"{index}", 1.0, payload={"ratings": {"x": index, "y": index + 0.5}}) for index in range(6)]
    assert trust_card(entries, version="1").ceiling["ACC"].value == 1.0


def test_what_the_caller_knows_is_kept(make_entry: MakeEntry) -> None:
    card = trust_card(
        [make_entry("a", 3.0)],
        version="1.2",
        batch=Probe(ProbeState.PASSED, 0.0, 4),
        order=Probe(ProbeState.NOT_APPLICABLE),
        prompt_hashes={"judge": "ab"},
        notes=["placeholder engine"],
        licence="MIT",
        stopped="budget",
    )
    assert (card.batch.items, card.order.state) == (4, ProbeState.NOT_APPLICABLE)
    assert (card.notes, card.licence, card.version, card.stopped) == (("placeholder engine",), "MIT", "1.2", "budget")
    assert card.prompt_hashes == {"judge": "ab"}
    assert from_json(TrustCard, to_json(card)).signatures == card.signatures


def test_an_empty_run_has_a_card() -> None:
    card = trust_card([], version="1")
    assert (card.items, card.done, card.score, card.agreement, card.ceiling) == (0, 0, "", {}, {})


def test_the_first_score_of_the_first_item_is_the_main_one(make_entry: MakeEntry) -> None:
    later = dataclasses.replace(make_entry("b", 1.0, position=2), outcome=Outcome(State.DONE, {"other": Score(1.0)}))
    assert main_score_name([later, make_entry("a", failed="down"), make_entry("c", 2.0, position=1)]) == "aptness"


def test_items_without_the_score_that_was_asked_for_are_unscored(make_entry: MakeEntry) -> None:
    other = Entry(Item.make("o", {}), Outcome(State.DONE, {"other": Score(1.0)}))
    card = trust_card([make_entry("a", 3.0), other], version="1", score="aptness")
    assert card.unscored == {"no score named aptness among other": 1}


def test_a_score_that_no_item_has_is_refused_with_the_known_names(make_entry: MakeEntry) -> None:
    with pytest.raises(UsageError, match="no item has a score named 'aptnes'; expected one of aptness"):
        trust_card([make_entry("a", 3.0)], version="1", score="aptnes")
    assert trust_card([make_entry("a", failed="down")], version="1", score="aptness").score == "aptness"


def test_the_same_repeat_twice_is_refused(make_entry: MakeEntry) -> None:
    with pytest.raises(RecordError, match="item 'a', repeat 0: expected one entry, got two"):
        trust_card([make_entry("a", 3.0), make_entry("a", 4.0)], version="1")


def test_the_realistic_run_has_the_numbers_it_was_made_with(run_entries: list[Entry]) -> None:
    card = trust_card(run_entries, version="1", score="aptness")
    assert (card.items, card.done) == (60, 54)
    assert card.failed == {"timed out after … s": 3}
    assert (card.cost, card.seconds) == (0.5 * 72, 2.0 * 72)
    # 30 odd items have labels; 7, 27 and 47 are unscored: 27 pairs
    assert {estimate.count for estimate in card.agreement.values()} == {27}
