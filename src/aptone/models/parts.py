"""Parts by name: planners, judges, transcribers, speakers, style and text embedders, made from options.

A name stands for a class or a function whose keyword arguments are its options. Options come from a command line
(``--set transcriber.model=whisper-1``); an unknown one is refused before anything is made.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from aptone.errors import RegistryError, UsageError
from aptone.models.text_embedder import StyleEmbedder, TextEmbedder
from aptone.models.transcriber import Speaker, Transcriber
from aptone.registry import Registry
from aptone.types import Json, json_or_text

PartKind = Literal["judge", "planner", "speaker", "style_embedder", "text_embedder", "transcriber"]
MODEL_KINDS: tuple[PartKind, ...] = ("speaker", "style_embedder", "text_embedder", "transcriber")
"""Kinds of models that rooms and builders take by name."""


def make_part(kind: PartKind, name: str, settings: Mapping[str, Json]) -> Any:
    """Make a part by its name.

    Args:
        kind: kind of part.
        name: registered name.
        settings: options as ``<kind>.<option>``; those of another kind are ignored.

    Raises:
        RegistryError: if the name is unknown, or does not stand for something that makes a part.
        UsageError: if it has no such option, or an option has a wrong type or value.
    """
    options = {key.partition(".")[2]: value for key, value in settings.items() if key.startswith(f"{kind}.")}
    return find_part(kind, name, options)(**options)


def find_part(kind: PartKind, name: str, options: Iterable[str] = ()) -> Callable[..., Any]:
    """Return the class or function behind the name of a part.

    Args:
        kind: kind of part.
        name: registered name.
        options: names of options that it must have.

    Raises:
        RegistryError: if the name is unknown, or does not stand for something that makes a part.
        UsageError: if it has no such option.
    """
    registry = Registry(f"{kind}s", object)
    make = registry.load(name)
    if not callable(make):
        raise RegistryError(f"{kind} {name!r} of {registry[name].package} makes nothing; expected a class or function.")
    known = inspect.signature(make).parameters
    if unknown := [option for option in options if option not in known]:
        raise UsageError(f"{kind} {name!r} has no option {unknown[0]!r}; it has {', '.join(known) or 'none'}.")
    return make


def typed_part(text: str, *, what: str) -> tuple[str, dict[str, Json]]:
    """Parse name and options of a part as users type them: ``NAME`` or ``NAME:option=value,option=value``.

    >>> typed_part("local:model=folder,device=cpu", what="--model")
    ('local', {'model': 'folder', 'device': 'cpu'})

    Args:
        text: typed text; values are JSON, or else plain text.
        what: option of the command, for the error.

    Raises:
        UsageError: if an option has no equals sign.
    """
    use, _, rest = text.partition(":")
    options: dict[str, Json] = {}
    for option in filter(None, re.split(r",(?=\w+=)", rest)):
        name, equals, value = option.partition("=")
        if not equals:
            raise UsageError(f"{what} {text}: expected NAME:option=value,option=value, got {option!r}.")
        options[name] = json_or_text(value)
    return use, options


def load_transcriber(name: str, **options: Json) -> Transcriber:
    """Load a transcriber by its name; ``aptone doctor`` lists the names.

    Raises:
        MissingExtraError: if it cannot run here.
        RegistryError: if the name is unknown.
        UsageError: if it has no such option, or lacks one.
    """
    made: Transcriber = _ready("transcriber", name, options)
    return made


def load_speaker(name: str, **options: Json) -> Speaker:
    """Load a speech synthesiser by its name; errors as those of `load_transcriber`."""
    made: Speaker = _ready("speaker", name, options)
    return made


def load_text_embedder(name: str = "built-in", **options: Json) -> TextEmbedder:
    """Load a text embedder by its name; errors as those of `load_transcriber`."""
    made: TextEmbedder = _ready("text_embedder", name, options)
    return made


def load_style_embedder(name: str = "built-in", **options: Json) -> StyleEmbedder:
    """Load a style embedder by its name; errors as those of `load_transcriber`."""
    made: StyleEmbedder = _ready("style_embedder", name, options)
    return made


def _ready(kind: PartKind, name: str, options: Mapping[str, Json]) -> Any:
    made = make_part(kind, name, {f"{kind}.{option}": value for option, value in options.items()})
    made.about.require(f"{kind.replace('_', ' ')} {name!r}")
    return made
