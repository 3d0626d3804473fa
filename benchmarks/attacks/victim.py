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


def run_attack(
    script: str, chosen: argparse.Namespace, attack: Callable[[], dict[str, Any]], results: Path, *, timeout: float
) -> dict[str, Any]:
    """Run `attack` in a process that imports the chosen tree, and keep its figures.

    Args:
        script: file of the script, which calls this.
        chosen: its options ``--tree`` (a checkout), ``--name`` (of the figures) and ``--work`` (this is the process).
        attack: function that returns figures.
        results: JSON file with the figures under ``before`` and ``after``.
    """
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
