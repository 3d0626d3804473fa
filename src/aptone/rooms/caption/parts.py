"""Decomposer, verifier and matcher of each engine.

The built-in ones need nothing. Those of the engines ``api`` and ``local`` are chat models: the `reader` takes captions
apart and matches units, the `verifier` hears the recording. Either can be mixed with built-in parts.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args

from aptone.errors import UsageError
from aptone.models.asking.writers import placed_listener
from aptone.models.chat import AudioChat, Chat
from aptone.models.local.chat import LocalChat
from aptone.models.local.placement import ABOUT as LOCAL_MODELS
from aptone.models.local.placement import Placement
from aptone.models.openai.chat import OpenAiAudioChat, OpenAiChat, served_chat
from aptone.rooms.caption.decompose import Decomposer
from aptone.rooms.caption.decompose.built_in import BuiltInDecomposer
from aptone.rooms.caption.decompose.chat import ChatDecomposer
from aptone.rooms.caption.match import BuiltInMatcher, ChatMatcher, Matcher
from aptone.rooms.caption.step import CaptionStep
from aptone.rooms.caption.verify import BuiltInVerifier, ChatVerifier, Verifier
from aptone.types import Json, Language

Served = TypeVar("Served", bound=OpenAiChat)

EngineName = Literal["built-in", "api", "local"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
WIDTHS: Mapping[EngineName, int] = {"built-in": 1, "api": 8, "local": 1}
"""Default number of captions that an engine works on at once."""

READER = "Qwen/Qwen2.5-7B-Instruct"
"""The chat model of the paper, which takes captions apart and matches units."""

HEARER = "Qwen/Qwen2-Audio-7B-Instruct"
"""The audio chat model of the paper, which verifies units."""

_SERVED: Mapping[str, Json] = {
    "model": "",
    "base_url": "",
    "key_variable": "OPENAI_API_KEY",
    "timeout": 120.0,
    "input_price": None,
    "output_price": None,
    "audio_price": None,
    "prices": "",
    "limit_field": "max_tokens",
    "extra": None,
    "omit_temperature": False,
}
_PLACED: Mapping[str, Json] = {"revision": "", "device": "auto", "precision": "auto", "trust_remote_code": False}
_OWN = ("prompts", "ear")
"""Options of the parts themselves, not of the model behind them."""


def make_step(
    engine: str = "built-in",
    *,
    decomposer: str | None = None,
    verifier: str | None = None,
    matcher: str | None = None,
    settings: Mapping[str, Json] | None = None,
    show_reference: bool = False,
    main: str | None = None,
    language: Language | None = None,
) -> CaptionStep:
    """The step of an engine, with its parts or with others; see `aptone.rooms.caption.api.caption` and `CaptionStep`.

    Args:
        settings: options as ``reader.<option>`` (decomposer and matcher) and ``verifier.<option>``.

    Raises:
        MissingExtraError: if a part cannot run here.
        UsageError: if there is no such engine, or a part has no such option.
    """
    given = dict(settings or {})
    names = {
        part: _engine(name or engine)
        for part, name in (("decomposer", decomposer), ("verifier", verifier), ("matcher", matcher))
    }
    if show_reference and names["verifier"] == "built-in":
        raise UsageError("the built-in verifier reads no reference; --show-reference is for models (--verifier api).")
    _refuse_strays(given, names)
    reader, hearer = _of_part("reader", given), _of_part("verifier", given)
    takes_apart: Decomposer = BuiltInDecomposer()
    if names["decomposer"] != "built-in":
        takes_apart = ChatDecomposer(_reader(names["decomposer"], reader), **_own(reader))
    verifies: Verifier
    if names["verifier"] == "built-in":
        verifies = BuiltInVerifier(**_own(hearer))
    else:
        verifies = ChatVerifier(_hearer(names["verifier"], hearer), show_reference=show_reference, **_own(hearer))
    matches: Matcher = BuiltInMatcher()
    if names["matcher"] != "built-in":
        matches = ChatMatcher(_reader(names["matcher"], reader), **_own(reader))
    step = CaptionStep(takes_apart, verifies, matches, main=main, language=language)
    step.about.require(f"engine {engine!r}")
    return step


def _engine(name: str) -> EngineName:
    if name not in ENGINES:
        raise UsageError(f"captions are judged by {', '.join(ENGINES)}, got {name!r}.")
    return name


def _refuse_strays(given: Mapping[str, Json], names: Mapping[str, EngineName]) -> None:
    """See that every option belongs to a part that is used."""
    known = {
        "reader": _options({names["decomposer"], names["matcher"]} - {"built-in"}, own=("prompts",)),
        "verifier": _options({names["verifier"]} - {"built-in"}, own=("prompts",)) or {"ear"},
    }
    for name in given:
        part, _, option = name.partition(".")
        if part not in known:
            raise UsageError(f"{name!r} belongs to no part; expected reader.<option> or verifier.<option>.")
        if not known[part]:
            raise UsageError(f"{name!r}: nothing reads captions but the built-in grammar, which has no options.")
        if option not in known[part]:
            raise UsageError(f"the {part} has no option {option!r}; it has {', '.join(sorted(known[part]))}.")


def _options(engines: set[EngineName], *, own: tuple[str, ...]) -> set[str]:
    options = {"api": {*_SERVED, *own}, "local": {"model", *_PLACED, *own}}
    return {option for engine in engines for option in options[engine]}


def _of_part(part: str, given: Mapping[str, Json]) -> dict[str, Json]:
    return {name.partition(".")[2]: value for name, value in given.items() if name.startswith(f"{part}.")}


def _own(options: Mapping[str, Json]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name in _OWN}


def _reader(engine: EngineName, options: Mapping[str, Json]) -> Chat:
    return _api(OpenAiChat, "reader", options) if engine == "api" else LocalChat(_placement(options, READER))


def _hearer(engine: EngineName, options: Mapping[str, Json]) -> AudioChat:
    if engine == "api":
        return _api(OpenAiAudioChat, "verifier", options)
    return placed_listener(_placement(options, HEARER))


def _api(kind: type[Served], part: str, options: Mapping[str, Json]) -> Served:
    chosen: dict[str, Any] = {**_SERVED, **{name: value for name, value in options.items() if name in _SERVED}}
    return served_chat(kind, part=part, **chosen)


def _placement(options: Mapping[str, Json], model: str) -> Placement:
    LOCAL_MODELS.require("a model on this machine")
    chosen: dict[str, Any] = {**_PLACED, **{name: value for name, value in options.items() if name in _PLACED}}
    return Placement(str(options.get("model") or model), **chosen)
