"""Does the company of an item change its score? Steps of which the answer is known."""

import asyncio
from collections.abc import Sequence

import pytest

from aptone.errors import UnusableReplyError
from aptone.run import Call
from aptone.run.probes import SAME_SCORE, batch_check
from aptone.types import Item, Outcome, ProbeState
from tests.run.run_steps import Doubling, LoopBound, done, items, number_of, score_number


class Leaning:
    """Each score leans on the first of the batch, by as much as it is told."""

    def __init__(self, lean: float) -> None:
        self.batch_size = 3
        self._lean = lean

    def batch(self, items: Sequence[Item], calls: Sequence[Call]) -> list[Outcome]:
        """The number, and a share of the number of the first item."""
        return [done(number_of(item) + self._lean * (number_of(items[0]) - number_of(item))) for item in items]


class Choosy:
    """Gives up on items that stand last in a batch of several."""

    batch_size = 3

    def batch(self, items: Sequence[Item], calls: Sequence[Call]) -> list[Outcome]:
        """Unscored for the last of several."""
        outcomes = [done() for _ in items]
        if len(items) > 1:
            outcomes[-1] = Outcome.unscored("too late")
        return outcomes


class Hopeless:
    """Never finds a score."""

    batch_size = 2

    def batch(self, items: Sequence[Item], calls: Sequence[Call]) -> list[Outcome]:
        """Fails on everything."""
        raise UnusableReplyError("no score", raw_reply="?")


def test_a_step_that_does_not_look_at_neighbours_passes() -> None:
    step = Doubling(3)
    probe = batch_check(items(7), step)
    assert (probe.state, probe.value, probe.items) == (ProbeState.PASSED, 0.0, 7)
    assert probe.detail == "each item alone, and in batches of 3 in two orders"
    sizes = [len(batch) for batch in step.batches]
    assert sizes == [1] * 7 + [3, 3, 1] * 2
    assert step.batches[10] == ["i6", "i5", "i4"]


def test_a_step_that_looks_at_neighbours_fails_by_the_largest_change() -> None:
    # Batches of 0..2, 3..5 and 6 lean by up to 0.1 * 2; those of 6..4, 3..1 and 0 by up to 0.1 * 2.
    probe = batch_check(items(7), Leaning(0.1))
    assert probe.state is ProbeState.FAILED
    assert probe.value == pytest.approx(0.2, abs=1e-12)


def test_differences_of_rounding_pass_and_larger_ones_do_not() -> None:
    assert batch_check(items(3), Leaning(SAME_SCORE / 4)).state is ProbeState.PASSED
    assert batch_check(items(3), Leaning(SAME_SCORE)).state is ProbeState.FAILED


def test_a_score_that_disappears_in_company_fails_the_probe() -> None:
    probe = batch_check(items(4), Choosy())
    assert probe.state is ProbeState.FAILED
    assert probe.detail.startswith("an item was done alone and unscored in a batch")


def test_without_any_score_nothing_was_compared_and_nothing_passes() -> None:
    probe = batch_check(items(4), Hopeless())
    assert probe.state is ProbeState.NOT_RUN
    assert probe.value != probe.value, "undefined, not 0"


def test_steps_on_single_items_and_trivial_samples_are_not_applicable() -> None:
    assert batch_check(items(4), score_number).state is ProbeState.NOT_APPLICABLE
    assert batch_check(items(4), Doubling(1)).state is ProbeState.NOT_APPLICABLE
    assert batch_check(items(1), Doubling(3)).detail == "nothing to compare: 1 items in batches of 3"


def test_a_probe_runs_where_an_event_loop_runs_already() -> None:
    async def notebook() -> ProbeState:
        return batch_check(items(4), Doubling(2)).state

    assert asyncio.run(notebook()) is ProbeState.PASSED


def test_a_coroutine_step_keeps_its_event_loop_during_a_probe() -> None:
    class Client:
        batch_size = 2

        def __init__(self) -> None:
            self._single = LoopBound()

        async def batch(self, items: Sequence[Item], calls: Sequence[Call]) -> list[Outcome]:
            return [await self._single(item, call) for item, call in zip(items, calls, strict=True)]

    assert batch_check(items(4), Client()).state is ProbeState.PASSED
