"""What a run shows, to the letter."""

import io
import re

import pytest

from aptone.run import Silent, Tally, display_for
from aptone.run.progress import Bar, Lines, progress
from aptone.types import Entry, Outcome
from tests.run.run_steps import done, items


class Terminal(io.StringIO):
    """Text that claims to be a terminal."""

    def isatty(self) -> bool:
        """It is one, it says."""
        return True


def _entry(outcome: Outcome) -> Entry:
    return Entry(item=items(1)[0], outcome=outcome)


def test_a_tally_counts_states_and_costs() -> None:
    tally = Tally(total=9, before=2)
    assert tally.remarks() == ""
    tally.count([_entry(done()), _entry(Outcome.failed("down"))], 0.5)
    tally.count([_entry(Outcome.unscored("no number")), _entry(Outcome.failed("down"))], 0.75)
    assert (tally.now, tally.failed, tally.unscored, tally.cost) == (4, 2, 1, 1.25)
    assert tally.remarks() == "2 failed, 1 unscored, cost 1.25"


def test_lines_are_spoken_every_ten_seconds_and_at_the_end() -> None:
    stream, now = io.StringIO(), [100.0]
    lines = Lines(stream, label="score", clock=lambda: now[0])
    tally = Tally(total=12, before=2)
    lines.start(tally)
    now[0] = 104.0
    tally.count([_entry(done())] * 2, 0.0)
    lines.update(tally)  # 4 s after the last line: too soon
    now[0] = 110.0
    tally.count([_entry(done())] * 2 + [_entry(Outcome.failed("down"))], 0.125)
    lines.update(tally)  # 5 in 10 s, 12 - 2 - 5 = 5 left, at 0.5/s: 10 s
    now[0] = 119.0
    tally.count([_entry(Outcome.unscored("no number"))], 0.0)
    lines.update(tally)
    now[0] = 120.0
    tally.count([_entry(done())] * 4, 0.0)
    lines.update(tally)
    lines.stop(tally)
    assert stream.getvalue() == (
        "score: 2 done before, 10 to do\n"
        "score: 7/12, 0.5/s, 10 s left, 1 failed, cost 0.125\n"
        "score: 12/12, 0.5/s, 1 failed, 1 unscored, cost 0.125\n"
        "score: ended at 12/12, 0.5/s, 1 failed, 1 unscored, cost 0.125\n"
    )


def test_lines_of_an_input_without_length_speak_of_no_end() -> None:
    stream, now = io.StringIO(), [0.0]
    lines = Lines(stream, label="plan", every=1.0, clock=lambda: now[0])
    tally = Tally(total=None, before=3)
    lines.start(tally)
    lines.stop(tally)  # no time has passed: no rate can be told
    now[0] = 4.0
    tally.count([_entry(done())], 0.0)
    lines.update(tally)
    assert stream.getvalue() == "plan: 3 done before\nplan: ended at 3\nplan: 4, 0.2/s\n"


@pytest.mark.parametrize("label", ["score", "runs/[/b] {x} [red]"])
def test_a_bar_shows_label_count_rate_failures_and_cost(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TERM", "xterm")
    stream = Terminal()
    bar = Bar(stream, label=label)
    tally = Tally(total=8, before=2)
    bar.start(tally)
    tally.count([_entry(done()), _entry(Outcome.failed("down"))], 0.5)
    bar.update(tally)
    tally.count([_entry(done())] * 4, 0.5)
    bar.stop(tally)
    drawn = [line for line in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue()).split("\n") if line.strip()]
    last = drawn[-1]
    for words in (label, "8/8", "0:00:00", "1 failed, cost 1"):
        assert words in last
    assert re.search(r" \d+\.\d/s ", last)


def test_a_terminal_gets_a_bar_and_everything_else_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(display_for(Terminal(), label="score"), Bar)
    assert isinstance(display_for(io.StringIO(), label="score"), Lines)
    monkeypatch.setattr("sys.stderr", Terminal())
    assert isinstance(display_for(label="score"), Bar)


def test_silence_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    silent, tally = Silent(), Tally(total=1, before=0)
    silent.start(tally)
    silent.update(tally)
    silent.stop(tally)
    assert capsys.readouterr() == ("", "")


class Remembering:
    """A display that remembers how it was called."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def start(self, tally: Tally) -> None:
        self.calls.append(("start", tally.now))

    def update(self, tally: Tally) -> None:
        self.calls.append(("update", tally.now))

    def stop(self, tally: Tally) -> None:
        self.calls.append(("stop", tally.now))


def test_a_loop_that_breaks_off_stops_its_display() -> None:
    display = Remembering()

    def loop() -> None:
        with progress(display, total=3) as advance:
            advance()
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        loop()
    assert display.calls == [("start", 0), ("update", 1), ("stop", 1)]
