"""A call asks until a reply can be read, asks nothing twice, and counts what it costs."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from aptone.errors import TransientError, UnusableReplyError
from aptone.run import Call, Reply, ReplyCache, Request
from tests.run.run_steps import read_number

FIRST, SECOND = Request("m", "first question"), Request("m", "second question")


class Model:
    """Answers from a script and notes the seeds that it was given."""

    def __init__(self, *script: str | Exception) -> None:
        self.seeds: list[int] = []
        self._script = iter(script)

    def send(self, seed: int) -> Reply:
        """The next answer of the script."""
        self.seeds.append(seed)
        answer = next(self._script)
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, cost=0.5)

    async def send_later(self, seed: int) -> Reply:
        """The same, as a coroutine."""
        await asyncio.sleep(0)
        return self.send(seed)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[ReplyCache]:
    opened = ReplyCache(tmp_path / "cache.sqlite")
    yield opened
    opened.close()


def test_an_unreadable_reply_is_really_asked_for_again_with_another_seed() -> None:
    model, call = Model("hm", "well", "4"), Call(seed=10)
    assert call.ask_now(FIRST, model.send, read_number) == 4.0
    assert model.seeds == [10, 11, 12]
    assert (call.parse_failures, call.cost) == (2, 1.5)


def test_after_the_last_reply_the_error_holds_that_reply() -> None:
    model, call = Model("a", "b", "c"), Call(replies_per_request=3)
    with pytest.raises(UnusableReplyError) as caught:
        call.ask_now(FIRST, model.send, read_number)
    assert caught.value.raw_reply == "c"
    assert call.parse_failures == 3


def test_a_coroutine_asks_in_the_same_way() -> None:
    model, call = Model("hm", "4"), Call()
    assert asyncio.run(call.ask(FIRST, model.send_later, read_number)) == 4.0
    assert (model.seeds, call.parse_failures) == ([0, 1], 1)


def test_a_cached_reply_costs_nothing_and_is_not_asked_for(cache: ReplyCache) -> None:
    first, second = Model("hm", "4"), Model()
    Call(store=cache).ask_now(FIRST, first.send, read_number)
    call = Call(store=cache)
    assert call.ask_now(FIRST, second.send, read_number) == 4.0
    assert (second.seeds, call.cost) == ([], 0.0)
    assert call.parse_failures == 1, "this run, too, met a reply that could not be read"


def test_repeats_are_separate_calls_with_separate_seeds(cache: ReplyCache) -> None:
    model = Model("1", "2", "3")
    answers = [Call(repeat=repeat, store=cache).ask_now(FIRST, model.send, read_number) for repeat in range(3)]
    assert answers == [1.0, 2.0, 3.0]
    assert len(set(model.seeds)) == 3


@pytest.mark.parametrize("cached", [True, False], ids=["with a cache", "without a cache"])
def test_a_retry_asks_only_what_failed(cache: ReplyCache, cached: bool) -> None:
    model = Model("hm", "1", TransientError("rate limit"), "2")
    store, memory = (cache if cached else None), dict[str, Reply]()

    def both(call: Call) -> tuple[float, float]:
        return call.ask_now(FIRST, model.send, read_number), call.ask_now(SECOND, model.send, read_number)

    first = Call(store=store, memory=memory)
    with pytest.raises(TransientError):
        both(first)
    second = Call(store=store, memory=memory)
    assert both(second) == (1.0, 2.0)
    assert len(model.seeds) == 4
    assert (first.cost, second.cost) == (1.0, 0.5)
    assert (first.parse_failures, second.parse_failures) == (1, 0), "the unreadable reply is counted once"


def test_a_reply_that_an_earlier_session_counted_is_not_counted_again(cache: ReplyCache) -> None:
    model = Model("hm", TransientError("down"), "5")
    with pytest.raises(TransientError):
        Call(store=cache).ask_now(FIRST, model.send, read_number)
    call = Call(store=cache, resumed=True)
    assert call.ask_now(FIRST, model.send, read_number) == 5.0
    assert call.parse_failures == 0


def test_a_new_unreadable_reply_counts_in_a_resumed_session(cache: ReplyCache) -> None:
    call = Call(store=cache, resumed=True)
    assert call.ask_now(FIRST, Model("hm", "5").send, read_number) == 5.0
    assert call.parse_failures == 1
