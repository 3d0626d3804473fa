"""Kill a run at random moments and resume it: is anything lost, doubled or damaged, or left behind?

For each way to work (in this process, coroutines side by side, two processes), a child process runs a few milliseconds
of work on each item and is killed with SIGKILL again and again: while it starts, while it works and writes, and while
it ends. Each execution of an item is noted in a file of its own, on the disk before the work begins. After every kill
the journal is read; what stands in it must never be executed again.

A fourth variant asks a model through the reply cache, one reply an item at a cost of 1, noted on the disk after it was
made and before it is given back. At the end the costs in the journal must add up to the replies in the cache, and no
reply that a killed process left in the cache may be asked for again. One window stays, which nothing on this side can
close: a kill between the reply and the commit of the cache loses a reply that was paid for. Those are counted, too.

Usage::

    python benchmarks/kill_resume.py [--items 200] [--kills 25] [--output benchmarks/results/kill_resume.json]

It exits with 1 and says what went wrong if a promise of the runner was broken. It needs a POSIX system.
"""

import argparse
import asyncio
import json
import os
import platform
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from aptone.run import AnyStep, Call, Executor, InProcess, Processes, Reply, ReplyCache, Request, RunConfig
from aptone.run.journal import read_journal
from aptone.run.runner import run_items
from aptone.types import Item, Outcome, Score, State

STEP_SECONDS = {"in-process": 0.003, "coroutines-8": 0.02, "processes-2": 0.003, "asking-8": 0.02}
VARIANTS = tuple(STEP_SECONDS)
WIDTH = 8  # coroutines side by side
PATIENCE = 300.0
"""Seconds after which a child that neither gets on nor ends counts as stuck."""
FAREWELL = 60.0
"""Seconds after which a worker whose parent was killed counts as left behind."""
AHEAD = 8
"""Items that a child may get ahead of the moment at which it is to be killed, before it waits for that."""


@dataclass(frozen=True, slots=True)
class Findings:
    """Findings of one variant.

    Args:
        items: items of the run.
        kills: kills that were sent.
        hits: kills that hit a live process.
        hits_by_moment: the same, by what the process was doing.
        executions: executions of items, all sessions together.
        executed_again_under_way: executions of items that a kill had cut off before they were journalled.
        executed_again_after_journalled: executions of items that the journal held already; the promise is 0.
        torn_lines: kills after which the last line of the journal was not whole.
        journal_lines: whole lines in the journal at the end.
        distinct_results: items with a result at the end.
        orphans: processes that were left a while after their parent was killed; the promise is 0.
        slowest_farewell: seconds until the last worker was gone, in the worst case.
        seconds: time it all took.
        money: where the step asks a model, how many replies were made, are kept in the cache at the end, and stand in
            the journal as costs (the promise is as many as kept); how many were cut off by a kill between the cache and
            the journal; how many were made again although the cache had them (the promise is 0), or because a kill came
            before it had them.
    """

    items: int
    kills: int
    hits: int
    hits_by_moment: dict[str, int]
    executions: int
    executed_again_under_way: int
    executed_again_after_journalled: int
    torn_lines: int
    journal_lines: int
    distinct_results: int
    orphans: int
    slowest_farewell: float
    seconds: float
    money: dict[str, float]

    def broken_promises(self) -> list[str]:
        """List the violated promises in words; empty when all is well."""
        checks = {
            f"{self.distinct_results} of {self.items} items have a result": self.distinct_results == self.items,
            f"{self.journal_lines} lines for {self.items} items": self.journal_lines == self.items,
            f"{self.executed_again_after_journalled} executions of what was journalled": (
                self.executed_again_after_journalled == 0
            ),
            f"{self.orphans} processes left behind": self.orphans == 0,
            f"only {self.hits} of {self.kills} kills hit": self.hits >= 0.8 * self.kills,
        }
        if money := self.money:
            checks |= {
                f"costs of {money['journalled']:g} for {money['kept']} replies": money["journalled"] == money["kept"],
                f"{money['made_again']} replies paid twice": money["made_again"] == 0,
                f"{money['lost']} replies lost": 0 <= money["lost"] <= WIDTH * self.hits,
                "no kill came between a reply and its journal line": money["cut_off"] > 0 or self.hits < 10,
            }
        return [words for words, kept in checks.items() if not kept]


class Noted:
    """A few milliseconds of work, noted on the disk before it begins."""

    def __init__(self, folder: Path, *, seconds: float, hold: int) -> None:
        self._folder = folder
        self._seconds = seconds
        self._hold = hold

    def __call__(self, item: Item, call: Call) -> Outcome:
        """The work as a plain function."""
        self.note(item)
        time.sleep(self.takes(item))
        return _outcome()

    def takes(self, item: Item) -> float:
        """Seconds that the work takes; from the held item on, until the kill comes, however late its sender is."""
        return self._seconds if int(str(item.payload["number"])) < self._hold else PATIENCE

    def note(self, item: Item, *, log: str = "executions.log") -> None:
        """Write the id of the item and wait until it is on the disk."""
        descriptor = os.open(self._folder / log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(descriptor, f"{item.id}\n".encode())
        os.fsync(descriptor)
        os.close(descriptor)


class NotedCoroutine(Noted):
    """The same as a coroutine."""

    async def __call__(self, item: Item, call: Call) -> Outcome:  # type: ignore[override]
        """The work as a coroutine."""
        self.note(item)
        await asyncio.sleep(self.takes(item))
        return _outcome()


class Asking(Noted):
    """A coroutine that asks for one reply, and takes its time before and after it has it."""

    async def __call__(self, item: Item, call: Call) -> Outcome:  # type: ignore[override]
        """The work as a coroutine."""
        self.note(item)

        async def send(seed: int) -> Reply:
            await asyncio.sleep(self.takes(item) / 2)
            self.note(item, log="replies.log")
            return Reply("1", cost=1.0)

        await call.ask(Request("m", item.id), send, float)
        await asyncio.sleep(self.takes(item) / 2)
        return _outcome()


STEPS = {"in-process": Noted, "coroutines-8": NotedCoroutine, "processes-2": Noted, "asking-8": Asking}


def _outcome() -> Outcome:
    return Outcome(State.DONE, scores={"aptness": Score(1.0)})


def work(folder: Path, variant: str, count: int, hold: int) -> None:
    """Run in the child, from the beginning or from where it was."""
    step: AnyStep = STEPS[variant](folder, seconds=STEP_SECONDS[variant], hold=hold)
    executor: Executor = (
        Processes(2) if variant == "processes-2" else InProcess(1 if variant == "in-process" else WIDTH)
    )
    items = [Item.make(f"item-{number}", {"number": number}, position=number) for number in range(count)]
    config = RunConfig(verb="benchmark", engine="none", settings={"variant": variant})
    cache = folder / "cache.sqlite" if variant == "asking-8" else None
    run_items(items, step, folder=folder / "run", config=config, executor=executor, cache=cache)


class Child:
    """A child process that works, in a process group of its own so that its workers can be found."""

    def __init__(self, folder: Path, variant: str, count: int, *, hold: int) -> None:
        command = [sys.executable, __file__, "--child", str(folder), "--variant", variant, "--items", str(count)]
        command += ["--hold", str(hold)]
        self._complaints = folder / "stderr.txt"  # multiprocessing remarks on the semaphores of a killed parent
        with self._complaints.open("w") as file:
            self._process = subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL, stderr=file)
        self.started = time.monotonic()

    @property
    def alive(self) -> bool:
        """Return True if it has not ended yet."""
        return self._process.poll() is None

    def kill(self) -> bool:
        """SIGKILL for the parent alone, as when memory runs out; whether that hit a live process."""
        self._process.send_signal(signal.SIGKILL)
        return self._process.wait(PATIENCE) == -signal.SIGKILL

    def finish(self) -> None:
        """Wait until it ends by itself."""
        if self._process.wait(PATIENCE) != 0:
            said = self._complaints.read_text()
            raise RuntimeError(f"a session ended with status {self._process.returncode}: {said}")

    def wait_for_workers(self) -> tuple[int, float]:
        """Count its workers that are left after some seconds (they are then killed), and return the time it took."""
        begun = time.monotonic()
        while members := _group(self._process.pid):
            if time.monotonic() - begun > FAREWELL:
                os.killpg(self._process.pid, signal.SIGKILL)
                break
            time.sleep(0.02)
        return len(members), time.monotonic() - begun


def _group(leader: int) -> list[int]:
    listing = subprocess.run(["ps", "-A", "-o", "pid=,pgid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    return [int(pid) for pid, group, state in rows if int(group) == leader and not state.startswith("Z")]


def measure(variant: str, *, count: int, kills: int, seed: int, folder: Path) -> Findings:
    """Kill and resume one variant, then let it end, and count."""
    dice = random.Random(f"{variant}-{seed}")
    journal, log, replies = folder / "run" / "journal.jsonl", folder / "executions.log", folder / "replies.log"
    hits: Counter[str] = Counter()
    doubled = torn = orphans = cut_off = paid_twice = 0
    farewell = 0.0
    begun = time.monotonic()
    moments = _moments(kills, dice)
    share = count // (2 * moments.count("working") + 1)  # so that the early kills leave work for the later ones
    reached = count - moments.count("ending")
    for moment in [*moments, ""]:
        # Each session that is to be killed at its end gets one more item, so that it has worked when it ends.
        reached += moment == "ending"
        journalled = {entry.item.id for entry in read_journal(journal)}
        kept = _kept(folder / "cache.sqlite", reached)
        cut_off += len(kept - journalled)
        executed_before, replied_before = len(_noted(log)), len(_noted(replies))
        target = min(len(journalled) + dice.randint(1, max(1, share)), reached - 1) if moment == "working" else reached
        hold = min(target + AHEAD, reached - 1) if moment in ("starting", "working") else reached
        child = Child(folder, variant, reached, hold=hold)
        if moment:
            _wait_for(moment, child, journal, dice, target=target)
            hits[moment] += child.kill()
        else:
            child.finish()
        left, seconds = child.wait_for_workers()
        orphans += left
        farewell = max(farewell, seconds) if moment else farewell
        doubled += sum(name in journalled for name in _noted(log)[executed_before:])
        paid_twice += sum(name in kept for name in _noted(replies)[replied_before:])
        torn += journal.exists() and not journal.read_bytes().endswith(b"\n") and journal.stat().st_size > 0
    lines = [entry.item.id for entry in read_journal(journal)]
    executions = _noted(log)
    made = len(_noted(replies))
    kept = _kept(folder / "cache.sqlite", count)
    money = {
        "made": made,
        "kept": len(kept),
        "journalled": sum(entry.cost for entry in read_journal(journal)),
        "cut_off": cut_off,
        "made_again": paid_twice,
        "lost": made - len(kept) - paid_twice,
    }
    return Findings(
        items=count,
        kills=kills,
        hits=hits.total(),
        hits_by_moment={moment: hits[moment] for moment in ("starting", "working", "ending")},
        executions=len(executions),
        executed_again_under_way=len(executions) - len(set(executions)) - doubled,
        executed_again_after_journalled=doubled,
        torn_lines=torn,
        journal_lines=len(lines),
        distinct_results=len(set(lines)),
        orphans=orphans,
        slowest_farewell=round(farewell, 2),
        seconds=round(time.monotonic() - begun, 1),
        money=money if made else {},
    )


def _moments(kills: int, dice: random.Random) -> list[str]:
    """A quarter while starting, a fifth while ending, the rest while working; those while ending come last."""
    starting, ending = kills // 4, kills // 5
    early = ["starting"] * starting + ["working"] * (kills - starting - ending)
    dice.shuffle(early)
    return early + ["ending"] * ending


def _wait_for(moment: str, child: Child, journal: Path, dice: random.Random, *, target: int) -> None:
    """Wait until a random moment of the given kind."""
    if moment == "starting":
        time.sleep(dice.uniform(0.0, 0.5))
        return
    while child.alive and _lines(journal) < target:
        if time.monotonic() - child.started > PATIENCE:
            raise RuntimeError(f"a session has not journalled {target} items within {PATIENCE:g} seconds.")
        time.sleep(0.001)
    time.sleep(dice.uniform(0.0, 0.012))  # a few steps long: writes, waits for the disk, and the moments between


def _lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def _kept(path: Path, count: int) -> set[str]:
    """Items whose reply is in the cache."""
    if not path.exists():
        return set()
    cache, names = ReplyCache(path), [f"item-{number}" for number in range(count)]
    found = {name for name in names if cache.get(Request("m", name).key(seed=0, repeat=0, attempt=0)) is not None}
    cache.close()
    return found


def _noted(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def main() -> None:
    """Measure all variants, print the findings and write them down."""
    parser = argparse.ArgumentParser(description="Kill a run at random moments and resume it.")
    parser.add_argument("--items", type=int, default=200)
    parser.add_argument("--kills", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "kill_resume.json")
    parser.add_argument("--variant", choices=VARIANTS, help="only this one")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--hold", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        work(options.child, options.variant, options.items, options.hold)
        return
    findings: dict[str, Findings] = {}
    for variant in [options.variant] if options.variant else VARIANTS:
        with tempfile.TemporaryDirectory() as folder:
            arguments = {"count": options.items, "kills": options.kills, "seed": options.seed}
            findings[variant] = measure(variant, folder=Path(folder), **arguments)
        print(f"{variant}: {asdict(findings[variant])}")
    problems = [f"{variant}: {words}" for variant, found in findings.items() for words in found.broken_promises()]
    result = {
        "seed": options.seed,
        "step_seconds": STEP_SECONDS,
        "python": platform.python_version(),
        "system": platform.system(),
        "variants": {variant: asdict(found) for variant, found in findings.items()},
        "broken_promises": problems,
    }
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(result, indent=2) + "\n")
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
