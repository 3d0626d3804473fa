import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import UsageError
from aptone.models.local.generation import Prefix, prefix_of
from tests.tables import for_each

PLAN: dict[str, Any] = {
    "type": "object",
    "properties": {
        "emotion": {"type": "string", "maxLength": 40},
        "rhythm": {"enum": ["brisk", "heavy", "low-paced", "舒缓型"]},
        "certainty": {"type": "number"},
        "turns": {"type": "integer"},
        "phone": {"type": "boolean"},
        "more": {"type": "object", "properties": {"note": {"type": "string"}}},
    },
}
plans = st.fixed_dictionaries(
    {
        "emotion": st.text(max_size=20),  # a character beyond the first plane is two escapes
        "rhythm": st.sampled_from(PLAN["properties"]["rhythm"]["enum"]),
        "certainty": st.integers(-400, 400).map(lambda number: number / 4),
        "turns": st.integers(-99, 99),
        "phone": st.booleans(),
        "more": st.fixed_dictionaries({"note": st.text(max_size=20)}),
    }
)


@given(plans, st.booleans(), st.sampled_from([(",", ":"), (", ", ": ")]))
def test_what_json_writes_is_complete_and_each_of_its_beginnings_is_begun(
    plan: dict[str, Any], ascii_only: bool, separators: tuple[str, str]
) -> None:
    ordered = {name: plan[name] for name in PLAN["properties"]}
    text = json.dumps(ordered, ensure_ascii=ascii_only, separators=separators)
    assert prefix_of(text, PLAN) is Prefix.COMPLETE
    assert {prefix_of(text[:end], PLAN) for end in range(len(text))} == {Prefix.BEGUN}
    assert prefix_of(f"{text} ", PLAN) is Prefix.IMPOSSIBLE


@given(st.text(alphabet='"}a\\\\nu0', max_size=8))
def test_what_is_called_complete_is_json_with_these_values(text: str) -> None:
    shape: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}}
    if prefix_of(f'{{"a":"{text}', shape) is Prefix.COMPLETE:
        assert set(json.loads(f'{{"a":"{text}')) == {"a"}


@for_each(
    "text",
    [
        "x",
        " {",
        '{"rhythm"',
        '{"emotion": 1',
        '{"emotion": "' + "a" * 41,
        '{"emotion": "' + "a" * 40 + "\\\\",
        '{"emotion": "a\n',
        '{"emotion": "\\x',
        '{"emotion": "\\u00g',
        '{"emotion":   "a',
        '{"emotion": "a", "rhythm": "slow',
        '{"emotion": "a", "rhythm": "brisk", "certainty": 01',
        '{"emotion": "a", "rhythm": "brisk", "certainty": .5',
        '{"emotion": "a", "rhythm": "brisk", "certainty": NaN',
        '{"emotion": "a", "rhythm": "brisk", "certainty": 1e5',
        '{"emotion": "a", "rhythm": "brisk", "certainty": 1, "turns": 1.',
        '{"emotion": "a", "rhythm": "brisk", "certainty": 1, "turns": 1, "phone": "no',
        '{"emotion": "a", "rhythm": "brisk"}',
    ],
)
def test_what_cannot_become_the_shape_is_impossible_at_once(text: str) -> None:
    assert prefix_of(text, PLAN) is Prefix.IMPOSSIBLE
    assert prefix_of(text[:-1], PLAN) is not Prefix.COMPLETE


@for_each("schema", [{}, {"type": "array"}, {"type": "object"}, {"type": "object", "properties": {"a": 1}}])
def test_a_shape_that_is_not_supported_is_refused(schema: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="cannot be held to this JSON schema"):
        prefix_of('{"a": ', schema)
