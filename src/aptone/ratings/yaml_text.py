"""YAML as people write it by hand, read as strictly as JSON.

Of the older YAML that the library reads by default, what surprises is left out: ``yes`` and ``no`` are words, a date or
``1:30`` is text, a key comes once, and there are no aliases, by which a small file can stand for a huge one.
"""

import functools
import re
from importlib.util import find_spec
from typing import Any

from aptone.errors import MissingExtraError, RecordError
from aptone.messages import message
from aptone.types import Json
from aptone.types.codec import MAX_DEPTH

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
    """Parse a YAML text.

    Raises:
        RecordError: if it is not YAML of this kind; the message names the line.
    """
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
