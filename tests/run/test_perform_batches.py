"""Several items at once: what a batch that goes wrong leaves to each of them."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from aptone.errors import RunError, TransientError
from aptone.run import Call, Performer, Reply, Request, Work
from aptone.types import Entry, Item, Outcome, State
from tests.run.run_steps import Doubling, done, items, number_of, read_number
from tests.tables import for_each


def perform(step: Any, *works: Work) -> list[Entry]:
    return asyncio.run(Performer(step)(works or [Work(items(1)[0])]))


def test_a_cache_that_cannot_be_used_is_not_the_fault_of_a_batch() -> None:
    with pytest.raises(RunError, match="disk full"):
        perform(Spoilt(RunError("disk full")), *[Work(item) for item in items(2)])


class Spoilt:
    """A batch step that gives whatever it is told to on batches, and is fine with single items."""

    def __init__(self, result: Any) -> None:
        self.batch_size = 2
        self._result = result

    def batch(self, items: Sequence[Item], calls: Sequence[Call]) -> Any:
        """The given result, or an outcome for a single item."""
        if len(items) == 1:
            return [done()]
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


@for_each(
    "result",
    [OSError("bad file"), None, [], [done()], [done(), done(), done()], 5, StopIteration(), TransientError("busy")],
    ids=str,
)
def test_a_batch_that_goes_wrong_is_done_item_by_item(result: Any) -> None:
    entries = perform(Spoilt(result), *[Work(item) for item in items(2)])
    assert [entry.outcome for entry in entries] == [done(), done()]
    assert [entry.attempts for entry in entries] == [2, 2], "the batch was a try, too"


def test_one_bad_item_does_not_fail_its_neighbours_in_a_batch() -> None:
    step = Doubling(3, bad="i1")
    entries = perform(step, *[Work(item) for item in items(3)])
    assert [entry.outcome.state for entry in entries] == [State.DONE, State.FAILED, State.DONE]
    assert entries[1].outcome.reason == "OSError: i1: unreadable"
    assert step.batches == [["i0", "i1", "i2"], ["i0"], ["i1"], ["i2"]]


def test_what_a_failed_batch_cost_is_shared_by_its_items() -> None:
    entries = perform(Spoilt(TransientError("busy", cost=3.0)), *[Work(item) for item in items(2)])
    assert [entry.cost for entry in entries] == [1.5, 1.5]


def test_replies_of_a_failed_batch_are_not_asked_for_again() -> None:
    asked: list[str] = []

    class Asking:
        batch_size = 2

        def batch(self, items: Sequence[Item], calls: Sequence[Call]) -> list[Outcome]:
            def send(seed: int) -> Reply:
                asked.append(item.id)
                return Reply("2", cost=1.0)

            outcomes = []
            for item, call in zip(items, calls, strict=True):
                outcomes.append(done(call.ask_now(Request("m", item.id), send, read_number)))
            if len(items) > 1:
                raise OSError("after the calls")
            return outcomes

    entries = perform(Asking(), *[Work(item) for item in items(2)])
    assert asked == ["i0", "i1"]
    assert [(entry.outcome.state, entry.cost) for entry in entries] == [(State.DONE, 1.0)] * 2


def test_a_batch_step_may_be_a_coroutine() -> None:
    class Later:
        batch_size = 2

        async def batch(self, items: Sequence[Item], calls: Sequence[Call]) -> list[Outcome]:
            await asyncio.sleep(0)
            return [done(float(number_of(item))) for item in items]

    entries = perform(Later(), *[Work(item) for item in items(2)])
    assert [entry.outcome.scores["aptness"].value for entry in entries] == [0.0, 1.0]


def test_a_single_item_for_which_a_batch_step_gives_two_outcomes_fails() -> None:
    class Two:
        batch_size = 1

        def batch(self, items: Sequence[Item], calls: Sequence[Call]) -> list[Outcome]:
            return [done(), done()]

    (entry,) = perform(Two())
    assert entry.outcome == Outcome.failed("the step gave 2 outcomes for one item.")
