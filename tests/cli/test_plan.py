import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from aptone.models.chat import Reply
from aptone.models.scripted import ScriptedChat
from aptone.planner import ChatPlanner
from aptone.rooms.aptness import api
from aptone.types import Json
from tests.tables import for_each

STORY = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "story.en.txt"
PHONE = {"emotion": "afraid", "rhythm": "Tense", "intonation": "rising", "recording_condition": "over the phone"}
CALM = {**PHONE, "emotion": "calm"}


@pytest.fixture
def chats(monkeypatch: pytest.MonkeyPatch) -> list[ScriptedChat]:
    """Four windows of the line "Is anybody there?": the longest does not answer, the others differ in one."""
    made: list[ScriptedChat] = []

    def make(kind: str, name: str, settings: Mapping[str, Json]) -> ChatPlanner:
        script = ["Hm."] * 3 + [json.dumps(plan) for plan in (PHONE, PHONE, CALM)]
        made.append(ScriptedChat([Reply(said, cost=0.5) for said in script]))
        return ChatPlanner(made[-1], thrifty=bool(settings.get("planner.thrifty", False)))

    monkeypatch.setattr(api, "make_part", make)
    return made


def test_a_plan_is_shown_with_what_every_window_said(aptone: Callable[..., Any], chats: list[ScriptedChat]) -> None:
    shown = aptone("plan", STORY, "--line", "Is anybody there?", "--no-cache")
    assert shown.code == 0
    told = " ".join(shown.out.split())
    assert told.startswith(
        "Mara: Is anybody there? Emotion fear Rhythm tense Intonation rising Recording condition phone"
    )
    assert "1 calm tense rising phone 100 % 0" in told
    assert "no vote: the reply" in told
    # Two of three votes; -(2/3·log2 2/3 + 1/3·log2 1/3) = 0.918 bits
    assert "67 % of the votes are for this plan, entropy 0.92 bits; 4 of 4 windows were asked." in told


def test_a_plan_for_machines(aptone: Callable[..., Any], chats: list[ScriptedChat]) -> None:
    shown = aptone("plan", STORY, "--line", "Is anybody there?", "--no-cache", "--json", "--role", "Mara")
    line = shown.json["line"]
    assert (line["text"], line["role"], line["speech"]) == ("Is anybody there?", "Mara", True)
    assert shown.json["plan"]["rhythm"] == "tense"
    assert shown.json["plan"]["no_votes"][0]["window"] == 4
    stability = shown.json["stability"]
    assert (stability["windows"], stability["asked"], stability["not_asked"], stability["plans"]) == (4, 4, 0, 2)
    assert [at["window"] for at in stability["by_window"]] == [1, 2, 3]
    assert shown.json["cost"] == 3.0  # six replies of 0.5


def test_a_plan_for_a_reader_of_another_language(aptone: Callable[..., Any], chats: list[ScriptedChat]) -> None:
    shown = aptone("plan", STORY, "--line", "Is anybody there?", "--no-cache", "--lang", "zh")
    assert " ".join(shown.out.split()).startswith(
        "Mara: Is anybody there? 情感 恐惧 节奏 紧张型 语调 上扬调 录音状态 电话转录"
    )


def test_a_thrifty_plan_asks_less(aptone: Callable[..., Any], chats: list[ScriptedChat], tmp_path: Path) -> None:
    given = ("plan", STORY, "--line", "Is anybody there?", "--json", "--cache", tmp_path / "replies.sqlite")
    shown = aptone(*given, "--thrifty")
    # Of four windows, the longest is unreadable, 3 and 2 agree, and the last one cannot change that.
    assert (shown.json["stability"]["asked"], shown.json["stability"]["not_asked"]) == (3, 1)
    assert shown.json["plan"]["emotion"] == "fear"
    again = aptone(*given, "--thrifty")
    assert again.json["plan"] == shown.json["plan"]
    # What could be read was kept; the longest window, whose replies could not, is asked again as before.
    assert chats[1].asked == chats[0].asked[:3]
    assert len({asked.messages for asked in chats[1].asked}) == 1


@for_each(
    ("arguments", "message"),
    [
        (
            ["nowhere.txt", "--line", "x"],
            "nowhere.txt: cannot be read as a story (there is no such file); check the path.",
        ),
        ([STORY, "--line", "Goodbye."], "no line holds 'Goodbye.'"),
        ([STORY, "--line", "Is anybody", "--set", "thrifty"], "expected PART.OPTION=VALUE"),
        ([STORY, "--line", "Is anybody", "--thrifty", "--planner", "by-hand"], "has no option 'thrifty'"),
        ([STORY, "--line", "Is anybody", "--planner", "by-hand"], "there is no plan, and this planner makes none"),
    ],
)
def test_what_cannot_be_planned_is_refused(aptone: Callable[..., Any], arguments: list[Any], message: str) -> None:
    shown = aptone("plan", *arguments)
    assert shown.code == 2
    assert message in shown.err
    assert "Traceback" not in shown.err
