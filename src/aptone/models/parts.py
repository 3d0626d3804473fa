"""Parts: what they need (`About`), their protocols and options, and how they are made by name.

Parts are planners, judges, transcribers, speakers, style and text embedders. A name stands for a class or a function
whose keyword arguments are its options. Options come from a command line (``--set transcriber.model=whisper-1``); an
unknown one is refused before anything is made.

A group of options that several parts share is declared once, as a TypedDict whose defaults are those of the function
that receives it in the end. A part takes a group as ``**options: Unpack[Group]``; `passes_on` lists the keywords of the
group in the signature of the part, where `find_part` finds them.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from shutil import which
from typing import Any, Literal, Protocol, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt

from aptone.errors import MissingExtraError, UsageError
from aptone.messages import joined, message
from aptone.registry import find_maker
from aptone.types import Audio, Json, Language, Segment, json_or_text


@dataclass(frozen=True, slots=True)
class Engine:
    """Engine: a planner and a judge under the name of ``--engine``.

    Args:
        summary: one line for `aptone doctor`.
        width: default number of items in parallel.
        settings: default options of its parts, as ``planner.<option>`` and ``judge.<option>``.
    """

    name: str
    summary: str
    planner: str
    judge: str
    width: int = 1
    settings: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class About:
    """Requirements of a part, machines that receive audio, and limits of its scores.

    Args:
        extra: extra of aptone that installs those modules; empty for the core.
        sends_audio_to: machines that receive recordings; empty when they stay on this one.
        notes: notes for readers of its scores.
        licence: licence of its weights, after their name if any: ``ear: full (CC-BY-NC-SA-4.0)``; empty without one.
        parameters: number of trained parameters; 0 where unknown.
        programs: programs that it runs, each with the command that installs it.
        unpriced: models that may cost money and whose prices are unknown, so that no limit on cost can hold.
    """

    modules: tuple[str, ...] = ()
    extra: str = ""
    sends_audio_to: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    licence: str = ""
    parameters: int = 0
    programs: tuple[tuple[str, str], ...] = ()
    unpriced: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Modules that are not installed."""
        return tuple(name for name in self.modules if not _is_installed(name))

    @property
    def asks_server(self) -> bool:
        """Check that it sends requests to a server."""
        return "httpx" in self.modules

    def require(self, what: str) -> None:
        """Make sure that it can run here.

        Raises:
            MissingExtraError: if a module is missing.
            UsageError: if a program is missing.
        """
        if self.missing:
            raise MissingExtraError(
                message("models.it-lacks", what=what, names=", ".join(self.missing)), extra=self.extra
            )
        for program, install in self.programs:
            if which(program) is None:
                raise UsageError(message("models.program-missing", what=what, program=program, why=install))

    def __add__(self, other: Self) -> "About":
        """Return the requirements and limits of two parts that work together."""
        return About(
            modules=self.modules + other.modules,
            extra=self.extra or other.extra,
            sends_audio_to=tuple(sorted({*self.sends_audio_to, *other.sends_audio_to})),
            notes=tuple(dict.fromkeys(self.notes + other.notes)),
            licence=joined(dict.fromkeys(filter(None, (self.licence, other.licence))), "text.clause"),
            parameters=self.parameters + other.parameters if self.parameters and other.parameters else 0,
            programs=tuple(dict.fromkeys(self.programs + other.programs)),
            unpriced=tuple(dict.fromkeys(self.unpriced + other.unpriced)),
        )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around a submodule is missing
        return False


class Part(Protocol):
    """Base of the protocols of parts."""

    @property
    def about(self) -> About:
        """Requirements and limits, and the machines that receive recordings."""

    @property
    def signature(self) -> str:
        """Everything that the output depends on besides the arguments of the call; never a key."""


class Speaker(Part, Protocol):
    """Speech synthesiser. It makes one call and does not retry, as `aptone.models.chat.Chat`."""

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """Return a text as speech, at the synthesiser's own sample rate.

        Args:
            voice: name of the voice; empty for the default one.
            speed: factor on the speaking rate.
            instruction: instruction on the delivery in words, for models that take one.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will, for instance for an argument that it cannot follow: none is ignored silently.
        """


OFFLINE: Mapping[Language, str] = {"en": "moonshine"}
"""Names of transcribers that need no server, by language."""
REPEATABLE: Mapping[str, Mapping[str, Json]] = {"moonshine": {"transcriber.pauses": False}}
"""Options that make a transcript depend on its recording alone, by transcriber."""


@dataclass(frozen=True, slots=True)
class TimedText:
    """Stretch of speech: a word, a phrase or a sentence, as finely as the transcriber gives it."""

    text: str
    segment: Segment


@dataclass(frozen=True, slots=True)
class Transcript:
    """Transcript of a recording; its pieces, in order, are empty where the transcriber gives no times."""

    text: str
    pieces: tuple[TimedText, ...] = ()
    cost: float = 0.0


class Transcriber(Part, Protocol):
    """Speech recogniser. It makes one call and does not retry, as `aptone.models.chat.Chat`."""

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        """Return the transcript of a recording; an empty text where nothing is said.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will, for instance because it does not know the language.
        """


Vectors = npt.NDArray[np.float32]
"""[texts, dimensions]"""


class TextEmbedder(Part, Protocol):
    """Text embedder: the cosine of two vectors is the similarity of meaning. One call, no retry, as `Chat`."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text, in their order.

        Raises:
            TransientError: if another try may succeed.
            UsageError: if none will.
        """


def checked_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Check that no text is empty: an empty one has no meaning that a vector could hold.

    >>> checked_texts(["calm", "平静"])
    ('calm', '平静')

    Raises:
        UsageError: if there is no text, or one of them is empty.
    """
    if isinstance(texts, str):
        raise UsageError("texts come as a list, got a single text.")
    if not texts:
        raise UsageError("there is nothing to embed: no text was given.")
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            raise UsageError(f"text {number} of {len(texts)} is empty: it has no meaning that a vector could hold.")
    return tuple(texts)


class StyleEmbedder(Part, Protocol):
    """Style embedder: clips and descriptions as vectors of length 1 in one space.

    A vector depends on its own clip or text alone, not on batch or order.
    """

    @property
    def size(self) -> int:
        """Dimension of the vectors."""

    def embed_audio(self, clips: Sequence[Audio]) -> Vectors:
        """Return one row for each clip, in their order; NaN for a clip in which nothing can be heard.

        Raises:
            UsageError: if there is no clip.
        """

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each description, in their order; NaN for one without a known word.

        Raises:
            UsageError: if there is no text, or one of them is empty.
        """


PartKind = Literal["judge", "planner", "speaker", "style_embedder", "text_embedder", "transcriber"]
MODEL_KINDS: tuple[PartKind, ...] = ("speaker", "style_embedder", "text_embedder", "transcriber")
"""Kinds of models that rooms and builders take by name."""


def make_part(kind: PartKind, name: str, settings: Mapping[str, Json]) -> Any:
    """Make a part by its name, with the options ``<kind>.<option>`` of the settings; others are ignored.

    Raises:
        RegistryError: if the name is unknown, or does not stand for something that makes a part.
        UsageError: if it has no such option, or an option has a wrong type or value.
    """
    options = options_of(kind, settings)
    return find_part(kind, name, options)(**options)


def options_of(owner: str, settings: Mapping[str, Json]) -> dict[str, Json]:
    """Return the options that are written ``<owner>.<option>``, by their own name.

    >>> options_of("judge", {"judge.model": "a", "planner.model": "b"})
    {'model': 'a'}
    """
    return {key.partition(".")[2]: value for key, value in settings.items() if key.startswith(f"{owner}.")}


def find_part(kind: PartKind, name: str, options: Iterable[str] = ()) -> Callable[..., Any]:
    """Return the class or function behind the name of a part, which must have these options.

    Raises:
        RegistryError: if the name is unknown, or does not stand for something that makes a part.
        UsageError: if it has no such option.
    """
    return find_maker(f"{kind}s", kind, name, options)


def typed_part(text: str, *, what: str) -> tuple[str, dict[str, Json]]:
    """Parse name and options of a part as users type them: ``NAME`` or ``NAME:option=value,option=value``.

    Values are JSON, or else plain text; `what` names the option of the command, for the error.

    >>> typed_part("local:model=folder,device=cpu", what="--model")
    ('local', {'model': 'folder', 'device': 'cpu'})

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
    return cast(Transcriber, _ready("transcriber", name, options))


def load_speaker(name: str, **options: Json) -> Speaker:
    """Load a speech synthesiser by its name; errors as those of `load_transcriber`."""
    return cast(Speaker, _ready("speaker", name, options))


def load_text_embedder(name: str = "built-in", **options: Json) -> TextEmbedder:
    """Load a text embedder by its name; errors as those of `load_transcriber`."""
    return cast(TextEmbedder, _ready("text_embedder", name, options))


def load_style_embedder(name: str = "built-in", **options: Json) -> StyleEmbedder:
    """Load a style embedder by its name; errors as those of `load_transcriber`."""
    return cast(StyleEmbedder, _ready("style_embedder", name, options))


def _ready(kind: PartKind, name: str, options: Mapping[str, Json]) -> Any:
    made = find_part(kind, name, options)(**options)
    made.about.require(f"{kind.replace('_', ' ')} {name!r}")
    return made


Function = TypeVar("Function", bound=Callable[..., Any])
Group = TypeVar("Group")
Rest = TypeVar("Rest")

Kinds = Mapping[str, tuple[tuple[type, ...], str]]
"""By option: the types that its value may have, and their description for the error."""


def check_kinds(part: str, options: Mapping[str, object], kinds: Kinds) -> None:
    """Check the types of the options of a part; raises `UsageError` if a value has another type."""
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
