"""The same step in this process and in several; a worker that dies takes one item with it."""

import asyncio
import multiprocessing
import os
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import RunError, UsageError
from aptone.run import Executor, InProcess, Performer, Processes, RetryPolicy, Step, Work, run_items
from aptone.types import Item, Outcome, State
from tests.run import run_steps
from tests.run.run_steps import (
    CONFIG,
    PATIENCE,
    AskAndCount,
    Doubling,
    LoopBound,
    MeetAnotherProcess,
    NeverDone,
    die_on_two,
    fail_on_odd,
    give_a_local_mapping,
    items,
    kill_on_two,
    score_number,
    score_number_later,
)


@pytest.mark.parametrize("kind", [InProcess, Processes])
def test_at_least_one_worker_is_needed(kind: type[InProcess] | type[Processes]) -> None:
    with pytest.raises(ValueError, match="at least one worker, got 0"):
        kind(0)


@pytest.mark.parametrize("step", [score_number, score_number_later, fail_on_odd], ids=lambda step: step.__name__)
def test_processes_give_the_same_outcomes_as_this_process(tmp_path: Path, step: Step) -> None:
    def outcomes(name: str, executor: Executor) -> list[tuple[str, State, Any]]:
        ended = run_items(items(6), step, folder=tmp_path / name, config=CONFIG, executor=executor)
        return [(entry.item.id, entry.outcome.state, entry.outcome.scores) for entry in ended.run.entries]

    assert outcomes("processes", Processes(2)) == outcomes("local", InProcess(2))


def test_work_is_spread_over_processes_that_end_with_the_run(tmp_path: Path) -> None:
    step = MeetAnotherProcess(tmp_path / "met")
    ended = run_items(items(6), step, folder=tmp_path / "run", config=CONFIG, executor=Processes(2))
    processes = {int(entry.outcome.rationale) for entry in ended.run.entries}
    assert len(processes) == 2
    assert os.getpid() not in processes
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_batches_travel_to_processes(tmp_path: Path) -> None:
    ended = run_items(items(5), Doubling(2, bad="i3"), folder=tmp_path, config=CONFIG, executor=Processes(2))
    states = {entry.item.id: entry.outcome.state for entry in ended.run.entries}
    assert states == {f"i{number}": State.FAILED if number == 3 else State.DONE for number in range(5)}


@pytest.mark.parametrize("step", [die_on_two, kill_on_two], ids=["exit", "SIGKILL"])
def test_an_item_that_kills_its_worker_fails_alone(tmp_path: Path, step: Step) -> None:
    ended = run_items(items(5), step, folder=tmp_path, config=CONFIG, executor=Processes(2))
    assert ended.worked == 5
    outcomes = {entry.item.id: entry.outcome for entry in ended.run.entries}
    assert outcomes.pop("i2").reason.startswith("the worker process died while working on this item")
    assert {outcome.state for outcome in outcomes.values()} == {State.DONE}
    again = run_items(items(5), score_number, folder=tmp_path, config=CONFIG)
    assert again.worked == 1
    assert {entry.outcome.state for entry in again.run.entries} == {State.DONE}


def test_a_coroutine_keeps_its_event_loop_from_item_to_item(tmp_path: Path) -> None:
    for name, executor in (("local", InProcess(1)), ("processes", Processes(1))):
        ended = run_items(items(3), LoopBound(), folder=tmp_path / name, config=CONFIG, executor=executor)
        assert [entry.outcome.state for entry in ended.run.entries] == [State.DONE] * 3, name


def test_an_object_whose_call_is_a_coroutine_needs_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()
    ended = run_items(items(3), LoopBound(), folder=tmp_path, config=CONFIG, executor=Counting(before))
    assert ended.worked == 3


class Counting(InProcess):
    """Sees to it that no thread is started."""

    def __init__(self, threads: int) -> None:
        super().__init__(2)
        self._threads_before = threads

    def close(self) -> None:
        """Count the threads before they are let go."""
        assert threading.active_count() <= self._threads_before
        super().close()


def test_processes_share_the_cache(tmp_path: Path) -> None:
    step = AskAndCount(tmp_path / "calls")
    for name in ("a", "b"):
        options: dict[str, Any] = {"config": CONFIG, "cache": tmp_path / "cache.sqlite", "executor": Processes(2)}
        run_items(items(6), step, folder=tmp_path / name, **options)
    assert len((tmp_path / "calls").read_text().split()) == 6


def test_what_cannot_be_pickled_on_its_way_back_arrives_all_the_same(tmp_path: Path) -> None:
    (entry,) = run_items(
        items(1), give_a_local_mapping, folder=tmp_path, config=CONFIG, executor=Processes(1)
    ).run.entries
    assert (entry.outcome.state, entry.outcome.evidence) == (State.DONE, {"a": 1})


def test_a_step_that_cannot_be_sent_to_a_process_is_refused(tmp_path: Path) -> None:
    def local(item: Item, call: object) -> Outcome:
        return run_steps.done()

    with pytest.raises(UsageError, match=r"the step cannot be sent to another process .*top level of a module"):
        run_items(items(2), local, folder=tmp_path, config=CONFIG, executor=Processes(1))


def test_a_step_that_a_process_cannot_find_is_told_once_and_not_blamed_on_the_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As in a notebook: this process can name the step, another one cannot import it.
    module = types.ModuleType("only_here")
    exec("def step(item, call):\n    return None\n", module.__dict__)
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(UsageError, match=r"a worker process cannot find the step .*only_here"):
        run_items(items(2), module.step, folder=tmp_path, config=CONFIG, executor=Processes(2))
    assert run_items(items(2), score_number, folder=tmp_path, config=CONFIG).worked == 2


def test_a_cache_that_cannot_be_used_is_told_before_workers_start(tmp_path: Path) -> None:
    (tmp_path / "cache.sqlite").write_bytes(b"this is no database at all" * 40)
    options: dict[str, Any] = {"config": CONFIG, "cache": tmp_path / "cache.sqlite", "executor": Processes(1)}
    with pytest.raises(RunError, match="cannot be used as a reply cache"):
        run_items(items(1), score_number, folder=tmp_path / "run", **options)


def test_closing_in_the_middle_of_an_item_ends_the_workers_at_once(tmp_path: Path) -> None:
    mark = tmp_path / "begun"

    async def begin_and_close() -> None:
        executor = Processes(1)
        executor.start(Performer(NeverDone(mark), retry=RetryPolicy()), cache=None)
        task = asyncio.ensure_future(executor.perform([Work(items(1)[0])]))
        while not mark.exists():
            assert not task.done(), task.result()
            await asyncio.sleep(0.02)
        task.cancel()
        executor.close()

    start = time.monotonic()
    asyncio.run(begin_and_close())
    assert time.monotonic() - start < PATIENCE  # the item would take twice as long
    assert multiprocessing.active_children() == []
