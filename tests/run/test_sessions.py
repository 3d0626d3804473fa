"""Whatever happens in however many sessions: in the end there is one entry that counts for each item."""

import asyncio
import random
from pathlib import Path

import pytest

from aptone.errors import TransientError, UnusableReplyError
from aptone.run import Budget, Call, InProcess, RetryPolicy, load_run, read_journal, run_items
from aptone.types import Item, Outcome, State
from tests.run.run_steps import CONFIG, done, items, number_of, score_number
from tests.tables import for_each


class KilledError(BaseException):
    """Breaks through everything, as a kill does."""


class Fate:
    """A step that does what the dice say, and remembers what it did to whom."""

    def __init__(self, dice: random.Random, *, calm: bool) -> None:
        self.executed: list[str] = []
        self._dice = dice
        self._calm = calm

    async def __call__(self, item: Item, call: Call) -> Outcome:
        """Done, unscored, failed in three ways, or killed."""
        self.executed.append(item.id)
        await asyncio.sleep(self._dice.choice([0.0, 0.0, 0.001]))
        chance = 1.0 if self._calm else self._dice.random()
        if chance < 0.04:
            raise KilledError
        if chance < 0.14:
            raise TransientError("busy")
        if chance < 0.24:
            raise ValueError("bug")
        if chance < 0.30:
            raise UnusableReplyError("no score", raw_reply="?")
        return done(float(number_of(item)))


@pytest.mark.slow
@for_each("seed", range(12))
def test_random_sessions_end_with_one_entry_that_counts_for_each_item(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    journal = tmp_path / "journal.jsonl"
    finished: dict[str, Outcome] = {}
    sessions = 0
    while len(finished) < 25:
        sessions += 1
        step = Fate(dice, calm=sessions > 30)
        limit = dice.choice([None, None, 3, 10])
        budget = Budget(max_items=3 if sessions == 1 else limit)  # threads share the dice: the first never does all
        executor = InProcess(dice.choice([1, 2, 5]))
        retry = RetryPolicy(attempts=dice.choice([1, 2]), first_wait=0.0)
        try:
            run_items(items(25), step, folder=tmp_path, config=CONFIG, executor=executor, retry=retry, budget=budget)
        except KilledError:
            if dice.random() < 0.5 and journal.stat().st_size:  # the kill hit a write: part of one more line is there
                with journal.open("ab") as file:
                    file.write(journal.read_bytes().splitlines()[0][: dice.randrange(1, 200)])
        assert not finished.keys() & set(step.executed), "what was journalled as done or unscored is never done again"
        run_now = load_run(tmp_path)
        keys = [entry.item.id for entry in run_now.entries]
        assert len(keys) == len(set(keys))
        now = {e.item.id: e.outcome for e in run_now.entries if e.outcome.state is not State.FAILED}
        assert now.items() >= finished.items(), "nothing is lost or changed"
        finished = now
    assert sorted(finished) == sorted(item.id for item in items(25))
    assert run_items(items(25), Fate(dice, calm=False), folder=tmp_path, config=CONFIG).worked == 0
    lines = list(read_journal(journal))
    counting = [entry for entry in lines if entry.outcome.state is not State.FAILED]
    assert len(counting) == 25, "no item has two lines that count"
    assert sessions > 1


def test_items_that_a_shorter_input_leaves_over_are_named(tmp_path: Path) -> None:
    first = run_items(items(5), score_number, folder=tmp_path, config=CONFIG, repeats=2)
    assert first.left_over == ()
    second = run_items(iter([items(5)[3], *items(1)]), score_number, folder=tmp_path, config=CONFIG)
    assert (second.worked, second.left_over) == (0, ("i1", "i2", "i4"))
    assert len(second.run.entries) == 10, "they are still part of the run"
    third = run_items(items(9)[3:], score_number, folder=tmp_path, config=CONFIG, budget=Budget(max_items=1))
    assert (third.stopped, third.left_over) == ("--max-items 1 reached", ()), "the input was not read to its end"
