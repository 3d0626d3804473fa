"""The core install: how large it is on the disk, and how soon ``aptone --help`` answers.

Makes a fresh environment in a temporary folder, installs the core from this clone as a user would, and measures. The
time is given beside that of an empty Python program in the same environment, since machines differ.

    python benchmarks/install.py
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOAL_MEGABYTES = 300
GOAL_SECONDS = 0.6
REPETITIONS = 15


def disk_megabytes(folder: Path) -> float:
    """Return the disk use of a folder's files, in units of 10⁶ bytes; a file with several names counts once."""
    seen: dict[tuple[int, int], int] = {}
    for path in folder.rglob("*"):
        if not path.is_symlink() and path.is_file():
            status = path.stat()
            seen[status.st_dev, status.st_ino] = status.st_blocks * 512
    return sum(seen.values()) / 1e6


def seconds(command: list[str]) -> float:
    """Median wall time of a command."""
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    """Install, measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Size and start-up of the core install.")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "install.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        environment = Path(temporary) / "venv"
        venv.create(environment, with_pip=True)
        before = disk_megabytes(environment)
        folder = environment / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([folder / "python", "-m", "pip", "install", "-q", str(ROOT)], check=True)
        megabytes = disk_megabytes(environment) - before
        listing = [str(folder / "python"), "-m", "pip", "list", "--format=json"]
        shown = subprocess.run(listing, check=True, capture_output=True)
        packages = {entry["name"]: entry["version"] for entry in json.loads(shown.stdout)}
        help_seconds = seconds([str(folder / "aptone"), "--help"])
        empty_seconds = seconds([str(folder / "python"), "-c", "pass"])
    record = {
        "what": "what the core install adds to a fresh environment",
        "megabytes_on_disk": round(megabytes, 1),
        "megabytes_of_the_fresh_environment": round(before, 1),
        "goal_megabytes": GOAL_MEGABYTES,
        "help_seconds_median": round(help_seconds, 3),
        "goal_help_seconds": GOAL_SECONDS,
        "help_against_an_empty_program": round(help_seconds / empty_seconds, 1),
        "packages": packages,
        "versions": {"python": platform.python_version(), "aptone": version("aptone")},
    }
    print(f"core install: {megabytes:.0f} MB (goal at most {GOAL_MEGABYTES}), in an environment of {before:.0f} MB")
    print(f"aptone --help: {help_seconds:.2f} s (goal under {GOAL_SECONDS}); an empty program: {empty_seconds:.2f} s")
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    sys.exit(0 if megabytes <= GOAL_MEGABYTES and help_seconds < GOAL_SECONDS else 1)


if __name__ == "__main__":
    main()
