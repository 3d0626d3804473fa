"""The script that measures training runs as a miniature where there is no GPU, and needs nothing but torch."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("transformers", reason="training needs torch and transformers: pip install 'aptone[train]'")

import torch

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import runpy, sys
for name in "click jinja2 onnxruntime platformdirs rich soundfile soxr".split():
    sys.modules[name] = None  # as if it were not installed
sys.path[:0] = [{source!r}]
sys.argv = ["clap_throughput.py", "--output", {output!r}]
runpy.run_path({script!r}, run_name="__main__")
"""


@pytest.mark.skipif(torch.cuda.is_available(), reason="with a GPU it would measure for minutes")
def test_a_miniature_runs_where_only_torch_and_transformers_are_installed(tmp_path: Path) -> None:
    output = tmp_path / "rows.json"
    script = ROOT / "benchmarks" / "clap_throughput.py"
    code = SCRIPT.format(source=str(ROOT / "src"), output=str(output), script=str(script))
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True)
    assert ended.stdout.startswith("No GPU here: a miniature")
    report = json.loads(output.read_text(encoding="utf-8"))
    assert report["miniature"] is True
    ways = [(row["way"], row["batch"]) for row in report["rows"]]
    assert ways == [
        *[("plain", 2), ("plain", 4), ("cached", 4), ("cached", 8), ("accumulated", 8)],
        *[("plain, activations again", 4), ("plain, activations again", 8)],
    ]
    for row in report["rows"]:
        assert row["clips_per_second"] == pytest.approx(row["batch"] / row["step_seconds"])
        assert row["peak_gib"] is None  # memory is that of a GPU
    assert set(report["cached against the fastest plain batch"]) == {"4", "8"}
