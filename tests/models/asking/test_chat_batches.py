import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from aptone.errors import TransientError
from aptone.models import About, AnyMessage, Message, Reply
from aptone.models.asking.chat import BatchCollector
from aptone.types import Json


class Echo:
    """Says back what it was asked, and notes which questions came together."""

    about = About(notes=("an echo",))
    signature = "echo"
    batch_size = 8

    def __init__(self, *, broken: bool = False) -> None:
        self.batches: list[list[str]] = []
        self.seeds: list[list[int]] = []
        self._broken = broken

    async def complete(self, messages: Sequence[AnyMessage], **options: Any) -> Reply:
        raise AssertionError("it is asked in batches only")

    async def complete_batch(
        self,
        conversations: Sequence[Sequence[AnyMessage]],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seeds: Sequence[int],
    ) -> list[Reply]:
        await asyncio.sleep(0)
        texts = [message.text for turns in conversations for message in turns if isinstance(message, Message)]
        self.batches.append(texts)
        self.seeds.append(list(seeds))
        if self._broken:
            raise TransientError("out of memory")
        return [Reply(text.upper()) for text in texts]


async def ask(collector: BatchCollector, *texts: str, pause: int = 0, temperature: float = 0.0) -> list[str]:
    said = []
    for number, text in enumerate(texts):
        for _ in range(pause):
            await asyncio.sleep(0)
        turns = [Message("user", text)]
        said.append((await collector.complete(turns, max_tokens=9, temperature=temperature, seed=number)).text)
    return said


def test_questions_wait_for_each_other_however_long_others_take() -> None:
    async def run() -> tuple[list[list[str]], Echo]:
        echo = Echo()
        collector = BatchCollector(echo)
        works = [ask(collector, "a", pause=5), ask(collector, "b", pause=0), ask(collector, "c", pause=20)]
        return await collector.all(works), echo

    said, echo = asyncio.run(run())
    assert said == [["A"], ["B"], ["C"]]
    assert sorted(echo.batches[0]) == ["a", "b", "c"]
    assert len(echo.batches) == 1


def test_work_that_asks_nothing_or_asks_again_holds_nobody_up() -> None:
    async def run() -> tuple[list[list[str]], Echo]:
        echo = Echo()
        collector = BatchCollector(echo)
        return await collector.all([ask(collector), ask(collector, "a", "b", "c"), ask(collector, "d", "e")]), echo

    said, echo = asyncio.run(run())
    assert said == [[], ["A", "B", "C"], ["D", "E"]]
    assert echo.batches == [["a", "d"], ["b", "e"], ["c"]]
    assert echo.seeds == [[0, 0], [1, 1], [2]]


def test_only_what_is_asked_alike_shares_a_batch() -> None:
    async def run() -> Echo:
        echo = Echo()
        collector = BatchCollector(echo)
        await collector.all([ask(collector, "a"), ask(collector, "b", temperature=1.0), ask(collector, "c")])
        return echo

    assert asyncio.run(run()).batches == [["a", "c"], ["b"]]


def test_what_goes_wrong_with_one_is_said_when_the_others_are_through() -> None:
    ended = []

    async def wrong() -> list[str]:
        raise OSError("no such file")

    async def run() -> None:
        collector = BatchCollector(Echo())

        async def right() -> list[str]:
            said = await ask(collector, "a")
            ended.append(said)
            return said

        await collector.all([wrong(), right()])

    with pytest.raises(OSError, match="no such file"):
        asyncio.run(run())
    assert ended == [["A"]]


def test_when_the_model_fails_everybody_who_asked_is_told() -> None:
    async def run() -> None:
        collector = BatchCollector(Echo(broken=True))
        assert (collector.signature, collector.about.notes) == ("echo", ("an echo",))
        await collector.all([ask(collector, "a"), ask(collector, "b")])

    with pytest.raises(TransientError, match="out of memory"):
        asyncio.run(run())


def test_it_can_be_told_to_stop_while_it_waits() -> None:
    async def run() -> None:
        collector = BatchCollector(Echo())
        waiting = asyncio.ensure_future(collector.all([ask(collector, "a"), asyncio.sleep(60, [])]))
        for _ in range(5):
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(run())
