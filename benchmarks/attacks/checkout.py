"""Attacks on what asks servers: a part of a checkout in a process of its own, its time, memory and outcome.

The parts are those that send recordings or read files over HTTP: a judge and a transcriber behind an OpenAI-compatible
server, a system under test, and shards on another machine. Each is asked once, by the code of the checkout that is
measured, so that the same script gives the figures before and after.
"""

import argparse
import contextlib
import json
import math
import os
import platform
import resource
import struct
import subprocess
import sys
import tempfile
import wave
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
MEMORY = 6 << 30
"""Bytes of address space that a process may take: the machine is not to suffer from what an attack does."""
PARTS = ("judge", "transcriber", "system", "shard")

ASK = """
import asyncio, json, re, sys, time
from pathlib import Path
import numpy as np
from aptone.types import Audio
from aptone.models.openai.endpoint import Endpoint

part, url, timeout, folder = sys.argv[1], sys.argv[2], float(sys.argv[3]), Path(sys.argv[4])
audio = Audio(np.zeros(16000, dtype=np.float32), rate=16000)
stall = None

def peak():  # of this program; ru_maxrss would begin with that of the process that started it
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

async def with_heartbeat(work):
    global stall
    stall, over = 0.0, False

    async def beat():
        global stall
        while not over:
            begun = time.monotonic()
            await asyncio.sleep(0.005)
            stall = max(stall, time.monotonic() - begun - 0.005)

    beating = asyncio.ensure_future(beat())
    try:
        return await work
    finally:
        over = True
        await beating

def ask():
    if part == "judge":
        asyncio.run(with_heartbeat(Endpoint(url, timeout=timeout).post_json("chat/completions", {"a": 1})))
    elif part == "transcriber":
        from aptone.models.openai.parts import OpenAiTranscriber
        transcriber = OpenAiTranscriber(Endpoint(url, timeout=timeout), model="m", times="none")
        asyncio.run(with_heartbeat(transcriber.transcribe(audio, language="en")))
    elif part == "system":
        from aptone.run.system import Asked, ServedSystem
        ServedSystem(url, timeout=timeout).respond(audio, Asked("a"))
    else:
        from aptone.run.sources import remote_shards
        remote_shards.TIMEOUT, remote_shards.TRIES = timeout, 1
        getattr(remote_shards, "fetch", None) or setattr(remote_shards, "fetch", remote_shards._fetch)
        remote_shards.fetch(f"{url}/a.tar", folder / "a.tar")

import httpx, aptone.run.system, aptone.run.sources.remote_shards, aptone.models.openai.parts
before = peak()
begun = time.monotonic()
try:
    ask()
    outcome = "read"
except BaseException as error:
    outcome = f"{type(error).__name__}: {error}"[:200]
found = {"seconds": round(time.monotonic() - begun, 2), "memory_mb": round(peak() - before, 1)}
if stall is not None:
    found["stall_ms"] = round(1000 * stall, 1)
print(json.dumps({**found, "outcome": outcome}))
"""
"""Program that asks a part once: seconds, peak memory beyond that before, stall of the event loop if any, outcome."""


def ask(
    tree: Path, part: str, url: str, *, timeout: float, patience: float, variables: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Ask a part of a checkout once; what has not come back after `patience` seconds is ended, and said to be so.

    Args:
        variables: environment variables.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", ASK, part, url, str(timeout), folder]
        try:
            done = subprocess.run(
                command,
                env=environment(tree, variables or {}),
                cwd=folder,
                capture_output=True,
                timeout=patience,
                preexec_fn=_limit_memory,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"seconds": patience, "outcome": f"still waiting after {patience:g} s"}
    if not done.stdout:
        return {"outcome": f"ended by {done.returncode}", "said": done.stderr.decode("utf-8", "replace")[-200:]}
    found: dict[str, Any] = json.loads(done.stdout)
    found["outcome"] = found["outcome"].replace(url.removeprefix("http://").partition("/")[0], "server")
    return found


def environment(tree: Path, more: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program of a checkout: none of ours that names proxies or keys."""
    kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower() and "KEY" not in name}
    return {**kept, "PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1", "NO_COLOR": "1", **more}


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run(
    tree: Path, arguments: Sequence[str], *, folder: Path, variables: Mapping[str, str]
) -> "subprocess.CompletedProcess[str]":
    """Run Python with the code of a checkout, in a folder, with its reply cache there."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment(tree, {"APTONE_CACHE": str(folder / "cache" / "replies.sqlite"), **variables}),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120.0,
        check=False,
    )


def write_line(folder: Path) -> None:
    """Write a manifest of one line, with its plan and a recording of one second."""
    with wave.open(str(folder / "clip.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(b"".join(struct.pack("<h", int(9000 * math.sin(n / 9))) for n in range(16_000)))
    plan = {"emotion": "hope", "rhythm": "heavy", "intonation": "falling"}
    line = {"id": "a", "audio": "clip.wav", "line": "Is anybody there?", "plan": plan}
    (folder / "lines.jsonl").write_text(json.dumps(line), encoding="utf-8")


def completion(text: str) -> bytes:
    """Return the body of a chat completion."""
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return json.dumps(
        {"model": "m", "choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 9}}
    ).encode()


SCORE = (
    "-m",
    "aptone",
    "score",
    "lines.jsonl",
    "--engine",
    "api",
    "--planner",
    "by-hand",
    "--set",
    "judge.model=m",
    "--json",
)


def main(name: str, about: str, measure: Callable[[Path], Mapping[str, Any]], judge: Callable[[Any], list[str]]) -> int:
    """Measure a checkout, print the figures, and put them into the result beside those of others.

    Args:
        name: name of the script.
        about: its docstring, for ``--help``.
        measure: figures of a checkout, by kind of attack.
        judge: what of the figures is not as it should be, one sentence each.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", type=Path, default=ROOT, help="Checkout that is attacked.")
    parser.add_argument("name", nargs="?", default="now", help="Name of its figures in the result.")
    options = parser.parse_args()
    output = RESULTS / f"attacks_{name}.json"
    found = measure(options.tree.resolve())
    print(json.dumps(found, indent=1))
    record: dict[str, Any] = {}
    with contextlib.suppress(FileNotFoundError):
        record = json.loads(output.read_text(encoding="utf-8"))
    record["about"] = {"python": platform.python_version(), "cores": os.cpu_count()}
    record[options.name] = found
    output.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    wrong = judge(found)
    print("\n".join(wrong) if wrong else "as it should be")
    return int(bool(wrong))
