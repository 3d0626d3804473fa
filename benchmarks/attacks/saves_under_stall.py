"""Eighteen people save while 1,500 connections stall: how long a save takes, and whether one is lost.

    python -m benchmarks.attacks.saves_under_stall
    PYTHONPATH=OTHER/src python -m benchmarks.attacks.saves_under_stall --name before   # the code of another checkout

The people are those of `benchmarks.studio_load` (each on six connections, on a schedule that waits for nobody; five
changes a second), the attacks those of `benchmarks.attacks.stalled_sign_ins`, in a process of their own. For every kind
of attack a new server, which may open 1,024 files: some seconds of saving alone, as many during the attack, and as many
afterwards. The attack has two parts: ``opening``, until every connection was tried and half a second more, after which
a connection that stalls gives way, and ``stalled``. Then the database is compared with all that was made.

The goal: 95 % of the saves within 200 ms while the connections open and while they stall, none lost. What else runs on
the machine counts, so each figure stands beside that of the same load without the stalled connections, in the same run
(``times``). It exits with 1 if the goal is missed. Loopback only; it ends by itself. Needs Linux.
"""

import argparse
import asyncio
import contextlib
import json
import multiprocessing
import os
import platform
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.attacks.stalled_sign_ins import CONNECTIONS, SENT, attack
from benchmarks.attacks.studio_server import OPEN_FILES
from benchmarks.studio_load import Annotator, Server, check, make_project, percentiles, save_all, sign_in

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "attacks_saves_under_stall.json"
GOAL_MS = 200.0
PHASES = ("alone", "stalled", "afterwards")
GIVES_WAY = 0.5
"""Seconds after which a connection that stalls gives way to a new one."""


async def save_in_phases(server: Server, people: list[Annotator], kind: str, *, seconds: float, rate: float) -> Any:
    """Save alone, during an attack and after it; times of the saves by phase, and what became of the connections."""
    await server.start()
    await sign_in(server, people)
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    attacker = spawning.Process(target=attack, args=(kind, server.port, theirs))
    times: dict[str, list[float]] = {}
    became: object = None
    for number, phase in enumerate(PHASES):
        before = [len(person.changes) for person in people]
        opened = 0.0
        if phase == "stalled":
            attacker.start()
            saving = asyncio.ensure_future(save_all(server, people, seconds=seconds, rate=rate, kills=0, seed=number))
            await asyncio.to_thread(ours.recv)
            opened = time.monotonic() + GIVES_WAY
            await saving
            ours.send("end")
            became = await asyncio.to_thread(ours.recv)
            attacker.join()
        else:
            await save_all(server, people, seconds=seconds, rate=rate, kills=0, seed=number)
        for person, count in zip(people, before, strict=True):
            for one in person.changes[count:]:
                part = "opening" if one.made < opened else phase
                times.setdefault(part, []).append(1000 * (one.acknowledged - one.made))
    return times, became


def measure(kind: str, *, seconds: float, annotators: int, rate: float) -> dict[str, Any]:
    """One kind of attack, from an empty folder to the findings."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "project"
        people = make_project(folder, "", annotators=annotators)
        server = Server(folder, "")
        try:
            times, became = asyncio.run(save_in_phases(server, people, kind, seconds=seconds, rate=rate))
        finally:
            with contextlib.suppress(ProcessLookupError):
                server.stop()
        figures = {phase: percentiles(some) for phase, some in times.items()}
        return {
            "save_ms": figures,
            "times": {phase: round(figures[phase]["p95"] / figures["alone"]["p95"], 2) for phase in figures},
            "changes": sum(map(len, times.values())),
            **check(folder, "", people),
            "connections": became,
        }


def main() -> int:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", default="now")
    parser.add_argument("--only", default="", help="Kinds of attack that begin so.")
    parser.add_argument("--seconds", type=float, default=10.0, help="Of each phase.")
    parser.add_argument("--annotators", type=int, default=18)
    parser.add_argument("--rate", type=float, default=5.0, help="Changes a second, of each.")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, hard))
    record = json.loads(options.output.read_text(encoding="utf-8")) if options.output.exists() else {}
    record["about"] = {
        "connections": CONNECTIONS,
        "open_files": OPEN_FILES,
        "annotators": options.annotators,
        "changes_a_second_each": options.rate,
        "seconds_of_a_phase": options.seconds,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }
    problems = []
    for kind in (one for one in SENT if one.startswith(options.only)):
        load = round(os.getloadavg()[0], 1)
        found = measure(kind, seconds=options.seconds, annotators=options.annotators, rate=options.rate)
        found["runnable_with_others"] = load
        print(kind, json.dumps(found), flush=True)
        record.setdefault(options.name, {})[kind] = found
        options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        lost = [f"{kind}: {found[name]} {name}" for name in ("lost", "doubled", "wrong_answers") if found[name]]
        for part in ("opening", "stalled"):
            if part not in found["save_ms"]:
                lost.append(f"{kind}: no save while the connections were {part}; take more --seconds")
            elif found["save_ms"][part]["p95"] >= GOAL_MS:
                lost.append(f"{kind}, {part}: 95 % of the saves take up to {found['save_ms'][part]['p95']} ms")
        problems += lost
    print("; ".join(problems) or f"95 % of the saves below {GOAL_MS:g} ms, none lost")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
