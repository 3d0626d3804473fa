"""Runs as tables, with everything that can be missing missing."""

import importlib.util
import math
from pathlib import Path

import pytest

from aptone.errors import MissingExtraError
from aptone.run import Run, RunFolder, load_run
from aptone.run.sources.manifest import flat_row, to_pandas, to_polars
from aptone.types import Entry, Item, Outcome, Score, State
from tests.run.run_steps import CONFIG, done, items
from tests.tables import for_each


@pytest.fixture
def mixed(tmp_path: Path) -> Run:
    """A run with a scored, an undefined, an unscored and a failed item, whose payloads differ."""
    undefined = Outcome(State.DONE, scores={"aptness": Score(math.nan, reason="no voice"), "pace": Score(2.0)})
    payloads: list[dict[str, object]] = [
        {"number": 1, "nested": {"voice": "ada", "deep": {"x": None}}, "list": [1, 2]},
        {"number": 2.5, "flag": True},
        {"number": "three"},
        {},
    ]
    outcomes = [done(4.0), undefined, Outcome.unscored("no number", raw_reply="?"), Outcome.failed("down")]
    with RunFolder(tmp_path, CONFIG) as folder:
        for number, (payload, outcome) in enumerate(zip(payloads, outcomes, strict=True)):
            item = Item.make(f"i{number}", payload, position=number)  # type: ignore[arg-type]
            folder.journal.append([Entry(item=item, outcome=outcome, cost=0.5, attempts=number + 1)])
    return load_run(tmp_path)


def test_a_row_is_flat_and_complete() -> None:
    item = Item.make("a", {"number": 1, "schema": "x", "nested": {"voice": "ada"}, "list": [1]})
    undefined = {"aptness": Score(math.nan, reason="no voice"), "pace": Score(2.0)}
    outcome = Outcome(State.DONE, scores=undefined, rationale="flat", signature="s|1")
    entry = Entry(item=item, outcome=outcome, repeat=1, attempts=2, seconds=0.5, cost=0.25, finished="now")
    assert list(flat_row(entry).items()) == [
        ("id", "a"),
        ("repeat", 1),
        ("state", "done"),
        ("reason", ""),
        ("aptness", None),
        ("aptness_reason", "no voice"),
        ("pace", 2.0),
        ("rationale", "flat"),
        ("signature", "s|1"),
        ("attempts", 2),
        ("parse_failures", 0),
        ("seconds", 0.5),
        ("cost", 0.25),
        ("finished", "now"),
        ("item.nested.voice", "ada"),
        ("item.number", 1),
    ]


@for_each("name", ["id", "state", "seconds", "cost", "rationale"])
def test_a_score_with_the_name_of_another_column_hides_nothing(name: str) -> None:
    entry = Entry(item=items(1)[0], outcome=Outcome(State.DONE, scores={name: Score(math.nan, reason="r")}), cost=0.5)
    row = flat_row(entry)
    plain = flat_row(Entry(item=items(1)[0], outcome=done(), cost=0.5))
    assert row[name] == plain[name]
    assert (row[f"score.{name}"], row[f"score.{name}_reason"]) == (None, "r")


def test_a_run_loads_into_pandas_in_one_call(mixed: Run) -> None:
    frame = mixed.to_pandas()
    assert list(frame["id"]) == ["i0", "i1", "i2", "i3"]
    assert list(frame["state"]) == ["done", "done", "unscored", "failed"]
    assert frame["aptness"].isna().tolist() == [False, True, True, True]
    assert frame["aptness"].mean() == 4.0
    assert frame["cost"].sum() == 2.0
    assert frame["item.nested.voice"].iloc[0] == "ada"
    assert frame["item.nested.voice"].isna().tolist() == [False, True, True, True]


def test_a_run_loads_into_polars_in_one_call(mixed: Run) -> None:
    frame = mixed.to_polars()
    assert frame["id"].to_list() == ["i0", "i1", "i2", "i3"]
    assert frame["aptness"].to_list() == [4.0, None, None, None]
    assert frame["aptness_reason"].to_list() == [None, "no voice", None, None]
    assert frame["pace"].to_list() == [None, 2.0, None, None]
    assert frame["attempts"].to_list() == [1, 2, 3, 4]
    assert frame["item.number"].null_count() == 1, "a column of numbers and words loses none of them"


def test_an_empty_run_makes_an_empty_table(tmp_path: Path) -> None:
    with RunFolder(tmp_path, CONFIG):
        pass
    assert len(load_run(tmp_path).to_pandas()) == 0
    assert len(load_run(tmp_path).to_polars()) == 0


@pytest.mark.parametrize(("package", "convert"), [("pandas", to_pandas), ("polars", to_polars)])
def test_a_missing_package_names_the_extra(
    package: str, convert: type[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "aptone.run.sources.manifest.find_spec", lambda name: None if name == package else find_spec(name)
    )
    with pytest.raises(MissingExtraError, match=rf'a {package} data frame needs .*pip install .*\[frames\]"'):
        convert([])  # type: ignore[call-arg]
