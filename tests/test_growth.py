"""What is linear is called linear and what is quadratic is not, on a clock of the test's own."""

import time

import pytest

from tests.growth import TIMES, TRIES, grows_linearly
from tests.tables import for_each


class Clock:
    """A processor on which a piece takes a hundredth of a second times so many others."""

    def __init__(self, power: float, *, delays: int = 0) -> None:
        self.now, self.measured = 0.0, 0
        self._power, self._delays = power, delays

    def work(self, count: int) -> None:
        self.measured += 1
        self.now += 0.01 * count**self._power
        if count > 10 and self._delays > 0:  # somebody else had the processor's caches
            self.now += 100.0
            self._delays -= 1


@for_each("power", [0.0, 1.0])
def test_linear_work_is_found_linear_at_once(power: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(power)
    monkeypatch.setattr(time, "process_time", lambda: clock.now)
    assert grows_linearly(clock.work, 10)
    assert clock.measured == 2


@for_each("power", [2.0, 3.0])
def test_quadratic_work_is_measured_again_and_found_quadratic(power: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(power)
    monkeypatch.setattr(time, "process_time", lambda: clock.now)
    assert TIMES**power > 3 * TIMES
    assert not grows_linearly(clock.work, 10)
    assert clock.measured == 2 * TRIES


def test_a_delay_does_not_make_linear_work_quadratic(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(1.0, delays=TRIES - 1)
    monkeypatch.setattr(time, "process_time", lambda: clock.now)
    assert grows_linearly(clock.work, 10)
    assert clock.measured == 2 * TRIES
