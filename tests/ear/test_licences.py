import math
from importlib.resources import files
from pathlib import Path

import onnx
import pytest

from aptone.ear import load_ear
from aptone.ear.licences import LICENCES, PARAMETERS
from aptone.ear.network.inference import EARS


def test_every_ear_has_a_licence_and_nothing_else_has() -> None:
    assert tuple(LICENCES) == EARS


@pytest.mark.parametrize("name", LICENCES)
def test_the_weights_state_the_same_licence_in_their_metadata(name: str) -> None:
    assert (load_ear(name).name, load_ear(name).licence) == (name, LICENCES[name])


@pytest.mark.parametrize("name", LICENCES)
def test_the_size_of_an_ear_is_the_count_of_the_numbers_in_its_two_files(name: str) -> None:
    weights = Path(str(files("aptone.ear") / "weights"))
    graphs = [onnx.load(str(weights / f"{file}.onnx")).graph for file in ("stem", name)]
    assert sum(math.prod(array.dims) for graph in graphs for array in graph.initializer) == PARAMETERS[name]


def test_the_file_beside_the_weights_names_every_file_and_its_licence() -> None:
    weights = files("aptone.ear") / "weights"
    text = (weights / "LICENCES.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    assert {entry.name for entry in weights.iterdir() if entry.name.endswith(".onnx")} == set(rows)
    for name, licence in LICENCES.items():
        assert licence.replace("CC-BY-NC-SA-", "CC BY-NC-SA ") in rows[f"{name}.onnx"]
