"""Whatever happens to a worker, who asked gets an answer or an error of ours, and the pool goes on."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from aptone.errors import AptoneError, UsageError
from aptone.messages import translate
from aptone.rooms.operation import Answer, ClipFile
from aptone.view.operations import find_operations
from aptone.view.workers import (
    ClosedError,
    FaultError,
    TooSlowError,
    WorkerDiedError,
    WorkerError,
    WorkerLimits,
    WorkerPool,
)
from tests.view.odd_operations import BLOCK, PATIENCE, operation, wait_for

ROOT = Path(__file__).resolve().parents[2]
CLIPS = ROOT / "examples" / "lighthouse" / "clips"
Result = TypeVar("Result")

pytestmark = pytest.mark.slow


def pool_of(workers: int = 1, *, prepare: str = "Odd", **limits: Any) -> WorkerPool:
    return WorkerPool(operation(prepare), workers=workers, limits=WorkerLimits(**limits))


def with_pool(pool: WorkerPool, use: Callable[[WorkerPool], Awaitable[Result]]) -> Result:
    async def run() -> Result:
        async with pool:
            return await use(pool)

    return asyncio.run(run())


async def until(condition: Callable[[], bool]) -> None:
    await asyncio.to_thread(wait_for, condition)


def process_of(answer: Answer) -> int:
    found = answer.reply["process"]
    assert isinstance(found, int)
    return found


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_requests_are_spread_over_workers_that_are_prepared_once(tmp_path: Path) -> None:
    gate = tmp_path / "gate"

    async def use(pool: WorkerPool) -> None:
        assert (pool.size, pool.ready, len(set(pool.processes))) == (2, 2, 2)
        assert pool.configs["odd"].settings == {"worker": "any"}
        both = [asyncio.ensure_future(pool.perform("odd", {"what": "wait", "path": str(gate)})) for _ in range(2)]
        await until(lambda: pool.under_way == 2)
        gate.touch()
        first, second = await asyncio.gather(*both)
        assert {process_of(first), process_of(second)} == set(pool.processes)
        assert first.reply["answered"] == 2, "behind the request that warmed it up"
        more = [await pool.perform("odd", {}) for _ in range(4)]
        assert sum(int(str(answer.reply["answered"])) > 2 for answer in more) == 4
        assert pool.resident > 0
        assert (pool.restarts, pool.recycled) == (0, 0)

    with_pool(pool_of(2), use)


def test_recordings_and_the_wish_for_figures_reach_the_worker() -> None:
    async def use(pool: WorkerPool) -> None:
        answer = await pool.perform("odd", {"audio": ClipFile("a.wav", bytes(3_000_000))}, figures=True)
        assert (answer.audio_seconds, answer.reply["figures"]) == (3_000_000.0, True)

    with_pool(pool_of(), use)


def test_errors_of_ours_come_back_as_themselves_and_can_be_translated() -> None:
    async def use(pool: WorkerPool) -> None:
        with pytest.raises(UsageError, match=r"^a\.wav: the file is empty") as refused:
            await pool.perform("odd", {"what": "refuse", "path": "a.wav"})
        assert translate(str(refused.value), "zh").startswith("a.wav：文件是空的")
        with pytest.raises(UsageError, match="there is no operation even; there are odd"):
            await pool.perform("even", {})
        with pytest.raises(UsageError, match="there is no field which; the fields are what, path, audio"):
            await pool.perform("odd", {"which": ""})
        assert pool.restarts == 0

    with_pool(pool_of(), use)


@pytest.mark.parametrize("what", ["fail", "fail in a step", "refuse strangely", "answer strangely"])
def test_a_fault_is_said_without_its_text_and_the_worker_goes_on(what: str, caplog: pytest.LogCaptureFixture) -> None:
    async def use(pool: WorkerPool) -> None:
        before = pool.processes
        with pytest.raises(FaultError, match="something is wrong in aptone itself") as refused:
            await pool.perform("odd", {"what": what})
        assert "Error" in refused.value.trace
        assert "oops" not in str(refused.value)
        assert process_of(await pool.perform("odd", {})) in before

    with_pool(pool_of(), use)
    assert "odd failed" in caplog.text


@pytest.mark.parametrize("what", ["die", "crash"])
def test_a_request_that_takes_two_workers_down_is_refused_and_no_other_is_lost(what: str) -> None:
    async def use(pool: WorkerPool) -> None:
        requests = [{"what": what}, {}, {}, {"what": what}, {}]
        found = await asyncio.gather(*(pool.perform("odd", one) for one in requests), return_exceptions=True)
        assert [type(one) for one in found] == [WorkerDiedError, Answer, Answer, WorkerDiedError, Answer]
        assert "2 workers ended in the middle of it" in str(found[0])
        assert pool.restarts == 4  # two each
        await until(lambda: pool.ready == pool.size)

    with_pool(pool_of(2), use)


def test_a_request_whose_worker_dies_is_tried_once_more(tmp_path: Path) -> None:
    async def use(pool: WorkerPool) -> None:
        (before,) = pool.processes
        answer = await pool.perform("odd", {"what": "die once", "path": str(tmp_path / "died")})
        assert process_of(answer) != before
        assert is_gone(before)
        assert pool.restarts == 1

    with_pool(pool_of(), use)


@pytest.mark.parametrize("what", ["never end", "hold the interpreter"])
def test_a_request_that_takes_too_long_is_stopped_and_not_tried_again(what: str) -> None:
    async def use(pool: WorkerPool) -> None:
        (before,) = pool.processes
        with pytest.raises(TooSlowError, match=r"longer than 0\.5 s") as refused:
            await pool.perform("odd", {"what": what})
        assert isinstance(refused.value, WorkerError)
        assert is_gone(before)
        assert pool.restarts == 1
        await until(lambda: pool.ready == 1)

    with_pool(pool_of(seconds=0.5), use)


def test_a_worker_that_died_while_it_had_nothing_to_do_is_replaced() -> None:
    async def use(pool: WorkerPool) -> None:
        (before,) = pool.processes
        os.kill(before, signal.SIGKILL)
        await until(lambda: pool.restarts == 1 and pool.ready == 1)
        assert process_of(await pool.perform("odd", {})) != before

    with_pool(pool_of(), use)


def test_a_stop_signal_to_all_processes_leaves_workers_to_their_parent() -> None:
    async def use(pool: WorkerPool) -> None:
        (before,) = pool.processes
        os.kill(before, signal.SIGTERM)
        os.kill(before, signal.SIGINT)
        assert process_of(await pool.perform("odd", {})) == before

    with_pool(pool_of(), use)


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
@pytest.mark.parametrize("what", ["allocate", "allocate in a step"])
def test_a_request_for_more_memory_than_a_worker_may_have_is_refused_behind_two_of_them(what: str) -> None:
    async def use(pool: WorkerPool) -> None:
        with pytest.raises(WorkerDiedError, match="too little memory"):
            await pool.perform("odd", {"what": what})
        assert pool.restarts == 2
        assert process_of(await pool.perform("odd", {})) in pool.processes

    with_pool(pool_of(memory=2 << 30), use)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody says what a process holds")
def test_a_worker_that_holds_too_much_is_replaced_behind_its_request() -> None:
    async def use(pool: WorkerPool) -> None:
        processes = [process_of(await pool.perform("odd", {})) for _ in range(3)]
        assert len(set(processes)) == 3
        assert pool.restarts == 0
        await until(lambda: pool.recycled == 3)

    with_pool(pool_of(resident=1), use)


def test_a_worker_is_replaced_after_so_many_requests() -> None:
    async def use(pool: WorkerPool) -> None:
        processes = [process_of(await pool.perform("odd", {})) for _ in range(4)]
        assert processes[0] == processes[1] != processes[2] == processes[3]

    with_pool(pool_of(requests=2), use)


def test_what_waits_is_counted_and_dropped_when_nobody_wants_it_any_more(tmp_path: Path) -> None:
    gate = tmp_path / "gate"

    async def use(pool: WorkerPool) -> None:
        asked = [asyncio.ensure_future(pool.perform("odd", {"what": "wait", "path": str(gate)})) for _ in range(4)]
        await until(lambda: (pool.under_way, pool.waiting) == (1, 3))
        asked[1].cancel()
        asked[0].cancel()  # under way: it is finished in vain
        await asyncio.wait(asked[:2])
        assert (pool.under_way, pool.waiting) == (1, 2)
        gate.touch()
        last = await asyncio.gather(*asked[2:])
        assert [answer.reply["answered"] for answer in last] == [3, 4], "the second one never reached the worker"
        await until(lambda: (pool.under_way, pool.waiting) == (0, 0))

    with_pool(pool_of(), use)


def test_closing_finishes_what_is_there_and_takes_no_more(tmp_path: Path) -> None:
    gate = tmp_path / "gate"

    async def use() -> None:
        pool = pool_of()
        await pool.start()
        processes = pool.processes
        asked = [asyncio.ensure_future(pool.perform("odd", {"what": "wait", "path": str(gate)})) for _ in range(3)]
        await until(lambda: pool.under_way == 1)
        closing = asyncio.ensure_future(pool.close(patience=PATIENCE))
        await asyncio.sleep(0)
        with pytest.raises(ClosedError, match="the service is stopping"):
            await pool.perform("odd", {})
        gate.touch()
        answers = await asyncio.gather(*asked)
        await closing
        assert len(answers) == 3
        assert all(map(is_gone, processes))

    asyncio.run(use())


def test_closing_has_a_bound(tmp_path: Path) -> None:
    async def use() -> None:
        pool = pool_of(2)
        await pool.start()
        processes = pool.processes
        asked = [asyncio.ensure_future(pool.perform("odd", {"what": "hold the interpreter"})) for _ in range(2)]
        asked += [asyncio.ensure_future(pool.perform("odd", {})) for _ in range(2)]
        await until(lambda: pool.under_way == 2)
        await pool.close(patience=0.1)
        found = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(one) for one in found] == [ClosedError] * 4
        assert all(map(is_gone, processes))
        assert pool.restarts == 0

    asyncio.run(use())


@pytest.mark.parametrize(
    ("prepare", "kind", "words"),
    [
        ("refused", UsageError, "weights: the file is empty"),
        ("broken", FaultError, "no worker can be started"),
        ("dying", ClosedError, "no worker can be started"),
        ("missing", AptoneError, "cannot be loaded"),
    ],
)
def test_a_worker_that_cannot_begin_says_why(prepare: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        with_pool(pool_of(2, prepare=prepare), lambda pool: asyncio.sleep(0))


def test_a_pool_that_cannot_start_new_workers_refuses_and_recovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    block = tmp_path / "block"
    monkeypatch.setenv(BLOCK, str(block))

    async def use(pool: WorkerPool) -> None:
        block.touch()
        with pytest.raises(WorkerDiedError):
            await pool.perform("odd", {"what": "die"})
        with pytest.raises(ClosedError, match="no worker can be started at the moment"):
            await pool.perform("odd", {})
        assert pool.ready == 0
        block.unlink()
        await until(lambda: pool.ready == 1)
        assert process_of(await pool.perform("odd", {})) in pool.processes

    with_pool(pool_of(prepare="blocked"), use)
    assert "cannot start: blocked" in caplog.text


def test_workers_compute_on_one_thread_and_the_parent_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MKL_NUM_THREADS", "3")

    async def use(pool: WorkerPool) -> None:
        found = (await pool.perform("odd", {"what": "threads"})).reply["found"]
        assert isinstance(found, dict)
        assert (found["OMP_NUM_THREADS"], found["OPENBLAS_NUM_THREADS"], found["MKL_NUM_THREADS"]) == ("1", "1", "3")

    with_pool(pool_of(), use)
    assert "OMP_NUM_THREADS" not in os.environ


KILLED = """
import asyncio, sys
sys.path.insert(0, {root!r})
from aptone.view.workers import WorkerPool
from tests.view.odd_operations import operation

async def main():
    pool = WorkerPool(operation(), workers=2)
    await pool.start()
    asked = asyncio.ensure_future(pool.perform("odd", {{"what": "never end"}}))
    while not pool.under_way:
        await asyncio.sleep(0.01)
    print(*pool.processes, flush=True)
    {then}

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.parametrize(("then", "killed"), [("await asked", True), ("return", False), ("raise SystemExit", False)])
def test_workers_end_with_their_parent_however_it_ends(tmp_path: Path, then: str, killed: bool) -> None:
    script = tmp_path / "parent.py"
    script.write_text(KILLED.format(root=str(ROOT), then=then))
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    try:
        processes = [int(word) for word in parent.stdout.readline().split()]
        assert len(processes) == 2
        if killed:
            parent.kill()
        parent.wait(PATIENCE)
    finally:
        parent.kill()
        parent.stdout.close()
        parent.wait()
    for process in processes:
        wait_for(lambda process=process: is_gone(process))  # type: ignore[misc]


def test_real_operations_are_answered_in_a_worker_and_hostile_recordings_are_refused() -> None:
    clip = ClipFile("wall-apt.opus", (CLIPS / "wall-apt.opus").read_bytes())

    async def use(pool: WorkerPool) -> None:
        assert set(pool.configs) == {"score", "rank", "plan", "style", "caption", "hear"}
        answer = await pool.perform("score", {"audio": clip, "line": "Get out!", "plan": {"emotion": "fear"}})
        outcome: Any = answer.reply["outcome"]
        assert 0.0 <= outcome["scores"]["aptness"]["value"] <= 5.0
        ranked = await pool.perform("rank", {"clips": [clip, clip], "line": "Get out!"}, figures=True)
        assert len(ranked.figures) == 1
        for data in (b"", b"RIFF", clip.data[:500], os.urandom(5_000)):
            with pytest.raises(AptoneError, match=r"x\.wav"):
                await pool.perform("hear", {"audio": ClipFile("x.wav", data)})
        assert pool.restarts == 0

    with_pool(WorkerPool(find_operations()), use)
