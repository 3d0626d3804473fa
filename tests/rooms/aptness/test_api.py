import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import aptone
from aptone.errors import AptoneError, RecordError, RegistryError, TransientError, UnusableReplyError, UsageError
from aptone.models.chat import Message, Reply
from aptone.models.scripted import ScriptedChat
from aptone.planner import ByHand, ChatPlanner
from aptone.rooms.aptness import api
from aptone.rooms.aptness.api import line_of_story, line_to_plan, make_planner, plan_sample
from aptone.rooms.aptness.story import make_story
from aptone.run import Call
from aptone.types import Json, Line, Plan, Sample
from tests.tables import for_each

STORY = ["It rained.", "“Go,” said Tom.", "“Why?” asked Ann.", "“Go!”"]
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "lighthouse"


def plan_reply(emotion: str) -> str:
    return json.dumps({"emotion": emotion, "rhythm": "tense", "intonation": "rising", "recording_condition": "phone"})


class Fake:
    """Makes chat planners of a script, and keeps the models that were asked."""

    def __init__(self, *script: str | Exception) -> None:
        self.script = script
        self.chats: list[ScriptedChat] = []
        self.made: list[tuple[str, str, Mapping[str, Json]]] = []

    def make(self, kind: str, name: str, settings: Mapping[str, Json]) -> ChatPlanner:
        self.made.append((kind, name, settings))
        replies = [Reply(said, cost=0.25) if isinstance(said, str) else said for said in self.script]
        self.chats.append(ScriptedChat(replies))
        return ChatPlanner(self.chats[-1], thrifty=bool(settings.get("planner.thrifty", False)))


def use(monkeypatch: pytest.MonkeyPatch, *script: str | Exception) -> Fake:
    fake = Fake(*script)
    monkeypatch.setattr(api, "make_part", fake.make)
    return fake


def test_a_line_of_a_story_is_planned_by_the_lines_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = use(monkeypatch, *[plan_reply("fear")] * 3)
    plan = aptone.plan(STORY, line="Go!", planner="api")
    assert (plan.emotion, plan.recording_condition, plan.windows) == ("fear", "phone", 3)
    assert fake.made[0][:2] == ("planner", "api")
    asked = fake.chats[0].asked[0].messages[1]
    assert isinstance(asked, Message)
    assert "“Why?” asked Ann." in asked.text
    assert "<line>\nTom: Go!\n</line>" in asked.text  # it is his turn


def test_a_story_may_be_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, *[plan_reply("恐惧")] * 2)
    plan = aptone.plan(EXAMPLE / "story.zh.txt", line="快出来！水漫过墙了！", planner="api")
    assert (plan.emotion, plan.recording_condition) == ("恐惧", "电话转录")


def test_the_role_and_the_language_may_be_given() -> None:
    sample = line_to_plan(make_story(STORY), line="Go!", role="Eve", language="zh")
    assert (sample.target.text, sample.target.role, sample.language) == ("Go!", "Eve", "zh")
    assert sample.target.is_speech
    assert len(sample.context) == 3


def test_a_record_of_the_release_is_planned_without_its_recording(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    record = {"novel_context": "一\n二", "target_line": "张三说：你走吧。", "lang": "zh"}
    path.write_text(json.dumps(record) + "\n" + json.dumps({**record, "target_line": "好。"}), encoding="utf-8")
    sample = line_of_story(path, line="你走吧", role="张三")
    assert sample.context == (Line("一"), Line("二"))
    assert (sample.target, sample.language) == (Line("张三说：你走吧。", "张三"), "zh")
    with pytest.raises(UsageError, match="no line holds"):
        line_of_story(path, line="再见")


def test_a_manifest_with_plans_needs_no_model(tmp_path: Path) -> None:
    record = {"id": "a", "line": "Stay where you are.", "plan": {"emotion": "grave"}}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(record), encoding="utf-8")
    sample = line_of_story(tmp_path / "manifest.jsonl", line="Stay where you are.")
    assert plan_sample(sample, ByHand()).plan == Plan("grave")


def test_what_may_pass_is_tried_again_and_the_cost_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    busy = TransientError("busy", cost=1.0)
    fake = use(monkeypatch, busy, plan_reply("fear"))
    monkeypatch.setattr("aptone.run.attempts.RetryPolicy.wait", lambda *_, **__: 0.0)
    sample = line_to_plan(make_story(["Go!"]), line="Go!")
    planned = plan_sample(sample, fake.make("planner", "api", {}))
    assert planned.plan.emotion == "fear"
    assert planned.cost == 1.25  # the call that failed cost 1, the other 0.25


def test_a_model_that_gives_no_plan_is_an_error_with_its_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, *["No."] * 3)
    with pytest.raises(UnusableReplyError, match="no window gave a plan") as refused:
        aptone.plan(["Go!"], line="Go!", planner="api")
    assert refused.value.raw_reply == "No."


class Broken(ByHand):
    def plan(self, sample: Sample, call: Call, /) -> Plan:
        raise RuntimeError("oops")


def test_a_planner_that_fails_is_an_error() -> None:
    with pytest.raises(AptoneError, match="RuntimeError: oops"):
        plan_sample(line_to_plan(make_story(["Go!"]), line="Go!"), Broken())


def test_a_planner_that_only_takes_plans_says_so() -> None:
    with pytest.raises(AptoneError, match="there is no plan, and this planner makes none"):
        aptone.plan(STORY, line="Go!", planner="by-hand")


def test_a_plan_by_a_planner_that_nobody_knows_is_refused() -> None:
    with pytest.raises(RegistryError, match="no planners are named 'by-hnad'; did you mean by-hand"):
        aptone.plan(STORY, line="Go!", planner="by-hnad")


def test_an_option_that_is_none_of_the_planners_is_refused() -> None:
    options: dict[str, Any] = {"judge.ear": "full"}
    with pytest.raises(UsageError, match=r"'judge\.ear' is no option of a planner"):
        make_planner("built-in", planner="by-hand", settings=options)
    with pytest.raises(UsageError, match="planner 'by-hand' has no option 'thrifty'"):
        make_planner("built-in", planner="by-hand", settings={"planner.thrifty": True})


def test_a_file_that_is_neither_story_nor_manifest_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"chapter": 3}')
    with pytest.raises(RecordError, match="unknown field 'chapter'"):
        line_of_story(path, line="Go!")


def test_a_story_of_one_line_may_be_given_as_its_text() -> None:
    made = aptone.plan("“Leave me alone,” she sobbed.", line="Leave me alone")
    assert made.emotion == "sad"


@for_each(
    ("story", "line"),
    [
        ("“I don’t know,” she sobbed. “Leave me.”", "i don't know"),
        ("“Leave Me Alone!” she sobbed.", "leave me alone"),
    ],
)
def test_a_text_of_one_paragraph_is_no_path_however_its_line_is_typed(story: str, line: str) -> None:
    assert aptone.plan(story, line=line).emotion == "sad"


def test_a_line_that_is_not_in_a_text_of_one_paragraph_is_missed_there_and_not_on_the_disk() -> None:
    with pytest.raises(UsageError, match="Leave me along"):
        aptone.plan("“Leave me alone,” she sobbed.", line="Leave me along")


def test_a_path_that_does_not_exist_is_said_to_be_missing() -> None:
    with pytest.raises(RecordError, match="no such file"):
        aptone.plan("stories/Leave me.txt", line="Go!")


def test_a_file_is_read_although_its_name_holds_the_words_of_the_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("Leave me alone.txt").write_text("“Leave me alone,” he roared angrily.", encoding="utf-8")
    assert aptone.plan("Leave me alone.txt", line="Leave me alone").emotion == "angry"


@for_each("story", ["", "  "])
def test_a_blank_story_is_said_to_be_empty(story: str) -> None:
    with pytest.raises(RecordError, match="the story is empty"):
        aptone.plan(story, line="Go!")
