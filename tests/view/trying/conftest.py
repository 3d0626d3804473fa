"""A view as a process of its own, over a scored example, and a browser with a microphone that plays a file."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import read, write
from aptone.types import Audio

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "lighthouse"
WAIT = 60_000.0
"""Milliseconds after which something that should happen does not, on a machine however crowded."""


@dataclass(slots=True)
class Served:
    """A view that runs: its address, and the folder of its run."""

    address: str
    run: Path
    problems: list[str] = field(default_factory=list)


@pytest.fixture(scope="session")
def scored_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "demo"
    command = [sys.executable, "-m", "aptone", "score", str(EXAMPLE / "manifest.jsonl"), "-o", str(folder)]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
    return folder


@pytest.fixture(scope="session")
def served(scored_run: Path) -> Iterator[Served]:
    command = [sys.executable, "-m", "tests.view.trying.serve_view", str(scored_run)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        yield Served(address, scored_run)
        process.terminate()


@pytest.fixture(scope="session")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A line of the example as Chromium's microphone plays it: 48 kHz, with a second of silence behind it."""
    clip = read(sorted((EXAMPLE / "clips").iterdir())[0], rate=48_000, channel="mix")
    silence = np.zeros(48_000, dtype=np.float32)
    file = tmp_path_factory.mktemp("microphone") / "spoken.wav"
    write(file, Audio(np.concatenate([clip.samples, silence]), 48_000))
    return file
