"""The miniature of ParaS2SBench, built offline: how long it takes, what each stage yields, and is it the same twice?

    python -m benchmarks.answer_build --speaker flite --prompts 20 --out benchmarks/results

From an empty folder: sentences of the templates, rules as filters, a synthesiser of this machine, Moonshine for the
words, the ear for the way of asking; 20 questions a dimension, each in two ways. It is built twice with one seed, the
second time killed half-way and resumed; the two manifests, which hold the hash of every recording, must be the same
file. Wall time depends on what else the machine does, so that the processor time of the whole build stands beside it.
The near-duplicates are counted by the embedder that rejects them. No person has listened: stage 5 is left to people.

``built(folder)`` is the same benchmark for others who measure on it.
"""

import argparse
import asyncio
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from aptone.models import load_text_embedder
from aptone.rooms.answer.build.candidates import bank_size
from aptone.rooms.answer.data import Dimension
from benchmarks.made_with import with_revisions

PROMPTS = 20
SPEAKER = "flite"
SEED = 0


def command(folder: Path, *, speaker: str = SPEAKER, prompts: int = PROMPTS) -> list[str]:
    """The command that builds the miniature in a folder, or goes on with it."""
    options = ["--speaker", speaker, "--prompts", str(prompts), "--transcriber", "moonshine", "--seed", str(SEED)]
    return [sys.executable, "-m", "aptone", "build", "paras2s", "-o", str(folder), *options, "--json"]


def built(folder: Path, *, speaker: str = SPEAKER, prompts: int = PROMPTS) -> dict[str, Any]:
    """Build the miniature; gives what the command prints."""
    done = subprocess.run(
        command(folder, speaker=speaker, prompts=prompts), capture_output=True, text=True, check=False, env=_alone()
    )
    if not done.stdout.startswith("{"):
        raise SystemExit(done.stderr)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def killed_half_way(folder: Path, *, speaker: str, prompts: int) -> int:
    """Begin to build, and kill it without warning when half of the recordings are there; gives how many there were."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command(folder, speaker=speaker, prompts=prompts), env=_alone(), **quiet)  # type: ignore[call-overload]
    while process.poll() is None:
        if (count := len(list((folder / "audio").glob("*.wav")))) >= prompts * len(Dimension):
            process.send_signal(signal.SIGKILL)
            process.wait()
            return count
        time.sleep(0.2)
    return 0


def measured(speaker: str, prompts: int, folder: Path) -> dict[str, Any]:
    """The figures of one synthesiser."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    result = built(folder / "first", speaker=speaker, prompts=prompts)
    wall, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    recordings = killed_half_way(folder / "second", speaker=speaker, prompts=prompts)
    built(folder / "second", speaker=speaker, prompts=prompts)
    manifests = [(folder / name / "manifest.jsonl").read_bytes() for name in ("first", "second")]
    hashes = [hashlib.sha256(manifest).hexdigest() for manifest in manifests]
    rows = [json.loads(line)["prompt"] for line in manifests[0].splitlines()]
    return {
        "wall seconds": round(wall, 1),
        "processor seconds": round(processor, 1),
        "yields": result["yields"],
        "questions": result["questions"],
        "lacking": result["lacking"],
        "recordings": len(rows),
        "words": dict(Counter(row["ids"]["words"] for row in rows)),
        "ways": {
            dimension.value: dict(Counter(row["ids"]["style"] for row in rows if row["dimension"] == dimension.value))
            for dimension in Dimension
        },
        "categories": dict(Counter(row["category"] for row in rows)),
        "topics": dict(Counter(row["topic"] for row in rows)),
        "highest cosine of two sentences": round(_highest([row["content"] for row in rows]), 3),
        "manifest": hashes[0],
        "killed after recordings": recordings,
        "same after a kill": hashes[0] == hashes[1],
    }


def _highest(texts: list[str]) -> float:
    vectors = asyncio.run(load_text_embedder().embed(sorted(set(texts)))).astype(float)
    cosines = vectors @ vectors.T
    return float(max(cosines[place, other] for place in range(len(vectors)) for other in range(place)))


def _alone() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1"}


def main() -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speaker", action="append", required=True)
    parser.add_argument("--prompts", type=int, default=PROMPTS)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    results = {}
    for speaker in given.speaker:
        with tempfile.TemporaryDirectory() as folder:
            results[speaker] = measured(speaker, given.prompts, Path(folder))
        print(speaker, json.dumps(results[speaker], indent=1), flush=True)
    about = {
        "prompts a dimension": given.prompts,
        "processors": os.cpu_count(),
        "machine": "shared with other work while this ran; see processor seconds",
        "sentences of the bank": {dimension.value: bank_size(dimension, "en") for dimension in Dimension},
        "speakers": results,
    }
    path = given.out / "answer_build.json"
    path.write_text(json.dumps(with_revisions(about, "ear"), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
