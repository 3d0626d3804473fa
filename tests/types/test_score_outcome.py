"""Items and outcomes: what they refuse, and that an item is what its hash says."""

import hashlib
import math
from typing import Any

import pytest

from aptone.errors import RecordError
from aptone.types import Item, Json, Outcome, Score, State, dumps, from_json, loads, to_json


def test_the_hash_of_an_item_is_that_of_the_text_of_its_payload() -> None:
    expected = hashlib.sha256('{"a":"声","b":1}'.encode()).hexdigest()
    assert Item.make("x", {"b": 1, "a": "声"}).content_hash == expected


def test_the_hash_of_an_item_ignores_its_id_and_place() -> None:
    assert Item.make("x", {"a": 1}, position=3).content_hash == Item.make("y", {"a": 1}).content_hash
    assert Item.make("x", {"a": 1}).content_hash != Item.make("x", {"a": 2}).content_hash


def test_an_item_keeps_its_payload_when_the_mapping_of_the_caller_changes() -> None:
    inner: list[Json] = [1]
    payload: dict[str, Json] = {"a": inner}
    item = Item.make("x", payload)
    inner.append(2)
    payload["b"] = 3
    assert item.payload == {"a": [1]}


def test_an_item_holds_what_its_journal_will_give_back() -> None:
    item = Item.make("x", {"pair": ("a", "b"), "f0": math.nan})
    assert item.payload == {"pair": ["a", "b"], "f0": None}
    assert from_json(Item, loads(dumps(to_json(item)))) == item


def test_an_item_without_an_id_is_refused() -> None:
    with pytest.raises(ValueError, match="the id of an item is empty"):
        Item.make("", {})
    with pytest.raises(ValueError, match="the id of an item is empty"):
        Item("", {}, "")


def test_a_payload_that_is_not_json_is_refused_with_its_path() -> None:
    payload: Any = {"a": {"b": {1, 2}}}
    with pytest.raises(RecordError, match=r"^value\.a\.b: set has no JSON form\.$"):
        Item.make("x", payload)


def test_an_outcome_that_is_done_holds_a_score() -> None:
    with pytest.raises(ValueError, match="holds scores if and only if it is done"):
        Outcome(State.DONE)


def test_an_undefined_score_is_a_score() -> None:
    outcome = Outcome(State.DONE, {"ebs": Score(math.nan, reason="balancing not needed", needed=False)})
    assert outcome.state is State.DONE


def test_an_outcome_that_is_done_has_no_reason() -> None:
    with pytest.raises(ValueError, match="a reason if and only if"):
        Outcome(State.DONE, {"aptness": Score(3.0)}, reason="because")


@pytest.mark.parametrize("state", [State.UNSCORED, State.FAILED])
def test_an_outcome_that_is_not_done_has_a_reason(state: State) -> None:
    with pytest.raises(ValueError, match="a reason if and only if"):
        Outcome(state)
    assert Outcome(state, reason="because").reason == "because"


@pytest.mark.parametrize("state", [State.UNSCORED, State.FAILED])
def test_an_outcome_that_is_not_done_holds_no_score_that_something_could_count(state: State) -> None:
    with pytest.raises(ValueError, match="holds scores if and only if it is done"):
        Outcome(state, {"rhythm": Score(5.0)}, reason="the overall score cannot be read")


def test_an_unscored_outcome_keeps_the_reply_as_it_came() -> None:
    outcome = Outcome.unscored("no score in the reply", raw_reply="<score>", signature="judge|seed:7")
    assert outcome == Outcome(
        State.UNSCORED, reason="no score in the reply", raw_reply="<score>", signature="judge|seed:7"
    )


def test_a_failed_outcome_keeps_its_evidence() -> None:
    assert Outcome.failed("time-out").evidence == {}
    assert Outcome.failed("time-out", evidence={"tries": 3}) == Outcome(
        State.FAILED, reason="time-out", evidence={"tries": 3}
    )


def test_the_main_score_is_the_first_and_stays_it_after_a_round_trip_that_sorts_the_names() -> None:
    outcome = Outcome(State.DONE, {"overall": Score(3.0), "emotion": Score(4.0)})
    assert from_json(Outcome, loads(dumps(to_json(outcome)))).main_score == outcome.main_score == "overall"


def test_a_score_without_a_name_is_refused() -> None:
    with pytest.raises(ValueError, match="every score has a name"):
        Outcome(State.DONE, {"": Score(3.0)})


def test_a_main_score_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="no score named 'aptness' among overall"):
        Outcome(State.DONE, {"overall": Score(3.0)}, main_score="aptness")
