"""Signals, sent to real processes: the first ends a run cleanly, the second at once."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aptone.run import load_run, run_items
from aptone.types import State
from tests.run.run_steps import CONFIG, PATHS, PATIENCE, items, score_number, wait_until

PROGRAM = '''
import asyncio, signal, sys, time
from pathlib import Path
from tests.run.run_steps import CONFIG, done, items
from aptone.run import InProcess, Processes, run_items
from aptone.run.runner import _Session

folder, way, seconds = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])

wind_up = _Session.wind_up

def noted(session):
    """Winds up, and says so once the handler of the signal is through."""
    wind_up(session)
    mark = folder.parent / "winding-up"
    if way == "notebook":  # in its own thread, whose loop waits
        mark.touch()
    else:
        asyncio.get_running_loop().call_soon(mark.touch)

_Session.wind_up = noted

class Slow:
    """Takes its time, and says when it begins."""

    def __call__(self, item, call):
        (folder.parent / f"begun-{item.id}").touch()
        time.sleep(seconds)
        return done()

async def slow(item, call):
    (folder.parent / f"begun-{item.id}").touch()
    await asyncio.sleep(seconds)
    return done()

def go():
    executor = Processes(2) if way == "processes" else InProcess(2)
    step = slow if way == "coroutine" else Slow()
    ended = run_items(items(200), step, folder=folder, config=CONFIG, executor=executor)
    print("ended", ended.stopped, flush=True)

async def in_a_notebook():
    go()

if __name__ == "__main__":
    # As in a terminal: a shell that runs the tests in the background has its children ignore Ctrl-C.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if way.startswith("notebook"):
        # As a notebook's kernel does it; asyncio.run would take the first Ctrl-C for itself.
        asyncio.new_event_loop().run_until_complete(in_a_notebook())
    else:
        go()
'''


class Child:
    """The program above in a process group of its own, as a shell starts it."""

    def __init__(self, folder: Path, way: str, *, seconds: float) -> None:
        script = folder.parent / "program.py"
        script.write_text(PROGRAM)
        self._folder = folder
        environment = {**os.environ, "PYTHONPATH": PATHS}
        self.process = subprocess.Popen(
            [sys.executable, str(script), str(folder), way, str(seconds)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )

    def wait_for(self, begun: int) -> None:
        """Until so many items have begun."""
        self._wait_until(lambda: len(list(self._folder.parent.glob("begun-*"))) >= begun)

    def interrupt(self, number: signal.Signals, *, everybody: bool) -> None:
        """Send the first signal, and wait until it was heard: a second one before that would be the same one."""
        (os.killpg if everybody else os.kill)(self.process.pid, number)
        self._wait_until((self._folder.parent / "winding-up").exists)

    def _wait_until(self, met: Callable[[], bool]) -> None:
        def met_or_over() -> bool:
            assert self.process.poll() is None, self.process.communicate()
            return met()

        wait_until(met_or_over)

    def send(self, number: signal.Signals) -> None:
        """To the whole group, as Ctrl-C does."""
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """Whatever is left of it, so that a failed test leaves nothing behind."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def end(self) -> tuple[int, str]:
        """Its exit status and what it printed."""
        output, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, output


Start = Callable[..., Child]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts children, and ends them after the test."""
    children: list[Child] = []

    def begin(folder: Path, way: str, *, seconds: float) -> Child:
        children.append(Child(folder, way, seconds=seconds))
        return children[-1]

    yield begin
    for child in children:
        child.kill()


@pytest.mark.parametrize("way", ["plain", "coroutine", "processes", "notebook"])
def test_one_interrupt_finishes_what_is_under_way_and_the_run_can_be_resumed(
    start: Start, tmp_path: Path, way: str
) -> None:
    child = start(tmp_path / "run", way, seconds=0.2)
    child.wait_for(begun=4)
    child.send(signal.SIGINT)
    assert child.end() == (0, "ended interrupted\n")
    begun = {path.name.removeprefix("begun-") for path in tmp_path.glob("begun-*")}
    entries = load_run(tmp_path / "run").entries
    assert {entry.item.id for entry in entries} == begun, "all that was begun is journalled"
    assert {entry.outcome.state for entry in entries} == {State.DONE}
    assert 4 <= len(begun) < 200
    assert run_items(items(200), score_number, folder=tmp_path / "run", config=CONFIG).worked == 200 - len(begun)


def test_a_request_to_terminate_ends_a_run_as_cleanly(start: Start, tmp_path: Path) -> None:
    child = start(tmp_path / "run", "plain", seconds=0.2)
    child.wait_for(begun=4)
    os.kill(child.process.pid, signal.SIGTERM)
    assert child.end() == (0, "ended interrupted\n")
    assert len(load_run(tmp_path / "run").entries) == len(list(tmp_path.glob("begun-*")))


@pytest.mark.parametrize("way", ["plain", "coroutine", "processes", "notebook"])
def test_the_second_interrupt_ends_a_run_at_once_and_the_run_can_be_resumed(
    start: Start, tmp_path: Path, way: str
) -> None:
    child = start(tmp_path / "run", way, seconds=2 * PATIENCE)
    child.wait_for(begun=2)
    child.interrupt(signal.SIGINT, everybody=True)
    time.sleep(0.2)
    assert child.process.poll() is None, "the first one waits for what is under way"
    child.send(signal.SIGINT)
    status, output = child.end()
    assert status in (-signal.SIGINT, 130, 1)
    assert output == ""
    assert load_run(tmp_path / "run").entries == ()
    assert run_items(items(3), score_number, folder=tmp_path / "run", config=CONFIG).worked == 3


def test_the_second_request_to_terminate_ends_a_run_at_once(start: Start, tmp_path: Path) -> None:
    child = start(tmp_path / "run", "plain", seconds=2 * PATIENCE)
    child.wait_for(begun=2)
    child.interrupt(signal.SIGTERM, everybody=False)
    time.sleep(0.2)
    assert child.process.poll() is None
    os.kill(child.process.pid, signal.SIGTERM)
    assert child.end() == (-signal.SIGTERM, "")
