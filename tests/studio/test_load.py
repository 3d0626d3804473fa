"""The load benchmark in short: a killed server loses and doubles nothing that it acknowledged."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_a_server_that_is_killed_keeps_every_change_that_it_acknowledged(tmp_path: Path) -> None:
    options = [
        "--database",
        "sqlite",
        "--seconds",
        "3",
        "--annotators",
        "6",
        "--kills",
        "1",
        "--goal-ms",
        "0",
        "--rate",
        "20",
    ]
    command = [sys.executable, "-m", "benchmarks.studio_load", *options, "--output", str(tmp_path / "findings.json")]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=ROOT)
    assert (ended.returncode, ended.stderr) == (0, "")
    found = json.loads((tmp_path / "findings.json").read_text())["databases"]["sqlite"]
    # Six people, three seconds, twenty changes a second; each begins within the first twentieth.
    assert found["stored"] == found["changes"] == 360
    assert (found["lost"], found["doubled"], found["unknown"], found["wrong_answers"]) == (0, 0, 0, 0)
    assert len(found["seconds_away"]) == 1
    assert found["sent_again"] > 0, "the kill came while people were saving"
