"""The work on one shard: a result that is whole, of which a merge makes the run that one process would have made."""

from dataclasses import replace
from pathlib import Path

import fsspec
import pytest

from aptone.errors import RecordError, RunError
from aptone.run import ReplyCache, load_run, run_items
from aptone.run.export import result_columns
from aptone.run.merge import merge_runs
from aptone.run.sharded.results import (
    LINE,
    DoneShard,
    ShardedFolder,
    count_result,
    located,
    read_ledger,
    result_file,
    result_lines,
)
from aptone.run.sharded.shards import SourceShard
from tests.run.run_steps import CONFIG, AskAndCount, fail_on_odd, items, score_number
from tests.run.sharded.numbers import Noted, work, write_shards

pyarrow = pytest.importorskip("pyarrow.parquet")


def _do(folder: Path, shard: SourceShard, step: object = score_number, *, results: str = "") -> DoneShard:
    """Do a shard as a worker does, and enter it into the ledger as the driver does."""
    earlier = read_ledger(folder).get(shard.name)
    result = result_file(shard.name, results)
    todo = work(step)  # type: ignore[arg-type]
    both = tuple(str(Path(shard.place).with_name(f"{name}.jsonl")) for name in "ab")
    with ShardedFolder(folder, replace(CONFIG, inputs=both)) as opened:
        todo = replace(todo, config=opened.config)
        before = located(earlier.result, folder) if earlier else ""
        done = todo(shard, result, located(result, folder), earlier=before)
        opened.write(done)
    return done


def test_merged_shards_are_the_run_that_one_process_makes(tmp_path: Path) -> None:
    shards = write_shards(tmp_path / "shards", [4, 3, 5])
    for shard in reversed(shards):
        done = _do(tmp_path / "run", shard)
        assert (done.rows, dict(done.states), done.failed) == (
            count_result(located(done.result, tmp_path / "run")),
            {"done": done.rows},
            0,
        )
    made = merge_runs([tmp_path / "run"], tmp_path / "all")
    assert (made.entries, made.doubled, made.failed) == (12, 0, 0)
    here = run_items(items(12), score_number, folder=tmp_path / "here", config=CONFIG).run
    merged = load_run(tmp_path / "all")
    assert [entry.item.id for entry in merged.entries] == [entry.item.id for entry in here.entries]
    assert [entry.outcome for entry in merged.entries] == [entry.outcome for entry in here.entries]
    assert [entry.item.content_hash for entry in merged.entries] == [entry.item.content_hash for entry in here.entries]


def test_a_result_has_the_columns_of_an_export_and_the_lines_of_a_journal(tmp_path: Path) -> None:
    (shard,) = write_shards(tmp_path / "shards", [3])
    done = _do(tmp_path / "run", shard)
    table = pyarrow.read_table(tmp_path / "run" / done.result)
    here = run_items(items(3), score_number, folder=tmp_path / "here", config=CONFIG).run
    assert set(table.column_names) == {*result_columns(here), LINE}
    assert table.column("aptness").to_pylist() == [0.0, 1.0, 2.0]
    assert all(line.endswith(b"}\n") for line in result_lines(located(done.result, tmp_path / "run")))


def test_only_items_that_failed_are_done_again(tmp_path: Path) -> None:
    (shard,) = write_shards(tmp_path / "shards", [4])
    assert dict(_do(tmp_path / "run", shard, fail_on_odd).states) == {"done": 2, "failed": 2}
    again = _do(tmp_path / "run", shard, Noted(tmp_path / "noted"))
    assert dict(again.states) == {"done": 4}
    assert [line.split()[0] for line in (tmp_path / "noted").read_text().splitlines()] == ["i1", "i3"]
    assert merge_runs([tmp_path / "run"], tmp_path / "all").entries == 4


def test_a_shard_that_is_done_again_does_not_pay_twice(tmp_path: Path) -> None:
    (shard,) = write_shards(tmp_path / "shards", [3])
    store = ReplyCache(tmp_path / "cache.sqlite")
    with ShardedFolder(tmp_path / "run", CONFIG) as opened:
        todo = replace(work(AskAndCount(tmp_path / "calls")), config=opened.config, store=store)
        costs = [todo(shard, "r", str(tmp_path / f"{n}.parquet")).cost for n in range(2)]
    store.close()
    assert len((tmp_path / "calls").read_text().split()) == 3
    assert costs[0] == costs[1], "a run counts what it has paid for, whichever worker did"


def test_results_may_lie_in_an_object_store(tmp_path: Path) -> None:
    shards = write_shards(tmp_path / "shards", [2, 2])
    for shard in shards:
        done = _do(tmp_path / "run", shard, results="memory://results-of-a-run/x/")
        assert done.result == f"memory://results-of-a-run/x/{shard.name}.parquet"
    assert sorted(fsspec.filesystem("memory").glob("/results-of-a-run/x/*")) == [
        "/results-of-a-run/x/a.parquet",
        "/results-of-a-run/x/b.parquet",
    ]
    assert merge_runs([tmp_path / "run"], tmp_path / "all").entries == 4
    fsspec.filesystem("memory").rm("/results-of-a-run/x/a.parquet")
    with pytest.raises(RecordError, match="cannot be fetched"):
        merge_runs([tmp_path / "run"], tmp_path / "again")


def test_a_merge_says_what_is_missing_and_refuses_what_is_damaged(tmp_path: Path) -> None:
    shards = write_shards(tmp_path / "shards", [2, 2])
    folder = tmp_path / "run"
    done = _do(folder, shards[0])
    assert merge_runs([folder], tmp_path / "all").missing == 1
    with ShardedFolder(folder, replace(CONFIG, inputs=("/data/a.jsonl", "/data/c.jsonl"))):
        pass
    assert merge_runs([folder], tmp_path / "later").missing == 2, "b, and c that was added; a only moved"
    (folder / done.result).write_bytes(b"PAR1 no more")
    with pytest.raises(RunError, match="the result of a shard cannot be read"):
        merge_runs([folder], tmp_path / "again")
    (folder / "ledger" / "a.json").write_text("{}")
    with pytest.raises(RunError, match="damaged"):
        read_ledger(folder)


def test_a_run_over_shards_is_no_run_with_a_journal(tmp_path: Path) -> None:
    (shard,) = write_shards(tmp_path / "shards", [2])
    _do(tmp_path / "run", shard)
    with pytest.raises(RunError, match="aptone merge"):
        load_run(tmp_path / "run")
    with pytest.raises(RunError, match="aptone merge"):
        run_items(items(2), score_number, folder=tmp_path / "run", config=CONFIG)
    run_items(items(2), score_number, folder=tmp_path / "plain", config=CONFIG)
    with pytest.raises(RunError, match="not one over shards"):
        _do(tmp_path / "plain", shard)
