"""Options of parts: groups of keywords that several parts share, and checks of values from a command line.

A group is declared once, as a TypedDict whose defaults are those of the function that receives it in the end. A part
takes a group as ``**options: Unpack[Group]``; `passes_on` lists the keywords of the group in the signature of the part,
which is where `aptone.models.parts` finds the options of a part.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from aptone.errors import UsageError

Function = TypeVar("Function", bound=Callable[..., Any])
Group = TypeVar("Group")
Rest = TypeVar("Rest")

Kinds = Mapping[str, tuple[tuple[type, ...], str]]
"""By option: the types that its value may have, and their description for the error."""


def check_kinds(part: str, options: Mapping[str, object], kinds: Kinds) -> None:
    """Check the types of options.

    Args:
        part: owner of the options, for the error.
        options: values by name.
        kinds: expected types by name.

    Raises:
        UsageError: if a value has another type.
    """
    for name, value in options.items():
        allowed, words = kinds[name]
        if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
            raise UsageError(f"the {part}'s option {name} is {words}, got {value!r}.")


def passes_on(*receivers: Callable[..., Any]) -> Callable[[Function], Function]:
    """Return a decorator that lists the keywords of `receivers`, with their defaults, in place of ``**options``.

    >>> def read(path, *, encoding="utf-8"): ...
    >>> @passes_on(read)
    ... def count(path, *, lines=True, **options): return read(path, **options)
    >>> print(inspect.signature(count))
    (path, *, encoding='utf-8', lines=True)
    """

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        own = {one.name: one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD}
        passed = [one for receiver in receivers for one in inspect.signature(receiver).parameters.values()]
        keywords = {one.name: one for one in passed if one.kind is one.KEYWORD_ONLY}
        listed = sorted((keywords | own).values(), key=lambda one: one.kind)
        function.__signature__ = signature.replace(parameters=listed)  # type: ignore[attr-defined]
        return function

    return decorate


def split_options(options: Mapping[str, object], group: type[Group], rest: type[Rest]) -> tuple[Group, Rest]:
    """Return the options that belong to a group, a TypedDict, and all others; their receiver refuses unknown ones."""
    known: frozenset[str] = group.__optional_keys__  # type: ignore[attr-defined]
    first = {name: value for name, value in options.items() if name in known}
    return cast("Group", first), cast("Rest", {name: value for name, value in options.items() if name not in known})
