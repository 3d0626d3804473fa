"""Threads that nobody waits for."""

import subprocess
import sys
import threading
import time

import pytest

from aptone.run.executors.local import DaemonThreads
from tests.run.run_steps import PATIENCE, wait_until


def _power(base: int, *, exponent: int) -> int:
    return int(base**exponent)


def test_results_and_errors_come_back() -> None:
    threads = DaemonThreads(2)
    assert threads.submit(divmod, 7, 2).result(PATIENCE) == (3, 1)
    assert threads.submit(_power, 2, exponent=5).result(PATIENCE) == 32
    with pytest.raises(ZeroDivisionError):
        threads.submit(divmod, 7, 0).result(PATIENCE)
    threads.shutdown()


def test_no_more_functions_run_at_once_than_there_are_threads() -> None:
    threads, lock, inside, most = DaemonThreads(3), threading.Lock(), 0, 0
    three = threading.Barrier(3)

    def work() -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        three.wait(PATIENCE)  # twelve in threes: all three threads work at once, four times
        with lock:
            inside -= 1

    for future in [threads.submit(work) for _ in range(12)]:
        future.result(PATIENCE)
    threads.shutdown()
    assert most == 3


def test_what_is_cancelled_before_it_starts_does_not_run() -> None:
    threads, gate, ran = DaemonThreads(1), threading.Event(), list[int]()
    first = threads.submit(gate.wait, PATIENCE)
    second = threads.submit(ran.append, 1)
    assert second.cancel()
    gate.set()
    assert first.result(PATIENCE)
    assert threads.submit(len, ran).result(PATIENCE) == 0
    threads.shutdown()


def test_threads_end_after_shutdown() -> None:
    before = threading.active_count()
    threads = DaemonThreads(3)
    for _ in range(5):
        threads.submit(time.sleep, 0.0).result(PATIENCE)
    threads.shutdown()
    wait_until(lambda: threading.active_count() <= before)
    assert threading.active_count() <= before


def test_a_process_does_not_wait_for_them_to_exit() -> None:
    program = (
        "import time\nfrom aptone.run.executors.local import DaemonThreads\nDaemonThreads(1).submit(time.sleep, 600)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=PATIENCE)  # half of what the thread sleeps
