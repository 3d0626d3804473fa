"""Task files: the built-in ones, with texts and rules but without items, and those that people write.

A task file is a `RatingTask` as JSON, or as YAML where that is installed. ``ready_tasks/`` holds the tasks of the four
papers, the choice between two clips, and the listening tests of systems; rooms and studio read their words from there,
so that each is written once.

YAML is read as strictly as JSON. Of the older YAML that the library reads by default, what surprises is left out:
``yes`` and ``no`` are words, a date or ``1:30`` is text, a key comes once, and there are no aliases, by which a small
file can stand for a huge one.
"""

import functools
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from aptone.errors import MissingExtraError, RecordError, RegistryError
from aptone.files import write_whole
from aptone.messages import labelled, message
from aptone.types import Json, RatingItem, RatingTask, dumps, from_json, loads, to_json
from aptone.types.closed_sets import language_of_text
from aptone.types.codec import MAX_DEPTH
from aptone.types.rating import Words

_TAG = "tag:yaml.org,2002:"
_WHOLE = r"[-+]?(?:0|[1-9][0-9]*)"
_EXPONENT = r"[eE][-+]?[0-9]+"
_PLAIN: tuple[tuple[str, str, str], ...] = (
    ("null", r"null|~", "n~"),
    ("bool", r"true|false", "tf"),
    ("int", _WHOLE, "-+0123456789"),
    ("float", rf"(?:{_WHOLE}\.[0-9]*|[-+]?\.[0-9]+)(?:{_EXPONENT})?|{_WHOLE}{_EXPONENT}", "-+.0123456789"),
)
"""Plain words that are not text: tag, pattern, first characters. Nothing at all is null, too."""


def load_yaml(text: str, *, what: str) -> Json:
    """Parse a YAML text; raises `RecordError` if it is not YAML of this kind; the message names the line."""
    yaml = _library()
    try:
        value: Json = yaml.load(text, Loader=_loader())  # a subclass of the safe loader
    except (yaml.YAMLError, RecursionError, ValueError) as error:  # the last for numbers and characters that cannot be
        mark = getattr(error, "problem_mark", None)
        why = getattr(error, "problem", None) or str(error).splitlines()[0]
        if mark is None:
            raise RecordError(message("run.not-yaml", name=what, why=why)) from error
        raise RecordError(message("run.not-yaml-line", name=what, number=mark.line + 1, why=why)) from error
    return value


def dump_yaml(value: Json) -> str:
    """Write a value as YAML that `load_yaml` reads back unchanged."""
    text: str = _library().dump(value, Dumper=_dumper(), allow_unicode=True, sort_keys=False, width=110)
    return text


def dump_older_yaml(value: Json) -> str:
    """Write a value as YAML for other tools: quoted where YAML 1.1 takes no, off or = for something else than text."""
    text: str = _library().safe_dump(value, allow_unicode=True, sort_keys=False, width=110)
    return text


def _library() -> Any:
    if find_spec("yaml") is None:
        raise MissingExtraError(message("run.task-in-yaml"), extra="studio")
    import yaml

    return yaml


@functools.cache
def _loader() -> Any:
    yaml = _library()

    class Loader(_library().SafeLoader):  # type: ignore[misc]
        """Plain words as in JSON, every key once, nothing by reference, no deeper than records go."""

        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.composer.ComposerError(
                    None, None, message("run.aliases-name-not-read-write"), self.peek_event().start_mark
                )
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise yaml.composer.ComposerError(
                    None, None, message("run.nested-too-deeply"), self.peek_event().start_mark
                )
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen: set[Any] = set()
            for key, _ in node.value:
                name = self.construct_object(key, deep=True)
                if not isinstance(name, str):
                    raise yaml.constructor.ConstructorError(
                        None, None, message("run.keys-object-text-got", name=repr(name)), key.start_mark
                    )
                if name in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, message("run.comes-twice", name=repr(name)), key.start_mark
                    )
                seen.add(name)
            return super().construct_mapping(node, deep)

    Loader.yaml_implicit_resolvers = _resolvers()
    return Loader


@functools.cache
def _dumper() -> Any:
    class Dumper(_library().SafeDumper):  # type: ignore[misc]
        """Quotes what the loader above would not take for text, and repeats what occurs twice."""

        def ignore_aliases(self, data: Any) -> bool:
            return True

    Dumper.yaml_implicit_resolvers = _resolvers()
    return Dumper


def _resolvers() -> dict[str | None, list[tuple[str, re.Pattern[str]]]]:
    found: dict[str | None, list[tuple[str, re.Pattern[str]]]] = {"": [(f"{_TAG}null", re.compile(r"\Z"))]}
    for name, pattern, first in _PLAIN:
        for character in first:
            found.setdefault(character, []).append((f"{_TAG}{name}", re.compile(rf"(?:{pattern})\Z")))
    return found


JUDGE_SCORE = "judge_score"
"""Hidden field of an item under which the tasks that ship look for what an automatic judge gave it."""

YAML_SUFFIXES = (".yaml", ".yml")
LARGEST_FILE = 64 * 1024 * 1024  # bytes of a task file that are read; a task of 100,000 items has half of that


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
    """Parse the content of a task file; raises `RecordError` if it is no task; the message names the field."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(message("run.not-utf-8", name=what, why=error.reason)) from error
    try:
        return task_record(load_yaml(text, what=what) if is_yaml else loads(text, what=what))
    except RecordError as error:
        raise error if str(error).startswith(what) else RecordError(labelled(what, str(error))) from error


def task_record(data: Json) -> RatingTask:
    """Build a task from JSON; wherever words by language are expected, a plain text counts, too.

    It is shown to everybody, in whichever language they read.

    Raises:
        RecordError: if it is no task; the message names the field.

    >>> task_record({"name": "a", "title": "Tones", "guide": "听。", "shown": [], "controls": [], "items": []}).guide
    {'zh': '听。'}
    """
    return from_json(RatingTask, _with_languages(data, RatingTask))


def _with_languages(data: Json, expected: Any) -> Json:
    """Replace plain texts by words with a language, where the type asks for words."""
    if expected == Words:
        return {language_of_text(data): data} if isinstance(data, str) else data
    if is_dataclass(expected) and isinstance(data, Mapping):
        hints = _hints(cast(Hashable, expected))
        return {name: _with_languages(value, hints[name]) if name in hints else value for name, value in data.items()}
    inner = [one for one in get_args(expected) if one is not type(None) and one is not Ellipsis]
    if get_origin(expected) is tuple and isinstance(data, list | tuple):
        return [_with_languages(value, inner[0]) for value in data]
    if isinstance(expected, UnionType) and len(inner) == 1:
        return _with_languages(data, inner[0])
    return data


@functools.cache
def _hints(record: Any) -> dict[str, Any]:
    return get_type_hints(record)


def write_task(path: Path, task: RatingTask) -> None:
    """Write a task so that `read_task` gives it back; raises `MissingExtraError` for YAML that is not installed."""
    data = to_json(task)
    write_whole(path, dump_yaml(data) if path.suffix.lower() in YAML_SUFFIXES else dumps(data, indent=1) + "\n")


def templates() -> tuple[str, ...]:
    """Names of the built-in tasks.

    >>> templates()[:6]
    ('ab', 'abx', 'aptness', 'aptness-rank', 'best-worst', 'ceaeval-d')
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
