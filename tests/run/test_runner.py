"""Sessions of a run: what is done, what is done again, what stops them."""

import asyncio
import math
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import AptoneError, RecordError, RunError
from aptone.messages import message, translate
from aptone.run import (
    Budget,
    Call,
    InProcess,
    Journal,
    KeptReply,
    Reply,
    ReplyCache,
    Request,
    RetryPolicy,
    Step,
    Tally,
    load_run,
    read_journal,
    run_items,
)
from aptone.run import folder as folder_module
from aptone.run import journal as journal_module
from aptone.types import Item, Outcome, State, to_json
from tests.run.run_steps import (
    CONFIG,
    AskAndCount,
    Doubling,
    Flaky,
    Meter,
    done,
    fail_on_odd,
    items,
    number_of,
    score_number,
    score_number_later,
)
from tests.tables import for_each


class KilledError(BaseException):
    """Breaks through everything, as a kill does."""


def _values(folder: Path) -> dict[str, float]:
    return {entry.item.id: entry.outcome.scores["aptness"].value for entry in load_run(folder).entries}


@for_each("step", [score_number, score_number_later], ids=["plain", "coroutine"])
@for_each("width", [1, 4])
def test_every_item_is_done_once_and_the_second_session_does_nothing(tmp_path: Path, step: Step, width: int) -> None:
    for worked in (9, 0):
        ended = run_items(items(9), step, folder=tmp_path, config=CONFIG, executor=InProcess(width))
        assert (ended.worked, ended.stopped) == (worked, "")
        assert _values(tmp_path) == {f"i{number}": float(number) for number in range(9)}
    assert len((tmp_path / "journal.jsonl").read_bytes().splitlines()) == 9


def _with_messages(item: Item, call: Call) -> Outcome:
    """Gives what JSON changes: a tuple, an undefined number, a sentence of the catalogues."""
    if number_of(item) % 2:
        raise AptoneError(message("ear.no-speech"))
    return replace(done(0.1 + 0.2), evidence={"pair": (1, 2.0), "open": math.nan}, rationale=message("ear.no-speech"))


@for_each("held", [1000, 3], ids=["held", "too-long-to-be-held"])
def test_a_run_is_given_as_its_folder_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    monkeypatch.setattr(journal_module, "HELD_ENTRIES", held)
    for count in (5, 6):  # the second session goes on with a journal that holds entries already
        ended = run_items(items(count), _with_messages, folder=tmp_path, config=CONFIG)
        stored = load_run(tmp_path)
        assert ended.run.entries == stored.entries
        assert ended.run.config == stored.config
        assert [to_json(entry) for entry in ended.run.entries] == [to_json(entry) for entry in stored.entries]
        assert [translate(entry.outcome.rationale, "zh") for entry in ended.run.entries] == [
            translate(entry.outcome.rationale, "zh") for entry in stored.entries
        ]


def test_a_short_new_run_is_not_read_from_the_disk_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_module, "load_entries", fail_on_odd)  # takes other arguments
    ended = run_items(reversed(items(3)), score_number, folder=tmp_path, config=CONFIG)
    assert [entry.item.id for entry in ended.run.entries] == ["i0", "i1", "i2"]


def test_no_items_make_an_empty_run(tmp_path: Path) -> None:
    ended = run_items([], score_number, folder=tmp_path, config=CONFIG)
    assert (ended.run.entries, ended.worked, ended.stopped) == ((), 0, "")


def test_failed_items_are_tried_again_and_done_ones_are_not(tmp_path: Path) -> None:
    first = run_items(items(4), fail_on_odd, folder=tmp_path, config=CONFIG)
    assert [entry.outcome.state for entry in first.run.entries] == [State.DONE, State.FAILED] * 2
    meter = Meter()
    second = run_items(items(4), meter.plain, folder=tmp_path, config=CONFIG)
    assert sorted(meter.begun) == ["i1", "i3"]
    assert [(entry.outcome.state, entry.attempts) for entry in second.run.entries] == [
        (State.DONE, 1),
        (State.DONE, 2),
    ] * 2
    assert len((tmp_path / "journal.jsonl").read_bytes().splitlines()) == 6


def test_exhausted_items_are_tried_again_with_attempts_added_up(tmp_path: Path) -> None:
    step, retry = Flaky(5), RetryPolicy(attempts=3, first_wait=0.0)
    (first,) = run_items(items(1), step, folder=tmp_path, config=CONFIG, retry=retry).run.entries
    assert (first.outcome.state, first.attempts) == (State.FAILED, 3)
    (second,) = run_items(items(1), step, folder=tmp_path, config=CONFIG, retry=retry).run.entries
    assert (second.outcome.state, second.attempts) == (State.DONE, 6)


@for_each("way", ["plain", "later"])
@for_each("width", [1, 3, 8])
def test_no_more_items_are_under_way_than_allowed_and_as_many_as_allowed(tmp_path: Path, way: str, width: int) -> None:
    meter = Meter(together=width)
    run_items(items(4 * width), getattr(meter, way), folder=tmp_path, config=CONFIG, executor=InProcess(width))
    assert meter.most == width
    assert len(meter.begun) == 4 * width


def test_the_input_is_read_no_earlier_than_needed(tmp_path: Path) -> None:
    read: list[int] = []

    def generate() -> Iterator[Item]:
        for item in items(10):
            read.append(number_of(item))
            yield item

    ended = run_items(generate(), score_number, folder=tmp_path, config=CONFIG, budget=Budget(max_items=3))
    assert ended.worked == 3
    assert len(read) == 4, "one more, to know that there is more"


def test_when_the_input_breaks_work_under_way_is_journalled_first(tmp_path: Path) -> None:
    meter = Meter(seconds=0.05)

    def generate() -> Iterator[Item]:
        yield from items(5)
        raise OSError("the manifest broke off")

    with pytest.raises(OSError, match="the manifest broke off"):
        run_items(generate(), meter.later, folder=tmp_path, config=CONFIG, executor=InProcess(8))
    assert [entry.item.id for entry in load_run(tmp_path).entries] == [f"i{number}" for number in range(5)]
    assert run_items(items(6), score_number, folder=tmp_path, config=CONFIG).worked == 1


def test_two_items_with_one_id_are_refused_after_what_is_under_way(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="two items have the id 'i1'"):
        run_items([*items(3), items(2)[1]], score_number, folder=tmp_path, config=CONFIG, executor=InProcess(8))
    assert len(load_run(tmp_path).entries) == 3


def test_a_changed_item_is_refused_and_named(tmp_path: Path) -> None:
    run_items(items(3), score_number, folder=tmp_path, config=CONFIG)
    changed = [*items(2), Item.make("i2", {"number": 99}, position=2)]
    with pytest.raises(RunError, match=r"item 'i2' has changed since it was scored .*Restore it, or name a new folder"):
        run_items(changed, score_number, folder=tmp_path, config=CONFIG)
    assert _values(tmp_path)["i2"] == 2.0


def test_an_item_that_failed_may_be_mended(tmp_path: Path) -> None:
    run_items(items(2), fail_on_odd, folder=tmp_path, config=CONFIG)
    mended = [items(1)[0], Item.make("i1", {"number": 4}, position=1)]
    ended = run_items(mended, fail_on_odd, folder=tmp_path, config=CONFIG)
    assert ended.worked == 1
    assert (ended.run.entries[1].outcome, ended.run.entries[1].attempts) == (done(4.0), 2)


def test_an_item_may_move_and_new_ones_may_come(tmp_path: Path) -> None:
    run_items(items(2), score_number, folder=tmp_path, config=CONFIG)
    moved = [Item.make(item.id, item.payload, position=9 - item.position) for item in items(3)]
    assert run_items(moved, score_number, folder=tmp_path, config=CONFIG).worked == 1


def test_an_item_whose_file_lies_elsewhere_is_written_down_with_its_new_place_once(tmp_path: Path) -> None:
    def placed(root: str) -> list[Item]:
        return [
            Item.make(item.id, {**item.payload, "path": f"{root}/{item.id}.wav"}, hashed=item.payload)
            for item in items(3)
        ]

    run_items(placed("here"), score_number, folder=tmp_path, config=CONFIG)
    ended = run_items(placed("there"), score_number, folder=tmp_path, config=CONFIG)
    assert ended.worked == 0
    assert [entry.item.payload["path"] for entry in ended.run.entries] == [
        f"there/i{number}.wav" for number in range(3)
    ]
    assert _values(tmp_path) == {"i0": 0.0, "i1": 1.0, "i2": 2.0}
    written = (tmp_path / "journal.jsonl").read_bytes()
    run_items(placed("there"), score_number, folder=tmp_path, config=CONFIG)
    assert (tmp_path / "journal.jsonl").read_bytes() == written


@for_each("payload", [{"x": float("inf")}, {"x": object()}, {"x": {1: 2}}])
def test_an_item_that_cannot_be_written_is_refused_before_work_is_done_on_it(tmp_path: Path, payload: Any) -> None:
    meter = Meter()
    bad = Item(id="bad", payload=payload, content_hash="h")
    with pytest.raises(RecordError, match=r"item 'bad' cannot be written to a journal: Entry\.item\.payload\.x"):
        run_items([*items(1), bad], meter.plain, folder=tmp_path, config=CONFIG)
    assert meter.begun == ["i0"]
    assert len(load_run(tmp_path).entries) == 1


def test_repeats_are_separate_entries_and_separate_calls(tmp_path: Path) -> None:
    step = AskAndCount(tmp_path / "calls", replies=("1", "2", "3"))
    options: dict[str, Any] = {"folder": tmp_path / "run", "config": CONFIG, "cache": tmp_path / "cache.sqlite"}
    ended = run_items(items(1), step, repeats=3, **options)
    scores = [(entry.repeat, entry.outcome.scores["aptness"].value) for entry in ended.run.entries]
    assert scores == [(0, 1.0), (1, 2.0), (2, 3.0)]
    assert run_items(items(1), step, repeats=4, **options).worked == 1, "more repeats may be added later"
    seeds = (tmp_path / "calls").read_text().split()
    assert len(seeds) == len(set(seeds)) == 4
    with pytest.raises(ValueError, match="at least once"):
        run_items(items(1), step, repeats=0, **options)


def test_two_runs_that_share_a_cache_ask_once(tmp_path: Path) -> None:
    step = AskAndCount(tmp_path / "calls")
    for name, cost in (("a", 0.25), ("b", 0.0)):
        ended = run_items(items(4), step, folder=tmp_path / name, config=CONFIG, cache=tmp_path / "cache.sqlite")
        assert ended.worked == 4
        assert {entry.cost for entry in ended.run.entries} == {cost}
    assert len((tmp_path / "calls").read_text().split()) == 4


def test_a_reply_is_in_the_cache_before_its_line_is_in_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths: list[int] = []
    append = Journal.append

    def look_first(self: Journal, entries: Any) -> None:
        other = ReplyCache(tmp_path / "cache.sqlite")
        lengths.append(len(other))
        other.close()
        append(self, entries)

    monkeypatch.setattr(Journal, "append", look_first)
    step = AskAndCount(tmp_path / "calls")
    run_items(items(3), step, folder=tmp_path / "run", config=CONFIG, cache=tmp_path / "cache.sqlite")
    assert lengths == [1, 2, 3]


def test_a_cache_that_cannot_be_opened_is_told_and_nothing_is_begun(tmp_path: Path) -> None:
    (tmp_path / "cache.sqlite").write_bytes(b"this is no database at all" * 40)
    meter = Meter()
    with pytest.raises(RunError, match="cannot be used as a reply cache"):
        run_items(items(2), meter.plain, folder=tmp_path / "run", config=CONFIG, cache=tmp_path / "cache.sqlite")
    assert meter.begun == []


def test_a_cache_that_breaks_during_a_run_stops_it_instead_of_costing_every_further_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    broken: list[str] = []

    async def step(item: Item, call: Call) -> Outcome:
        async def send(seed: int) -> Reply:
            asked.append(item.id)
            while item.id == "i1" and not broken:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0.01)
            return Reply("1")

        return await call.ask(Request("m", item.id), send, lambda text: done(float(text)))

    put = ReplyCache.put

    def fail_on_second(self: ReplyCache, key: str, kept: KeptReply) -> None:
        if len(self) == 1:
            monkeypatch.setattr(ReplyCache, "put", put)
            broken.append(key)
            raise RunError("cache.sqlite: the disk is full.")
        put(self, key, kept)

    monkeypatch.setattr(ReplyCache, "put", fail_on_second)
    options: dict[str, Any] = {"folder": tmp_path / "run", "config": CONFIG, "cache": tmp_path / "cache.sqlite"}
    with pytest.raises(RunError, match="the disk is full"):
        run_items(items(50), step, executor=InProcess(3), **options)
    journalled = {entry.item.id for entry in load_run(tmp_path / "run").entries}
    assert len(asked) <= 5
    assert len(journalled) == len(asked) - 1, "all that was under way beside it is journalled"
    assert "i1" in journalled


def test_steps_on_batches_get_full_batches_and_a_rest(tmp_path: Path) -> None:
    step = Doubling(3)
    ended = run_items(iter(items(7)), step, folder=tmp_path, config=CONFIG)
    assert step.batches == [["i0", "i1", "i2"], ["i3", "i4", "i5"], ["i6"]]
    assert _values(tmp_path) == {f"i{number}": 2.0 * number for number in range(7)}
    assert ended.worked == 7


@pytest.mark.parametrize("size", [0, -1])
def test_an_impossible_batch_size_is_refused(tmp_path: Path, size: int) -> None:
    with pytest.raises(ValueError, match=f"at least one item, got a step with batches of {size}"):
        run_items(items(3), Doubling(size), folder=tmp_path, config=CONFIG)


def test_a_run_works_where_an_event_loop_runs_already(tmp_path: Path) -> None:
    async def notebook() -> int:
        return run_items(items(3), score_number_later, folder=tmp_path, config=CONFIG).worked

    assert asyncio.run(notebook()) == 3


def test_a_run_works_in_a_thread_that_is_not_the_first(tmp_path: Path) -> None:
    worked: list[int] = []
    thread = threading.Thread(
        target=lambda: worked.append(run_items(items(3), score_number, folder=tmp_path, config=CONFIG).worked)
    )
    thread.start()
    thread.join(30)
    assert worked == [3]


def test_handlers_of_signals_are_put_back(tmp_path: Path) -> None:
    def mine(number: int, frame: object) -> None:
        """Somebody's own handler."""

    previous = {number: signal.signal(number, mine) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        run_items(items(2), score_number, folder=tmp_path, config=CONFIG)
        assert signal.getsignal(signal.SIGINT) is mine
        assert signal.getsignal(signal.SIGTERM) is mine
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def test_where_loops_know_no_signals_a_run_works_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_here(self: object, *arguments: object) -> None:
        raise NotImplementedError

    monkeypatch.setattr("asyncio.unix_events._UnixSelectorEventLoop.add_signal_handler", not_here)
    assert run_items(items(2), score_number, folder=tmp_path, config=CONFIG).worked == 2


def test_a_kill_in_the_middle_leaves_what_was_finished_and_lets_go_of_the_folder(tmp_path: Path) -> None:
    def step(item: Item, call: Call) -> Outcome:
        if number_of(item) == 3:
            raise KilledError
        return done()

    with pytest.raises(KilledError):
        run_items(items(6), step, folder=tmp_path, config=CONFIG)
    assert [entry.item.id for entry in read_journal(tmp_path / "journal.jsonl")] == ["i0", "i1", "i2"]
    assert run_items(items(6), score_number, folder=tmp_path, config=CONFIG).worked == 3


class Recorder:
    """A display that notes what it was shown."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, int | None, int, int, int, int, float]] = []

    def start(self, tally: Tally) -> None:
        """Note it."""
        self._note("start", tally)

    def update(self, tally: Tally) -> None:
        """Note it."""
        self._note("update", tally)

    def stop(self, tally: Tally) -> None:
        """Note it."""
        self._note("stop", tally)

    def _note(self, what: str, tally: Tally) -> None:
        self.shown.append((what, tally.total, tally.before, tally.now, tally.unscored, tally.failed, tally.cost))


def test_only_items_of_this_input_count_as_done_before(tmp_path: Path) -> None:
    run_items(items(3), score_number, folder=tmp_path, config=CONFIG)
    others = [replace(item, id=f"other-{item.id}") for item in items(2)]
    recorder = Recorder()
    # 3 are in the journal, and of this input, 2 new ones and 1 old one, only the old one is
    run_items([*others, *items(1)], score_number, folder=tmp_path, config=CONFIG, display=recorder)
    assert recorder.shown[0] == ("start", 3, 1, 0, 0, 0, 0.0)
    assert recorder.shown[-1] == ("stop", 3, 1, 2, 0, 0, 0.0)


def test_the_display_is_told_of_every_item_and_of_the_end(tmp_path: Path) -> None:
    recorder = Recorder()
    run_items(items(2), fail_on_odd, folder=tmp_path, config=CONFIG, display=recorder)
    assert recorder.shown == [
        ("start", 2, 0, 0, 0, 0, 0.0),
        ("update", 2, 0, 1, 0, 0, 0.0),
        ("update", 2, 0, 2, 0, 1, 0.0),
        ("stop", 2, 0, 2, 0, 1, 0.0),
    ]
    recorder = Recorder()
    run_items(iter(items(2)), Meter(cost=0.5).plain, folder=tmp_path, config=CONFIG, display=recorder)
    assert recorder.shown == [
        ("start", None, 1, 0, 0, 0, 0.0),
        ("update", None, 1, 1, 0, 0, 0.5),
        ("stop", None, 1, 1, 0, 0, 0.5),
    ]
