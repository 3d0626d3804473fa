"""Judge, listener and transcriber of an answer step, made by name.

Options are ``judge.<option>``; ``listener.ear`` for the built-in ear, or ``listener.model``, ``listener.prompts``, …
for an audio-chat model; and ``transcriber.<option>``.
"""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from aptone.errors import UsageError
from aptone.installation import install_command
from aptone.models import Transcriber
from aptone.models.asking.writers import Writing, make_writing, placed_listener, placed_writing, served_writing
from aptone.models.local.chat import LocalChat
from aptone.models.local.placement import ABOUT as LOCAL_MODELS
from aptone.models.openai.chat import OpenAiAudioChat, OpenAiChat
from aptone.models.parts import OFFLINE, REPEATABLE, make_part
from aptone.rooms.answer.judge import AnswerJudge
from aptone.rooms.answer.judge.built_in import BuiltInAnswerJudge
from aptone.rooms.answer.judge.chat import MAX_VERDICT_TOKENS, ChatAnswerJudge
from aptone.rooms.answer.listening import MAX_STYLE_TOKENS, ChatListener, EarListener, StyleListener
from aptone.rooms.answer.step import AnswerStep
from aptone.run.system import System
from aptone.types import Json, Language

EngineName = Literal["built-in", "api", "local"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
WIDTHS: Mapping[EngineName, int] = {"built-in": 1, "api": 8, "local": 1}
"""Default number of answers that an engine judges at once."""

PART = "judge"
JUDGE_MODEL = "Qwen/Qwen3-32B"
"""The chat model that the reconstruction of ParaS2SBench judges with."""

_CHATS: Mapping[str, Callable[..., Writing[OpenAiChat] | Writing[LocalChat]]] = {
    "api": served_writing(OpenAiChat, part=PART, temperature=0.0, max_tokens=MAX_VERDICT_TOKENS),
    "local": placed_writing(LocalChat, part=PART, temperature=0.0, max_tokens=MAX_VERDICT_TOKENS),
}


def make_judge(engine: str = "built-in", *, settings: Mapping[str, Json] | None = None) -> AnswerJudge:
    """The judge of one of `ENGINES`, with options as ``judge.<option>``.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such engine or option, or an option is not one.
    """
    if engine not in ENGINES:
        raise UsageError(f"answers are judged by {', '.join(ENGINES)}, got {engine!r}.")
    options = _options(engine, settings or {})
    if engine == "built-in":
        return BuiltInAnswerJudge()
    if engine == "local":
        LOCAL_MODELS.require("a model on this machine")
        options.setdefault("model", JUDGE_MODEL)
    prompts = options.pop("prompts", None)
    if prompts is not None and not isinstance(prompts, str):
        raise UsageError(f"judge.prompts is a folder, got {prompts!r}.")
    writing = _CHATS[engine](**options)
    judge = ChatAnswerJudge(writing.chat, prompts=prompts, max_tokens=writing.max_tokens)
    judge.about.require(f"engine {engine!r}")
    return judge


def _options(engine: str, settings: Mapping[str, Json]) -> dict[str, Json]:
    known = {"prompts", *inspect.signature(_CHATS[engine]).parameters} - {"temperature"} if engine in _CHATS else set()
    options = {}
    for name, value in settings.items():
        part, _, option = name.partition(".")
        if part != PART:
            raise UsageError(f"{name!r} belongs to no part; expected judge.<option>.")
        if option not in known:
            has = f"it has {', '.join(sorted(known))}" if known else "the built-in judge has none"
            raise UsageError(f"the judge has no option {option!r}; {has}.")
        options[option] = value
    return options


LISTENERS = ENGINES
"""Kinds of listeners: the built-in ear, or an audio-chat model behind a server or on this machine."""

LISTENER_MODEL = "Qwen/Qwen2-Audio-7B-Instruct"
"""The model that listens on this machine unless another one is named."""

PARTS = ("judge", "listener", "transcriber")

_LISTENER_CHATS = {
    "api": served_writing(OpenAiAudioChat, part="listener", temperature=0.0, max_tokens=MAX_STYLE_TOKENS),
    "local": placed_writing(placed_listener, part="listener", temperature=0.0, max_tokens=MAX_STYLE_TOKENS),
}


def make_step(
    engine: str = "built-in",
    *,
    listener: str = "built-in",
    transcriber: str | None = None,
    settings: Mapping[str, Json] | None = None,
    needs_words: bool = True,
    spoken: Language = "en",
    systems: Mapping[str, System] | None = None,
    answers: Path | None = None,
    transcribe_questions: bool = False,
    swap: bool = True,
    language: Language | None = None,
) -> AnswerStep:
    """The step of an engine, the judge's; see `aptone.rooms.answer.api.answer` and `AnswerStep`.

    Args:
        transcriber: name of a transcriber; ``None`` for the one that needs no server, where words are needed.
        settings: options as ``judge.<option>``, ``listener.<option>`` and ``transcriber.<option>``.

    Raises:
        MissingExtraError: if a part cannot run here.
        RegistryError: if there is no such transcriber.
        UsageError: if there is no such engine, or a part has no such option.
    """
    given = dict(settings or {})
    for name in given:
        if name.partition(".")[0] not in PARTS:
            raise UsageError(f"{name!r} belongs to no part; expected {'.<option>, '.join(PARTS)}.<option>.")
    step = AnswerStep(
        make_judge(engine, settings=_options_of("judge", given)),
        make_listener(listener, settings=given),
        _transcriber(transcriber, given, spoken) if needs_words or transcriber is not None else None,
        systems=systems or {},
        answers=answers,
        transcribe_questions=transcribe_questions,
        swap=swap,
        language=language,
    )
    step.about.require("judging answers")
    return step


def make_listener(kind: str = "built-in", *, settings: Mapping[str, Json] | None = None) -> StyleListener:
    """Make one of `LISTENERS`, with options as ``listener.<option>``; others are left alone.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such listener, or it has no such option.
    """
    given = _options_of("listener", settings or {})
    if kind not in LISTENERS:
        raise UsageError(f"answers are listened to by {', '.join(LISTENERS)}, got {kind!r}.")
    if kind == "built-in":
        if unknown := [name for name in given if name != "listener.ear"]:
            raise UsageError(f"the built-in ear has no option {unknown[0]!r}; it has listener.ear.")
        ear = given.get("listener.ear")
        if ear is not None and not isinstance(ear, str):
            raise UsageError(f"listener.ear is the name of an ear, got {ear!r}.")
        return EarListener(ear=ear)
    prompts = given.pop("listener.prompts", None)
    if prompts is not None and not isinstance(prompts, str):
        raise UsageError(f"listener.prompts is a folder, got {prompts!r}.")
    _refuse_unknown(kind, given)
    if kind == "local":
        given.setdefault("listener.model", LISTENER_MODEL)
    writing = make_writing(kind, given, makers=_LISTENER_CHATS, part="listener")
    return ChatListener(writing.chat, prompts=prompts, max_tokens=writing.max_tokens)


def _refuse_unknown(kind: str, given: Mapping[str, Json]) -> None:
    known = [name for name in inspect.signature(_LISTENER_CHATS[kind]).parameters if name != "temperature"]
    if unknown := [name for name in given if name.partition(".")[2] not in known]:
        raise UsageError(f"the listener has no option {unknown[0]!r}; it has prompts, {', '.join(known)}.")


def _transcriber(name: str | None, settings: Mapping[str, Json], spoken: Language) -> Transcriber:
    chosen = name or OFFLINE.get(spoken)
    if chosen is None:
        raise UsageError(
            "the words of the answers have to be transcribed, and the offline transcriber does not know Mandarin. Name "
            "another one (--transcriber api or local, with --set transcriber.<option>=…), or give the words in the "
            "manifest (answer_text)."
        )
    options = {**REPEATABLE.get(chosen, {}), **_options_of("transcriber", settings)}
    made: Transcriber = make_part("transcriber", chosen, options)
    if name is None and made.about.missing:
        raise UsageError(
            "the words of the answers have to be transcribed: install the offline transcriber "
            f"({install_command('speech')}), name another one (--transcriber api or local), or give the words "
            "(answer_text in the manifest, --answer-text for one answer)."
        )
    return made


def _options_of(part: str, settings: Mapping[str, Json]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name.startswith(f"{part}.")}
