"""Batching of requests from concurrent items.

Work on an item may ask at once, again when a reply could not be read, or not at all because the cache has the reply. A
local model is fastest with a full batch. So a request waits until every other item waits as well, or has ended; then
all that wait are sent at once. Which requests share a batch depends on the items alone, never on time.
"""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from aptone.models.chat import AnyMessage, BatchAudioChat, Reply
from aptone.models.parts import About
from aptone.types import Json

Result = TypeVar("Result")


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

    async def all(self, works: Sequence[Coroutine[Any, Any, Result]]) -> list[Result]:
        """Return the results of coroutines that ask this chat, in their order.

        Raises:
            BaseException: the first error of a coroutine; all others have ended by then.
        """
        self._at_work += len(works)
        ended = await asyncio.gather(*(self._until_the_end(work) for work in works), return_exceptions=True)
        results: list[Result] = []
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

    async def _until_the_end(self, work: Coroutine[Any, Any, Result]) -> Result:
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
                _settle(question.reply, answer)

    async def _answers(self, group: Sequence[_Question]) -> Sequence[Reply | Exception]:
        try:
            return await self._chat.complete_batch(
                [question.messages for question in group],
                seeds=[question.seed for question in group],
                **group[0].options,
            )
        except Exception as error:
            return [error] * len(group)


def _settle(future: asyncio.Future[Reply], answer: Reply | Exception) -> None:
    if future.done():  # the caller was cancelled
        return
    if isinstance(answer, Exception):
        future.set_exception(answer)
    else:
        future.set_result(answer)
