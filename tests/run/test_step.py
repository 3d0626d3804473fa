"""A call asks until a reply can be read, asks nothing twice, and counts what it costs."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import RunError, TransientError, UnusableReplyError
from aptone.run import Ask, Call, KeptReply, Performer, Reply, ReplyCache, Request, RetryPolicy, Work
from aptone.run.step import now
from aptone.types import Item, Outcome
from tests.run.run_steps import done, items, read_number
from tests.tables import for_each

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
    call = Call(store=cache, counted_until=now())
    assert call.ask_now(FIRST, model.send, read_number) == 5.0
    assert call.parse_failures == 0


def test_a_new_unreadable_reply_counts_in_a_resumed_session(cache: ReplyCache) -> None:
    call = Call(store=cache, counted_until=now())
    assert call.ask_now(FIRST, Model("hm", "5").send, read_number) == 5.0
    assert call.parse_failures == 1


class Server:
    """Answers questions with their own text, some later than others, and fails as often as it is told to."""

    def __init__(self, **failures: Exception) -> None:
        self.sent: list[str] = []
        self._failures = failures

    def ask(self, question: str, *, seconds: float = 0.0) -> Ask[float]:
        """A request for this server."""

        async def send(seed: int) -> Reply:
            self.sent.append(question)
            await asyncio.sleep(seconds)
            if (failure := self._failures.pop(f"q{question}", None)) is not None:
                raise failure
            return Reply(question, cost=1.0)

        return Ask(Request("m", question), send, read_number)


def test_answers_to_several_requests_come_in_their_order() -> None:
    server, call = Server(), Call()
    asks = [server.ask("1", seconds=0.02), server.ask("2", seconds=0.01), server.ask("3")]
    assert asyncio.run(call.ask_all(asks)) == [1.0, 2.0, 3.0]
    assert (call.cost, call.in_flight) == (3.0, {})
    assert asyncio.run(call.ask_all([])) == []


def _step_with_all(server: Server) -> Callable[[Item, Call], Coroutine[Any, Any, Outcome]]:
    async def step(item: Item, call: Call) -> Outcome:
        asks = [server.ask(str(number), seconds=0.01 * (number > 0)) for number in range(15)]
        return done(sum(await call.ask_all(asks)))

    return step


def _step_with_gather(server: Server) -> Callable[[Item, Call], Coroutine[Any, Any, Outcome]]:
    async def step(item: Item, call: Call) -> Outcome:
        asks = [server.ask(str(number), seconds=0.01 * (number > 0)) for number in range(15)]
        return done(sum(await asyncio.gather(*(call.ask(ask.request, ask.send, ask.read) for ask in asks))))

    return step


@pytest.mark.parametrize("make", [_step_with_all, _step_with_gather])
def test_when_one_of_fifteen_calls_fails_the_other_fourteen_are_not_paid_twice(
    make: Callable[[Server], Callable[[Item, Call], Coroutine[Any, Any, Outcome]]],
) -> None:
    server = Server(q0=TransientError("rate limit"))
    performer = Performer(make(server), retry=RetryPolicy(first_wait=0.0))
    (entry,) = asyncio.run(performer([Work(items(1)[0])]))
    assert len(server.sent) == 16, "the one that failed is asked again, and nothing else"
    assert (entry.outcome, entry.cost, entry.attempts) == (done(float(sum(range(15)))), 15.0, 2)


def test_the_same_request_is_sent_once_however_often_it_is_on_its_way() -> None:
    server, call = Server(), Call()
    assert asyncio.run(call.ask_all([server.ask("4", seconds=0.01) for _ in range(5)])) == [4.0] * 5
    assert (server.sent, call.cost) == (["4"], 1.0)


def test_an_unreadable_reply_that_several_wait_for_counts_once() -> None:
    model, call = Model("hm", "4"), Call()
    asks = [Ask(FIRST, model.send_later, read_number) for _ in range(3)]
    assert asyncio.run(call.ask_all(asks)) == [4.0] * 3
    assert (len(model.seeds), call.parse_failures, call.cost) == (2, 1, 1.0)


def test_an_error_that_several_wait_for_reaches_all_and_costs_once() -> None:
    server, call = Server(q5=TransientError("busy", cost=0.5)), Call()
    with pytest.raises(TransientError) as caught:
        asyncio.run(call.ask_all([server.ask("5", seconds=0.01) for _ in range(3)]))
    assert server.sent == ["5"]
    assert (call.cost, caught.value.cost) == (0.0, 0.5), "the error brings its cost to whoever catches it"


@for_each(
    ("errors", "raised"),
    [
        ({"q1": ValueError("bug"), "q2": TransientError("busy"), "q3": TransientError("later")}, "busy"),
        ({"q1": ValueError("bug"), "q2": TimeoutError("slow")}, "slow"),
        ({"q1": ValueError("bug"), "q2": ConnectionResetError("cut")}, "cut"),
        ({"q1": ValueError("bug"), "q2": KeyError("other")}, "bug"),
        ({"q1": TransientError("busy"), "q2": RunError("disk full")}, "disk full"),
    ],
)
def test_of_several_errors_the_one_to_act_on_is_raised_when_all_have_ended(
    errors: dict[str, Exception], raised: str
) -> None:
    server, call = Server(**errors), Call()
    asks = [server.ask(str(number), seconds=0.02 if number == 4 else 0.0) for number in range(1, 5)]
    with pytest.raises(Exception, match=raised):
        asyncio.run(call.ask_all(asks))
    assert call.memory.keys() >= {asks[3].request.key(seed=0, repeat=0, attempt=0)}, "the slowest good reply is kept"


def test_costs_of_errors_that_are_not_raised_are_counted() -> None:
    failures = {"q1": TransientError("a", cost=1.0), "q2": TransientError("b", cost=2.0)}
    failures["q3"] = UnusableReplyError("c", raw_reply="?", cost=4.0)  # type: ignore[assignment]
    call = Call()
    with pytest.raises(TransientError) as caught:
        asyncio.run(call.ask_all([Server(**failures).ask(str(number)) for number in (1, 2, 3)]))
    assert (caught.value.cost, call.cost) == (1.0, 6.0)


def test_who_waits_for_a_call_that_was_cancelled_asks_again() -> None:
    call, sent = Call(), list[int]()

    async def send(seed: int) -> Reply:
        sent.append(seed)
        if len(sent) == 1:
            await asyncio.Event().wait()  # the first is never answered
        return Reply("7", cost=1.0)

    async def main() -> float:
        first = asyncio.ensure_future(call.ask(Request("m", "7"), send, read_number))
        while not sent:
            await asyncio.sleep(0)
        second = asyncio.ensure_future(call.ask(Request("m", "7"), send, read_number))
        for _ in range(10):
            await asyncio.sleep(0)
        assert len(sent) == 1, "the second waits for the first"
        first.cancel()
        return await second

    assert asyncio.run(main()) == 7.0
    assert (len(sent), call.cost) == (2, 1.0)


OWNER, EARLY, LATE = "run/0/i0", "2025-01-01T00:00:01.000+00:00", "2025-01-01T00:00:02.000+00:00"


@pytest.mark.parametrize(
    ("owner", "created", "counted_until", "charged", "parse_failures"),
    [
        (OWNER, EARLY, None, 2.0, 1),  # killed before there was an entry
        (OWNER, LATE, EARLY, 2.0, 1),  # killed after the entry of an earlier session
        (OWNER, EARLY, LATE, 0.0, 0),  # that entry has counted it
        (OWNER, EARLY, EARLY, 0.0, 0),
        ("run/1/i0", EARLY, None, 0.0, 1),  # paid for by another repeat, item or run
        ("other/0/i0", LATE, EARLY, 0.0, 0),
        ("", EARLY, None, 0.0, 1),  # of an old cache
    ],
)
def test_a_recalled_reply_is_charged_if_this_work_paid_for_it_and_no_entry_has_counted_it(
    cache: ReplyCache, owner: str, created: str, counted_until: str | None, charged: float, parse_failures: int
) -> None:
    replies = [Reply("hm", cost=0.5), Reply("4", cost=1.5)]
    for attempt, reply in enumerate(replies):
        cache.put(FIRST.key(seed=0, repeat=0, attempt=attempt), KeptReply(reply, owner=owner, created=created))
    call = Call(store=cache, owner=OWNER, counted_until=counted_until)
    for _ in range(2):
        assert call.ask_now(FIRST, Model().send, read_number) == 4.0
    assert (call.cost, call.parse_failures) == (charged, parse_failures), "once, however often it is recalled"


def test_without_an_owner_nothing_is_charged(cache: ReplyCache) -> None:
    cache.put(FIRST.key(seed=0, repeat=0, attempt=0), KeptReply(Reply("4", cost=1.0), created=EARLY))
    call = Call(store=cache)
    assert call.ask_now(FIRST, Model().send, read_number) == 4.0
    assert call.cost == 0.0
