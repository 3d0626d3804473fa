"""All operations are found, each under its own name."""

import pytest

from aptone.errors import RegistryError
from aptone.registry import Registry
from aptone.rooms.room import Room
from aptone.view.operations import find_operations


def test_operations_of_all_rooms_and_hearing_are_found() -> None:
    found = find_operations()
    assert set(found) == {"score", "rank", "plan", "style", "caption", "hear"}
    for name, operation in found.items():
        assert operation.name == name
        assert operation.summary.endswith(".")
        assert all(field.description.endswith(".") for field in operation.fields), name


def test_two_operations_of_one_name_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    twin = Room(name="odd", verb="odd", question="?", paper="", operations="aptone.rooms.style.operations:OPERATIONS")
    monkeypatch.setattr(Registry, "__iter__", lambda self: iter(["one", "two"]))
    monkeypatch.setattr(Registry, "load", lambda self, name: twin)
    with pytest.raises(RegistryError, match="two operations are named 'style'"):
        find_operations()
