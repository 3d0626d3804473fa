"""Edits of a journal by hand: which of them does a reader find, and what do checksums cost?

    python -m benchmarks.attacks.journal                             # this tree
    python -m benchmarks.attacks.journal --tree OTHER --name before  # another checkout

A run of 50 items is copied and edited in seven ways. Each copy is loaded, resumed, merged and loaded as a journal too
long to be held in memory, as far as the tree can do that. ``found`` means that this ended with an error; ``line`` that
the error names the line. The cost is the processor time of 20,000 lines, appended without waiting for the disk, and
scanned as on resuming.
"""

import argparse
import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.attacks.victim import ROOT, run_attack

RESULTS = ROOT / "benchmarks" / "results" / "attacks_journal.json"
ITEMS, LINES, EDITED = 50, 20_000, 20
Lines = list[bytes]


def _with_better_score(line: bytes) -> bytes:
    return line.replace(b'"value":1.5', b'"value":4.5')


def _with_doubled_key(line: bytes) -> bytes:
    return line.replace(b'"value":1.5', b'"value":1.5,"value":4.5')


def _without_checksum(line: bytes) -> bytes:
    body, mark, _ = line.rpartition(b',"checksum":"')
    return body + b"}\n" if mark else line


EDITS: dict[str, Callable[[Lines], Lines]] = {
    "score changed": lambda lines: [*lines[:20], _with_better_score(lines[20]), *lines[21:]],
    "key doubled": lambda lines: [*lines[:20], _with_doubled_key(lines[20]), *lines[21:]],
    "key doubled, no checksums": lambda lines: [
        _without_checksum(_with_doubled_key(line) if at == EDITED else line) for at, line in enumerate(lines)
    ],
    "line removed": lambda lines: [*lines[:20], *lines[21:]],
    "lines swapped": lambda lines: [*lines[:20], lines[21], lines[20], *lines[22:]],
    "old line repeated": lambda lines: [*lines, lines[20]],
    "last lines removed": lambda lines: lines[:-5],
}


def attack() -> dict[str, Any]:
    """Edit, read and time journals."""
    from aptone.run import Journal, RunConfig, load_run, read_journal, run_items
    from aptone.types import Entry, Item, Outcome, Score, State

    config = RunConfig(verb="score", engine="attack")
    items = [Item.make(f"i{number}", {"line": "A line."}, position=number) for number in range(ITEMS)]
    outcome = Outcome(State.DONE, scores={"aptness": Score(1.5)}, signature="attack|1")

    def step(item: Item, call: Any) -> Outcome:
        return outcome

    def load_long(folder: Path) -> None:
        import aptone.run.entries as entries_module

        held = entries_module.HELD_BYTES
        entries_module.HELD_BYTES = 0
        try:
            load_run(folder)
        finally:
            entries_module.HELD_BYTES = held

    def merge(folder: Path) -> None:
        from aptone.run.merge import merge_runs

        merge_runs([folder], folder.with_name("merged"))

    readers: dict[str, Callable[[Path], object]] = {
        "load": load_run,
        "load, long": load_long,
        "resume": lambda folder: run_items(items, step, folder=folder, config=config),
        "merge": merge,
    }
    found: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(None):
        whole = Path(name) / "whole"
        run_items(items, step, folder=whole, config=config)
        lines = (whole / "journal.jsonl").read_bytes().splitlines(keepends=True)
        for edit, change in EDITS.items():
            for reader, read in readers.items():
                copy = Path(name) / "copy"
                for folder in (copy, copy.with_name("merged")):
                    shutil.rmtree(folder, ignore_errors=True)
                shutil.copytree(whole, copy)
                (copy / "journal.jsonl").write_bytes(b"".join(change(lines)))
                try:
                    read(copy)
                    told = "accepted"
                except ImportError:
                    told = "not there yet"
                except Exception as error:
                    told = "found, line" if ", line " in str(error) else "found"
                found.setdefault(edit, {})[reader] = told
        long = Path(name) / "long.jsonl"
        entries = [
            Entry(item=items[number % ITEMS], outcome=outcome, repeat=number // ITEMS) for number in range(LINES)
        ]
        began = time.process_time()
        with Journal(long) as journal, mock.patch("os.fsync"):
            for entry in entries:
                journal.append([entry])
        written = time.process_time()
        for _ in read_journal(long):
            pass
        loaded = time.process_time()
        scanned: float | None = None
        with contextlib.suppress(ImportError):
            from aptone.run.known import KnownItems

            KnownItems(long)
            scanned = round(1e6 * (time.process_time() - loaded) / LINES, 1)
        cost = {
            "append_us": round(1e6 * (written - began) / LINES, 1),
            "load_us": round(1e6 * (loaded - written) / LINES, 1),
            "scan_us": scanned,
            "bytes_a_line": round(long.stat().st_size / LINES),
        }
    return {"edits": found, "cost_a_line": cost}


def main() -> None:
    """Print and keep the figures; exit with 1 if an edit in the middle of a journal passes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tree", type=Path, default=ROOT, help="Checkout whose code is attacked.")
    parser.add_argument("--name", default="after", help="Name of the figures in the results.")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    kept = run_attack(__file__, parser.parse_args(), attack, RESULTS, timeout=600)
    after: dict[str, dict[str, str]] = kept.get("after", {}).get("edits", {})
    passed = [edit for edit, told in after.items() if edit != "last lines removed" and "accepted" in told.values()]
    if passed:
        raise SystemExit(f"not found: {', '.join(passed)}")


if __name__ == "__main__":
    main()
