"""Requests to chat models through the runner: cache, cost count, and rejection of truncated replies.

An adapter makes one call. The runner caches the text of a reply by everything it depends on, retries with another seed
when it cannot be read, and passes only that text to the reader. So a truncated reply carries a mark at its end, and
every reader refuses it, now or from the cache, whatever it seems to say.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models.chat import AnyMessage, AudioChat, Chat, Message, Reply, parts_of
from aptone.models.transcriber import Transcriber, Transcript
from aptone.run import Ask, Call, Request
from aptone.run import Reply as KeptText
from aptone.types import Audio, Json, Language, dumps, from_json, loads, to_json

Answer = TypeVar("Answer")

_MARK = "\n[reply not whole: "
_END = "]"


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling settings; a temperature of 0 asks for the likeliest reply.

    Raises:
        ValueError: if the limit is below 1, or the temperature is negative.
    """

    max_tokens: int
    temperature: float = 0.0

    def __post_init__(self) -> None:
        if self.max_tokens < 1 or not self.temperature >= 0:
            raise ValueError("a model may write at least one token, and its temperature is not negative.")


def ask_chat(
    chat: Chat,
    messages: Sequence[Message],
    *,
    sampling: Sampling,
    read: Callable[[str], Answer],
    json_schema: Mapping[str, Json] | None = None,
) -> Ask[Answer]:
    """Return a request for `Call.ask_one`, or for `Call.ask_all`.

    Args:
        read: parser of a whole reply; raises `UnusableReplyError`.
        json_schema: schema of the reply; ``None`` for free text.
    """
    return _ask(chat, messages, sampling, read, json_schema)


def ask_audio_chat(
    chat: AudioChat, messages: Sequence[AnyMessage], *, sampling: Sampling, read: Callable[[str], Answer]
) -> Ask[Answer]:
    """Return a request with recordings; arguments as those of `ask_chat`."""
    return _ask(chat, messages, sampling, read, None)


def ask_transcriber(transcriber: Transcriber, audio: Audio, *, language: Language) -> Ask[Transcript]:
    """Return a request for a transcript, which is cached."""

    async def send(seed: int) -> KeptText:
        transcript = await transcriber.transcribe(audio, language=language)
        return KeptText(dumps(to_json(transcript)), cost=transcript.cost)

    request = Request(transcriber.signature, prompt="", audio_hash=audio.hash, parameters={"language": language})
    return Ask(request, send=send, read=lambda text: from_json(Transcript, loads(text)))


async def ask_each(asks: Sequence[Ask[Answer]], call: Call) -> list[Answer | UnusableReplyError]:
    """Return all answers, asked for at once; where no reply to one could be read, the error in its place.

    Raises:
        RunError: if the reply cache cannot be used.
        TransientError: if another try may succeed.
    """
    answers: list[Answer | UnusableReplyError] = []
    try:
        read: list[Answer] = await call.ask_all(asks)
        answers += read
    except UnusableReplyError:
        for ask in asks:  # all were waited for, and the call remembers every reply: nothing is sent a second time
            try:
                answer: Answer = await call.ask_one(ask)
                answers.append(answer)
            except UnusableReplyError as error:
                answers.append(error)
    return answers


def _ask(
    chat: Chat | AudioChat,
    messages: Sequence[Any],
    sampling: Sampling,
    read: Callable[[str], Answer],
    json_schema: Mapping[str, Json] | None,
) -> Ask[Answer]:
    heard = [part for message in messages for part in parts_of(message) if isinstance(part, Audio)]
    parameters: dict[str, Json] = {"max_tokens": sampling.max_tokens, "temperature": sampling.temperature}
    request = Request(
        model=chat.signature,
        prompt=dumps([[message.role, [_written(part) for part in parts_of(message)]] for message in messages]),
        audio_hash=hashlib.sha256("".join(audio.hash for audio in heard).encode()).hexdigest() if heard else "",
        parameters=parameters if json_schema is None else {**parameters, "json_schema": json_schema},
    )

    async def send(seed: int) -> KeptText:
        return kept(
            await chat.complete(
                messages,
                max_tokens=sampling.max_tokens,
                temperature=sampling.temperature,
                json_schema=json_schema,
                seed=seed,
            )
        )

    return Ask(request, send=send, read=lambda text: read(whole(text)))


def _written(part: str | Audio) -> Json:
    return part if isinstance(part, str) else {"audio": part.hash}


def kept(reply: Reply) -> KeptText:
    """Return a reply as the runner caches it; a truncated one is marked at its end."""
    details: dict[str, Json] = {
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "model": reply.model,
    }
    text = f"{reply.text}{_MARK}{reply.cut}{_END}" if reply.cut else reply.text
    return KeptText(text, cost=reply.cost, details=details)


def whole(text: str) -> str:
    r"""Return the text of a cached reply, if it is whole.

    >>> whole("<score>4.0</score>")
    '<score>4.0</score>'

    Raises:
        UnusableReplyError: if it is empty or was cut.
    """
    if text.endswith(_END) and _MARK in text:
        raise UnusableReplyError(message("models.reply-cut", why=text.rpartition(_MARK)[2][:-1]), raw_reply=text)
    if not text.strip():
        raise UnusableReplyError(message("models.reply-empty"), raw_reply=text)
    return text
