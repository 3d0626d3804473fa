"""Problems of a task that is being written: all of them at once, each with the field that it is about.

The rules are those of the records (`from_json` of `RatingTask` and its parts): a file that is refused has a problem
here, and the other way round. A file gets the first problem; whoever types gets every field's own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from aptone.errors import RecordError
from aptone.messages import Message, message, replaced
from aptone.types import Control, Json, RatingItem, RatingTask, Shown, from_json
from aptone.types.codec import shown

PARTS: Mapping[str, type[Any]] = {"shown": Shown, "controls": Control, "items": RatingItem}
"""Field with a list of records to their kind."""
FIELDS: Mapping[str, str] = {
    "types.scale-needs-ends": "low",
    "types.question-needs-choices": "choices",
    "types.edit-needs-field": "prefill",
    "types.set-needs-field": "prefill",
    "types.no-raters": "raters_per_item",
    "types.same-id": "items",
    "types.same-control": "controls",
    "types.wrong-attention": "attention_every",
    "types.no-such-id": "items",
    "types.no-such-control": "accept",
    "types.outlier-needs-distance": "outlier_distance",
    "types.no-field-to-show": "items",
    "types.not-two-clips": "items",
    "types.not-a-set": "items",
}
"""Rule that a record checks as a whole to the field that it is shown at."""
ACROSS = ("accept", "outlier_distance")
"""Fields of which a rule compares them with others: looked at with the whole task."""
MOST_PROBLEMS = 200
_EMPTY: Mapping[str, Json] = {"name": "x", "title": {}, "guide": {}, "shown": [], "controls": [], "items": []}


@dataclass(frozen=True, slots=True)
class Problem:
    """Problem of a task.

    Args:
        path: the field, such as ``controls[1].low``; empty for the task as a whole.
    """

    path: str
    text: str


def task_problems(data: Json) -> list[Problem]:
    """Return the problems of a task as JSON, at most `MOST_PROBLEMS`; none if `from_json` reads it.

    >>> [problem.path for problem in task_problems({**_EMPTY, "controls": [{"name": "fit", "kind": "scale"}]})]
    ['controls[0].label']
    """
    if not isinstance(data, Mapping):
        return [Problem("", message("types.expected-object", path="task", what=shown(data)))]
    found = [problem for name in PARTS for problem in _part_problems(name, data.get(name, _EMPTY[name]))]
    for field in fields(RatingTask):
        if field.name not in PARTS and field.name in data:
            problem = _problem(RatingTask, {**_EMPTY, field.name: data[field.name]})
            if problem is not None and _top(problem.path) == field.name and field.name not in ACROSS:
                found.append(problem)
    if not found and (whole := _problem(RatingTask, data)) is not None:
        found.append(whole)
    return found[:MOST_PROBLEMS]


def _part_problems(name: str, given: Json) -> list[Problem]:
    if not isinstance(given, Sequence) or isinstance(given, str):
        return [Problem(name, message("types.expected-list", path=name, what=shown(given)))]
    found = []
    for place, one in enumerate(given):
        if (problem := _problem(PARTS[name], one)) is not None:
            inside = problem.path and f".{problem.path}"
            found.append(Problem(f"{name}[{place}]{inside}", problem.text))
            if len(found) >= MOST_PROBLEMS:
                break
    return found


def _problem(kind: type[Any], data: Json) -> Problem | None:
    """Return the first problem of a record, its path without the name of the kind."""
    try:
        from_json(kind, data)
    except RecordError as error:
        text = str(error)
        path = _path_of(text, kind.__name__)
        return Problem(path, _without(text, kind.__name__, path))
    return None


def _path_of(text: str, root: str) -> str:
    """Return the path that a message names, or the field of the rule that was broken."""
    if not isinstance(text, Message):
        return ""
    path = str(text.values.get("path", text.values.get("label", "")))
    inside = path.removeprefix(root).removeprefix(".")
    if inside or not path:
        return inside
    return next((FIELDS[one] for one in _ids(text) if one in FIELDS), "")


def _ids(text: Message) -> list[str]:
    inner = [value for value in text.values.values() if isinstance(value, Message)]
    return [text.id, *(one for value in inner for one in _ids(value))]


def _without(text: str, root: str, path: str) -> str:
    """Return a message that stands beside its field: without the name of the record."""
    if isinstance(text, Message) and text.id == "text.labelled" and text.values["label"] == root:
        inner = str(text.values["text"])
        while isinstance(inner, Message) and inner.id in ("types.control", "types.task"):
            inner = str(inner.values["why"])
        return inner
    return replaced(text, f"{root}.{path}", path) if path else replaced(text, root, root.lower())


def _top(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]
