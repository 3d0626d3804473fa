"""The ablation of CEAEval's Table 4 on the miniature judge, trained from nothing in minutes.

    aptone train miniature rows --data DATA --texts TEXTS --out MINIATURE          # once, on a CPU
    python -m benchmarks.miniature run --data MINIATURE --work WORK --rows all     # on a GPU
    python -m benchmarks.miniature report --work WORK                              # prints and writes the result file

The same code as for judges of full size, on a model shaped like Qwen2.5-Omni's thinker with 22 million random weights;
all of them are trained. **The grades are a formula's, not people's** (`aptone.train.miniature_pairs`). Speakers and TV
dialogues of the test part were never trained on. Rows run in processes side by side; those that share a stage share its
model. Everything that was chosen was chosen on dev.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from aptone.train.ablation import FULL, ROWS, chains

PARTS = ("dev", "test")


def main() -> None:
    """Run, go on with one chain of rows, or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("run", "chain"):
        command = commands.add_parser(name)
        command.add_argument("--data", type=Path, required=True, help="made by: aptone train miniature rows")
        command.add_argument("--work", type=Path, required=True, help="folder for models and results")
        command.add_argument("--rows", default="all", help="such as 1,2,4; all for all thirteen")
        command.add_argument("--part", action="append", choices=PARTS, help="to score; twice for both")
        command.add_argument("--settings", type=Path, help="JSON with what is changed of the settings")
        command.add_argument("--device", default="cuda")
        command.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    reported = commands.add_parser("report")
    reported.add_argument("--work", type=Path, required=True)
    reported.add_argument("--part", choices=PARTS, default="test")
    reported.add_argument("--out", type=Path, help="result file; by default benchmarks/results/miniature.json")
    arguments = parser.parse_args()
    if arguments.command == "run":
        run(arguments)
    elif arguments.command == "chain":
        chain(arguments)
    else:
        from benchmarks.miniature_report import report

        report(arguments.work, part=arguments.part, out=arguments.out)


def say(line: str) -> None:
    """Print with the time of day, so that logs of several processes can be put together."""
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def chosen_rows(text: str) -> list[int]:
    """The rows that are asked for."""
    return sorted(ROWS) if text == "all" else [int(part) for part in text.split(",")]


def run(arguments: argparse.Namespace) -> None:
    """Make base and sounds, then all chains of rows in processes of their own, and wait for them."""
    from aptone.train.miniature_run import (
        DISTILLED,
        distil_miniature,
        make_base,
        read_material,
        settings_from,
        with_reasons,
    )

    settings = settings_from(arguments.settings)
    material = with_reasons(read_material(arguments.data), arguments.work, workers=arguments.workers)
    make_base(material, arguments.work, settings, workers=arguments.workers, log=say)
    rows = chosen_rows(arguments.rows)
    early = [chain for chain in chains(rows) if not ROWS[chain[0]].distilled]
    running = [start(chain, arguments) for chain in early]
    later = [chain for chain in chains(rows) if ROWS[chain[0]].distilled]
    if later:
        distil_miniature(material, arguments.work, settings, device=arguments.device, log=say)
        say(f"{DISTILLED} done")
        running += [start(chain, arguments) for chain in later]
    failed = [process.args for process in running if process.wait() != 0]
    if failed:
        sys.exit(f"failed: {failed}")


def start(rows: tuple[int, ...], arguments: argparse.Namespace) -> "subprocess.Popen[bytes]":
    """A process for rows that go on from one another."""
    command = [sys.executable, "-m", "benchmarks.miniature", "chain", "--rows", ",".join(map(str, rows))]
    command += ["--data", str(arguments.data), "--work", str(arguments.work), "--device", arguments.device]
    for part in arguments.part or PARTS:
        command += ["--part", part]
    if arguments.settings is not None:
        command += ["--settings", str(arguments.settings)]
    return subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"})


def chain(arguments: argparse.Namespace) -> None:
    """Make and score rows one after the other; of the full recipe, the controls as well."""
    from aptone.train.miniature_run import (
        SHUFFLED,
        TOPLINE,
        make_row,
        read_material,
        score_row,
        settings_from,
        with_reasons,
    )

    settings = settings_from(arguments.settings)
    material = with_reasons(read_material(arguments.data), arguments.work)
    for row in chosen_rows(arguments.rows):
        make_row(row, material, arguments.work, settings, device=arguments.device, log=say)
        for part in arguments.part or PARTS:
            for control in ("", SHUFFLED, TOPLINE) if row in (4, FULL) else ("",):
                score_row(
                    row, part, material, arguments.work, settings, device=arguments.device, control=control, log=say
                )


if __name__ == "__main__":
    main()
