"""The same steps on Ray, with two workers on this machine."""

import importlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import MissingExtraError, RunError, UsageError
from aptone.run import KeptReply, Reply, ReplyCache, run_items
from aptone.run.executors.ray import OnRay, RemoteStore
from aptone.types import State
from tests.run.ray_start import patient_ray
from tests.run.run_steps import (
    CONFIG,
    PATHS,
    AskAndCount,
    LoopBound,
    MeetAnotherProcess,
    break_the_cache,
    die_on_two,
    items,
    score_number,
)


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr("aptone.run.executors.ray.find_spec", lambda name: None if name == "ray" else find_spec(name))
    with pytest.raises(MissingExtraError, match=r'running on Ray needs .*pip install .*\[ray\]"'):
        OnRay(2)


def test_at_least_one_worker_is_needed() -> None:
    with pytest.raises(ValueError, match="at least one worker, got 0"):
        OnRay(0)


class Actor:
    """Stands for the actor that holds the cache."""

    def __init__(self, cache: ReplyCache) -> None:
        self.get = Method(cache.get)
        self.put = Method(cache.put)


class Method:
    """Stands for a method of an actor: what it gives must be fetched."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def remote(self, *arguments: Any) -> list[Any]:
        """The result, wrapped."""
        return [self._function(*arguments)]


def test_the_store_of_a_worker_passes_replies_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ray.get", lambda wrapped: wrapped[0])
    cache = ReplyCache(tmp_path / "cache.sqlite")
    store = RemoteStore(Actor(cache))
    assert store.get("k") is None
    kept = KeptReply(Reply("r"), owner="o", created="c")
    store.put("k", kept)
    assert store.get("k") == cache.get("k") == kept
    cache.close()


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A Ray that runs already, on two processors of this machine."""
    import ray

    with pytest.MonkeyPatch.context() as patch, patient_ray():
        patch.setenv("PYTHONPATH", PATHS)
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


def _run(folder: Path, step: Any, count: int, *, cache: Path | None = None) -> dict[str, Any]:
    ended = run_items(items(count), step, folder=folder, config=CONFIG, executor=OnRay(2), cache=cache)
    assert ended.stopped == ""
    return {entry.item.id: entry.outcome for entry in ended.run.entries}


@pytest.mark.slow
def test_two_workers_give_the_same_outcomes_as_this_process(cluster: None, tmp_path: Path) -> None:
    here = run_items(items(6), score_number, folder=tmp_path / "here", config=CONFIG)
    assert _run(tmp_path / "ray", score_number, 6) == {entry.item.id: entry.outcome for entry in here.run.entries}
    processes = {
        outcome.rationale for outcome in _run(tmp_path / "who", MeetAnotherProcess(tmp_path / "met"), 6).values()
    }
    assert len(processes) == 2


@pytest.mark.slow
def test_a_worker_keeps_its_event_loop_from_item_to_item(cluster: None, tmp_path: Path) -> None:
    outcomes = _run(tmp_path, LoopBound(), 6)  # six items on two workers: some worker does several
    assert {outcome.state for outcome in outcomes.values()} == {State.DONE}


@pytest.mark.slow
def test_workers_share_the_cache_of_the_machine_that_runs_the_command(cluster: None, tmp_path: Path) -> None:
    step = AskAndCount(tmp_path / "calls")
    for name in ("a", "b"):
        _run(tmp_path / name, step, 4, cache=tmp_path / "cache.sqlite")
    assert len((tmp_path / "calls").read_text().split()) == 4
    cache = ReplyCache(tmp_path / "cache.sqlite")
    assert len(cache) == 4
    cache.close()


@pytest.mark.slow
def test_a_cache_that_cannot_be_used_is_told_before_workers_start(cluster: None, tmp_path: Path) -> None:
    (tmp_path / "cache.sqlite").write_bytes(b"this is no database at all" * 40)
    with pytest.raises(RunError, match="cannot be used as a reply cache"):
        _run(tmp_path / "run", score_number, 2, cache=tmp_path / "cache.sqlite")


@pytest.mark.slow
def test_a_broken_cache_stops_the_run_on_ray_as_well(cluster: None, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="the disk is full"):
        _run(tmp_path / "run", break_the_cache, 3)


@pytest.mark.slow
def test_an_item_that_kills_its_worker_fails_and_the_others_do_not(cluster: None, tmp_path: Path) -> None:
    outcomes = _run(tmp_path, die_on_two, 8)
    assert outcomes.pop("i2").reason.startswith("the Ray worker was lost")
    assert {outcome.state for outcome in outcomes.values()} == {State.DONE}
    again = run_items(items(8), score_number, folder=tmp_path, config=CONFIG)
    assert again.worked == 1


@pytest.mark.slow
def test_a_step_that_workers_cannot_find_is_told_once_and_not_blamed_on_the_items(
    cluster: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_on_the_driver.py").write_text("def step(item, call):\n    return None\n")
    monkeypatch.syspath_prepend(tmp_path)
    step = importlib.import_module("only_on_the_driver").step
    with pytest.raises(UsageError, match=r"a Ray worker cannot start .*only_on_the_driver.*PYTHONPATH"):
        _run(tmp_path / "run", step, 2)
    assert run_items(items(2), score_number, folder=tmp_path / "run", config=CONFIG).worked == 2


@pytest.mark.slow
def test_where_no_ray_runs_one_is_started_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    ray.shutdown()
    monkeypatch.setenv("PYTHONPATH", PATHS)
    with patient_ray():
        outcomes = _run(tmp_path, score_number, 4)
    assert {outcome.state for outcome in outcomes.values()} == {State.DONE}
    assert not ray.is_initialized()
