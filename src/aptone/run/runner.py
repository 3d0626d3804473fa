"""Any step over any items, journalled: kill it at any moment, run it again, and it goes on where it was."""

import asyncio
import contextlib
import itertools
import signal
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path

from aptone.errors import RecordError, RunError
from aptone.messages import message
from aptone.run.attempts import Performer, RetryPolicy, Work, run_to_the_end
from aptone.run.consent import ALLOW_REMOTE, ask_consent
from aptone.run.entries import digest
from aptone.run.executors.local import Executor, InProcess
from aptone.run.folder import Run, RunConfig, RunFolder
from aptone.run.hooks import Hook, HookCalls
from aptone.run.progress import Budget, Display, Silent, Spending, Tally, countable
from aptone.run.step import AnyStep, BatchStep
from aptone.types import Entry, Item, from_json
from aptone.types.codec import encode

INTERRUPTED = message("run.interrupted")
MOST_MOVED = 256
"""Entries under new names that are held before they are written."""
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)

UnderWay = dict[asyncio.Task[list[Entry]], Sequence[Work]]


@dataclass(frozen=True, slots=True)
class Ended:
    """Result of a session of a run.

    Args:
        stopped: reason why it ended before the last item; empty when it did not.
        left_over: ids of items in the folder that the input did not name, in the order of the journal. They are still
            part of the run. Known only when the input was read to its end; else empty.
        hook_problems: errors of hooks, each with the hook that was not called again.
    """

    run: Run
    worked: int
    stopped: str
    left_over: tuple[str, ...] = ()
    hook_problems: tuple[str, ...] = ()


def run_items(
    items: Iterable[Item],
    step: AnyStep,
    *,
    folder: str | Path,
    config: RunConfig,
    executor: Executor | None = None,
    cache: Path | None = None,
    repeats: int = 1,
    retry: RetryPolicy | None = None,
    budget: Budget | None = None,
    display: Display | None = None,
    hooks: Sequence[Hook] = (),
    sync_interval: float = 0.0,
    allow_remote: bool = False,
) -> Ended:
    """Do a step on every item that is not done yet, and keep a journal of it.

    Items that are done or unscored are not done again; failed ones are. One whose content is the same, but whose files
    lie elsewhere now, is written down with its new place. The folder is locked meanwhile.

    Args:
        items: the work; it may be a generator and is read as work is begun. Ids must differ.
        step: step to perform, a plain function or a coroutine function, or a `BatchStep`.
        config: settings that the scores depend on; resuming with another one is refused.
        executor: executor of the work; by default in this process, one item at a time.
        cache: file of the reply cache; ``None`` for none.
        repeats: number of repeats of each item; more than 1 measures how far a judge agrees with itself.
        display: display of progress; by default none.
        hooks: observers; one that raises is reported in the result and not called again.
        sync_interval: seconds that journal lines may wait to be synced together; 0 syncs each. Items of at most that
            time are lost, and done again by the next session, if the machine dies. Progress and hooks are not told of
            an item before its line is synced.
        allow_remote: whether recordings may go to the machines that the step names (`about.sends_audio_to`), beyond
            those in ``config.consent``; else the user is asked.

    Raises:
        RunError: if the folder or the cache cannot be used, two items have one id, or an item has changed since it was
            done.
        RecordError: if an item holds what a journal cannot, for instance an infinite number.
        UsageError: if the executor cannot send the step to its workers, or the user does not agree to where it sends
            recordings.
        ValueError: if `repeats` or the batch size of the step is less than 1.
    """
    batch_size = step.batch_size if isinstance(step, BatchStep) else 1
    if repeats < 1:
        raise ValueError(f"an item is done at least once, got {repeats} repeats.")
    if batch_size < 1:
        raise ValueError(f"a batch holds at least one item, got a step with batches of {batch_size}.")
    path = Path(folder)
    machines = getattr(getattr(step, "about", None), "sends_audio_to", ())
    if new := set(machines) - set(config.consent):
        clips = len(items) if isinstance(items, Sized) else None
        given = ask_consent(sorted(new), clips=clips, folder=path, agreed=allow_remote, option=ALLOW_REMOTE)
        config = replace(config, consent=tuple(sorted({*config.consent, *given})))
    if isinstance(items, Sized):
        config = replace(config, expected=len(items))
    with RunFolder(path, config, sync_interval=sync_interval) as opened:
        session = _Session(
            folder=opened,
            executor=executor or InProcess(),
            spending=Spending(budget or Budget()),
            display=display or Silent(),
            batch_size=batch_size,
            hooks=HookCalls(hooks),
        )
        total = len(items) * repeats if isinstance(items, Sized) else None
        performer = Performer(step, retry=retry or RetryPolicy(), seed=config.seed, run_id=opened.config.run_id)
        driving = session.drive(items, performer, cache=cache, repeats=repeats, total=total)
        stopped = run_to_the_end(driving, wind_up=session.wind_up)
    return Ended(
        run=opened.run(),
        worked=session.spending.finished,
        stopped=stopped,
        left_over=session.left_over(),
        hook_problems=tuple(session.hooks.problems),
    )


class _Session:
    """One sitting of a run: what is done, what is under way, what was spent."""

    def __init__(
        self,
        *,
        folder: RunFolder,
        executor: Executor,
        spending: Spending,
        display: Display,
        batch_size: int,
        hooks: HookCalls,
    ) -> None:
        self.spending = spending
        self.hooks = hooks
        self._unsynced: list[tuple[list[Entry], float]] = []
        self._folder = folder
        self._executor = executor
        self._display = display
        self._batch_size = batch_size
        self._known = folder.known_items()
        self._seen: set[bytes] = set()
        self._moved: list[Entry] = []
        self._all_seen = False
        self._stopped = ""
        self._broken: Exception | None = None
        spending.cost_before = self._known.cost
        spending.paid_before = self._known.paid

    def wind_up(self) -> None:
        """Begin nothing more; what is under way is finished."""
        self._stopped = INTERRUPTED

    def left_over(self) -> tuple[str, ...]:
        """Ids that earlier sessions worked on and the input did not name; empty if it was not read to its end."""
        if not self._all_seen:
            return ()
        return tuple(self._known.unseen())

    async def drive(
        self, items: Iterable[Item], performer: Performer, *, cache: Path | None, repeats: int, total: int | None
    ) -> str:
        tally = Tally(total=total, before=self._done_before(items, repeats, total))
        batches = _Batches(self._todo(items, repeats))
        under_way: UnderWay = {}
        begun_at = time.monotonic()
        self._executor.start(performer, cache=cache)
        self._display.start(tally)
        self.hooks.on_start(self._folder.config, self._folder.path)
        try:
            with self._interruptible():
                while True:
                    self._begin(batches, under_way, begun_at)
                    self._write_moved()
                    if not under_way:
                        break
                    wait = self._folder.journal.sync_interval if self._unsynced else None
                    finished, _ = await asyncio.wait(under_way, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                    if finished:
                        self._write_down(finished, under_way)
                    else:
                        self._folder.journal.sync()
                    self._acknowledge(tally)
                if self._unsynced:
                    self._folder.journal.sync()
                    self._acknowledge(tally)
        finally:
            for task in under_way:
                task.cancel()
            self._executor.close()
            self._display.stop(tally)
            self.hooks.on_end(self._stopped)
        if self._broken is not None:
            raise self._broken
        return self._stopped

    def _done_before(self, items: Iterable[Item], repeats: int, total: int | None) -> int:
        """Count the input items that earlier sessions did; all that they did, if the input can be read once only."""
        done = self._known.done
        if not done or not isinstance(items, Collection):
            return done if total is None else min(done, total)
        return sum(self._known.is_done(item.id, repeat) for item in items for repeat in range(repeats))

    def _begin(self, batches: "_Batches", under_way: UnderWay, begun_at: float) -> None:
        while not self._stopped and len(under_way) < self._executor.width and self._has_more(batches):
            allowed, limit = self.spending.allowed(len(batches.next_batch), seconds=time.monotonic() - begun_at)
            if allowed == 0:
                if not under_way:
                    self._stopped = limit
                return
            works = batches.take(allowed)
            self.spending.begun += len(works)
            under_way[asyncio.ensure_future(self._executor.perform(works))] = works

    def _has_more(self, batches: "_Batches") -> bool:
        """Check that work is left. If the input breaks, items under way are journalled before the error is raised."""
        try:
            return batches.ready(self._batch_size)
        except Exception as error:
            self._break_off(error)
            return False

    def _break_off(self, error: Exception) -> None:
        self._broken = self._broken or error
        self._stopped = self._stopped or message("run.broken-off", error=type(error).__name__)

    def _write_down(self, finished: Iterable[asyncio.Task[list[Entry]]], under_way: UnderWay) -> None:
        pairs: list[tuple[Entry, Work]] = []
        for task in finished:
            works = under_way.pop(task)
            try:
                pairs += zip(task.result(), works, strict=True)
            except Exception as error:  # the executor gave up; what else is under way is journalled before that is said
                self._break_off(error)
        entries = [entry for entry, _ in pairs]
        self._folder.journal.append(entries)
        costs = [entry.cost - (countable(work.before.cost) if work.before else 0.0) for entry, work in pairs]
        cost = sum(costs)
        self.spending.finished += len(entries)
        self.spending.cost += cost
        self.spending.paid += sum(single > 0 for single in costs)
        self._unsynced.append((entries, cost))

    def _acknowledge(self, tally: Tally) -> None:
        """Tell display and hooks of the items whose lines are on the disk."""
        if not self._folder.journal.is_synced or not self._unsynced:
            return
        waiting, self._unsynced = self._unsynced, []
        for entries, cost in waiting:
            tally.count(entries, cost)
            self.hooks.on_items(entries)
        self._display.update(tally)

    def _todo(self, items: Iterable[Item], repeats: int) -> Iterator[Work]:
        for item in items:
            mark = digest(item.id)
            if mark in self._seen:
                raise RunError(f"two items have the id {item.id!r}; give each its own, so that none is lost.")
            self._seen.add(mark)
            for repeat in range(repeats):
                row = self._known.find(item.id, repeat)
                if row is None or self._known.has_failed(row):
                    before = None if row is None else self._known.entry(row)
                    yield Work(item=_writable(item), repeat=repeat, before=before)
                else:
                    self._check_done(row, item)
            self._known.mark_seen(item.id)
        self._all_seen = True

    def _check_done(self, row: int, item: Item) -> None:
        """Refuse an item that has changed since it was done; write down one that is named otherwise now."""
        if not self._known.has_content(row, item):
            raise RunError(
                f"{self._folder.path}: item {item.id!r} has changed since it was scored (its text or its "
                "recording, which may also be missing now). Restore it, or name a new folder."
            )
        if self._known.is_same(row, item):
            return
        entry = self._known.entry(row)
        if entry.item != item and entry.item != (named := _writable(item)):
            self._moved.append(replace(entry, item=named))
            if len(self._moved) >= MOST_MOVED:
                self._write_moved()

    def _write_moved(self) -> None:
        """Write outcomes of earlier sessions with the items as they are named now; they are not counted."""
        if self._moved:
            self._folder.journal.append(self._moved)
            self._moved = []

    @contextlib.contextmanager
    def _interruptible(self) -> Iterator[None]:
        """The first Ctrl-C ends the run cleanly: what is under way is finished. The second one ends it at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()

        def stop() -> None:
            self.wind_up()
            for number in _STOP_SIGNALS:
                loop.remove_signal_handler(number)

        previous = [(number, signal.getsignal(number)) for number in _STOP_SIGNALS]
        try:
            for number in _STOP_SIGNALS:
                loop.add_signal_handler(number, stop)
        except NotImplementedError:  # Windows: Ctrl-C ends it at once; the journal is whole all the same
            yield
            return
        try:
            yield
        finally:
            for number, handler in previous:
                loop.remove_signal_handler(number)
                if handler is not None:  # None: set by something other than Python, which cannot be put back
                    signal.signal(number, handler)


def _writable(item: Item) -> Item:
    """The item, if the journal can hold it: no work is done that cannot be written down.

    Its payload is as the journal will give it back (tuples are lists, NaN is ``None``).
    """
    try:
        encoded = encode(item, "Entry.item", 1)  # as deep as it lies in an entry
        return from_json(Item, encoded)
    except RecordError as error:
        raise RecordError(f"item {item.id!r} cannot be written to a journal: {error}") from error


class _Batches:
    """Work that is handed out in batches, read from its source no earlier than needed."""

    def __init__(self, source: Iterator[Work]) -> None:
        self._source = source
        self.next_batch: list[Work] = []

    def ready(self, size: int) -> bool:
        self.next_batch += itertools.islice(self._source, size - len(self.next_batch))
        return bool(self.next_batch)

    def take(self, count: int) -> list[Work]:
        taken, self.next_batch = self.next_batch[:count], self.next_batch[count:]
        return taken
