"""Does the whole test suite pass on a crowded machine, and in another order?

    python -m tests.busy                               # three times beside four busy loops, once at random
    python -m tests.busy --times 1 tests/web tests/run # some of the tests

Busy loops keep as many processes running as `--loops` says while the tests run on two workers, so that every test gets
a fraction of a core. Then the tests run once more in random order (pytest-random-order, modules and tests within them;
the seed is in the result). The goal: no failure in any of them. A loop ends when the runs are over, or when the process
that started it is gone. It exits with 1 if a test failed. The result says which tests it is about.
"""

import argparse
import contextlib
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LOOP = """
import os, time
parent, end = os.getppid(), time.monotonic() + 6 * 3600
while os.getppid() == parent and time.monotonic() < end:
    for _ in range(1_000_000):
        pass
"""
COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed)")
PROBLEM = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@contextlib.contextmanager
def busy(loops: int) -> Iterator[None]:
    """Keep processes busy that do nothing but count."""
    started = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in started:
            one.kill()
        for one in started:
            one.wait()


def summary(output: str) -> dict[str, Any]:
    r"""Return the counts of a run by its last line, and the names of tests that failed.

    >>> summary("FAILED tests/a.py::test_b - no\n1 failed, 20 passed in 3.00s")
    {'failed': 1, 'passed': 20, 'problems': ['tests/a.py::test_b']}
    """
    last = output.rstrip().rpartition("\n")[2]
    counts = {name: int(count) for count, name in COUNTS.findall(last)}
    return {**counts, "problems": sorted(set(PROBLEM.findall(output)))}


def run(options: Sequence[str], paths: Sequence[str], *, loops: int, workers: int) -> dict[str, Any]:
    """Run the tests once."""
    command = [sys.executable, "-m", "pytest", "-q", "-r", "fE", "-n", str(workers), "--dist", "worksteal", *options]
    begun = time.monotonic()
    with busy(loops):
        done = subprocess.run([*command, *paths], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = {"exit": done.returncode, **summary(done.stdout), "seconds": round(time.monotonic() - begun)}
    if done.returncode not in (0, 1):
        found["said"] = done.stdout[-2000:]  # no summary: it did not come to run the tests
    return found


def main() -> int:
    """Run, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", help="Tests; by default all.")
    parser.add_argument("--times", type=int, default=3, help="Runs beside the busy loops.")
    parser.add_argument("--loops", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="Of the random order; 0 for no such run.")
    parser.add_argument("--output", type=Path, help="File for the result.")
    options = parser.parse_args()
    runs = [({"loops": options.loops, "order": "as written"}, list[str]()) for _ in range(options.times)]
    if options.seed:
        shuffled = ["--random-order", f"--random-order-seed={options.seed}"]
        runs.append(({"loops": 0, "order": f"random, seed {options.seed}"}, shuffled))
    results = []
    for how, further in runs:
        results.append({**how, **run(further, options.paths, loops=int(str(how["loops"])), workers=options.workers)})
        print(json.dumps(results[-1]), flush=True)
    record = {
        "tests": options.paths or "all",
        "cores": os.cpu_count(),
        "workers": options.workers,
        "python": platform.python_version(),
        "pytest": version("pytest"),
        "runs": results,
    }
    if options.output is not None:
        options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    failed = [one for one in results if one["exit"]]
    print(f"{len(results) - len(failed)} of {len(results)} runs without a failure")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
