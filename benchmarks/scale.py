"""Memory and driver time of long runs: 100,000 items of a trivial step, resumed and reported; a journal of a million.

    python -m benchmarks.scale [--items 100000] [--made-up 1000000]

Every stage runs in a process of its own, whose peak of resident memory is what the system says (``ru_maxrss``):

- *run*: items of a trivial step, made one by one, through `run_items` with the journal synced after every item;
- *resume*: the same call again, with nothing left to do; *load*: `load_run` and one round over all entries;
- *statistics*: the trust card; *report*: trust card and page, as ``aptone report`` makes them.

The driver's time is processor time an item, of the *run* stage less its start; beside it stands a plain loop in the
same process, which writes the same lines with ``json`` and syncs each. The journal of made-up items is written line by
line, with a tenth of its items unscored or failed, and goes through the same stages.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from aptone.report.run_report import finish_run, run_card
from aptone.run import Call, RunConfig, load_run, run_items
from aptone.run.folder import JOURNAL
from aptone.types import Entry, Item, Json, Outcome, Score, State, dumps
from aptone.types.codec import dumps_record

RESULTS = Path(__file__).parent / "results" / "scale.json"
CONFIG = RunConfig("score", "made-up", version="1", seed=0)
GOAL_MB, GOAL_MILLION_MB, GOAL_MS = 300, 1000, 1.0
LINE = "The lighthouse keeper climbed the stairs once more, and the sea below him said nothing at all."


def payload(number: int) -> dict[str, object]:
    """Return the payload of an item, of the size of a line with its story."""
    return {
        "id": f"item-{number:07d}",
        "target": {"text": LINE, "role": "Tom"},
        "context": [{"text": LINE, "role": "narrator"}] * 3,
        "ids": {"system": f"system-{number % 4}", "story": f"story-{number % 40}"},
        "language": "en",
    }


def made_items(count: int) -> Iterator[Item]:
    """Yield items one by one."""
    for number in range(count):
        yield Item.make(f"item-{number:07d}", json.loads(json.dumps(payload(number))), position=number)


def outcome_of(number: int) -> Outcome:
    """Return a made-up outcome: 18 in 20 scored, one unscored, one failed."""
    if number % 20 == 7:
        return Outcome.unscored(f"no score tag in the reply of {number} characters", raw_reply="…")
    if number % 20 == 13:
        return Outcome.failed(f"timed out after {number} s")
    scores = {
        name: Score((number * factor) % 501 / 100, range=(0.0, 5.0), higher_is_better=True)
        for name, factor in (("aptness", 7), ("emotion", 11), ("rhythm", 13))
    }
    return Outcome(State.DONE, scores=scores, rationale=LINE, signature="made-up|version:1")


def trivial_step(item: Item, call: Call) -> Outcome:
    """Score an item by its number."""
    number = item.position
    return outcome_of(number + 1 if number % 20 in (7, 13) else number)


def stage_run(folder: Path, count: int) -> dict[str, float]:
    """Run the trivial step, and a plain loop with ``json`` and ``fsync`` beside it."""
    begun, wall = time.process_time(), time.monotonic()
    ended = run_items(made_items(count), trivial_step, folder=folder, config=CONFIG)
    seconds, waited = time.process_time() - begun, time.monotonic() - wall
    assert ended.worked == count, ended
    begun, plain = time.process_time(), min(count, 5_000)
    descriptor = os.open(folder.with_suffix(".plain"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number, item in enumerate(made_items(plain)):
        outcome = trivial_step(item, Call())
        scores = {name: {"value": score.value, "range": score.range} for name, score in outcome.scores.items()}
        line = {"item": dict(item.payload), "hash": item.content_hash, "scores": scores, "why": outcome.rationale}
        os.write(descriptor, (json.dumps(line) + "\n").encode())
        os.fsync(descriptor)
        assert number < count
    os.close(descriptor)
    plain_ms = 1000 * (time.process_time() - begun) / plain
    return {
        "driver_ms": round(1000 * seconds / count, 3),
        "wall_ms": round(1000 * waited / count, 3),
        "plain_ms": round(plain_ms, 3),
        "ratio_to_plain": round(1000 * seconds / count / plain_ms, 2),
    }


def stage_resume(folder: Path, count: int) -> dict[str, float]:
    """Run again: nothing is left to do but what failed."""
    ended = run_items(made_items(count), trivial_step, folder=folder, config=CONFIG)
    return {"worked": ended.worked}


def stage_load(folder: Path, count: int) -> dict[str, float]:
    """Go round all entries once."""
    run = load_run(folder)
    read = sum(1 for _ in run.entries)
    assert read == len(run.entries) == count, (read, count)
    return {"entries": read}


def stage_statistics(folder: Path, count: int) -> dict[str, float]:
    """Make the trust card."""
    card = run_card(load_run(folder))
    assert card.items == count, card
    return {"done": card.done, "unscored": sum(card.unscored.values()), "failed": sum(card.failed.values())}


def stage_report(folder: Path, count: int) -> dict[str, float]:
    """Make the trust card and the page."""
    finished = finish_run(load_run(folder))
    assert finished.card.items == count, finished.card
    return {"page_mb": round(finished.report.stat().st_size / 1e6, 2)}


STAGES = {
    "run": stage_run,
    "resume": stage_resume,
    "load": stage_load,
    "statistics": stage_statistics,
    "report": stage_report,
}


def stage(name: str, folder: Path, count: int) -> None:
    """Carry out one stage, and print its figures and the peak of memory as JSON."""
    begun, wall = time.process_time(), time.monotonic()
    found = STAGES[name](folder, count)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
    spent = {"cpu_s": round(time.process_time() - begun, 1), "wall_s": round(time.monotonic() - wall, 1)}
    print(json.dumps({"peak_mb": round(peak, 1), **spent, **found}))


def in_own_process(name: str, folder: Path, count: int) -> dict[str, float]:
    """Return the figures of a stage that ran in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.scale",
        "--stage",
        name,
        "--folder",
        str(folder),
        "--items",
        str(count),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"{name} of {count}: {found}", flush=True)
    return found


def write_made_up(folder: Path, count: int) -> None:
    """Write a run folder with a journal of made-up entries."""
    run_items([], trivial_step, folder=folder, config=CONFIG)
    with (folder / JOURNAL).open("a", encoding="utf-8") as journal:
        for item in made_items(count):
            entry = Entry(item, outcome_of(item.position), seconds=0.01, finished="2026-01-01T00:00:00.000+00:00")
            journal.write(dumps_record(entry) + "\n")


def main() -> None:
    """Run all stages and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--made-up", type=int, default=1_000_000)
    parser.add_argument("--stage", choices=STAGES)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--output", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    if chosen.stage:
        stage(chosen.stage, chosen.folder, chosen.items)
        return
    with tempfile.TemporaryDirectory() as place:
        folder, long = Path(place) / "run", Path(place) / "long"
        trivial = {name: in_own_process(name, folder, chosen.items) for name in STAGES}
        trivial_bytes = (folder / JOURNAL).stat().st_size
        write_made_up(long, chosen.made_up)
        made_up = {name: in_own_process(name, long, chosen.made_up) for name in STAGES if name not in ("run", "resume")}
        made_up["resume"] = in_own_process("resume", long, chosen.made_up)
        made_up_bytes = (long / JOURNAL).stat().st_size
    result: dict[str, Json] = {
        "machine": {"system": platform.system(), "python": platform.python_version(), "cores": os.cpu_count()},
        "goals": {"trivial_peak_mb": GOAL_MB, "driver_ms": GOAL_MS, "made_up_peak_mb": GOAL_MILLION_MB},
        "trivial": {"items": chosen.items, "journal_mb": round(trivial_bytes / 1e6, 1), "stages": trivial},
        "made_up": {"items": chosen.made_up, "journal_mb": round(made_up_bytes / 1e6, 1), "stages": made_up},
        "trivial_peak_mb": max(one["peak_mb"] for one in trivial.values()),
        "made_up_peak_mb": max(one["peak_mb"] for one in made_up.values()),
    }
    chosen.output.write_text(dumps(result, indent=2) + "\n", encoding="utf-8")
    print(dumps(result, indent=2))


if __name__ == "__main__":
    main()
