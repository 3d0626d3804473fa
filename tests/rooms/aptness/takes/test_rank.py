import io
from pathlib import Path

import numpy as np
import pytest

import aptone
from aptone.audio import AudioSource
from aptone.errors import RecordError, UsageError
from aptone.planner.built_in import BuiltInPlanner
from aptone.rooms.aptness.takes.rank import group_takes, plan_once, takes_of_line
from aptone.run import Call
from aptone.types import Audio, AudioRef, Line, Plan, Sample
from tests.run.sources.files import tone

CLIPS = Path(__file__).resolve().parents[4] / "examples" / "lighthouse" / "clips"
STORY = CLIPS.parent / "story.en.txt"
PLAN = {"emotion": "grave", "rhythm": "heavy", "intonation": "falling", "recording_condition": "phone"}


def sample(name: str, *, line: str = "Go.", plan: Plan | None = None, **ids: str) -> Sample:
    return Sample(name, AudioRef(f"{name}.wav"), Line(line), plan=plan, ids=ids)


class CountingPlanner(BuiltInPlanner):
    """Counts its plans."""

    def __init__(self) -> None:
        super().__init__(windows=0)
        self.asked = 0

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        self.asked += 1
        return super().plan(sample, call)


def test_all_takes_of_a_line_share_one_plan_that_is_made_once() -> None:
    planner = CountingPlanner()
    group = takes_of_line(sample("x"), ["a.wav", "b.wav", "c.wav"])
    planned = plan_once(group, planner)
    assert planner.asked == 1
    assert all(one.plan is planned.samples[0].plan for one in planned.samples)
    assert plan_once(planned, planner) is planned


def test_records_with_the_same_line_are_takes_and_named_by_their_ids() -> None:
    records = [sample("1", take="first"), sample("2", line="Stay."), sample("3", take="second")]
    groups = group_takes(records, source="m.jsonl")
    assert [list(group.names.values()) for group in groups] == [["first", "second"], ["2"]]


def test_a_plan_of_one_take_is_that_of_all_and_two_plans_clash() -> None:
    plan, other = Plan("calm"), Plan("angry")
    (group,) = group_takes([sample("1"), sample("2", plan=plan)], source="m.jsonl")
    assert [one.plan for one in group.samples] == [plan, plan]
    with pytest.raises(RecordError, match="different plans"):
        group_takes([sample("1", plan=other), sample("2", plan=plan)], source="m.jsonl")


def test_takes_of_one_name_are_refused_in_a_manifest_and_told_apart_by_their_paths_on_the_command_line() -> None:
    with pytest.raises(RecordError, match="have one name"):
        group_takes([sample("1", take="a"), sample("2", take="a")], source="m.jsonl")
    group = takes_of_line(sample("x"), ["one/a.wav", "two/a.wav", "b.wav"])
    assert [one.id for one in group.samples] == ["one/a.wav", "two/a.wav", "b.wav"]
    with pytest.raises(UsageError, match="given twice"):
        takes_of_line(sample("x"), ["a.wav", "a.wav"])
    with pytest.raises(UsageError, match="which takes"):
        takes_of_line(sample("x"), [])
    assert [one.id for one in takes_of_line(sample("x"), "one/a.wav").samples] == ["a.wav"]


def test_a_folder_of_takes_is_its_recordings_in_their_order(tmp_path: Path) -> None:
    for name, number in (("take10.wav", 1), ("take2.wav", 2)):
        (tmp_path / name).write_bytes(tone(number))
    for given in (tmp_path, str(tmp_path), [tmp_path]):
        assert [one.id for one in takes_of_line(sample("x"), given).samples] == ["take2.wav", "take10.wav"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(RecordError, match="empty: "):
        takes_of_line(sample("x"), tmp_path / "empty")


def test_takes_in_memory_have_the_name_of_their_file_or_a_number() -> None:
    data = tone(1)
    array = np.zeros(16_000, dtype=np.float32)
    rows: list[AudioSource] = [
        {"bytes": data, "path": "in/row.wav"},
        io.BytesIO(data),
        {"array": array, "sampling_rate": 16_000},
    ]
    named = takes_of_line(sample("x"), [*rows, "b.wav"])
    assert [one.id for one in named.samples] == ["row.wav", "take 2", "take 3", "b.wav"]
    (alone,) = takes_of_line(sample("x"), [array], rate=8_000).samples
    assert isinstance(alone.audio, Audio)
    assert alone.audio.rate == 8_000
    with pytest.raises(UsageError, match="need their rate"):
        takes_of_line(sample("x"), [array])


def test_the_best_of_three_readings_from_python() -> None:
    takes = [CLIPS / f"keeper-{reading}.opus" for reading in ("wrong", "apt", "flat")]
    ranked = aptone.rank(takes, line="Stay where you are. We will not come tonight.", story=STORY, plan=PLAN)
    assert [take.id for take in ranked.best] == ["keeper-apt.opus"]  # the only one over the phone, as the plan asks
    assert ranked.rationale.startswith("keeper-apt.opus is the best of 3 takes")
    assert ranked.plan is not None
    assert ranked.plan.recording_condition == "phone"


def test_a_recording_in_memory_and_a_take_that_is_not_there() -> None:
    silence = Audio(np.zeros(16_000, dtype=np.float32), rate=16_000)
    ranked = aptone.rank([silence, "gone.wav"], line="Stay.", plan=PLAN)
    assert ranked.best == ()
    assert [take.id for take in ranked.ranking.takes] == ["take 1", "gone.wav"]
    assert ranked.ranking.takes[0].reason == "the clip is silent"
    assert "no such file" in ranked.ranking.takes[1].reason
