"""Requests are checked field by field, and recordings get names that are safe anywhere."""

import math
from typing import Any

import pytest

from aptone.errors import AudioError, RecordError, RegistryError, UsageError
from aptone.messages import translate
from aptone.registry import Registry
from aptone.rooms.operation import MOST_CLIPS, ClipFile, Field, Operation, OperationSettings, operations_of
from aptone.rooms.room import Room
from tests.tables import for_each

CLIP = ClipFile("a.wav", b"RIFF")
FIELDS = (
    Field("audio", "clip", "A recording.", required=True),
    Field("clips", "clips", "More.", most=2),
    Field("line", "line", "Words.", required=True, longest=10),
    Field("context", "texts", "Lines.", longest=5, most=3),
    Field("min_lead", "number", "Points.", lowest=0.0, highest=5.0),
    Field("occurrence", "whole", "Which.", lowest=1, highest=9),
    Field("lang", "choice", "Language.", choices=("en", "zh")),
    Field("plan", "plan", "A plan."),
)
OPERATION = Operation("odd", "Nothing.", FIELDS, prepare="tests.nowhere:nothing")


def test_a_request_has_every_field_and_what_was_left_out_is_none_or_empty() -> None:
    request = OPERATION.read({"audio": CLIP, "line": "Go.", "plan": None})
    assert request == {
        "audio": CLIP,
        "clips": (),
        "line": "Go.",
        "context": (),
        "min_lead": None,
        "occurrence": None,
        "lang": None,
        "plan": None,
    }
    given = {"context": ["a", "b"], "min_lead": 1, "occurrence": 2, "lang": "zh", "plan": {"emotion": "fear"}}
    full = OPERATION.read({"audio": CLIP, "clips": [CLIP, CLIP], "line": "Go.", **given})
    assert (full["context"], full["clips"]) == (("a", "b"), (CLIP, CLIP))
    assert {name: full[name] for name in given if name != "context"} == {
        name: value for name, value in given.items() if name != "context"
    }


@for_each(
    ("given", "words"),
    [
        ({"line": None}, "line is missing"),
        ({"line": ""}, "line is missing"),
        ({"line": " \n"}, "line is missing"),
        ({"audio": None}, "audio is missing"),
        ({"audio": b"RIFF"}, "audio: expected a recording, got bytes"),
        ({"audio": "a.wav"}, "audio: expected a recording, got str"),
        ({"clips": CLIP}, "clips: expected a list, got ClipFile"),
        ({"clips": [CLIP, None]}, "clips: expected a recording, got null"),
        ({"clips": [CLIP] * 3}, "clips: expected at most 2 entries, got 3"),
        ({"line": 7}, "line: expected text, got int"),
        ({"line": "x" * 11}, "line: expected at most 10 characters, got 11"),
        ({"context": "abc"}, "context: expected a list, got str"),
        ({"context": ["abcdef"]}, "context: expected at most 5 characters"),
        ({"context": ["a", ["b"]]}, "context: expected text, got list"),
        ({"min_lead": "1"}, "min_lead: expected a number, got str"),
        ({"min_lead": True}, "min_lead: expected a number, got bool"),
        ({"min_lead": -0.1}, r"min_lead: expected a number from 0 to 5, got -0\.1"),
        ({"min_lead": math.nan}, "min_lead: expected a number from 0 to 5, got nan"),
        ({"min_lead": math.inf}, "min_lead: expected a number from 0 to 5, got inf"),
        ({"min_lead": 10**400}, "min_lead: expected a number from 0 to 5, got 1000"),
        ({"occurrence": 1.0}, "occurrence: expected a whole number, got float"),
        ({"occurrence": 0}, "occurrence: expected a number from 1 to 9, got 0"),
        ({"lang": "fr"}, "lang: expected one of en, zh, got 'fr'"),
        ({"plan": "fear"}, "plan: expected an object, got str"),
        ({"plan": {"emotion": "x" * 30_000}}, "plan: expected at most 20,000 characters"),
        ({"pln": {}}, "there is no field pln; the fields are audio, clips, line"),
    ],
)
def test_a_wrong_value_is_refused_by_its_name_and_what_came(given: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words) as refused:
        OPERATION.read({"audio": CLIP, "line": "Go.", **given})
    assert translate(str(refused.value), "zh") != str(refused.value)


@for_each(
    ("name", "text", "value"),
    [
        ("line", "Go.", "Go."),
        ("min_lead", "0.5", 0.5),
        ("occurrence", "3", 3),
        ("lang", "zh", "zh"),
        ("plan", '{"emotion": "fear"}', {"emotion": "fear"}),
    ],
)
def test_a_form_sends_text(name: str, text: str, value: object) -> None:
    (field,) = (one for one in FIELDS if one.name == name)
    assert field.read(field.parse(text)) == value


def test_a_plan_that_is_nested_too_deeply_is_refused() -> None:
    nested: dict[str, object] = {}
    for _ in range(5_000):
        nested = {"emotion": nested}
    with pytest.raises(RecordError, match="deep"):
        OPERATION.read({"audio": CLIP, "line": "Go.", "plan": nested})


def test_text_that_is_no_number_is_refused() -> None:
    with pytest.raises(UsageError, match="min_lead: expected a number, got 'much'"):
        FIELDS[4].parse("much")


def test_a_number_without_bounds_is_finite() -> None:
    free = Field("x", "number", "Any.")
    assert free.read(-3.5) == -3.5
    for value in (math.inf, -math.inf, math.nan):
        with pytest.raises(UsageError, match="expected a number"):
            free.read(value)


@for_each(
    ("given", "name"),
    [
        ("take 1.wav", "take 1.wav"),
        ("录音（一）.flac", "录音_一_.flac"),
        ("../../etc/passwd", "passwd"),
        ("C:\\takes\\a.wav", "a.wav"),
        ("/", "clip"),
        ("", "clip"),
        ("..", "clip"),
        (".hidden", "hidden"),
        ("a\0b\n<c>.wav", "a_b_c_.wav"),
        ("\ud800.wav", "_.wav"),
        ("x" * 200 + ".opus", "x" * 55 + ".opus"),
        ("x" * 200, "x" * 60),
        ("take.partial", "take.partial.clip"),
    ],
)
def test_a_recording_has_a_name_that_is_safe_anywhere(given: str, name: str) -> None:
    made = ClipFile(given, b"")
    assert made.name == name
    assert ClipFile(made.name, b"").name == name


def test_a_recording_is_known_by_its_bytes_and_read_within_bounds() -> None:
    ref = CLIP.ref
    assert (ref.path, ref.sha256) == ("a.wav", CLIP.sha256)
    assert "RIFF" not in repr(CLIP)
    with pytest.raises(AudioError, match=r"a\.wav: "):
        CLIP.read(rate=16_000, max_seconds=1.0)


def test_every_room_names_operations_and_a_room_without_any_has_none() -> None:
    rooms = Registry("rooms", Room)
    found = {name: [one.name for one in operations_of(rooms.load(name))] for name in rooms}
    assert found["aptness"] == ["score", "rank", "plan"]
    assert (found["style"], found["caption"], found["dialogue"]) == (["style"], ["caption"], [])


@for_each(
    ("target", "words"),
    [
        ("aptone.errors:AptoneError", "is a type; expected a tuple of Operation"),
        ("aptone.errors:nothing", "cannot be loaded"),
        ("aptone.nowhere:nothing", "cannot be loaded"),
    ],
)
def test_a_room_that_names_something_else_is_refused(target: str, words: str) -> None:
    with pytest.raises(RegistryError, match=words):
        operations_of(Room(name="odd", verb="odd", question="?", paper="", operations=target))


def test_examples_are_requests_of_their_operations() -> None:
    rooms = Registry("rooms", Room)
    for name in rooms:
        for operation in operations_of(rooms.load(name)):
            clips: dict[str, Any] = {one.name: [CLIP] if one.is_repeated else CLIP for one in operation.clip_fields}
            assert operation.read({**operation.example, **clips})
            assert callable(operation.make(OperationSettings()))


def test_repeated_recordings_have_a_bound() -> None:
    assert Field("clips", "clips", "Takes.").most == MOST_CLIPS
