"""A disk that runs full in the middle of a run, by a real limit of the system on the size of files."""

import subprocess
import sys
from pathlib import Path

from aptone.run import load_run, read_journal, run_items
from tests.run.run_steps import CONFIG, items, score_number
from tests.tables import for_each

PROGRAM = """
import resource, sys
from pathlib import Path
from aptone.errors import RunError
from aptone.run import InProcess, run_items
from tests.run.run_steps import CONFIG, items, score_number

limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    run_items(items(50), score_number, folder=Path(sys.argv[1]), config=CONFIG, executor=InProcess(4))
except RunError as error:
    print(error)
"""


@for_each("limit", [100, 3000, 3001, 9999])
def test_a_run_on_a_full_disk_says_so_and_goes_on_when_there_is_room_again(tmp_path: Path, limit: int) -> None:
    folder = tmp_path / "run"
    root = str(Path(__file__).resolve().parents[2])
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), str(limit)], capture_output=True, text=True, timeout=300, cwd=root
    )
    assert ended.stderr == ""
    refused = "config.json" if limit == 100 else "journal.jsonl"  # the configuration takes some hundred bytes
    assert f"{refused}: cannot be written (" in ended.stdout
    assert "run the same command" in ended.stdout
    before = [entry.item.id for entry in read_journal(folder / "journal.jsonl")]
    assert len(before) == len(set(before)) < 50
    assert bool(before) == (limit > 100)
    assert run_items(items(50), score_number, folder=folder, config=CONFIG).worked in (
        50 - len(before),
        49 - len(before),
    )
    lines = [entry.item.id for entry in read_journal(folder / "journal.jsonl")]
    assert len(lines) == len(set(lines)) == len(load_run(folder).entries) == 50
    assert not list(folder.glob("*.partial"))
