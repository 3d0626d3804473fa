from pathlib import Path
from typing import cast

import pytest
from markupsafe import Markup

from aptone.errors import RegistryError
from aptone.registry import Registry
from aptone.report import room_report
from aptone.report.room_report import Figure, RoomReport, report_of
from aptone.rooms.caption.report import REPORT as CAPTION
from aptone.rooms.room import Room


def test_the_report_of_a_room_is_found_by_each_of_its_verbs() -> None:
    assert report_of("caption") is CAPTION
    assert report_of("rank") is report_of("score")
    assert report_of("rank") != RoomReport()


def test_a_verb_of_no_room_adds_nothing() -> None:
    assert report_of("hear") == RoomReport()


def test_a_room_that_names_something_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Room(name="odd", verb="odd", question="?", paper="", report="aptone.errors:AptoneError")
    monkeypatch.setattr(Registry, "__iter__", lambda self: iter(["odd"]))
    monkeypatch.setattr(Registry, "load", lambda self, name: room)
    with pytest.raises(RegistryError, match=r"aptone\.errors:AptoneError is a type; expected a RoomReport"):
        report_of("odd")


def test_no_module_of_the_report_names_a_room() -> None:
    folder = Path(room_report.__file__).parent
    rooms = [f"aptone.rooms.{name}" for name in Registry("rooms", Room)]
    assert rooms
    found = [
        f"{path.name}: {room}"
        for path in folder.rglob("*.py")
        for room in rooms
        if room in path.read_text(encoding="utf-8")
    ]
    assert found == []


def test_every_room_has_the_files_of_the_contract() -> None:
    rooms = Path(room_report.__file__).parents[1] / "rooms"
    missing = [
        f"{name}/{part}"
        for name in Registry("rooms", Room)
        for part in ("README.md", "data", "score", "step", "api", "report", "build", "bench")
        if (name, part) != ("aptness", "score")  # the maths of that room is the judge's: `aptone.judge`
        if not ((rooms / name / part).exists() or (rooms / name / f"{part}.py").exists())
    ]
    assert missing == []


def test_a_figure_keeps_its_markup_and_its_note() -> None:
    figure = Figure("Pulse", Markup("<svg></svg>"), "two speakers")
    assert (figure.title, figure.markup, figure.note) == ("Pulse", "<svg></svg>", "two speakers")


def test_plain_text_is_no_markup() -> None:
    with pytest.raises(TypeError, match=r"figure 'Pulse': expected markupsafe.Markup, .* got str"):
        Figure("Pulse", cast(Markup, "<svg></svg>"))
