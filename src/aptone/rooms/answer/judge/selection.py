"""Which judge of answers works under the name of an engine.

The built-in one needs nothing. Those of the engines ``api`` and ``local`` are chat models, with options as
``judge.<option>``: of a server (``model``, ``base_url``, …) or of a model of transformers (``model``, ``device``, …),
``judge.prompts``, a folder with another rubric, and ``judge.max_tokens``.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Literal, get_args

from aptone.errors import UsageError
from aptone.models.asking.writers import Writing, placed_writing, served_writing
from aptone.models.local.chat import LocalChat
from aptone.models.local.generation import ABOUT as LOCAL_MODELS
from aptone.models.openai.chat import OpenAiChat
from aptone.rooms.answer.judge.built_in import BuiltInAnswerJudge
from aptone.rooms.answer.judge.chat import MAX_TOKENS, ChatAnswerJudge
from aptone.rooms.answer.judge.protocol import AnswerJudge
from aptone.types import Json

EngineName = Literal["built-in", "api", "local"]
ENGINES: tuple[EngineName, ...] = get_args(EngineName)
WIDTHS: Mapping[EngineName, int] = {"built-in": 1, "api": 8, "local": 1}
"""How many answers an engine judges at once unless told otherwise."""

PART = "judge"
JUDGE_MODEL = "Qwen/Qwen3-32B"
"""The chat model that the reconstruction of ParaS2SBench judges with."""

_CHATS: Mapping[str, Callable[..., Writing[OpenAiChat] | Writing[LocalChat]]] = {
    "api": served_writing(OpenAiChat, part=PART, temperature=0.0, max_tokens=MAX_TOKENS),
    "local": placed_writing(LocalChat, temperature=0.0, max_tokens=MAX_TOKENS),
}


def make_judge(engine: str = "built-in", *, settings: Mapping[str, Json] | None = None) -> AnswerJudge:
    """The judge of an engine.

    Args:
        engine: ``built-in``, ``api`` or ``local``.
        settings: options as ``judge.<option>``.

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
