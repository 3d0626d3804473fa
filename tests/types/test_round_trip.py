"""What holds for every record: it survives JSON and pickling, cannot be changed, and has one text."""

import dataclasses
import math
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import aptone.types
from aptone.errors import RecordError
from aptone.types import AudioRef, dumps, from_json, loads, to_json
from tests.tables import for_each

Strategies = Mapping[type[Any], st.SearchStrategy[Any]]

RECORDS = [thing for name in aptone.types.__all__ if dataclasses.is_dataclass(thing := getattr(aptone.types, name))]

every_record = for_each("kind", RECORDS, ids=lambda kind: kind.__name__)
repeated = settings(max_examples=25, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


def same(left: object, right: object) -> bool:
    """Equal in kind and value, where NaN equals NaN and 3 equals 3.0."""
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.dtype == right.dtype and left.tobytes() == right.tobytes()
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right and isinstance(left, bool) == isinstance(right, bool)
    if type(left) is not type(right):
        return False
    if dataclasses.is_dataclass(left) and dataclasses.is_dataclass(right):
        return all(same(getattr(left, entry.name), getattr(right, entry.name)) for entry in dataclasses.fields(left))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, tuple | list) and isinstance(right, tuple | list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


def backwards(value: Any) -> Any:
    """The same JSON with the keys of all objects in the opposite order."""
    if isinstance(value, dict):
        return {key: backwards(value[key]) for key in reversed(value)}
    return [backwards(item) for item in value] if isinstance(value, list) else value


def test_every_record_that_the_package_exports_is_tried(strategies: Strategies) -> None:
    assert set(RECORDS) == set(strategies)


# Drawing a record takes most of the time, so what is drawn is asked several things.
@pytest.mark.slow
@every_record
@repeated
@given(data=st.data())
def test_a_record_comes_back_from_its_text_and_from_a_pickle_as_it_was(
    kind: type[Any], strategies: Strategies, data: st.DataObject
) -> None:
    record = data.draw(strategies[kind])
    text = dumps(to_json(record))
    again = from_json(kind, loads(text))
    assert same(record, again)
    assert dumps(to_json(again)) == text  # the text does not drift when a file is read and written again
    unpickled = pickle.loads(pickle.dumps(record))
    assert type(unpickled) is kind
    assert same(record, unpickled)


@pytest.mark.slow
@every_record
@repeated
@given(data=st.data())
def test_the_text_of_a_record_is_strict_json_that_utf8_can_carry_and_does_not_show_the_order_of_keys(
    kind: type[Any], strategies: Strategies, data: st.DataObject
) -> None:
    encoded = to_json(data.draw(strategies[kind]))
    text = dumps(encoded)
    assert loads(text.encode()) == loads(text)  # loads refuses the literals NaN and Infinity
    assert "\n" not in text
    assert "\r" not in text
    assert dumps(backwards(encoded)) == text
    assert dumps(to_json(from_json(kind, backwards(encoded)))) == text


@every_record
@settings(repeated, max_examples=2)
@given(data=st.data())
def test_no_field_of_a_record_can_be_set_or_deleted(
    kind: type[Any], strategies: Strategies, data: st.DataObject
) -> None:
    record = data.draw(strategies[kind])
    for entry in dataclasses.fields(kind):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, entry.name, getattr(record, entry.name))
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(record, entry.name)


@pytest.mark.slow
@every_record
@settings(repeated, max_examples=5)
@given(data=st.data())
def test_a_field_of_the_wrong_type_is_named_by_its_path(
    kind: type[Any], strategies: Strategies, data: st.DataObject
) -> None:
    encoded = to_json(data.draw(strategies[kind]))
    for entry in dataclasses.fields(kind):
        with pytest.raises(RecordError, match=rf"^{kind.__name__}\.{entry.name}\b"):
            from_json(kind, encoded | {entry.name: [{"nothing": "of the sort"}]})  # fits no field of any record


@every_record
@settings(repeated, max_examples=2)
@given(data=st.data())
def test_a_missing_field_is_named_unless_it_has_a_default(
    kind: type[Any], strategies: Strategies, data: st.DataObject
) -> None:
    encoded = to_json(data.draw(strategies[kind]))
    for entry in dataclasses.fields(kind):
        if entry.default is dataclasses.MISSING and entry.default_factory is dataclasses.MISSING:
            rest = {key: value for key, value in encoded.items() if key != entry.name}
            with pytest.raises(RecordError, match=rf"^{kind.__name__}\.{entry.name}: missing\.$"):
                from_json(kind, rest)


def test_a_slip_of_the_pen_in_a_field_is_told_with_the_field_that_was_meant() -> None:
    with pytest.raises(RecordError, match=r"^AudioRef: unknown field 'strat'; did you mean start\?$"):
        from_json(AudioRef, {"path": "a.wav", "strat": 1.0})


@every_record
@settings(repeated, max_examples=2)
@given(data=st.data())
def test_unknown_fields_and_foreign_or_newer_tags_are_refused(
    kind: type[Any], strategies: Strategies, data: st.DataObject
) -> None:
    encoded = to_json(data.draw(strategies[kind]))
    with pytest.raises(RecordError, match=rf"^{kind.__name__}: unknown field 'surplus'\.$"):
        from_json(kind, encoded | {"surplus": 1})
    name = kind.__name__
    for tag in (f"aptone.{name}/2", f"aptone.{name}", f"other.{name}/1", "aptone.Nothing/1", "", 1, None, ["x"]):
        with pytest.raises(RecordError, match=rf"^{name}: expected schema aptone\.{name}/1, got "):
            from_json(kind, encoded | {"schema": tag})


@pytest.mark.slow
@every_record
@settings(repeated, max_examples=5)
@given(data=st.data())
def test_the_tag_may_be_absent_from_what_people_write(
    kind: type[Any], strategies: Strategies, data: st.DataObject
) -> None:
    record = data.draw(strategies[kind])
    encoded = to_json(record)
    assert encoded["schema"] == f"aptone.{kind.__name__}/1"
    assert same(from_json(kind, {key: value for key, value in encoded.items() if key != "schema"}), record)
