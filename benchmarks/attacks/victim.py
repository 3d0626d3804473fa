"""Run a part of an attack script against a source tree: this one, or another checkout beside it."""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def run_attack(script: str, attack: Callable[[], dict[str, Any]], results: Path, *, timeout: float) -> dict[str, Any]:
    """Parse the options of an attack script, run `attack` in a process that imports the chosen tree, keep its figures.

    Args:
        script: file of the script.
        attack: function that returns figures.
        results: JSON file with the figures under ``before`` and ``after``.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--tree", type=Path, default=ROOT, help="Checkout whose code is attacked.")
    parser.add_argument("--name", default="after", help="Name of the figures in the results.")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.work:
        json.dump(attack(), sys.stdout)
        sys.exit()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(chosen.tree.resolve() / "src"), str(ROOT)))}
    said = subprocess.run(
        [sys.executable, script, "--work"], env=environment, stdout=subprocess.PIPE, timeout=timeout, check=True
    ).stdout
    kept: dict[str, Any] = json.loads(results.read_text(encoding="utf-8")) if results.exists() else {}
    kept[chosen.name] = json.loads(said)
    results.write_text(json.dumps(dict(sorted(kept.items(), reverse=True)), indent=1) + "\n", encoding="utf-8")
    print(json.dumps(kept[chosen.name], indent=1))
    return kept
