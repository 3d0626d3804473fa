"""Limits on items, seconds and cost: what may be begun, and what a stopped run leaves."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from aptone.run import Budget, Call, InProcess, load_run, run_items
from aptone.types import Item, Outcome
from tests.run.run_steps import CONFIG, Doubling, Meter, done, items, number_of, score_number
from tests.tables import for_each


def test_max_items_counts_a_session_and_the_next_session_goes_on(tmp_path: Path) -> None:
    for expected in (3, 3, 1):
        ended = run_items(items(7), score_number, folder=tmp_path, config=CONFIG, budget=Budget(max_items=3))
        assert ended.worked == expected
        assert ended.stopped == ("--max-items 3 reached" if expected == 3 else "")
    assert len(load_run(tmp_path).entries) == 7


def test_a_limit_that_is_just_reached_at_the_end_stops_nothing(tmp_path: Path) -> None:
    ended = run_items(items(3), score_number, folder=tmp_path, config=CONFIG, budget=Budget(max_items=3))
    assert (ended.worked, ended.stopped) == (3, "")


def test_max_items_cuts_a_batch(tmp_path: Path) -> None:
    step = Doubling(4)
    ended = run_items(items(10), step, folder=tmp_path, config=CONFIG, budget=Budget(max_items=6))
    assert [len(batch) for batch in step.batches] == [4, 2]
    assert (ended.worked, ended.stopped) == (6, "--max-items 6 reached")


def test_max_seconds_ends_a_session_and_what_is_under_way_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    meter = Meter(seconds=0.0)
    clock = SimpleNamespace(monotonic=lambda: 1000.0 + 5.0 * len(meter.begun))  # an item takes five seconds
    monkeypatch.setattr("aptone.run.runner.time", clock)
    ended = run_items(items(100), meter.plain, folder=tmp_path, config=CONFIG, budget=Budget(max_seconds=20.0))
    assert ended.stopped == "--max-seconds 20 reached"
    assert ended.worked == 4  # begun at 0, 5, 10 and 15 s
    assert len(load_run(tmp_path).entries) == len(meter.begun) == ended.worked


@for_each("width", [1, 4, 16])
def test_max_cost_is_kept_to_the_last_item_when_all_cost_the_same(tmp_path: Path, width: int) -> None:
    meter = Meter(cost=0.1)
    budget = Budget(max_cost=1.0)
    options: dict[str, Any] = {"folder": tmp_path, "config": CONFIG, "executor": InProcess(width)}
    ended = run_items(items(30), meter.later, budget=budget, **options)
    assert (ended.worked, ended.stopped) == (10, "--max-cost 1 reached")
    again = run_items(items(30), meter.later, budget=budget, **options)
    assert (again.worked, again.stopped) == (0, "--max-cost 1 reached"), "what earlier sessions spent stays spent"
    assert run_items(items(30), meter.later, budget=Budget(max_cost=1.5), **options).worked == 5


def test_max_cost_is_overrun_by_the_spread_of_the_costs_at_most(tmp_path: Path) -> None:
    # Costs are 1 or 3, mean 2. With 8 under way the worst case is that each costs 1 more than was set aside for it.
    async def step(item: Item, call: Call) -> Outcome:
        await asyncio.sleep(0.001)
        call.cost += 1.0 + 2.0 * (number_of(item) % 2)
        return done()

    ended = run_items(
        items(100), step, folder=tmp_path, config=CONFIG, executor=InProcess(8), budget=Budget(max_cost=40.0)
    )
    cost = sum(entry.cost for entry in ended.run.entries)
    assert ended.stopped == "--max-cost 40 reached"
    assert 40.0 - 3.0 < cost <= 40.0 + 8.0


def test_cached_items_at_the_start_do_not_let_a_run_overspend(tmp_path: Path) -> None:
    async def step(item: Item, call: Call) -> Outcome:
        await asyncio.sleep(0.001)
        call.cost += 0.0 if number_of(item) < 5 else 1.0
        return done()

    ended = run_items(
        items(40), step, folder=tmp_path, config=CONFIG, executor=InProcess(8), budget=Budget(max_cost=3.0)
    )
    assert (ended.worked, sum(entry.cost for entry in ended.run.entries)) == (8, 3.0)


def test_a_limit_on_items_does_not_switch_off_the_limit_on_cost_for_batches(tmp_path: Path) -> None:
    class Dear(Doubling):
        def batch(self, items: Sequence[Item], calls: Sequence[Call]) -> list[Outcome]:
            for call in calls:
                call.cost += 1.0
            return super().batch(items, calls)

    budget = Budget(max_items=20, max_cost=6.0)
    ended = run_items(items(40), Dear(8), folder=tmp_path, config=CONFIG, budget=budget)
    assert (ended.worked, ended.stopped) == (6, "--max-cost 6 reached")  # 1 alone, then 5 at 1 each
