"""The ablation of CEAEval's Table 4 on the miniature judge, trained from nothing in minutes.

    python -m recipes.miniature rows --data DATA --texts TEXTS --out MINIATURE                         # once, on a CPU
    python -m benchmarks.miniature run --data MINIATURE --work WORK --results RESULTS --rows all  # on a GPU
    python -m benchmarks.miniature report --results RESULTS                # prints and writes the result file

The same code as for judges of full size, on a model shaped like Qwen2.5-Omni's thinker with 14 million random weights,
all of which are trained, behind the frozen stem of the built-in ear (`recipes.miniature.frames`). **The grades are
a formula's, not people's**, and a third of the TV lines, whose emotion no planner finds in the words, is left out in
all splits alike (`recipes.miniature.pairs`; the control ``all`` has them). Speakers and dialogues of the test part
were never trained on. What was chosen was chosen on dev; seen of test before that: how often planners name emotion
(0.60), rhythm, intonation and condition of its lines, label counts, and what a perfect listener would reach with their
plans, after which narrations and shares of conditions were chosen. A first run of all rows
(``results/miniature_first_run.txt``, all that is left of it; 18 million weights) trained those with two kinds of
examples as many steps as those with one, and so each kind half as long; dev and test were seen before that was
changed, and the vocabulary halved so that the weights fit into 15 MB.

Rows run in processes side by side; those that share a stage share its model. Each starts at once and prepares what it
can while the stage that it goes on from is still being made. What a row says is written to RESULTS as soon as it has
said it, so that a run can be stopped at any time; the same command goes on with what WORK holds.
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from aptone.train.ablation.rows import FULL, ROWS, chains

PARTS = ("dev", "test")
CONTROLLED = (4, FULL)
"""Rows that are scored with controls, on the last of the parts."""


def main() -> None:
    """Run, go on with one chain of rows, or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("run", "chain"):
        command = commands.add_parser(name)
        command.add_argument("--data", type=Path, required=True, help="made by: python -m recipes.miniature rows")
        command.add_argument("--work", type=Path, required=True, help="folder for models")
        command.add_argument("--results", type=Path, required=True, help="folder for what rows say")
        command.add_argument("--rows", default="all", help="such as 1,2,4; all for all thirteen")
        command.add_argument("--part", action="append", choices=PARTS, help="to score; twice for both")
        command.add_argument("--settings", type=Path, help="JSON with what is changed of the settings")
        command.add_argument("--device", default="cuda")
        command.add_argument("--workers", type=int, default=os.cpu_count() or 1)
        command.add_argument("--weights", action="store_true", help=f"keep those of row {FULL} with the results")
    reported = commands.add_parser("report")
    reported.add_argument("--results", type=Path, required=True)
    reported.add_argument("--part", choices=PARTS, default="test")
    reported.add_argument("--out", type=Path, help="result file; by default benchmarks/results/miniature.json")
    arguments = parser.parse_args()
    if arguments.command == "run":
        run(arguments)
    elif arguments.command == "chain":
        chain(arguments)
    else:
        from benchmarks.miniature_report import report

        report(arguments.results, part=arguments.part, out=arguments.out)


def say(line: str) -> None:
    """Print with the time of day, so that what several processes say can be put together."""
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


def chosen_rows(text: str) -> list[int]:
    """The rows that are asked for."""
    return sorted(ROWS) if text == "all" else [int(part) for part in text.split(",")]


def run(arguments: argparse.Namespace) -> None:
    """Make base and sounds, start all chains of rows in processes of their own, distil meanwhile, and wait for them."""
    import torch

    from recipes.miniature.config import settings_from
    from recipes.miniature.material import read_material
    from recipes.miniature.run import DISTILLED, distil_miniature, make_base

    started = time.monotonic()
    settings = settings_from(arguments.settings)
    material = read_material(arguments.data)
    say(f"material read, {time.monotonic() - started:.0f} s")
    make_base(material, arguments.work, settings, workers=arguments.workers, log=say)
    rows = chosen_rows(arguments.rows)
    with ended([start(chain, arguments) for chain in chains(rows)]) as running:
        if any(ROWS[row].distilled for row in rows):
            distil_miniature(material, arguments.work, settings, device=arguments.device, log=say)
            say(f"{DISTILLED} done, {time.monotonic() - started:.0f} s")
            torch.cuda.empty_cache()  # the rows need it now
        failed = [process.args for process in running if process.wait() != 0]
    say(f"all done, {time.monotonic() - started:.0f} s")
    if failed:
        sys.exit(f"failed: {failed}")


@contextlib.contextmanager
def ended(running: list["subprocess.Popen[bytes]"]) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Whatever happens, processes that were started end with this one."""

    def stop(*_: Any) -> None:
        sys.exit("stopped; the same command goes on")

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield running
    finally:
        signal.signal(signal.SIGTERM, before)
        for process in running:
            process.terminate()


def start(rows: tuple[int, ...], arguments: argparse.Namespace) -> "subprocess.Popen[bytes]":
    """A process for rows that go on from one another."""
    command = [sys.executable, "-m", "benchmarks.miniature", "chain", "--rows", ",".join(map(str, rows))]
    command += ["--data", str(arguments.data), "--work", str(arguments.work), "--device", arguments.device]
    command += ["--results", str(arguments.results)]
    for part in arguments.part or PARTS:
        command += ["--part", part]
    if arguments.settings is not None:
        command += ["--settings", str(arguments.settings)]
    if arguments.weights:
        command.append("--weights")
    return subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"})


def chain(arguments: argparse.Namespace) -> None:
    """Make and score rows one after the other; of some, controls as well."""
    import torch

    from aptone.train.ablation.results import ALL, AT_ONCE, SHUFFLED, TOPLINE
    from recipes.miniature.config import settings_from
    from recipes.miniature.material import read_material
    from recipes.miniature.run import DISTILLED, DONE, SOUNDS, make_row, prepared_data
    from recipes.miniature.scores import score_row

    torch.set_num_threads(1)
    settings = settings_from(arguments.settings)
    material = read_material(arguments.data)
    torch.zeros(1, device=arguments.device)  # starts the device
    rows, parts = chosen_rows(arguments.rows), arguments.part or PARTS
    first = ROWS[rows[0]]
    if first.trained:
        prepared_data(first.fine_tuned, material, arguments.work)
    if first.distilled:
        wait_for(arguments.work / DISTILLED / DONE)
    for row in rows:
        folder = make_row(row, material, arguments.work, settings, device=arguments.device, log=say)
        if row == FULL and arguments.weights:
            keep_weights(folder, arguments.work / SOUNDS, arguments.results / "model")
        asked = [(part, control) for part in parts for control in ("", AT_ONCE) if not control or is_mixed(row)]
        asked += [(parts[-1], control) for control in (SHUFFLED, TOPLINE, ALL) if row in CONTROLLED]
        for part, control in asked:
            score_row(
                row,
                part,
                material,
                arguments.work,
                settings,
                device=arguments.device,
                control=control,
                results=arguments.results,
                log=say,
            )


def is_mixed(row: int) -> bool:
    """Return True if a row was trained to score with and without reasoning, so that it can be asked for either."""
    return ROWS[row].thinking == "mixed"


def wait_for(path: Path) -> None:
    """Wait until another process has written a file."""
    while not path.is_file():
        time.sleep(0.2)


def keep_weights(folder: Path, sounds: Path, out: Path) -> None:
    """A copy of a model with numbers of 16 bits, and the scale of the frames that it hears."""
    from aptone.models.local.placement import Placement
    from aptone.models.omni.checkpoint import load_omni
    from recipes.miniature.sounds import SCALE

    omni = load_omni.__wrapped__(Placement(str(folder), device="cpu", precision="bfloat16"))
    omni.model.save_pretrained(out)
    omni.tokenizer.save_pretrained(out)
    omni.extractor.save_pretrained(out)
    shutil.copy(sounds / SCALE, out)


if __name__ == "__main__":
    main()
