"""One item, whatever its step does: tries, waits, and an entry at the end."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import AptoneError, RunError, TransientError, UnusableReplyError
from aptone.run import Call, Performer, Reply, Request, RetryPolicy, Work, load_run, run_items
from aptone.run.attempts import lost_entry
from aptone.types import Entry, Item, Outcome, Score, State
from tests.run.run_steps import CONFIG, AskAndCount, Flaky, done, items, number_of, read_number, score_number
from tests.tables import for_each

Slept = list[float]


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> Slept:
    """The waits between tries, which are noted and not waited for."""
    waits: Slept = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return waits


def perform(step: Any, *works: Work, **options: Any) -> list[Entry]:
    return asyncio.run(Performer(step, **options)(works or [Work(items(1)[0])]))


def raising(error: BaseException) -> Callable[[Item, Call], Outcome]:
    def step(item: Item, call: Call) -> Outcome:
        raise error

    return step


@for_each("policy", [{"attempts": 0}, {"first_wait": -1.0}, {"longest_wait": -1.0}, {"replies_per_request": 0}])
def test_impossible_retry_policies_are_refused(policy: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="at least one attempt"):
        RetryPolicy(**policy)


def test_waits_double_are_spread_and_bounded() -> None:
    policy = RetryPolicy(first_wait=1.0, longest_wait=60.0)
    assert [policy.wait(attempt, asked=None, jitter=0.0) for attempt in range(7)] == [1, 2, 4, 8, 16, 32, 60]
    assert policy.wait(2, asked=None, jitter=1.0) == 5.0  # 4 and a quarter of it
    assert policy.wait(0, asked=30.0, jitter=0.0) == 30.0
    assert policy.wait(5, asked=3.0, jitter=0.0) == 32.0, "never sooner than planned"
    assert policy.wait(0, asked=1e9, jitter=0.0) == 60.0
    assert policy.wait(0, asked=math.inf, jitter=0.0) == 60.0
    assert policy.wait(0, asked=math.nan, jitter=0.0) == 1.0
    assert policy.wait(5000, asked=None, jitter=0.0) == 60.0
    assert RetryPolicy(first_wait=0.0).wait(5000, asked=None, jitter=1.0) == 0.0


def test_a_transient_error_is_tried_again_after_growing_waits(slept: Slept) -> None:
    (entry,) = perform(Flaky(3))
    assert (entry.outcome.state, entry.attempts) == (State.DONE, 4)
    assert len(slept) == 3
    for planned, waited in zip([1.0, 2.0, 4.0], slept, strict=True):
        assert planned <= waited <= 1.25 * planned


def test_waits_are_the_same_when_a_run_is_repeated_and_differ_between_items(slept: Slept) -> None:
    first, second = items(2)
    for item in (first, second, first):
        perform(Flaky(1), Work(item))
    assert slept[0] == slept[2] != slept[1]


def test_the_other_side_may_ask_for_a_longer_wait(slept: Slept) -> None:
    perform(Flaky(2, retry_after=17.0))
    assert slept == [17.0, 17.0]


def test_when_all_tries_fail_the_item_is_failed_and_nobody_waits_after_the_last(slept: Slept) -> None:
    (entry,) = perform(Flaky(99, cost=0.5), retry=RetryPolicy(attempts=3))
    assert entry.outcome == Outcome.failed("rate limit (tried 3 times)")
    assert (entry.attempts, entry.cost, len(slept)) == (3, 1.5, 2)


def test_a_later_session_adds_up_attempts_costs_and_times(slept: Slept) -> None:
    (before,) = perform(Flaky(99, cost=0.5), retry=RetryPolicy(attempts=3))
    (entry,) = perform(Flaky(1, cost=0.25), Work(before.item, before=before))
    assert (entry.outcome.state, entry.attempts, entry.cost) == (State.DONE, 5, 1.75)
    assert entry.seconds > before.seconds


@for_each(
    ("error", "reason"),
    [
        (ValueError("bad wave"), "ValueError: bad wave"),
        (ValueError(), "ValueError"),
        (AptoneError("a.wav: empty"), "a.wav: empty"),
        (AptoneError(), "AptoneError"),
        (StopIteration(), "RuntimeError: the step raised StopIteration."),
        (RecursionError("deep"), "RecursionError: deep"),
        (MemoryError(), "MemoryError"),
        (asyncio.CancelledError(), "RuntimeError: the step cancelled itself."),
        (FileNotFoundError("gone"), "FileNotFoundError: gone"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_an_error_that_will_not_pass_fails_the_item_at_once(tmp_path: Path, error: BaseException, reason: str) -> None:
    ended = run_items(items(1), raising(error), folder=tmp_path, config=CONFIG)
    (entry,) = ended.run.entries
    assert (entry.outcome.state, entry.outcome.reason, entry.attempts) == (State.FAILED, reason, 1)


@pytest.mark.parametrize("error", [TimeoutError("slow"), ConnectionError("cut"), BrokenPipeError("cut")])
def test_time_outs_and_dropped_connections_of_any_client_are_tried_again(slept: Slept, error: Exception) -> None:
    tries: list[str] = []

    def step(item: Item, call: Call) -> Outcome:
        tries.append(item.id)
        if len(tries) < 3:
            raise error
        return done()

    (entry,) = perform(step)
    assert (entry.outcome, entry.attempts, len(slept)) == (done(), 3, 2)
    (entry,) = perform(raising(error), retry=RetryPolicy(attempts=2))
    assert entry.outcome.reason == f"{type(error).__name__}: {error} (tried 2 times)"
    assert "Traceback" in str(entry.outcome.evidence["traceback"])


def test_an_entry_can_be_written_whatever_a_step_makes_of_its_call(tmp_path: Path) -> None:
    def step(item: Item, call: Call) -> Outcome:
        call.parse_failures = "many"  # type: ignore[assignment]
        return done()

    (entry,) = run_items(items(1), step, folder=tmp_path, config=CONFIG).run.entries
    assert (entry.outcome.state, entry.parse_failures) == (State.FAILED, 0)
    assert entry.outcome.reason.startswith("the step did not give an outcome that can be written down: TypeError")


def test_a_lost_item_was_not_finished_and_adds_nothing_but_a_try() -> None:
    item = items(1)[0]
    assert lost_entry(Work(item), "the worker died.").finished == ""
    before = Entry(item=item, outcome=Outcome.failed("down"), attempts=2, cost=0.5, finished="2025-01-01T00:00:00.000")
    entry = lost_entry(Work(item, before=before), "the worker died.")
    assert (entry.outcome, entry.finished) == (Outcome.failed("the worker died."), before.finished)
    assert (entry.attempts, entry.cost) == (3, 0.5)


def test_a_bug_leaves_its_traceback_as_evidence() -> None:
    (entry,) = perform(raising(ZeroDivisionError("by zero")))
    trace = entry.outcome.evidence["traceback"]
    assert isinstance(trace, str)
    assert "test_attempts.py" in trace
    assert "ZeroDivisionError: by zero" in trace


def test_an_error_that_cannot_even_say_what_it_is_fails_the_item() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise OSError("no words")

    (entry,) = perform(raising(MuteError()))
    assert entry.outcome.reason == "MuteError"


def test_an_error_that_breaks_through_everything_is_not_held_back() -> None:
    with pytest.raises(SystemExit):
        perform(raising(SystemExit(3)))


def test_an_unreadable_reply_leaves_the_item_unscored_with_the_reply() -> None:
    (entry,) = perform(raising(UnusableReplyError("no number", raw_reply="dunno")))
    assert entry.outcome == Outcome.unscored("no number", raw_reply="dunno")
    assert entry.attempts == 1
    (entry,) = perform(raising(UnusableReplyError("", raw_reply="dunno")))
    assert entry.outcome == Outcome.unscored("the reply could not be read.", raw_reply="dunno")


def test_a_cache_that_cannot_be_used_is_not_the_fault_of_an_item() -> None:
    with pytest.raises(RunError, match="disk full"):
        perform(raising(RunError("disk full")))


def test_a_coroutine_that_is_cancelled_from_outside_stays_cancelled() -> None:
    async def step(item: Item, call: Call) -> Outcome:
        await asyncio.sleep(60)
        return done()

    async def main() -> None:
        task = asyncio.ensure_future(Performer(step)([Work(items(1)[0])]))
        await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())


def _deep(levels: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


@for_each(
    "garbage",
    [
        None,
        3.5,
        "done",
        Score(1.0),
        Outcome,
        Outcome(State.DONE, scores={"aptness": 3.0}),  # type: ignore[dict-item]
        Outcome(State.DONE, scores={"aptness": Score(1.0)}, evidence={"x": math.inf}),
        Outcome(State.DONE, scores={"aptness": Score(1.0)}, evidence={"x": object()}),  # type: ignore[dict-item]
        Outcome(State.DONE, scores={"aptness": Score(1.0)}, rationale=5),  # type: ignore[arg-type]
        Outcome("failed", reason="r", raw_reply=b"r"),  # type: ignore[arg-type]
        Outcome("dune", reason="r"),  # type: ignore[arg-type]
        Outcome(State.DONE, scores={"a": Score(1.0)}, evidence={"x": _deep(5000)}),
    ],
)
def test_garbage_from_a_step_fails_its_item_and_leaves_a_journal_that_can_be_read(tmp_path: Path, garbage: Any) -> None:
    def step(item: Item, call: Call) -> Outcome:
        result: Outcome = garbage if number_of(item) == 1 else done()
        return result

    run_items(items(3), step, folder=tmp_path, config=CONFIG)
    states = [entry.outcome.state for entry in load_run(tmp_path).entries]
    assert states[0] == states[2] == State.DONE
    assert states[1] == State.FAILED


def test_evidence_is_nested_as_deep_as_a_journal_can_hold_or_fails_its_item(tmp_path: Path) -> None:
    # An outcome lies one level deeper in its entry than by itself: what it can hold alone may not fit into the journal.
    levels = range(90, 105)

    def step(item: Item, call: Call) -> Outcome:
        return Outcome(State.DONE, scores={"a": Score(1.0)}, evidence={"x": _deep(levels[number_of(item)])})

    run_items(items(len(levels)), step, folder=tmp_path, config=CONFIG)
    states = [entry.outcome.state for entry in load_run(tmp_path).entries]
    assert states == sorted(states), "done up to some depth, failed from there on"
    assert (states[0], states[-1]) == (State.DONE, State.FAILED)


def test_an_infinite_score_fails_its_item() -> None:
    (entry,) = perform(lambda item, call: done(math.inf))
    assert entry.outcome.state is State.FAILED
    assert entry.outcome.reason == "ValueError: a score is a finite number or NaN with a reason."


def test_an_undefined_score_is_kept_with_its_reason() -> None:
    undefined = Outcome(State.DONE, scores={"aptness": Score(math.nan, reason="no voice")})
    (entry,) = perform(lambda item, call: undefined)
    assert entry.outcome.state is State.DONE
    assert math.isnan(entry.outcome.scores["aptness"].value)
    assert entry.outcome.scores["aptness"].reason == "no voice"


def test_only_the_failed_call_of_several_is_asked_again_without_a_cache(slept: Slept) -> None:
    asked: list[str] = []

    def step(item: Item, call: Call) -> Outcome:
        def send(prompt: str) -> Callable[[int], Reply]:
            def answer(seed: int) -> Reply:
                asked.append(prompt)
                if prompt == "second" and asked.count("second") < 3:
                    raise TransientError("dropped")
                return Reply("hm" if asked.count(prompt) == 1 and prompt == "first" else "2", cost=1.0)

            return answer

        total = sum(
            call.ask_now(Request("m", prompt), send(prompt), read_number) for prompt in ("first", "second", "third")
        )
        return done(total)

    (entry,) = perform(step)
    assert asked == ["first", "first", "second", "second", "second", "third"]
    assert entry.outcome.scores["aptness"].value == 6.0
    assert (entry.attempts, entry.cost, entry.parse_failures) == (3, 4.0, 1)


def test_unreadable_replies_of_two_sessions_are_each_counted_once(tmp_path: Path, slept: Slept) -> None:
    # Session 1: "hm" cannot be read, then the line drops. Session 2 finds "hm" in the cache, and "4" can be read.
    script = ["hm", "drop", "4"]

    def step(item: Item, call: Call) -> Outcome:
        def send(seed: int) -> Reply:
            answer = script.pop(0)
            if answer == "drop":
                raise TransientError("dropped")
            return Reply(answer, cost=1.0)

        return done(call.ask_now(Request("m", "p"), send, read_number))

    options: dict[str, Any] = {"folder": tmp_path / "run", "config": CONFIG, "cache": tmp_path / "cache.sqlite"}
    first = run_items(items(1), step, retry=RetryPolicy(attempts=1), **options).run.entries[0]
    assert (first.outcome.state, first.parse_failures, first.cost) == (State.FAILED, 1, 1.0)
    second = run_items(items(1), step, **options).run.entries[0]
    assert (second.outcome.state, second.parse_failures, second.cost, second.attempts) == (State.DONE, 1, 2.0, 2)


def test_an_unusable_reply_is_not_replayed_and_after_the_last_the_item_is_unscored(tmp_path: Path) -> None:
    step = AskAndCount(tmp_path / "calls", replies=("hm", "well", "er", "5"))
    options: dict[str, Any] = {"folder": tmp_path / "run", "config": CONFIG, "cache": tmp_path / "cache.sqlite"}
    (entry,) = run_items(items(1), step, **options).run.entries
    assert (tmp_path / "calls").read_text().split() == ["7", "8", "9"], "three calls, each with a seed of its own"
    assert (entry.outcome.state, entry.outcome.raw_reply, entry.parse_failures) == (State.UNSCORED, "er", 3)
    ended = run_items(items(1), step, **options)
    assert ended.worked == 0, "an unscored item has its answer; it is not done again"


def test_a_step_may_be_an_object_with_a_coroutine_call() -> None:
    class Object:
        def __call__(self, item: Item, call: Call) -> Awaitable[Outcome]:
            async def later() -> Outcome:
                return done(5.0)

            return later()

    (entry,) = perform(Object())
    assert entry.outcome == done(5.0)


def test_entries_say_when_they_were_finished_and_how_long_they_took() -> None:
    (entry,) = perform(score_number)
    assert entry.finished.endswith("+00:00")
    assert 0 < entry.seconds < 10


def test_a_raw_reply_is_kept_up_to_a_length() -> None:
    reply = "a" * 100_000 + "middle" + "z" * 100_000

    def unreadable(item: Item, call: Call) -> Outcome:
        raise UnusableReplyError("no verdict " * 1000, raw_reply=reply)

    (entry,) = asyncio.run(Performer(unreadable)([Work(Item.make("a", {}))]))
    kept = entry.outcome.raw_reply
    assert kept == f"{'a' * 32_768}\n[… {200_006 - 65_536} …]\n{'z' * 32_768}"
    assert len(entry.outcome.reason) == 4097
