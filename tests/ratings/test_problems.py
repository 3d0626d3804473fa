"""Problems of a draft: all at once, each at its field, by the rules of task files."""

from typing import Any

import pytest

from aptone.errors import RecordError
from aptone.messages import translate
from aptone.ratings.problems import FIELDS, task_problems
from aptone.ratings.tasks import task_template, templates
from aptone.types import RatingTask, from_json, to_json

EMPTY: dict[str, Any] = {"name": "x", "title": {}, "guide": {}, "shown": [], "controls": [], "items": []}


def scale(**changes: object) -> dict[str, object]:
    return {"name": "fit", "kind": "scale", "label": {"en": "Fit"}, "low": 0, "high": 5, "step": 1, **changes}


WRONG: list[tuple[dict[str, Any], list[str]]] = [
    ({"controls": [scale(high=-1), scale(name="other", low="a")]}, ["controls[0].low", "controls[1].low"]),
    ({"controls": [scale(kind="choice", choices=[{"value": 1, "label": {}}])]}, ["controls[0].choices[0].value"]),
    ({"controls": [scale(kind="choice")]}, ["controls[0].choices"]),
    ({"controls": [scale(kind="edit")]}, ["controls[0].prefill"]),
    ({"controls": [scale(kind="ratings")]}, ["controls[0].prefill"]),
    ({"controls": [scale(kind="slider")]}, ["controls[0].kind"]),
    ({"controls": [scale(), scale()]}, ["controls"]),
    ({"controls": [scale(labl={})]}, ["controls[0]"]),
    ({"controls": 3}, ["controls"]),
    ({"title": 3, "raters_per_item": 0, "guide": {"en": 4}}, ["title", "guide.en", "raters_per_item"]),
    ({"attention_every": 0}, ["attention_every"]),
    ({"outlier_share": 0.2}, ["outlier_distance"]),
    ({"accept": {"fit": 3}}, ["accept"]),
    ({"shown": [{"name": "line", "kind": "text"}], "items": [{"id": "1"}]}, ["items"]),
    ({"items": [{"id": "1"}, {"id": "1"}]}, ["items"]),
    ({"calibration": ["1"]}, ["items"]),
    ({"unknown": 1}, [""]),
]


@pytest.mark.parametrize(("changes", "paths"), WRONG)
def test_every_problem_is_named_at_its_field_and_a_file_with_it_is_refused(
    changes: dict[str, Any], paths: list[str]
) -> None:
    data = {**EMPTY, **changes}
    found = task_problems(data)
    assert [problem.path for problem in found] == paths
    assert all(translate(problem.text, "zh") != problem.text for problem in found)
    with pytest.raises(RecordError):
        from_json(RatingTask, data)


@pytest.mark.parametrize("name", templates())
def test_a_task_that_a_file_may_hold_has_no_problem(name: str) -> None:
    assert task_problems(to_json(task_template(name))) == []


def test_a_missing_field_is_a_problem_and_so_is_something_that_is_no_object() -> None:
    assert [problem.path for problem in task_problems({"name": "x"})] == ["title"]
    assert [problem.path for problem in task_problems([])] == [""]


def test_every_rule_that_is_shown_at_a_field_names_one_of_its_record() -> None:
    known = {*RatingTask.__dataclass_fields__, "low", "choices", "prefill"}
    assert set(FIELDS.values()) <= known
