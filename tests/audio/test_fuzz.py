"""A small run of the fuzzing benchmark: damaged files load or are refused, nothing else."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "audio_fuzz.py"


def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("audio_fuzz", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_hundred_damaged_files_neither_crash_nor_hang_nor_surprise() -> None:
    result = benchmark().run(208, seed=1)  # 13 formats × 8 kinds of damage × 2
    assert result["failures"] == []
    assert result["total"]["loaded"] + result["total"]["refused"] == 208
    assert result["total"]["loaded"] > 0
    assert result["total"]["refused"] > 0
    assert len(result["by_format"]) == 13
    assert len(result["by_damage"]) == 8


STAND_IN = """
import os, sys, time
for line in sys.stdin:
    if line.startswith("crash"):
        os.abort()
    if line.startswith("hang"):
        time.sleep(600)
    print('["loaded", ""]', flush=True)
"""


def test_a_worker_that_crashes_or_hangs_is_noticed_and_replaced() -> None:
    worker = benchmark().Worker([sys.executable, "-c", STAND_IN])
    try:
        assert worker.read(Path("good")) == ("loaded", "")
        assert worker.read(Path("crash"))[0] == "crash"
        assert worker.read(Path("good")) == ("loaded", "")
        assert worker.read(Path("hang"), limit_seconds=0.5) == ("hang", "no answer within 0.5 s")
        assert worker.read(Path("good")) == ("loaded", "")
    finally:
        worker.close()
