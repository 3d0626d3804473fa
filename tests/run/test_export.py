"""Results as CSV, as Parquet, and as a dataset folder."""

import csv
import json
import math
from pathlib import Path

import polars
import pytest

from aptone.errors import UsageError
from aptone.run import Call, RunConfig, load_run, run_items
from aptone.run.export import check_export, export_run, result_columns
from aptone.types import Item, Json, Outcome, Score, State


def step(item: Item, call: Call) -> Outcome:
    if item.id == "b":
        return Outcome.unscored("=no tag")
    return Outcome(State.DONE, {"aptness": Score(float(item.position), range=(0.0, 5.0), higher_is_better=True)})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    payloads: list[dict[str, Json]] = [
        {"line": "Run!", "take": 1},
        {"line": "-", "take": 2.5},
        {"line": None, "take": 3},
    ]
    items = [Item.make("abc"[place], payload, position=place) for place, payload in enumerate(payloads)]
    run_items(items, step, folder=tmp_path / "run", config=RunConfig("score", "made-up", version="1"))
    return tmp_path / "run"


def test_a_parquet_file_holds_a_row_an_entry_with_typed_columns(folder: Path, tmp_path: Path) -> None:
    assert export_run(load_run(folder), tmp_path / "results.parquet") == 3
    rows = polars.read_parquet(tmp_path / "results.parquet").to_dicts()
    assert [row["id"] for row in rows] == ["a", "b", "c"]
    assert [row["aptness"] for row in rows] == [0.0, None, 2.0]
    assert [row["item.take"] for row in rows] == [1.0, 2.5, 3.0]  # whole and broken numbers together are numbers
    assert [row["state"] for row in rows] == ["done", "unscored", "done"]


def test_a_score_that_no_item_has_is_a_column_of_numbers(tmp_path: Path) -> None:
    def undefined(item: Item, call: Call) -> Outcome:
        return Outcome(State.DONE, {"aptness": Score(1.0), "laughter": Score(math.nan, reason="none asked for")})

    items = [Item.make("a", {"human_score": None}, position=0)]
    run_items(items, undefined, folder=tmp_path / "run", config=RunConfig("score", "made-up", version="1"))
    kinds = result_columns(load_run(tmp_path / "run"))
    assert (kinds["laughter"], kinds["laughter_reason"], kinds["item.human_score"]) == ("number", "text", "number")


def test_hugging_face_and_pandas_read_what_was_exported(
    folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    datasets, pandas = pytest.importorskip("datasets"), pytest.importorskip("pandas")
    for name in ("dataset", "results.parquet", "results.csv"):
        export_run(load_run(folder), tmp_path / name)
    loaded = datasets.load_dataset(str(tmp_path / "dataset"), split="results", cache_dir=str(tmp_path / "cache"))
    assert loaded["aptness"][:] == [0.0, None, 2.0]
    assert "malformed" not in caplog.text
    for frame in (pandas.read_parquet(tmp_path / "results.parquet"), pandas.read_csv(tmp_path / "results.csv")):
        assert frame["id"].tolist() == ["a", "b", "c"]
        assert frame["aptness"].dropna().tolist() == [0.0, 2.0]


def test_a_csv_file_holds_no_formulas(folder: Path, tmp_path: Path) -> None:
    export_run(load_run(folder), tmp_path / "results.csv")
    with (tmp_path / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["aptness"] for row in rows] == ["0.0", "", "2.0"]
    assert (rows[1]["reason"], rows[1]["item.line"]) == ("'=no tag", "'-")


def test_a_folder_becomes_a_dataset_with_a_card_that_names_its_features(folder: Path, tmp_path: Path) -> None:
    run, place = load_run(folder), tmp_path / "dataset"
    for _ in range(2):  # again is no harm
        export_run(run, place)
    assert polars.read_parquet(place / "data" / "*.parquet").height == 3
    _, front, body = (place / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    info = dict(line.split(": ", 1) for line in front.splitlines())
    features = {one["name"]: one["dtype"] for one in json.loads(info["dataset_info"])["features"]}
    assert list(features) == list(result_columns(run))
    assert (features["aptness"], features["id"], features["attempts"]) == ("float64", "string", "int64")
    assert json.loads(info["configs"])[0]["data_files"] == [{"split": "results", "path": "data/results-*"}]
    assert "2 done, 1 unscored" in body


def test_a_path_that_cannot_hold_results_is_refused_before_the_work(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected a name that ends in \.parquet or \.csv"):
        check_export(tmp_path / "results.xlsx")
    with pytest.raises(UsageError, match="holds other files"):
        check_export(folder)
