"""Names to things: ears, engines, judges, planners, rooms, verbs and more, found by entry points.

Aptone's own are declared in its packaging metadata like everybody's, so a plugin can do whatever a built-in can::

    [project.entry-points."aptone.engines"]
    my-engine = "my_package.engine:ENGINE"

A name is loaded when it is used, not before. Two packages that claim one name is an error, and so is a name that
nobody claims: the error then lists its neighbours.
"""

import difflib
import importlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any, Generic, TypeVar

from aptone.errors import MissingExtraError, RegistryError, UsageError
from aptone.installed import entry_points

GROUPS = (
    "benches",
    "builds",
    "displays",
    "ears",
    "engines",
    "hooks",
    "judges",
    "planners",
    "rooms",
    "sources",
    "speakers",
    "style_embedders",
    "text_embedders",
    "transcribers",
    "verbs",
)
"""The kinds of things that can be registered, each under the entry-point group ``aptone.<kind>``."""

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Registration:
    """One registered name, the distribution that brings it, and its target as ``module:attribute``."""

    name: str
    package: str
    target: str


class Registry(Generic[Thing], Mapping[str, Registration]):
    """All names of one group, as a mapping; `load` gives the thing behind a name.

    Args:
        kind: class that the thing must be an instance of, so that a broken plugin is reported at once.

    Raises:
        RegistryError: if two packages claim the same name.
    """

    def __init__(self, group: str, kind: type[Thing]) -> None:
        if group not in GROUPS:
            raise RegistryError(f"there is no group {group!r}; expected one of {', '.join(GROUPS)}.")
        self.group = group
        self._kind = kind
        self._points: dict[str, EntryPoint] = {}
        for point in entry_points(group=f"aptone.{group}"):
            known = self._points.get(point.name)
            if known is not None and known.value != point.value:
                raise RegistryError(
                    f"two packages bring {group} named {point.name!r}: {_package(known)} and {_package(point)}. "
                    "Uninstall one of them."
                )
            self._points[point.name] = point

    def __getitem__(self, name: str) -> Registration:
        point = self._find(name)
        return Registration(name=name, package=_package(point), target=point.value)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._points))

    def __len__(self) -> int:
        return len(self._points)

    def __contains__(self, name: object) -> bool:
        return name in self._points

    def load(self, name: str) -> Thing:
        """The thing behind a name.

        Raises:
            RegistryError: if the name is unknown, its package is broken, or it is not of the right kind.
            MissingExtraError: if it needs an extra that is not installed.
        """
        point = self._find(name)
        try:
            thing = point.load()
        except MissingExtraError:
            raise
        except Exception as error:
            raise RegistryError(
                f"{self.group} {name!r} of {_package(point)} cannot be loaded from {point.value}: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not isinstance(thing, self._kind):
            raise RegistryError(
                f"{self.group} {name!r} of {_package(point)} is a {type(thing).__name__}; "
                f"expected a {self._kind.__name__}."
            )
        return thing

    def _find(self, name: str) -> EntryPoint:
        try:
            return self._points[name]
        except KeyError:
            neighbours = difflib.get_close_matches(name, self._points, n=3, cutoff=0.5)
            hint = (
                f"did you mean {' or '.join(neighbours)}?" if neighbours else f"known are {', '.join(self) or 'none'}."
            )
            raise RegistryError(f"no {self.group.replace('_', ' ')} are named {name!r}; {hint}") from None


def load_target(target: str) -> Any:
    """Return what ``module:attribute`` names.

    Raises:
        RegistryError: if there is no such thing.
    """
    module, _, attribute = target.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise RegistryError(f"{target}: cannot be loaded ({type(error).__name__}: {error}).") from error


def find_maker(group: str, kind: str, name: str, options: Iterable[str] = ()) -> Callable[..., Any]:
    """Return the class or function behind a name of a group, which must have these options.

    Args:
        kind: name of one member of the group, for errors.

    Raises:
        RegistryError: if the name is unknown, or does not stand for something that makes a part.
        UsageError: if it has no such option.
    """
    registry = Registry(group, object)
    make = registry.load(name)
    if not callable(make):
        raise RegistryError(f"{kind} {name!r} of {registry[name].package} makes nothing; expected a class or function.")
    known = inspect.signature(make).parameters
    if unknown := [option for option in options if option not in known]:
        raise UsageError(f"{kind} {name!r} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}.")
    return make


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "an unknown package"
