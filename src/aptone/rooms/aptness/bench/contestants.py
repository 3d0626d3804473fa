"""The judges of a benchmark: named with their options, listed in a file, or given as Python objects.

A judge is named as an engine or as a judge is elsewhere, with its options behind a colon::

    built-in
    api:model=qwen3-omni,base_url=http://localhost:8000/v1,parameters=30B,name=Qwen3-Omni

or in a file, TOML or JSON, where options may be of any kind::

    [[judge]]
    use = "api"
    name = "Qwen3-Omni"
    parameters = "30B"
    settings = { model = "qwen3-omni", base_url = "http://localhost:8000/v1" }
    planner = { use = "api", parameters = "8B", settings = { model = "qwen3-8b" } }

An option that is also a condition of the benchmark (``reasoning``, ``show``, ``prompt_language``) fixes it: a judge
with ``prompt_language=zh`` has one language only.
"""

import inspect
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from aptone.errors import RecordError, UsageError
from aptone.judge import Judge
from aptone.models import About, Engine
from aptone.models.parts import PartKind, find_part, typed_part
from aptone.planner import ByHand, Planner
from aptone.planner.protocol import Unplanned
from aptone.registry import Registry
from aptone.rooms.aptness.bench.conditions import Condition, Grid, Guide
from aptone.rooms.aptness.step import AptnessStep
from aptone.rooms.aptness.text_file import read_utf8
from aptone.types import Json, Language, loads

PLANNER = "built-in"
"""Default planner."""

NO_PLANNERS = ("by-hand", "unplanned")
"""Planners that plan nothing; the plan in a record and the raw story are guides of their own."""

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}
_SPEC_KEYS = {"use", "name", "parameters", "settings", "planner"}


@dataclass(frozen=True, slots=True)
class Part:
    """Recipe for a judge or a planner.

    Args:
        make: its class, or a function that gives it.
        switches: options that a condition sets.
        parameters: parameter count of its model; 0 for what it reports itself.
    """

    make: Callable[..., Any]
    options: Mapping[str, Json] = field(default_factory=dict)
    switches: frozenset[str] = frozenset()
    parameters: int = 0

    def made(self, **switched: Json) -> Any:
        """The judge or planner, with those of the switches set that it has."""
        return self.make(**self.options, **{name: value for name, value in switched.items() if name in self.switches})


@dataclass(frozen=True, slots=True)
class Contestant:
    """A judge in the benchmark, and the planner that works for it.

    Args:
        name: name in tables; unique among the contestants.
        width: default number of lines at once.
    """

    name: str
    judge: Part
    planner: Part
    width: int = 1

    def conditions(self, grid: Grid, *, with_plans: bool) -> Iterator[Condition]:
        """The conditions of a grid that this judge can be tried under.

        Args:
            grid: all that are wanted.
            with_plans: whether records bring plans of their own.
        """
        options = self.judge.options
        reasoning = _values(self.judge, "reasoning", grid.reasoning)
        languages = _values(self.judge, "prompt_language", grid.prompt_languages)
        shown = {"plan": ("plan", "given"), "context": ("story",)}
        able: Sequence[Guide]
        if "show" in self.judge.switches:
            able = ("story", "plan", "given")
        else:
            able = cast(Sequence[Guide], shown[str(options.get("show", "plan"))])
        for guide in grid.guides:
            if guide not in able or (guide == "given" and not with_plans):
                continue
            sizes: tuple[int | None, ...] = (None,) if guide == "given" else grid.context_sizes
            for size in sizes:
                for thinks in reasoning:
                    for language in languages:
                        yield Condition(guide, size, thinks, cast(Language | None, language))

    def step(self, condition: Condition) -> AptnessStep:
        """Planner and judge for a condition.

        Raises:
            MissingExtraError: if a part cannot run here.
            UsageError: if an option of a part is not one.
        """
        judge: Judge = self.judge.made(
            reasoning=condition.reasoning,
            prompt_language=condition.prompt_language,
            show="context" if condition.guide == "story" else "plan",
            **({} if condition.context_size is None else {"context_size": condition.context_size}),
        )
        planner: Planner = ByHand()
        if condition.guide == "story":
            planner = Unplanned()
        elif condition.guide == "plan":
            planner = self.planner.made(windows=condition.context_size)
        judge.about.require(f"judge {self.name!r}")
        planner.about.require(f"the planner of judge {self.name!r}")
        return AptnessStep(planner, judge)

    def judge_parameters(self, about: About) -> int:
        """Parameter count of the judge, as configured or as it reports; 0 when unknown."""
        return self.judge.parameters or about.parameters

    def planner_parameters(self, about: About) -> int:
        """The same of the planner."""
        return self.planner.parameters or about.parameters


def _values(part: Part, name: str, wanted: tuple[Any, ...]) -> tuple[Any, ...]:
    """The values that a condition can take: those of the grid, the one that is fixed, or none."""
    if name in part.switches:
        return wanted
    return (part.options.get(name),)


def contestant_of(
    judge: Judge | Callable[..., Judge],
    *,
    name: str,
    planner: Planner | Callable[..., Planner] | str = PLANNER,
    parameters: int = 0,
    width: int = 1,
) -> Contestant:
    """A contestant from Python: a judge, or a class or function that makes one.

    A judge as an object is taken as it is: it is given the plan of each condition, and a sample with no more of the
    story than the condition allows. What makes judges is called with those of ``reasoning``, ``show``,
    ``context_size`` and ``prompt_language`` that it has.

    Args:
        judge: judge, or a class or function that makes one; see `aptone.judge.Judge`.
        planner: planner likewise, or the name of a registered one; it gets ``windows`` if it has that option.
        parameters: parameter count of the judge's model; 0 for what it reports itself.

    Raises:
        RegistryError: if there is no planner of that name.
    """
    made = _named_part("planner", planner, {}) if isinstance(planner, str) else _object_part(planner, "plan")
    own = _object_part(judge, "judge", parameters=parameters)
    return Contestant(name, own, made, width)


def _object_part(thing: Any, method: str, *, parameters: int = 0) -> Part:
    if isinstance(thing, type) or not hasattr(thing, method):
        return Part(thing, switches=_switches(thing, {}), parameters=parameters)
    return Part(lambda: thing, parameters=parameters)


def _named_part(kind: PartKind, name: str, options: Mapping[str, Json], *, parameters: int = 0) -> Part:
    found = find_part(kind, name, options)
    if size := {"context_size", "windows"} & options.keys():
        raise UsageError(f"{kind} {name!r}: {size.pop()} is what the benchmark varies; give it as --context-size.")
    return Part(found, options, _switches(found, options), parameters)


def _switches(make: Callable[..., Any], options: Mapping[str, Json]) -> frozenset[str]:
    known = inspect.signature(make).parameters
    conditions = ("reasoning", "show", "context_size", "prompt_language", "windows")
    return frozenset(name for name in conditions if name in known and name not in options)


def read_judge(text: str, *, planner: str = PLANNER) -> Contestant:
    """A contestant as users type it: ``NAME`` or ``NAME:option=value,option=value``.

    >>> read_judge("built-in:rationale=short,name=ours,parameters=9M").name
    'ours'

    Raises:
        MissingExtraError: if it cannot run here.
        RegistryError: if no engine and no judge has that name.
        UsageError: if it has no such option.
    """
    spec = _typed(text, what="--judge")
    return _contestant({**spec, "planner": _typed(planner, what="--planner")}, where=f"--judge {text}")


def read_judges(path: Path, *, planner: str = PLANNER) -> list[Contestant]:
    """The contestants in a file; see above.

    Raises:
        RecordError: if the file cannot be understood.
        RegistryError, UsageError: as `read_judge`.
    """
    text = read_utf8(path, what="a list of judges")
    whole: Any
    if path.suffix.lower() == ".toml":
        try:
            whole = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise RecordError(f"{path}: not TOML ({error}).") from error
    else:
        whole = loads(text, what=str(path))
    listed = whole.get("judge") if isinstance(whole, Mapping) else whole
    if not isinstance(listed, Sequence) or isinstance(listed, str) or not listed:
        raise RecordError(f"{path}: expected tables [[judge]] in TOML, or an array of objects in JSON.")
    usual = _typed(planner, what="--planner")
    return [
        _contestant(
            {"planner": usual, **_object(entry, where=f"{path}, judge {number}")}, where=f"{path}, judge {number}"
        )
        for number, entry in enumerate(listed, start=1)
    ]


def check_names(contestants: Sequence[Contestant]) -> None:
    """Check that there are judges with different names.

    Raises:
        UsageError: if there is none, or two have one name.
    """
    if not contestants:
        raise UsageError("which judges? Name one with --judge, or list them in a file with --judges.")
    seen: set[str] = set()
    for contestant in contestants:
        if contestant.name in seen:
            raise UsageError(f"two judges are called {contestant.name!r}; give each a name of its own, with name=….")
        seen.add(contestant.name)


def _typed(text: str, *, what: str) -> dict[str, Any]:
    use, settings = typed_part(text, what=what)
    shown: dict[str, Any] = {name: settings.pop(name) for name in ("name", "parameters") if name in settings}
    return {"use": use, "settings": settings, **shown}


def _object(entry: Any, *, where: str) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping):
        raise RecordError(f"{where}: expected an object with use, name, parameters, settings, planner.")
    if unknown := sorted(set(entry) - _SPEC_KEYS):
        raise RecordError(f"{where}: unknown field {unknown[0]!r}; known are {', '.join(sorted(_SPEC_KEYS))}.")
    if not isinstance(entry.get("use"), str):
        raise RecordError(f'{where}: "use" is the name of an engine or of a judge; see aptone doctor.')
    if not isinstance(entry.get("settings", {}), Mapping):
        raise RecordError(f'{where}: "settings" is an object of options.')
    return entry


def _contestant(spec: Mapping[str, Any], *, where: str) -> Contestant:
    use, settings = str(spec["use"]), dict(spec.get("settings", {}))
    judge, width = use, 1
    if use in (engines := Registry("engines", Engine)) or use not in Registry("judges", object):
        engine = engines.load(use)
        own = {key.removeprefix("judge."): value for key, value in engine.settings.items() if key.startswith("judge.")}
        judge, width, settings = engine.judge, engine.width, {**own, **settings}
    planner = spec["planner"]
    plans = _object({"use": planner} if isinstance(planner, str) else planner, where=f"{where}, planner")
    if plans["use"] in NO_PLANNERS:
        raise UsageError(
            f"{where}: {plans['use']} makes no plans; the plan in a record, and the raw story, are guides of their own."
        )
    made = _named_part("judge", judge, settings, parameters=read_parameters(spec.get("parameters", 0), where=where))
    planner = _named_part(
        "planner",
        str(plans["use"]),
        dict(plans.get("settings", {})),
        parameters=read_parameters(plans.get("parameters", 0), where=f"{where}, planner"),
    )
    name = spec.get("name") or settings.get("model") or use
    return Contestant(str(name), made, planner, width)


def read_parameters(value: object, *, where: str) -> int:
    """A number of parameters as people write it.

    >>> read_parameters("7B", where="here"), read_parameters("5.6B", where="here"), read_parameters(600, where="here")
    (7000000000, 5600000000, 600)

    Raises:
        UsageError: if it is not one.
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmbt]?)", str(value).strip().lower())
    if match is None:
        raise UsageError(f"{where}: parameters are a number such as 7B or 600M, got {value!r}.")
    return round(float(match[1]) * _UNITS[match[2]])
