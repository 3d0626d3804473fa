"""JSON from outside is read strictly."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.web.refusals import NotUnderstoodError
from aptone.web.strict_json import MAX_DEPTH, read_json
from tests.tables import for_each

PLAIN_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63) + 1, 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | PLAIN_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(PLAIN_TEXT, inner, max_size=3),
    max_leaves=10,
)


@given(VALUES, st.booleans())
def test_whatever_json_can_hold_comes_through_unchanged(value: object, escaped: bool) -> None:
    assert read_json(json.dumps(value, ensure_ascii=escaped).encode()) == value


@given(st.binary(max_size=60))
def test_bytes_are_read_as_python_reads_them_or_refused_and_nothing_else_happens(body: bytes) -> None:
    try:
        value = read_json(body)
    except NotUnderstoodError:
        return
    assert value == json.loads(body.decode())


@for_each(
    ("body", "why"),
    [
        (b'{"a": NaN}', "NaN"),
        (b"[Infinity]", "Infinity"),
        (b"[-Infinity]", "Infinity"),
        (b"1e999", "beyond"),
        (b"9223372036854775808", "64 bits"),
        (b"1" * 5000, "64 bits"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"a": {"b": 1, "b": 1}}', "twice"),
        (b'"\\ud800"', "surrogate"),
        (b'{"\\udfff": 1}', "surrogate"),
        (b'"a\\u0000b"', "NUL"),
        (b'"\xed\xa0\x80"', "UTF-8"),
        (b"\xff\xfe", "UTF-8"),
        (b"", "parsed"),
        (b"{", "parsed"),
        (b"[" * 100_000, "deep"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "deeper"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "deeper"),
    ],
)
def test_what_others_would_stumble_over_is_refused(body: bytes, why: str) -> None:
    with pytest.raises(NotUnderstoodError, match=why):
        read_json(body)


def test_nesting_up_to_the_limit_is_taken_and_so_is_text_about_escapes() -> None:
    assert read_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH) is not None
    assert read_json(rb'"\\u0000 \\ud800"') == r"\u0000 \ud800"
