"""How an answer sounds according to a model that hears and chats, as ParaS2SBench has it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aptone.errors import RecordError, UnusableReplyError
from aptone.messages import message
from aptone.models import AnyMessage, AudioChat, AudioMessage, Message, ask_audio_chat
from aptone.models.asking.guard import guard
from aptone.models.asking.json_objects import one_object
from aptone.models.asking.model_part import ModelPart
from aptone.rooms.answer.records import AnswerStyle
from aptone.run import Call
from aptone.types import Audio, Emotion, Language

REVISION = 1
PROMPTS = Path(__file__).parents[1] / "prompts"
PLACES: Mapping[str, tuple[str, ...]] = {"listen_task": ("emotions",)}
MAX_TOKENS = 512
"""Room for a model that thinks before it answers."""
LONGEST_DESCRIPTION = 400

STEPS: Mapping[str, tuple[str, ...]] = {
    "rate": ("slow", "normal", "fast"),
    "volume": ("quiet", "normal", "loud"),
    "pitch": ("low", "normal", "high"),
}
"""The words for how fast, how loud and how high."""

NOT_SAID = "the model did not say"


class ChatListener(ModelPart[AudioChat]):
    """A model that hears and chats, asked how a voice sounds.

    Args:
        chat: the model.
        prompts: a folder with another prompt; ``None`` for ours.
        max_tokens: of a reply.

    Raises:
        UsageError: if the prompt cannot be used.
    """

    def __init__(self, chat: AudioChat, *, prompts: str | None = None, max_tokens: int = MAX_TOKENS) -> None:
        super().__init__(
            "answer-style:chat",
            chat,
            PLACES,
            ours=PROMPTS,
            prompts=prompts,
            revision=REVISION,
            max_tokens=max_tokens,
        )

    async def listen(self, audio: Audio, call: Call, /, *, language: Language) -> AnswerStyle:
        """How an answer sounds; see `aptone.rooms.answer.listening.listener.StyleListener`."""
        task = self._prompts.fill(
            "listen_task", language, {"emotions": ", ".join(emotion.value for emotion in Emotion)}
        )
        messages: list[AnyMessage] = [Message("system", task), AudioMessage("user", (audio,))]
        ask = ask_audio_chat(self._model, messages, sampling=self._sampling, read=read_style)
        return await call.ask_one(ask)


def read_style(reply: str) -> AnswerStyle:
    """The style in a reply; what it leaves open is not known.

    >>> read_style('{"emotion": "calm", "rate": "slow"}').rate
    'slow'

    Raises:
        UnusableReplyError: if there is not one object with a style, or a word is none of those to choose from.
    """
    found = one_object(reply, holds=lambda one: "emotion" in one or "description" in one, what="a style of speaking")
    emotion = _text(found, "emotion", reply)
    try:
        feeling = {Emotion.parse(emotion).value: 1.0} if emotion else {}
    except RecordError as error:
        raise UnusableReplyError(message("answer.unknown-feeling", why=error), raw_reply=reply) from error
    steps = {name: _step(found, name, reply) for name in STEPS}
    description = guard(_text(found, "description", reply))[:LONGEST_DESCRIPTION]
    if not feeling and not description and not any(steps.values()):
        raise UnusableReplyError(message("answer.everything-open"), raw_reply=reply)
    missing = [name for name, value in {"emotion": emotion, **steps}.items() if not value]
    return AnswerStyle(feeling, **steps, description=description, unknown=dict.fromkeys(missing, NOT_SAID))


def _step(found: Mapping[str, Any], name: str, reply: str) -> str:
    value = _text(found, name, reply).casefold()
    if value and value not in STEPS[name]:
        raise UnusableReplyError(
            message("answer.wrong-step", name=name, names=", ".join(STEPS[name]), what=repr(value[:40])),
            raw_reply=reply,
        )
    return value


def _text(found: Mapping[str, Any], name: str, reply: str) -> str:
    value = found.get(name, "")
    if not isinstance(value, str):
        raise UnusableReplyError(message("answer.not-a-word", name=name, what=type(value).__name__), raw_reply=reply)
    return value.strip()
