"""``aptone score --executor ray`` of shards: the scores of one process, and what cannot be asked of it."""

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aptone.run import load_run
from aptone.run.sources.audio_cache import VARIABLE
from tests.run.ray_start import patient_ray
from tests.run.run_steps import PATHS
from tests.tables import for_each

PLAN = {"rhythm": "heavy", "intonation": "falling"}


@pytest.fixture
def shards(tmp_path: Path, clip: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """A shard of each kind, of a clip each: JSON lines with a path, Parquet and tar with the recording itself."""
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    data = clip.read_bytes()
    (tmp_path / "a.opus").write_bytes(data)
    one = {"audio": "a.opus", "line": "Stay.", "plan": PLAN}
    (tmp_path / "one.jsonl").write_text(json.dumps(one) + "\n" + json.dumps({**one, "id": "own"}) + "\n")
    row = {"audio": {"bytes": data, "path": "b.opus"}, "line": "Stay there.", "plan": json.dumps(PLAN)}
    pyarrow.parquet.write_table(arrow.Table.from_pylist([row]), tmp_path / "two.parquet")
    with tarfile.open(tmp_path / "three.tar", "w") as file:
        said = json.dumps({"line": "Stay here.", "plan": PLAN}).encode()
        for name, content in (("key.opus", data), ("key.json", said)):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            file.addfile(member, io.BytesIO(content))
    return [tmp_path / name for name in ("one.jsonl", "two.parquet", "three.tar")]


@pytest.mark.slow
def test_shards_of_all_kinds_get_the_scores_of_one_process(
    aptone: Callable[..., Any], shards: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ray")
    monkeypatch.setenv("PYTHONPATH", PATHS)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    given = ("score", *shards, "--executor", "ray", "--workers", "1", "-o", "run")
    with patient_ray():
        shown = aptone(*given, "--json")
    assert shown.code == 0
    assert (shown.json["shards"], shown.json["done"], shown.json["states"]) == (3, 3, {"done": 4})
    assert "3 of 3 shards done, 0 of them now: 4 items scored" in aptone(*given).out
    assert "holds a run over shards" in aptone("report", "run").err
    assert aptone("merge", "run", "-o", "all").code == 0
    assert aptone("report", "all").code == 0
    merged = {entry.item.id: entry for entry in load_run("all").entries}
    assert set(merged) == {"one/1", "own", "two/1", "key"}
    for shard in shards:
        aptone("score", shard, "-o", f"{shard.stem}-alone")
        for entry in load_run(f"{shard.stem}-alone").entries:
            other = merged[entry.item.id if entry.item.id in merged else f"{shard.stem}/{entry.item.id}"]
            assert other.outcome == entry.outcome


@for_each(
    "options, said",
    [
        (["--line", "Stay."], "--line cannot be combined with shards"),
        (["--dry-run"], "--dry-run cannot be combined"),
        (["--max-cost", "1"], "--max-cost cannot be combined"),
        (["--max-items", "1"], "--max-items cannot be combined"),
        (["--reference", "self"], "--reference self cannot be combined"),
        (["--export", "x.csv"], "--export cannot be combined"),
        (["--results", "folder"], "expected an address such as s3://"),
    ],
)
def test_what_shards_cannot_have_is_refused(
    aptone: Callable[..., Any], shards: list[Path], options: list[str], said: str
) -> None:
    shown = aptone("score", *shards, "--executor", "ray", *options, "-o", "run")
    assert shown.code == 2
    assert said in shown.err
    assert not Path("run").exists()


def test_several_lists_and_results_belong_to_ray(aptone: Callable[..., Any], shards: list[Path]) -> None:
    assert "3 lists: several are scored as shards by --executor ray" in aptone("score", *shards).err
    assert "--results is for shards" in aptone("score", shards[0], "--results", "s3://bucket/x").err
