"""Requests to chat models through the runner: cache, cost count, rejection of truncated replies, and batches.

An adapter makes one call. The runner caches the text of a reply by everything it depends on, retries with another seed
when it cannot be read, and passes only that text to the reader. So a truncated reply carries a mark at its end, and
every reader refuses it, now or from the cache, whatever it seems to say.

Work on an item may ask at once, again when a reply could not be read, or not at all because the cache has the reply. A
local model is fastest with a full batch. So a request to a `BatchCollector` waits until every other item waits as well,
or has ended; then all that wait are sent at once. Which requests share a batch depends on the items alone, never on
time.
"""

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from aptone.errors import UnusableReplyError
from aptone.messages import message
from aptone.models.asking.guard import beginning
from aptone.models.chat import AnyMessage, AudioChat, BatchAudioChat, Chat, Message, Reply, Token, parts_of
from aptone.models.openai.prices import Prices, sent_tokens
from aptone.models.parts import About, Transcriber, Transcript
from aptone.run import Ask, Call, Request
from aptone.run import Reply as KeptText
from aptone.run.cache import Forecast
from aptone.types import Audio, Json, Language, dumps, from_json, loads, to_json

Answer = TypeVar("Answer")

_MARK = "\n[reply not whole: "
_TOKENS = "\n[tokens: "
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
    chat: AudioChat,
    messages: Sequence[AnyMessage],
    *,
    sampling: Sampling,
    read: Callable[[str], Answer],
    with_tokens: bool = False,
) -> Ask[Answer]:
    """Return a request with recordings; arguments as those of `ask_chat`.

    Args:
        with_tokens: keep the last tokens of the reply behind its text, where `split_tokens` finds them.
    """
    return _ask(chat, messages, sampling, read, None, with_tokens=with_tokens)


def split_tokens(text: str) -> tuple[str, tuple[Token, ...]]:
    """Return the text of a reply that was kept with its tokens, and them; none where the server gave none.

    What is kept behind the text ends it, so a reply that imitates the mark only adds to its text.
    """
    said, _, kept = text.removesuffix(_END).rpartition(_TOKENS)
    tokens = cast("list[tuple[str, dict[str, float]]]", loads(kept))
    return said, tuple(Token(spelt, likely) for spelt, likely in tokens)


def ask_transcriber(transcriber: Transcriber, audio: Audio, *, language: Language) -> Ask[Transcript]:
    """Return a request for a transcript, which is cached."""

    async def send(seed: int) -> KeptText:
        transcript = await transcriber.transcribe(audio, language=language)
        return KeptText(dumps(to_json(transcript)), cost=transcript.cost)

    price = getattr(transcriber, "price_per_minute", None) or 0.0
    request = Request(
        transcriber.signature,
        prompt="",
        audio_hash=audio.hash,
        parameters={"language": language},
        forecast=lambda: Forecast(cost=price * audio.seconds / 60),
    )
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
    *,
    with_tokens: bool = False,
) -> Ask[Answer]:
    heard = [part for message in messages for part in parts_of(message) if isinstance(part, Audio)]
    parameters: dict[str, Json] = {"max_tokens": sampling.max_tokens, "temperature": sampling.temperature}
    request = Request(
        model=chat.signature,
        prompt=dumps([[message.role, [_written(part) for part in parts_of(message)]] for message in messages]),
        audio_hash=hashlib.sha256("".join(audio.hash for audio in heard).encode()).hexdigest() if heard else "",
        parameters=parameters if json_schema is None else {**parameters, "json_schema": json_schema},
        forecast=lambda: _forecast(chat, messages, sampling),
    )

    async def send(seed: int) -> KeptText:
        return cached_reply(
            await chat.complete(
                messages,
                max_tokens=sampling.max_tokens,
                temperature=sampling.temperature,
                json_schema=json_schema,
                seed=seed,
            ),
            with_tokens=with_tokens,
        )

    return Ask(request, send=send, read=lambda text: _read(text, read))


def plain_reason(error: UnusableReplyError) -> str:
    """Return why a reply could not be read, without the beginning of the reply: equal for equal faults."""
    cause = error.__cause__
    return cause.reason if isinstance(cause, UnusableReplyError) else error.reason


def _forecast(chat: Chat | AudioChat, messages: Sequence[AnyMessage], sampling: Sampling) -> Forecast:
    """Return the expected usage of a request: tokens are estimated, and the reply is taken to have its full length."""
    prices = getattr(chat, "prices", None)
    tokens, sound = sent_tokens(messages)
    known = prices if isinstance(prices, Prices) else Prices(input=0.0, output=0.0)  # a model of this machine
    cost = known.cost(input_tokens=tokens, output_tokens=sampling.max_tokens, audio_tokens=sound)
    return Forecast(tokens, sampling.max_tokens, cost)


def _read(text: str, read: Callable[[str], Answer]) -> Answer:
    """Read a reply that was kept; where it cannot be read, the reason shows how it begins."""
    checked = whole(text)
    try:
        return read(checked)
    except UnusableReplyError as error:
        reason = message("models.unreadable-reply", why=error.reason, reply=beginning(checked))
        raise UnusableReplyError(reason, raw_reply=error.raw_reply, cost=error.cost) from error


def _written(part: str | Audio) -> Json:
    return part if isinstance(part, str) else {"audio": part.hash}


def cached_reply(reply: Reply, *, with_tokens: bool = False) -> KeptText:
    """Return a reply as the runner caches it, with its tokens where asked; a truncated one is marked at its end."""
    details: dict[str, Json] = {
        "input_tokens": reply.input_tokens,
        "output_tokens": reply.output_tokens,
        "audio_tokens": reply.audio_tokens,
        "estimated": reply.estimated,
        "model": reply.model,
    }
    tokens = f"{_TOKENS}{dumps([[one.text, dict(one.likely)] for one in reply.tokens])}{_END}" if with_tokens else ""
    text = f"{reply.text}{_MARK}{reply.cut}{_END}" if reply.cut else reply.text + tokens
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


@dataclass(frozen=True, slots=True)
class _Question:
    messages: Sequence[AnyMessage]
    options: Mapping[str, Any]
    seed: int
    reply: asyncio.Future[Reply]


class BatchCollector:
    """Audio chat that collects requests of concurrent items into batches."""

    def __init__(self, chat: BatchAudioChat) -> None:
        self._chat = chat
        self._at_work = 0
        self._waiting: list[_Question] = []
        self._sending: set[asyncio.Task[None]] = set()

    @property
    def about(self) -> About:
        """Requirements of the chat."""
        return self._chat.about

    @property
    def signature(self) -> str:
        """Signature of the chat."""
        return self._chat.signature

    async def all(self, works: Sequence[Coroutine[Any, Any, Answer]]) -> list[Answer]:
        """Return the results of coroutines that ask this chat, in their order.

        Raises:
            BaseException: the first error of a coroutine; all others have ended by then.
        """
        self._at_work += len(works)
        ended = await asyncio.gather(*(self._until_the_end(work) for work in works), return_exceptions=True)
        results: list[Answer] = []
        for result in ended:
            if isinstance(result, BaseException):
                raise result
            results.append(result)
        return results

    async def complete(
        self,
        messages: Sequence[AnyMessage],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        """Return the reply to a conversation, once all items wait; see `aptone.models.chat.AudioChat`."""
        options = {"max_tokens": max_tokens, "temperature": temperature, "json_schema": json_schema}
        question = _Question(messages, options, seed or 0, asyncio.get_running_loop().create_future())
        self._waiting.append(question)
        self._one_less()
        return await question.reply

    async def _until_the_end(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        try:
            return await work
        finally:
            self._one_less()

    def _one_less(self) -> None:
        self._at_work -= 1
        if self._at_work <= 0 and self._waiting:
            waiting, self._waiting = self._waiting, []
            task = asyncio.ensure_future(self._send(waiting))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _send(self, waiting: Sequence[_Question]) -> None:
        groups: list[list[_Question]] = []
        for question in waiting:
            alike = next((group for group in groups if group[0].options == question.options), None)
            if alike is None:
                groups.append([question])
            else:
                alike.append(question)
        answers = [await self._answers(group) for group in groups]
        self._at_work += len(waiting)
        for group, answered in zip(groups, answers, strict=True):
            for question, answer in zip(group, answered, strict=True):
                if question.reply.done():  # the caller was cancelled
                    continue
                if isinstance(answer, Exception):
                    question.reply.set_exception(answer)
                else:
                    question.reply.set_result(answer)

    async def _answers(self, group: Sequence[_Question]) -> Sequence[Reply | Exception]:
        try:
            return await self._chat.complete_batch(
                [question.messages for question in group],
                seeds=[question.seed for question in group],
                **group[0].options,
            )
        except Exception as error:
            return [error] * len(group)
