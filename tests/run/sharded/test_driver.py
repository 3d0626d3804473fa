"""Shards on Ray Data, with two workers on this machine: whoever is killed, nothing is lost and nothing doubled."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from aptone.errors import RunError
from aptone.run import load_run, run_items
from aptone.run.merge import merge_runs
from aptone.run.progress import reached_limit
from aptone.run.sharded.driver import EndedShards, run_shards
from aptone.run.sharded.results import read_ledger
from tests.run.ray_start import patient_ray
from tests.run.run_steps import CONFIG, PATHS, PATIENCE, die_on_two, items, score_number, wait_until
from tests.run.sharded.numbers import Killed, Noted, work, write_shards

pytest.importorskip("ray")
pytest.importorskip("pyarrow")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A Ray that runs already, on two processors of this machine."""
    import ray

    with pytest.MonkeyPatch.context() as patch, patient_ray():
        patch.setenv("PYTHONPATH", PATHS)
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


def _run(root: Path, step: Any, counts: tuple[int, ...] = (3, 3, 3, 3), **options: Any) -> EndedShards:
    shards = write_shards(root / f"shards-{time.monotonic_ns()}", counts)
    return run_shards(shards, work(step), folder=root / "run", workers=2, **options)


def _merged_ids(root: Path) -> list[str]:
    merge_runs([root / "run"], root / "all")
    journal = (root / "all" / "journal.jsonl").read_text().splitlines()
    ids = [entry.item.id for entry in load_run(root / "all").entries]
    assert len(journal) == len(ids), "no item is doubled"
    return ids


ALL = [item.id for item in items(12)]


def test_two_workers_give_the_run_that_this_process_gives_and_keep_warm(cluster: None, tmp_path: Path) -> None:
    ended = _run(tmp_path, Noted(tmp_path / "noted", seconds=0.05))
    assert (sorted(ended.worked), ended.problems, ended.left, ended.stopped) == (list("abcd"), {}, 0, "")
    assert _merged_ids(tmp_path) == ALL
    here = run_items(items(12), score_number, folder=tmp_path / "here", config=CONFIG).run
    assert [one.outcome for one in load_run(tmp_path / "all").entries] == [one.outcome for one in here.entries]
    workers = {line.split()[1] for line in (tmp_path / "noted").read_text().splitlines()}
    assert len(workers) <= 2, "four shards, and a process for each of two workers"
    assert {done.worker.rpartition("/")[2] for done in ended.done.values()} == workers
    again = _run(tmp_path, Noted(tmp_path / "noted again"))
    assert (again.worked, len(again.done)) == ([], 4)
    assert not (tmp_path / "noted again").exists(), "what is done is not done again"


def test_a_worker_that_is_killed_costs_nothing_but_time(cluster: None, tmp_path: Path) -> None:
    for number in (signal.SIGKILL, signal.SIGTERM):
        root = tmp_path / number.name
        root.mkdir()
        ended = _run(root, Killed(root / "killed", "i4", number))
        assert (root / "killed").exists()
        assert (len(ended.worked), ended.problems) == (4, {})
        assert _merged_ids(root) == ALL


def test_a_shard_that_kills_every_worker_is_given_up_and_the_others_are_not(cluster: None, tmp_path: Path) -> None:
    ended = _run(tmp_path, die_on_two)
    assert sorted(ended.worked) == ["b", "c", "d"]
    assert ended.problems["a"].startswith("its workers were lost again and again")
    assert merge_runs([tmp_path / "run"], tmp_path / "early").entries == 9
    assert _run(tmp_path, score_number).worked == ["a"]
    assert _merged_ids(tmp_path) == ALL


def test_a_shard_that_cannot_be_read_is_said_and_the_others_are_done(cluster: None, tmp_path: Path) -> None:
    shards = write_shards(tmp_path / "shards", (2, 2))
    (tmp_path / "shards" / "a.jsonl").write_text("no number\n")
    ended = run_shards(shards, work(score_number), folder=tmp_path / "run", workers=2)
    assert (ended.worked, list(ended.problems)) == (["b"], ["a"])
    assert ended.problems["a"].endswith("no numbers.")


def test_no_shard_is_begun_after_its_time(cluster: None, tmp_path: Path) -> None:
    ended = _run(tmp_path, score_number, max_seconds=0.0)
    assert (ended.worked, ended.problems, ended.left) == ([], {}, 4)
    assert reached_limit(ended.stopped) == "max-seconds"
    assert len(_run(tmp_path, score_number).worked) == 4


def test_results_that_this_machine_cannot_see_end_the_run(cluster: None, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"has written this result, but it is not here .*--results"):
        _run(tmp_path, score_number, results="memory://of-the-worker/x")
    assert read_ledger(tmp_path / "run") == {}


def test_results_go_to_an_address_that_all_machines_reach(cluster: None, tmp_path: Path) -> None:
    ended = _run(tmp_path, score_number, results=f"file://{tmp_path}/elsewhere")
    assert sorted(path.name for path in (tmp_path / "elsewhere").iterdir()) == [f"{name}.parquet" for name in "abcd"]
    assert not (tmp_path / "run" / "results").exists()
    assert {done.result for done in ended.done.values()} == {f"file://{tmp_path}/elsewhere/{n}.parquet" for n in "abcd"}
    assert _merged_ids(tmp_path) == ALL


def test_a_shard_that_has_changed_since_it_was_done_is_refused(tmp_path: Path, cluster: None) -> None:
    _run(tmp_path, score_number, (2, 2))
    with pytest.raises(RunError, match="has changed since it was done"):
        _run(tmp_path, score_number, (3, 2))


DRIVER = """
import os, sys
from pathlib import Path
from aptone.run.sharded.driver import run_shards
from aptone.run.sharded.shards import find_shards
from tests.run.ray_start import patient_ray
from tests.run.sharded.numbers import Noted, work
root, address = Path(sys.argv[1]), os.environ.get("RAY_ADDRESS")
todo = work(Noted(root / "noted", 0.3))
with patient_ray():
    ended = run_shards(find_shards([root / "shards"]), todo, folder=root / "run", workers=2, address=address)
sys.exit(bool(ended.problems or ended.left))
"""


class Driver:
    """A driver in a process of its own, on six shards of three numbers; what still runs at the end is killed."""

    def __init__(self, root: Path, *, address: str | None = None) -> None:
        write_shards(root / "shards", (3, 3, 3, 3, 3, 3))
        self._root = root
        self._surroundings = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
        self._surroundings |= {"PYTHONPATH": PATHS, **({"RAY_ADDRESS": address} if address else {})}
        self._started: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._started:  # or the next test fails for a process that it never started
            process.kill()
            process.wait()

    def start(self) -> subprocess.Popen[bytes]:
        """Start it."""
        with (self._root / "said").open("ab") as said:
            command = [sys.executable, "-c", DRIVER, str(self._root)]
            self._started.append(subprocess.Popen(command, env=self._surroundings, stdout=said, stderr=said))
        return self._started[-1]

    def wait_for(self, shards: int, process: subprocess.Popen[bytes]) -> None:
        """Wait until so many shards are in the ledger."""

        def are_there() -> bool:
            assert process.poll() is None, (self._root / "said").read_text()
            return len(list((self._root / "run" / "ledger").glob("*.json"))) >= shards

        wait_until(are_there)

    def finish(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for its good end."""
        assert process.wait(PATIENCE) == 0, (self._root / "said").read_text()


def test_a_driver_that_is_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    with Driver(tmp_path) as driver:
        process = driver.start()
        driver.wait_for(2, process)
        process.kill()
        process.wait()
        done = set(read_ledger(tmp_path / "run"))
        noted = len((tmp_path / "noted").read_text().splitlines())
        driver.finish(driver.start())
    assert len(read_ledger(tmp_path / "run")) == 6
    again = {line.split()[0] for line in (tmp_path / "noted").read_text().splitlines()[noted:]}
    kept = {f"i{number}" for name in done for number in range("abcdef".index(name) * 3, "abcdef".index(name) * 3 + 3)}
    assert len(done) >= 2
    assert not again & kept, "shards in the ledger are not done again"
    assert _merged_ids(tmp_path) == [item.id for item in items(18)]


def test_a_node_that_goes_away_costs_nothing_but_time(tmp_path: Path) -> None:
    from ray.cluster_utils import Cluster

    with contextlib.ExitStack() as ending:
        ending.enter_context(patient_ray())
        nodes: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        ending.callback(nodes.shutdown)
        nodes.add_node(num_cpus=1)
        lost = nodes.add_node(num_cpus=1)
        driver = ending.enter_context(Driver(tmp_path, address=nodes.address))
        process = driver.start()
        driver.wait_for(2, process)
        nodes.remove_node(lost, allow_graceful=False)
        driver.finish(process)
    assert _merged_ids(tmp_path) == [item.id for item in items(18)]
