"""Task files: the built-in ones, with texts and rules but without items, and those that people write.

A task file is a `RatingTask` as JSON, or as YAML where that is installed. ``tasks/`` holds the tasks of the four papers
and the choice between two clips; rooms and studio read their words from there, so that each is written once.
"""

import functools
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from aptone.errors import RecordError, RegistryError
from aptone.files import write_whole
from aptone.messages import labelled, message
from aptone.ratings.yaml_text import dump_yaml, load_yaml
from aptone.types import RatingItem, RatingTask, dumps, from_json, loads, to_json

JUDGE_SCORE = "judge_score"
"""Hidden field of an item under which the tasks that ship look for what an automatic judge gave it."""

YAML_SUFFIXES = (".yaml", ".yml")
LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of a task file that are read; a task of 100,000 items has half of that."""


def read_task(path: Path) -> RatingTask:
    """Read a task file, JSON (``.json``) or YAML (``.yaml``, ``.yml``). Paths of clips stay as written.

    Raises:
        RecordError: if it cannot be read, or is no task; the message names the field.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise RecordError(f"{path}: a task file has at most {LARGEST_FILE >> 20} MiB; split the task.")
        data = path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); check the path.") from error
    return parse_task(data, what=str(path), is_yaml=path.suffix.lower() in YAML_SUFFIXES)


def parse_task(data: bytes, *, what: str, is_yaml: bool = False) -> RatingTask:
    """Parse the content of a task file.

    Raises:
        RecordError: if it is no task; the message names the field.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(message("run.not-utf-8", name=what, why=error.reason)) from error
    try:
        return from_json(RatingTask, load_yaml(text, what=what) if is_yaml else loads(text, what=what))
    except RecordError as error:
        raise error if str(error).startswith(what) else RecordError(labelled(what, str(error))) from error


def write_task(path: Path, task: RatingTask) -> None:
    """Write a task so that `read_task` gives it back.

    Raises:
        MissingExtraError: if the name ends as a YAML file does, and that is not installed.
    """
    data = to_json(task)
    write_whole(path, dump_yaml(data) if path.suffix.lower() in YAML_SUFFIXES else dumps(data, indent=1) + "\n")


def templates() -> tuple[str, ...]:
    """Names of the built-in tasks.

    >>> templates()
    ('ceaeval-d', 'emosura-mos', 'paras2s', 'paras2s-answers', 'preference', 's3bench')
    """
    names = (entry.name for entry in (files("aptone.ratings") / "ready_tasks").iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


@functools.cache
def task_template(name: str) -> RatingTask:
    """Built-in task, without items.

    >>> [control.name for control in task_template("s3bench").controls]
    ['fit', 'confidence']
    """
    if name not in templates():
        raise RegistryError(
            f"there is no task {name!r}; those that ship are {', '.join(templates())}. A task of your own is a file."
        )
    entry = files("aptone.ratings") / "ready_tasks" / f"{name}.json"
    return parse_task(entry.read_bytes(), what=f"the task {name}")


def with_items(
    template: RatingTask,
    items: Sequence[RatingItem],
    *,
    name: str = "",
    calibration: Sequence[str] = (),
    qualification: Sequence[str] = (),
    attention: Sequence[str] = (),
) -> RatingTask:
    """Fill a template with items.

    Args:
        calibration: ids of the items that everyone rates first, with feedback.
        qualification: ids of the items of the test; the template says when it is passed. Without any there is no test.
        attention: ids of the items that find raters who do not listen.

    Raises:
        RecordError: if an item lacks what the template shows, an id is unknown or comes twice, or the template has no
            rule for a test.
    """
    test = template.qualification
    if qualification and test is None:
        raise RecordError(f"the task {template.name!r} has no rule for passing a test; give it a qualification.")
    try:
        return replace(
            template,
            name=name or template.name,
            items=tuple(items),
            calibration=tuple(calibration),
            qualification=replace(test, items=tuple(qualification)) if test and qualification else None,
            attention=tuple(attention),
        )
    except ValueError as error:
        raise RecordError(str(error)) from error
