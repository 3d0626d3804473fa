"""Hooks see every synced item, and none of them can harm a run."""

import os
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from aptone.errors import UsageError
from aptone.run import RunConfig, load_run, run_items
from aptone.run.executors.local import InProcess
from aptone.run.hooks import Hook
from aptone.run.hooks.trackers import MlflowHook, TensorBoardHook, WandbHook
from aptone.types import Entry
from tests.run.run_steps import CONFIG, items, score_number


class Recorder:
    def __init__(self, *, fails_in: str = "") -> None:
        self.calls: list[str] = []
        self._fails_in = fails_in

    def _note(self, name: str, what: str = "") -> None:
        self.calls.append(name + what)
        if name == self._fails_in:
            raise OSError("the tracker is down")

    def on_start(self, config: RunConfig, folder: Path) -> None:
        self._note("start")

    def on_item(self, entry: Entry) -> None:
        self._note("item", f" {entry.item.id}")

    def on_end(self, stopped: str) -> None:
        self._note("end", stopped)


def test_a_hook_sees_the_start_every_item_and_the_end(tmp_path: Path) -> None:
    hook = Recorder()
    ended = run_items(items(3), score_number, folder=tmp_path, config=CONFIG, hooks=[hook])
    assert hook.calls == ["start", *(f"item {item.id}" for item in items(3)), "end"]
    assert ended.hook_problems == ()


@pytest.mark.parametrize("place", ["start", "item", "end"])
def test_a_hook_that_fails_is_reported_once_and_loses_nothing(tmp_path: Path, place: str) -> None:
    broken, sound = Recorder(fails_in=place), Recorder()
    ended = run_items(items(3), score_number, folder=tmp_path, config=CONFIG, hooks=[broken, sound])
    (problem,) = ended.hook_problems
    assert problem.endswith("OSError: the tracker is down")
    assert problem.startswith("Recorder.on_")
    assert len(load_run(tmp_path).entries) == 3
    assert len(sound.calls) == 5


def test_lines_share_a_sync_and_nothing_is_acknowledged_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    real, journal = os.fsync, tmp_path / "journal.jsonl"

    def counting(descriptor: int) -> None:
        real(descriptor)
        synced.append(journal.read_bytes().count(b"\n") if journal.exists() else 0)

    monkeypatch.setattr("aptone.run.journal.os.fsync", counting)

    class Checking(Recorder):
        def on_item(self, entry: Entry) -> None:
            super().on_item(entry)
            assert len(self.calls) - 1 <= max(synced)  # as many lines were on the disk

    hook = Checking()
    ended = run_items(
        items(60), score_number, folder=tmp_path, config=CONFIG, executor=InProcess(4), hooks=[hook], sync_interval=30.0
    )
    assert ended.hook_problems == ()
    assert len(hook.calls) == 62
    assert sum(count > 0 for count in synced) < 30  # instead of sixty
    assert len(load_run(tmp_path).entries) == 60


def fake(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    module = ModuleType(name)
    module.__dict__.update(members)
    module.__spec__ = SimpleNamespace(name=name)  # type: ignore[assignment]
    monkeypatch.setitem(sys.modules, name, module)


def test_mlflow_gets_settings_scores_and_means(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[tuple[Any, ...]] = []
    names = ("set_experiment", "start_run", "log_params", "log_metrics", "set_tag", "end_run")

    def member(name: str) -> Any:
        return lambda *given, **named: said.append((name, given, named))

    fake(monkeypatch, "mlflow", **{name: member(name) for name in names})
    ended = run_items(items(2), score_number, folder=tmp_path, config=CONFIG, hooks=[MlflowHook(experiment="mine")])
    assert ended.hook_problems == ()
    assert said[0] == ("set_experiment", ("mine",), {})
    metrics = [(given[0], named) for name, given, named in said if name == "log_metrics"]
    values = [entry.outcome.scores[entry.outcome.main_score].value for entry in ended.run.entries]
    main = ended.run.main_score
    assert metrics[:2] == [({main: value}, {"step": step}) for step, value in enumerate(values, start=1)]
    assert metrics[2][0] == {f"mean_{main}": sum(values) / 2, "items_done": 2.0}
    assert said[-1][0] == "end_run"


def test_wandb_and_tensorboard_get_scores_by_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logged: list[tuple[str, float, int]] = []
    summary: dict[str, Any] = {}
    run = SimpleNamespace(
        log=lambda scores, step: logged.extend((name, value, step) for name, value in scores.items()),
        summary=summary,
        finish=lambda: summary.update(finished=True),
    )
    fake(monkeypatch, "wandb", init=lambda **named: run)
    written: list[tuple[str, float, int]] = []
    writer = SimpleNamespace(add_scalar=lambda *given: written.append(given), close=lambda: None)
    fake(monkeypatch, "tensorboard")
    fake(monkeypatch, "tensorboard.summary", Writer=lambda folder: writer)
    hooks: list[Hook] = [WandbHook(), TensorBoardHook()]
    ended = run_items(items(2), score_number, folder=tmp_path, config=CONFIG, hooks=hooks)
    assert ended.hook_problems == ()
    assert summary["finished"]
    assert summary["items_done"] == 2.0
    assert [step for _, _, step in logged] == [1, 2]
    assert written[:2] == logged


def test_a_tracker_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.run.hooks.trackers.find_spec", lambda name: None)
    with pytest.raises(UsageError, match="pip install mlflow"):
        MlflowHook()
