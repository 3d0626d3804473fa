import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.ear.describe import ATTRIBUTES, values_of
from aptone.errors import UnusableReplyError
from aptone.models.scripted import ScriptedChat
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.match import BuiltInMatcher, ChatMatcher, entails, read_matches
from aptone.rooms.caption.score import Match
from aptone.run import Call
from tests.rooms.caption.caption_parts import unit
from tests.tables import for_each


def matched(units: list[Unit], reference: list[Unit]) -> set[Match]:
    return set(asyncio.run(BuiltInMatcher().match(units, reference, language="en", call=Call())))


@for_each(
    ("mine", "wanted", "follows"),
    [
        (unit("pitch", "low"), unit("pitch", "very low"), True),
        (unit("pitch", "low"), unit("pitch", "medium"), False),
        (unit("pitch", "low"), unit("pitch", "high"), False),
        (unit("volume", "soft"), unit("pitch", "low"), False),
        (unit("emotion", "sad"), unit("emotion", "sad"), True),
        (unit("emotion", "calm"), unit("emotion", "angry", denied=True), True),
        (unit("emotion", "angry"), unit("emotion", "angry", denied=True), False),
        (unit("emotion", "angry", denied=True), unit("emotion", "calm"), False),
        (unit("emotion", "angry", denied=True), unit("emotion", "angry", denied=True), True),
        (unit("emotion", "angry", denied=True), unit("emotion", "sad", denied=True), False),
        (unit("events", "laughter"), unit("events", "sob", denied=True), False),
        (unit("events", "laughter"), unit("events", "laughter"), True),
    ],
)
def test_a_unit_entails_what_says_the_same_of_the_same_attribute(mine: Unit, wanted: Unit, follows: bool) -> None:
    assert entails(mine, wanted) is follows


closed_units = st.sampled_from(ATTRIBUTES).flatmap(
    lambda attribute: st.builds(
        lambda value, denied: unit(attribute, value.value, denied=denied),
        st.sampled_from(values_of(attribute)),
        st.booleans(),
    )
)


@given(closed_units)
def test_every_unit_entails_itself_and_never_its_denial(one: Unit) -> None:
    other = unit(one.attribute, one.value, denied=not one.is_denied)
    assert entails(one, one)
    assert not entails(one, other)


def test_several_units_may_match_one_and_one_may_match_several() -> None:
    caption = [unit("pitch", "low"), unit("pitch", "very low"), unit("rate", "fast")]
    reference = [unit("pitch", "low"), unit("pitch", "very low"), unit("age", "child")]
    assert matched(caption, reference) == {Match(0, 0), Match(0, 1), Match(1, 0), Match(1, 1)}


def test_values_in_free_words_match_by_their_meaning() -> None:
    confident = unit("emotion", "confident")
    assert matched([confident], [unit("emotion", "self-confident")]) == {Match(0, 0)}
    assert matched([confident], [unit("emotion", "nostalgic")]) == set()
    assert matched([confident], [unit("texture", "confident")]) == set()


def test_a_model_names_statements_by_their_numbers() -> None:
    chat = ScriptedChat(["Well.", '{"matches": [{"reference": 1, "caption": 2}]}'])
    units = [unit("rate", "fast"), unit("pitch", "low")]
    found = asyncio.run(ChatMatcher(chat).match(units, [unit("pitch", "low")], language="en", call=Call()))
    assert found == {Match(1, 0)}


def test_nothing_is_asked_where_there_is_nothing_to_match() -> None:
    assert asyncio.run(ChatMatcher(ScriptedChat([])).match([], [unit()], language="en", call=Call())) == frozenset()


@for_each(
    "reply",
    [
        "none",
        '{"matches": [{"reference": 2, "caption": 1}]}',
        '{"matches": [{"reference": 0, "caption": 1}]}',
        '{"matches": [{"reference": "1", "caption": 1}]}',
        '{"matches": [{"reference": true, "caption": 1}]}',
        '{"matches": [[1, 1]]}',
        '{"matches": []} {"matches": []}',
        "{" * 600,
    ],
)
def test_a_reply_that_names_what_is_not_there_is_refused(reply: str) -> None:
    with pytest.raises(UnusableReplyError):
        read_matches(reply, units=1, reference=1)
