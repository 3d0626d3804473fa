"""What was paid is counted, also when a kill comes between the reply and the journal."""

import asyncio
import math
import os
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import TransientError
from aptone.run import (
    Budget,
    Call,
    InProcess,
    Performer,
    Processes,
    Reply,
    Request,
    RetryPolicy,
    Work,
    read_journal,
    run_items,
)
from aptone.run.chain import without_checksum
from aptone.types import Entry, Item, Outcome, State
from tests.run.run_steps import CONFIG, Flaky, done, items, read_number
from tests.tables import for_each


class KilledError(BaseException):
    """Breaks through everything, as a kill does."""


class Paying:
    """Asks three things of an item, 1.0 each, and does to it what it is told to afterwards."""

    def __init__(self, ends: dict[str, BaseException] | None = None) -> None:
        self.sent = 0
        self._ends = ends or {}

    async def __call__(self, item: Item, call: Call) -> Outcome:
        """The sum of the answers."""
        answers = [await call.ask(Request("m", f"{item.id} {part}"), self._send, read_number) for part in "abc"]
        if item.id in self._ends:
            raise self._ends[item.id]
        return done(sum(answers))

    async def _send(self, seed: int) -> Reply:
        await asyncio.sleep(0)
        self.sent += 1
        return Reply("1", cost=1.0)


def _options(folder: Path, name: str = "run") -> dict[str, Any]:
    return {"folder": folder / name, "config": CONFIG, "cache": folder / "cache.sqlite"}


def test_replies_of_an_item_that_was_cut_off_by_a_kill_are_charged_when_it_is_done_again(tmp_path: Path) -> None:
    killed = Paying({"i2": KilledError()})
    with pytest.raises(KilledError):
        run_items(items(5), killed, **_options(tmp_path))
    resumed = Paying()
    ended = run_items(items(5), resumed, **_options(tmp_path))
    assert (killed.sent, resumed.sent) == (9, 6), "what i2 had asked is not asked again"
    assert [entry.cost for entry in ended.run.entries] == [3.0] * 5
    other = run_items(items(5), Paying(), **_options(tmp_path, "other"))
    assert {entry.cost for entry in other.run.entries} == {0.0}, "another run has paid nothing"


def test_a_kill_after_a_failed_session_charges_only_what_came_after_that(tmp_path: Path) -> None:
    once = RetryPolicy(attempts=1)
    first = run_items(items(1), Paying({"i0": TransientError("down", cost=0.5)}), retry=once, **_options(tmp_path))
    assert first.run.entries[0].cost == 3.5
    fourth = Request("m", "i0 d")

    async def ask_more(item: Item, call: Call) -> Outcome:
        paying = Paying()
        await paying(item, call)
        await call.ask(fourth, paying._send, read_number)
        raise KilledError

    with pytest.raises(KilledError):
        run_items(items(1), ask_more, **_options(tmp_path))

    async def ask_the_same(item: Item, call: Call) -> Outcome:
        paying = Paying()
        outcome = await paying(item, call)
        await call.ask(fourth, paying._send, read_number)
        assert paying.sent == 0
        return outcome

    (entry,) = run_items(items(1), ask_the_same, **_options(tmp_path)).run.entries
    assert (entry.outcome.state, entry.cost) == (State.DONE, 4.5)  # 3.5 before, and the fourth reply


def test_a_killed_run_does_not_forget_what_it_has_spent_of_its_budget(tmp_path: Path) -> None:
    budget = Budget(max_cost=9.0)
    with pytest.raises(KilledError):
        run_items(items(9), Paying({"i2": KilledError()}), budget=budget, **_options(tmp_path))
    resumed = Paying()
    ended = run_items(items(9), resumed, budget=budget, **_options(tmp_path))
    assert (resumed.sent, ended.worked, ended.stopped) == (0, 1, "--max-cost 9 reached")


def test_repeats_are_charged_each_for_itself(tmp_path: Path) -> None:
    with pytest.raises(KilledError):
        run_items(items(1), Paying({"i0": KilledError()}), repeats=2, **_options(tmp_path))
    ended = run_items(items(1), Paying(), repeats=2, **_options(tmp_path))
    assert [(entry.repeat, entry.cost) for entry in ended.run.entries] == [(0, 3.0), (1, 3.0)]


def test_items_with_ids_that_no_database_takes_are_charged_all_the_same(tmp_path: Path) -> None:
    item = Item.make("\ud800", {"number": 0})
    with pytest.raises(KilledError):
        run_items([item], Paying({"\ud800": KilledError()}), **_options(tmp_path))
    (entry,) = run_items([item], Paying(), **_options(tmp_path)).run.entries
    assert entry.cost == 3.0


def pay_and_die(item: Item, call: Call) -> Outcome:
    """Pays for a reply, and takes its process with it unless a file says that it may live."""
    mark = Path(str(item.payload["mark"]))
    call.ask_now(Request("m", item.id), lambda seed: Reply("1", cost=1.0), read_number)
    if not mark.exists():
        os._exit(3)
    return done()


def test_what_a_worker_paid_before_it_died_is_charged_when_its_item_is_done_again(tmp_path: Path) -> None:
    work = [Item.make("i0", {"mark": str(tmp_path / "mark")})]
    first = run_items(work, pay_and_die, executor=Processes(1), **_options(tmp_path))
    assert (first.run.entries[0].outcome.state, first.run.entries[0].cost) == (State.FAILED, 0.0)
    (tmp_path / "mark").touch()
    second = run_items(work, pay_and_die, executor=InProcess(), **_options(tmp_path))
    assert (second.run.entries[0].outcome.state, second.run.entries[0].cost) == (State.DONE, 1.0)


@pytest.mark.parametrize("cost", ["null", "-5.0"])
def test_a_cost_in_an_old_journal_that_cannot_be_added_up_does_not_break_the_run_for_good(
    tmp_path: Path, cost: str
) -> None:
    run_items(items(1), Paying({"i0": ValueError("bug")}), **_options(tmp_path))
    journal = tmp_path / "run" / "journal.jsonl"
    text = journal.read_text()
    assert text.count('"cost":3.0') == 1
    journal.write_bytes(without_checksum(text.replace('"cost":3.0', f'"cost":{cost}').encode()) + b"\n")
    ended = run_items(items(3), Paying(), budget=Budget(max_cost=6.0), **_options(tmp_path))
    assert [(entry.outcome.state, entry.cost) for entry in ended.run.entries] == [
        (State.DONE, 0.0),
        (State.DONE, 3.0),
        (State.DONE, 3.0),
    ]
    assert len(list(read_journal(journal))) == 4


@for_each("cost", [math.inf, -math.inf, math.nan, -1.0, "5", None, 10**400], ids=lambda cost: str(cost)[:9])
@for_each("then", [None, TransientError("busy", cost=1.0), ValueError("bug")])
def test_a_step_that_makes_nonsense_of_its_cost_fails_its_item_and_is_not_counted(
    cost: Any, then: Exception | None
) -> None:
    def step(item: Item, call: Call) -> Outcome:
        call.cost = cost
        if then is not None:
            raise then
        return done()

    before = Entry(item=items(1)[0], outcome=Outcome.failed("down"), cost=0.5, finished="2025-01-01T00:00:00.000+00:00")
    performer = Performer(step, retry=RetryPolicy(attempts=2, first_wait=0.0))
    (entry,) = asyncio.run(performer([Work(before.item, before=before)]))
    assert entry.outcome.state is State.FAILED
    assert "the cost of a call is a finite number of 0 or more, got" in entry.outcome.reason
    assert entry.cost == 0.5, "what earlier sessions have cost stays"


def test_costs_that_are_finite_alone_and_infinite_together_fail_their_item() -> None:
    performer = Performer(Flaky(99, cost=1e308), retry=RetryPolicy(attempts=3, first_wait=0.0))
    (entry,) = asyncio.run(performer([Work(items(1)[0])]))
    assert entry.cost == 1e308
    assert "the cost of an item is a finite number of 0 or more, got inf" in entry.outcome.reason
