"""The kill benchmark in short: nothing is lost, doubled, damaged or left behind."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "kill_resume.py"


@pytest.mark.parametrize("variant", ["in-process", "coroutines-8", "processes-2", "asking-8"])
def test_a_run_that_is_killed_and_resumed_keeps_its_promises(tmp_path: Path, variant: str) -> None:
    options = ["--items", "40", "--kills", "5", "--variant", variant, "--output", str(tmp_path / "findings.json")]
    ended = subprocess.run([sys.executable, str(BENCHMARK), *options], capture_output=True, text=True, timeout=900)
    assert (ended.returncode, ended.stderr) == (0, "")
    found = json.loads((tmp_path / "findings.json").read_text())["variants"][variant]
    assert (found["items"], found["journal_lines"], found["distinct_results"]) == (40, 40, 40)
    assert found["hits"] >= 4, "kills hit a live process"
    assert found["executed_again_after_journalled"] == 0
    assert found["executions"] == 40 + found["executed_again_under_way"]
    assert found["orphans"] == 0
    if variant == "asking-8":
        money = found["money"]
        assert (money["kept"], money["journalled"], money["made_again"]) == (40, 40.0, 0)
        assert money["made"] == 40 + money["lost"]
