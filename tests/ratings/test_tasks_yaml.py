"""YAML that is read as strictly as JSON, and comes back as it was."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import MissingExtraError, RecordError
from aptone.ratings.tasks import dump_yaml, load_yaml
from aptone.types import Json
from tests.tables import for_each

texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn", "Co")), max_size=12)
words = st.sampled_from(
    ["yes", "no", "on", "null", "~", "1", "1:30", "0x1f", "2026-01-01", "1e3", ".5", "true", "=", "<<"]
)
plain = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6) | texts | words
values: st.SearchStrategy[Json] = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts | words, inner, max_size=3), max_leaves=8
)


@pytest.mark.slow
@given(values)
def test_what_is_written_comes_back_as_it_was(value: Json) -> None:
    assert load_yaml(dump_yaml(value), what="here") == value


@for_each(
    ("text", "value"),
    [
        ("yes", "yes"),
        ("[no, on, True]", ["no", "on", "True"]),
        ("2026-01-01", "2026-01-01"),
        ("1:30", "1:30"),
        ("012", "012"),
        ("[1.5, -2e3, .5, 3.]", [1.5, -2000.0, 0.5, 3.0]),
        ("0x1f", "0x1f"),
        ("a: true\nb: null\nc:\nd: 0.5", {"a": True, "b": None, "c": None, "d": 0.5}),
        ("<<: {a: 1}", {"<<": {"a": 1}}),
    ],
)
def test_plain_words_mean_what_they_mean_in_json(text: str, value: Json) -> None:
    assert load_yaml(text, what="here") == value


@for_each(
    ("text", "message"),
    [
        ("a: &x [1]\nb: *x", "here, line 2: not valid YAML .aliases"),
        ("a: 1\nb: 2\na: 3", "here, line 3: not valid YAML .'a' comes twice"),
        ("1: a", "keys of an object are text"),
        ("!!python/object/apply:os.system ['true']", "could not determine a constructor"),
        ("[" * 500 + "]" * 500, "nested too deeply"),
        ("a: [1", "not valid YAML"),
        ("a: 1\n---\nb: 2", "not valid YAML"),
    ],
)
def test_what_json_could_not_hold_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        load_yaml(text, what="here")


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.ratings.tasks.find_spec", lambda name: None)
    monkeypatch.delitem(sys.modules, "yaml", raising=False)
    with pytest.raises(MissingExtraError, match=r"\[studio\]"):
        load_yaml("a: 1", what="here")
