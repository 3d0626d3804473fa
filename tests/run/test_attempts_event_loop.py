"""A coroutine runs to its end, with or without a loop around it."""

import asyncio

import pytest

from aptone.run.attempts import run_to_the_end


async def _answer() -> int:
    await asyncio.sleep(0)
    return 42


async def _fail() -> int:
    raise KeyError("inside")


def test_without_a_loop_it_just_runs() -> None:
    assert run_to_the_end(_answer()) == 42
    with pytest.raises(KeyError):
        run_to_the_end(_fail())


def test_within_a_loop_it_runs_as_well() -> None:
    async def notebook() -> int:
        return run_to_the_end(_answer())

    async def failing_notebook() -> int:
        return run_to_the_end(_fail())

    assert asyncio.run(notebook()) == 42
    with pytest.raises(KeyError):
        asyncio.run(failing_notebook())


class Interrupts:
    """Stands in for `wait`: raises KeyboardInterrupt the first times, as Ctrl-C does, and then waits."""

    def __init__(self, times: int, monkeypatch: pytest.MonkeyPatch) -> None:
        from concurrent.futures import wait

        self._wait = wait
        self._left = times
        monkeypatch.setattr("aptone.run.attempts.wait", self)

    def __call__(self, futures: list[object]) -> object:
        """Wait, or be interrupted."""
        if self._left:
            self._left -= 1
            raise KeyboardInterrupt
        return self._wait(futures)  # type: ignore[arg-type]


def test_the_first_interrupt_winds_up_and_gives_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    winding: list[bool] = []

    async def until_told() -> str:
        while not winding:
            await asyncio.sleep(0.01)
        return "wound up"

    async def notebook() -> str:
        return run_to_the_end(until_told(), wind_up=lambda: winding.append(True))

    Interrupts(1, monkeypatch)
    assert asyncio.run(notebook()) == "wound up"


@pytest.mark.parametrize("interrupts", [1, 2])
def test_the_last_interrupt_cancels(monkeypatch: pytest.MonkeyPatch, interrupts: int) -> None:
    cancelled: list[bool] = []

    async def forever() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    async def notebook() -> None:
        if interrupts == 1:
            run_to_the_end(forever())
        else:
            run_to_the_end(forever(), wind_up=lambda: None)

    Interrupts(interrupts, monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(notebook())
    assert cancelled == [True]
