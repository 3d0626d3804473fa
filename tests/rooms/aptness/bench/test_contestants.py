import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import RecordError, RegistryError, UsageError
from aptone.models import About
from aptone.planner import ByHand
from aptone.planner.protocol import Unplanned
from aptone.rooms.aptness.bench.contestants import (
    Condition,
    Grid,
    check_names,
    contestant_of,
    folder_name,
    read_judge,
    read_judges,
    read_parameters,
)
from aptone.types import AudioRef, Line, Plan, Sample, dumps
from tests.rooms.aptness.bench_judges import HUMAN, OpenPlanner, SwitchedJudge, TableJudge
from tests.tables import for_each

SERVER = "base_url=http://localhost:8000/v1"


def test_a_judge_is_typed_with_its_options() -> None:
    judge = read_judge(f'api:model=qwen,{SERVER},extra={{"top_p": 0.9, "n": 1}},parameters=30B,name=Qwen')
    assert judge.name == "Qwen"
    assert judge.judge.options == {
        "model": "qwen",
        "base_url": "http://localhost:8000/v1",
        "extra": {"top_p": 0.9, "n": 1},
    }
    assert judge.judge.parameter_count(About()) == 30_000_000_000
    assert judge.width == 8  # as the engine says
    assert read_judge(f"api:model=qwen,{SERVER}").name == "qwen"
    assert read_judge("built-in").name == "built-in"


def test_the_built_in_judge_has_neither_a_cot_switch_nor_a_prompt_language() -> None:
    judge = read_judge("built-in")
    conditions = list(judge.conditions(Grid(), with_plans=True))
    assert {(condition.reasoning, condition.prompt_language) for condition in conditions} == {(None, None)}
    assert {condition.guide for condition in conditions} == {"plan", "given"}
    step = judge.step(Condition("plan", 5))
    assert "windows:5" in step.planner.signature
    assert "windows:0" in judge.step(Condition("plan", 0)).planner.signature
    assert judge.judge.parameter_count(step.judge.about) > 1_000_000
    assert judge.planner.parameter_count(step.planner.about) > 1_000_000


def test_an_option_that_is_a_condition_fixes_it() -> None:
    judge = read_judge(f"api:model=m,{SERVER},prompt_language=zh,reasoning=true,show=context")
    conditions = list(judge.conditions(Grid(context_sizes=(5,)), with_plans=True))
    assert conditions == [Condition("story", 5, reasoning=True, prompt_language="zh")]
    assert "prompt_language:zh" in judge.step(conditions[0]).judge.signature


def test_each_guide_has_its_planner() -> None:
    judge = contestant_of(SwitchedJudge, name="x", planner=OpenPlanner)
    assert isinstance(judge.step(Condition("story", 5)).planner, Unplanned)
    assert isinstance(judge.step(Condition("given")).planner, ByHand)
    assert isinstance(judge.step(Condition("plan", 5)).planner, OpenPlanner)
    assert judge.step(Condition("story", 5, reasoning=False, prompt_language="zh")).judge.signature == (
        "switched (False, 'context', 5, 'zh')"
    )


def test_a_judge_object_is_taken_as_it_is_and_plans_come_from_the_built_in_planner() -> None:
    table = TableJudge(HUMAN, parameters=12)
    judge = contestant_of(table, name="x")
    step = judge.step(Condition("plan", 5))
    assert step.judge is table
    assert step.planner.signature.startswith("planner:built-in")
    assert judge.judge.parameter_count(table.about) == 12


@for_each(
    ("text", "complaint"),
    [
        ("api:model", "expected NAME:option=value,option=value, got 'model'"),
        ("built-in:model=x", "judge 'built-in' has no option 'model'"),
        (f"api:model=m,{SERVER},context_size=3", "context_size is what the benchmark varies"),
        ("built-in:parameters=many", "parameters are a number such as 7B or 600M, got 'many'"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        read_judge(text)


def test_an_unknown_judge_or_planner_is_answered_with_its_neighbours() -> None:
    with pytest.raises(RegistryError, match="'bulit-in'; did you mean built-in"):
        read_judge("bulit-in")
    with pytest.raises(RegistryError, match="no planners are named 'bilt-in'; did you mean built-in"):
        read_judge("built-in", planner="bilt-in")
    with pytest.raises(UsageError, match="by-hand makes no plans"):
        read_judge("built-in", planner="by-hand")


TOML = """
[[judge]]
use = "built-in"
name = "ours"

[[judge]]
use = "api"
parameters = "7B"
settings = { model = "m", base_url = "http://localhost:8000/v1", extra = { top_p = 0.9 } }
planner = { use = "built-in", parameters = "8B", settings = { thrifty = true } }
"""


def test_judges_are_listed_in_a_file_with_planners_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "judges.toml"
    path.write_text(TOML, encoding="utf-8")
    ours, other = read_judges(path)
    check_names([ours, other])
    assert (ours.name, other.name) == ("ours", "m")
    assert other.planner.parameter_count(About()) == 8_000_000_000
    assert other.planner.options == {"thrifty": True}
    again = tmp_path / "judges.json"
    again.write_text(json.dumps([{"use": "built-in", "name": "ours", "planner": "built-in"}]), encoding="utf-8")
    assert [judge.name for judge in read_judges(again)] == ["ours"]


@for_each(
    ("whole", "complaint"),
    [
        ([], r"expected tables \[\[judge\]\] in TOML"),
        ([3], "judge 1: expected an object with use"),
        ([{"name": "x"}], 'judge 1: "use" is the name of an engine or of a judge'),
        ([{"use": "built-in", "temperature": 1}], "judge 1: unknown field 'temperature'"),
        ([{"use": "built-in", "settings": 1}], '"settings" is an object of options'),
    ],
)
def test_a_file_that_cannot_be_understood_is_named(tmp_path: Path, whole: Any, complaint: str) -> None:
    path = tmp_path / "judges.json"
    path.write_text(dumps(whole), encoding="utf-8")
    with pytest.raises(RecordError, match=rf"judges\.json.*{complaint}"):
        read_judges(path)


def test_toml_that_is_none_is_named(tmp_path: Path) -> None:
    path = tmp_path / "judges.toml"
    path.write_text("[[judge]", encoding="utf-8")
    with pytest.raises(RecordError, match=r"judges\.toml: not TOML"):
        read_judges(path)


@for_each("text", ["7", "7B", " 600m", "1.5T"])
def test_parameters_are_written_with_a_unit_or_without(text: str) -> None:
    expected = {"7": 7, "7B": 7e9, " 600m": 6e8, "1.5T": 1.5e12}[text]
    assert read_parameters(text, where="here") == expected


STORY = tuple(Line(name) for name in "abcdefgh")


def sample(place: int) -> Sample:
    return Sample(
        "x",
        AudioRef("x.wav"),
        Line("X"),
        context=STORY[:place],
        following=STORY[place:],
        plan=Plan("calm"),
        human_score=3.0,
    )


def test_a_sample_is_shown_with_no_more_of_the_story_than_the_condition_allows_and_without_its_plan() -> None:
    shown = Condition("plan", 5).apply(sample(3))  # 3 lines stand before it, so 2 of those after it are added
    assert [line.text for line in shown.context] == ["a", "b", "c"]
    assert [line.text for line in shown.following] == ["d", "e"]
    assert shown.plan is None
    assert shown.human_score == 3.0


@given(st.integers(0, 8), st.integers(0, 12), st.sampled_from(["story", "plan"]))
def test_as_many_lines_are_shown_as_the_condition_says_or_the_story_has(place: int, size: int, guide: str) -> None:
    shown = Condition("story" if guide == "story" else "plan", size).apply(sample(place))
    assert len(shown.context) + len(shown.following) == min(size, len(STORY))


def test_with_a_given_plan_the_sample_stays_as_it_is() -> None:
    assert Condition("given").apply(sample(3)) == sample(3)


def test_a_grid_is_in_order_without_doubles() -> None:
    grid = Grid((15, 0, 5, 0), ("plan", "plan"))
    assert grid.context_sizes == (0, 5, 15)
    assert (grid.guides, grid.largest) == (("plan",), 15)


@for_each(
    ("options", "complaint"),
    [
        ({"context_sizes": ()}, "no context sizes"),
        ({"context_sizes": (-1,)}, "0 lines or more, got -1"),
        ({"guides": ("novel",)}, "guides are story, plan, given, got 'novel'"),
        ({"prompt_languages": ("fr",)}, "prompt languages are en, zh, got 'fr'"),
    ],
)
def test_a_grid_that_makes_no_sense_is_refused(options: dict[str, tuple[object, ...]], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        Grid(**options)  # type: ignore[arg-type]


@given(st.text(max_size=30))
def test_no_name_leads_out_of_the_folder_of_the_benchmark(name: str) -> None:
    made = folder_name(name)
    assert made not in ("", ".", "..")
    assert not set(made) & set("/\\:\0")
