"""Judges of CEAEval's benchmark, and the conditions: guide, context size, chain of thought, prompt language.

A judge is given as a Python object, or named as an engine or as a judge is elsewhere, with its options behind a colon::

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
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal, get_args

from aptone.errors import RecordError, UsageError
from aptone.judge import Judge
from aptone.models import About, Engine
from aptone.models.parts import PartKind, find_part, typed_part
from aptone.planner import ByHand, Planner, context_window
from aptone.planner.protocol import Unplanned
from aptone.planner.votes import checked_size
from aptone.registry import Registry
from aptone.rooms.aptness.step import AptnessStep
from aptone.rooms.aptness.text_files import read_utf8
from aptone.types import Json, Language, Sample, loads

Guide = Literal["story", "plan", "given"]
"""Guide of a judge: the raw story, a plan that a planner made from the story, or the plan in the record."""

GUIDES: tuple[Guide, ...] = get_args(Guide)
CONTEXT_SIZES = (0, 5, 10, 15)


@dataclass(frozen=True, slots=True)
class Condition:
    """One column of the benchmark.

    Args:
        context_size: lines of the story (CTS); 0 is context-free. ``None`` with a given plan, where it has no meaning.
        reasoning: whether the judge reasons in words before it scores (CoT); ``None`` if it has no such switch.
        prompt_language: language of its instructions; ``None`` if it has none.
    """

    guide: Guide
    context_size: int | None = None
    reasoning: bool | None = None
    prompt_language: Language | None = None

    @property
    def slug(self) -> str:
        """Its name as that of a folder.

        >>> Condition("story", 5, reasoning=True, prompt_language="zh").slug
        'story-cts5-cot-zh'
        """
        parts: list[str] = [self.guide]
        if self.context_size is not None:
            parts.append(f"cts{self.context_size}")
        if self.reasoning is not None:
            parts.append("cot" if self.reasoning else "direct")
        if self.prompt_language is not None:
            parts.append(self.prompt_language)
        return "-".join(parts)

    def settings(self) -> dict[str, Json]:
        """Settings for the configuration of a run."""
        return asdict(self)

    def apply(self, sample: Sample) -> Sample:
        """Return the sample under this condition: no more of the story than its size, and no plan but a given one.

        The story is cut by appendix B (`context_window`). So the condition holds for every planner and judge, also for
        those that have no option for it. With a given plan the story stays as it is.
        """
        if self.guide == "given" or self.context_size is None:
            return sample
        window = context_window(sample.context, sample.following, size=self.context_size)
        return replace(sample, context=window.before, following=window.after, plan=None)


@dataclass(frozen=True, slots=True)
class Grid:
    """Conditions to evaluate.

    Raises:
        UsageError: if one of them is empty, or a value is not one.
    """

    context_sizes: tuple[int, ...] = CONTEXT_SIZES
    guides: tuple[Guide, ...] = GUIDES
    reasoning: tuple[bool, ...] = (False, True)
    prompt_languages: tuple[Language, ...] = ("en", "zh")

    def __post_init__(self) -> None:
        allowed: Mapping[str, tuple[object, ...]] = {
            "guides": GUIDES,
            "reasoning": (False, True),
            "prompt_languages": get_args(Language),
        }
        for size in self.context_sizes:
            checked_size(size)
        for name in self.__slots__:
            values = getattr(self, name)
            if not values:
                raise UsageError(f"the grid has no {name.replace('_', ' ')}; name at least one.")
            if wrong := [value for value in values if value not in allowed.get(name, (value,))]:
                known = ", ".join(map(str, allowed[name]))
                raise UsageError(f"{name.replace('_', ' ')} are {known}, got {wrong[0]!r}.")
            object.__setattr__(self, name, tuple(dict.fromkeys(values)))
        object.__setattr__(self, "context_sizes", tuple(sorted(self.context_sizes)))

    @property
    def largest(self) -> int:
        """The largest context size."""
        return self.context_sizes[-1]


def folder_name(name: str) -> str:
    """A name that people chose as that of a folder: other characters than letters, digits, dots and dashes are dashes.

    >>> folder_name("Qwen/Qwen3-Omni 30B"), folder_name("../..")
    ('Qwen-Qwen3-Omni-30B', 'judge')
    """
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "judge"


PLANNER = "built-in"
"""Default planner."""

NO_PLANNERS = ("by-hand", "unplanned")
"""Planners that plan nothing; the plan in a record and the raw story are guides of their own."""

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "t": 10**12}
_SPEC_KEYS = {"use", "name", "parameters", "settings", "planner"}


@dataclass(frozen=True, slots=True)
class Part:
    """Recipe for a judge or a planner; `parameters` is the count of its model, 0 for what it reports itself."""

    make: Callable[..., Any]
    options: Mapping[str, Json] = field(default_factory=dict)
    switches: frozenset[str] = frozenset()
    parameters: int = 0

    def parameter_count(self, about: About) -> int:
        """Return the parameter count, as configured or as the part reports; 0 when unknown."""
        return self.parameters or about.parameters

    def made(self, **switched: Json) -> Any:
        """The judge or planner, with those of the switches set that it has."""
        return self.make(**self.options, **{name: value for name, value in switched.items() if name in self.switches})


@dataclass(frozen=True, slots=True)
class Contestant:
    """A judge in the benchmark, by a name that is unique in its tables, and the planner that works for it."""

    name: str
    judge: Part
    planner: Part
    width: int = 1

    def conditions(self, grid: Grid, *, with_plans: bool) -> Iterator[Condition]:
        """The conditions of a grid that this judge can be tried under; `with_plans` if records bring their own."""
        reasoning = self._values("reasoning", grid.reasoning)
        languages = self._values("prompt_language", grid.prompt_languages)
        shown: Mapping[str, Sequence[Guide]] = {"plan": ("plan", "given"), "context": ("story",)}
        able = GUIDES if "show" in self.judge.switches else shown[str(self.judge.options.get("show", "plan"))]
        for guide in grid.guides:
            if guide not in able or (guide == "given" and not with_plans):
                continue
            sizes = (None,) if guide == "given" else grid.context_sizes
            for size, thinks, language in product(sizes, reasoning, languages):
                yield Condition(guide, size, thinks, language)

    def _values(self, name: str, wanted: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values that a condition can take: those of the grid, the one that is fixed, or none."""
        return wanted if name in self.judge.switches else (self.judge.options.get(name),)

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
        planner: likewise, or the name of a registered one; it gets ``windows`` if it has that option.
        parameters: parameter count of the judge's model; 0 for what it reports itself.

    Raises:
        RegistryError: if there is no planner of that name.
    """
    made = _named_part("planner", planner, {}) if isinstance(planner, str) else _object_part(planner, "plan")
    return Contestant(name, _object_part(judge, "judge", parameters=parameters), made, width)


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
    places = [f"{path}, judge {number}" for number in range(1, len(listed) + 1)]
    return [
        _contestant({"planner": usual, **_object(entry, where=where)}, where=where)
        for where, entry in zip(places, listed, strict=True)
    ]


def check_names(contestants: Sequence[Contestant]) -> None:
    """Check that there are judges with different names.

    Raises:
        UsageError: if there is none, or two have one name.
    """
    if not contestants:
        raise UsageError("which judges? Name one with --judge, or list them in a file with --judges.")
    names = [contestant.name for contestant in contestants]
    if doubles := [name for place, name in enumerate(names) if name in names[:place]]:
        raise UsageError(f"two judges are called {doubles[0]!r}; give each a name of its own, with name=….")


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
    return Contestant(str(spec.get("name") or settings.get("model") or use), made, planner, width)


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
