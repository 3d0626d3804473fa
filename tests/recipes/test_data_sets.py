"""Licences and cards of weights say what their recipes were given."""

import re
import tomllib

import pytest

from recipes.data_sets import HEAD, MEASUREMENTS, SETS, SOURCE, WEIGHTS, Weight, folders, table, with_table
from recipes.ear.config import recipe_named
from tests.tables import for_each

ROOT = SOURCE.parents[1]


def _licences(folder: str) -> str:
    return (SOURCE / folder / "LICENCES.md").read_text(encoding="utf-8")


def test_every_weight_that_ships_is_listed() -> None:
    shipped = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.glob("**/weights/*")
        if path.suffix in {".onnx", ".npz", ".json"}
    }
    assert shipped == {*WEIGHTS, *MEASUREMENTS}


@for_each("folder", folders())
def test_licences_hold_the_table_of_the_recipe(folder: str) -> None:
    assert with_table(_licences(folder), folder) == _licences(folder), "run: python -m recipes.data_sets"


@for_each("path", list(WEIGHTS))
def test_the_card_of_a_weight_names_every_set_of_its_recipe(path: str) -> None:
    folder = (SOURCE / path).parent
    card = folder / "README.md"
    text = " ".join((card if card.exists() else folder / "LICENCES.md").read_text(encoding="utf-8").split())
    assert [SETS[name].name for name in WEIGHTS[path].sets if SETS[name].name not in text] == []


@for_each("path", list(WEIGHTS))
def test_the_licence_of_a_weight_is_that_of_its_row_and_allowed_by_its_sets(path: str) -> None:
    weight = WEIGHTS[path]
    folder, _, name = path.rpartition("/")
    (row,) = [line for line in _licences(folder).partition(HEAD)[0].splitlines() if re.match(rf"\|.*`{name}`", line)]
    said = row.split("|")[2].strip().removeprefix("[").partition("]")[0]
    assert said.replace(" ", "-") == weight.licence
    closed = [SETS[name].name for name in weight.sets if SETS[name].is_non_commercial]
    assert bool(closed) == ("NC" in weight.licence), closed


def test_the_package_names_the_licence_of_every_weight() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {weight.licence for weight in WEIGHTS.values()} <= set(project["license"].split(" AND "))
    files = {path for path in project["license-files"] if path.endswith("LICENCES.md")}
    assert files == {f"src/aptone/{folder}/LICENCES.md" for folder in folders()}


def test_the_overview_of_recipes_names_the_sets_of_the_ears() -> None:
    rows = (ROOT / "recipes" / "README.md").read_text(encoding="utf-8").splitlines()
    (row,) = [row for row in rows if row.startswith("| [ear](ear) ")]
    chosen = recipe_named("all", seed=1)
    for name in ("campplus", *chosen.sets, *chosen.plain, *chosen.sounds, "wesnoth"):
        assert all(part in row for part in SETS[name].name.split(", ")), name


def test_a_set_that_a_recipe_gains_is_missed_in_the_card(monkeypatch: pytest.MonkeyPatch) -> None:
    before = table("ear/weights")
    gained = {**WEIGHTS, "ear/weights/permissive.onnx": Weight("Apache-2.0", ("emodb", "ravdess"))}
    monkeypatch.setattr("recipes.data_sets.WEIGHTS", gained)
    assert table("ear/weights") != before
    assert "| RAVDESS | CC BY-NC-SA 4.0 | `full.onnx`, `permissive.onnx` |" in table("ear/weights")
