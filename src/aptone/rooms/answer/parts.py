"""Which judge, listener and transcriber work together, by their names.

The judge is an engine's (see `aptone.rooms.answer.judge.selection`), with options as ``judge.<option>``. How an answer
sounds is said by the built-in ear (``listener.ear``), or by a model that hears and chats (``listener.model``, …, and
``listener.prompts``). What is said is written down by a transcriber of the registry (``transcriber.<option>``).
"""

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aptone.errors import UsageError
from aptone.installation import install_command
from aptone.models import Transcriber
from aptone.models.asking.listeners import placed_listener
from aptone.models.asking.writers import make_writing, placed_writing, served_writing
from aptone.models.openai.chat import OpenAiAudioChat
from aptone.models.parts import make_part
from aptone.models.transcriber import OFFLINE, REPEATABLE
from aptone.rooms.answer.judge.selection import ENGINES, make_judge
from aptone.rooms.answer.listening.chat import MAX_TOKENS, ChatListener
from aptone.rooms.answer.listening.listener import EarListener, StyleListener
from aptone.rooms.answer.step import AnswerStep
from aptone.run.system import System
from aptone.types import Json, Language

LISTENERS = ENGINES
"""What can say how an answer sounds: the built-in ear, or a model behind a server or on this machine."""

HEARER = "Qwen/Qwen2-Audio-7B-Instruct"
"""The model that listens on this machine unless another one is named."""

PARTS = ("judge", "listener", "transcriber")

_HEARERS = {
    "api": served_writing(OpenAiAudioChat, part="listener", temperature=0.0, max_tokens=MAX_TOKENS),
    "local": placed_writing(placed_listener, temperature=0.0, max_tokens=MAX_TOKENS),
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
    """The step of an engine.

    Args:
        engine: ``built-in``, ``api`` or ``local``: what judges.
        listener: the same for what says how an answer sounds.
        transcriber: name of one; ``None`` for the one that needs no server, where words are needed.
        settings: options as ``judge.<option>``, ``listener.<option>`` and ``transcriber.<option>``.
        needs_words: whether something has to be transcribed.
        spoken: language of the answers.
        systems: see `AnswerStep`, as are the others.
        answers: see there.
        transcribe_questions: see there.
        swap: see there.
        language: of the rationales.

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
        make_judge(engine, settings=_of("judge", given)),
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
    """What says how answers sound.

    Args:
        kind: ``built-in``, ``api`` or ``local``.
        settings: options as ``listener.<option>``; others are left alone.

    Raises:
        MissingExtraError: if it cannot run here.
        UsageError: if there is no such listener, or it has no such option.
    """
    given = _of("listener", settings or {})
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
        given.setdefault("listener.model", HEARER)
    writing = make_writing(kind, given, makers=_HEARERS, part="listener")
    return ChatListener(writing.chat, prompts=prompts, max_tokens=writing.max_tokens)


def _refuse_unknown(kind: str, given: Mapping[str, Json]) -> None:
    known = [name for name in inspect.signature(_HEARERS[kind]).parameters if name != "temperature"]
    if unknown := [name for name in given if name.partition(".")[2] not in known]:
        raise UsageError(f"the listener has no option {unknown[0]!r}; it has prompts, {', '.join(known)}.")


def _transcriber(name: str | None, settings: Mapping[str, Json], spoken: Language) -> Transcriber:
    chosen = name or OFFLINE.get(spoken)
    if chosen is None:
        raise UsageError(
            "the words of the answers have to be transcribed, and the transcriber that comes with aptone[speech] does "
            "not know Mandarin. Name one (--transcriber api or local, with --set transcriber.<option>=…), or give the "
            "words in the manifest (answer_text)."
        )
    options = {**REPEATABLE.get(chosen, {}), **_of("transcriber", settings)}
    made: Transcriber = make_part("transcriber", chosen, options)
    if name is None and made.about.missing:
        raise UsageError(
            "the words of the answers have to be transcribed: install the offline transcriber "
            f"({install_command('speech')}), name another one (--transcriber api or local), or give the words "
            "(answer_text in the manifest, --answer-text for one answer)."
        )
    return made


def _of(part: str, settings: Mapping[str, Json]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name.startswith(f"{part}.")}
