from importlib.resources import files

import pytest

from aptone.ear import load_ear
from aptone.ear.licences import LICENCES
from aptone.ear.network import EARS


def test_every_ear_has_a_licence_and_nothing_else_has() -> None:
    assert tuple(LICENCES) == EARS


@pytest.mark.parametrize("name", LICENCES)
def test_the_weights_state_the_same_licence_in_their_metadata(name: str) -> None:
    assert (load_ear(name).name, load_ear(name).licence) == (name, LICENCES[name])


def test_the_file_beside_the_weights_names_every_file_and_its_licence() -> None:
    weights = files("aptone.ear") / "weights"
    text = (weights / "LICENCES.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in text.splitlines() if line.startswith("| `")}
    assert {entry.name for entry in weights.iterdir() if entry.name.endswith(".onnx")} == set(rows)
    for name, licence in LICENCES.items():
        assert licence.replace("CC-BY-NC-SA-", "CC BY-NC-SA ") in rows[f"{name}.onnx"]
