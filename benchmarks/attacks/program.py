"""Hostile programs under test: what do they learn, hold and leave behind?

    python -m benchmarks.attacks.program                             # this tree
    python -m benchmarks.attacks.program --tree OTHER --name before  # another checkout

Each program is asked once, with a time-out of 4 s. None can hurt the machine: the tree of processes has 36 members, all
of which end by themselves, output ends at 1 GiB, memory at 1 GiB. Needs Linux.

- ``keys``: prints its environment; the figure is how many of three secrets it sees.
- ``process tree``: 6 processes start 5 each, every one in a session of its own, all sleep; the figure is how many live
  on afterwards.
- ``sleeping child``: answers properly and leaves a child in a session of its own behind.
- ``endless output``: prints without end; the figures are seconds until it is ended, and the largest size of its folder.
- ``memory``: takes 1 GiB with a limit of 300 MiB, where a limit can be set.
- ``cost``: what asking a program that copies its input takes, in multiples of running the program alone.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.attacks.victim import ROOT, run_attack

RESULTS = ROOT / "benchmarks" / "results" / "attacks_program.json"
TIMEOUT = 4.0
LIFE = 45
SECRETS = ("APTONE_SYSTEM_KEY", "OPENAI_API_KEY", "HF_TOKEN")
COPY = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
SLEEP = f"import time; time.sleep({LIFE})"
BRANCH = f"""
import subprocess, sys, time
held = [subprocess.Popen([sys.executable, "-c", {SLEEP!r}, "{{mark}}"], start_new_session=True) for _ in range(5)]
time.sleep({LIFE})
"""
TREE = f"""
import subprocess, sys, time
held = [subprocess.Popen([sys.executable, "-c", {BRANCH!r}, "{{mark}}"], start_new_session=True) for _ in range(6)]
time.sleep({LIFE})
"""
CHILD = f"""
{COPY}
import subprocess, time
subprocess.Popen([sys.executable, "-c", {SLEEP!r}, "{{mark}}"], start_new_session=True)
time.sleep(1.0)
"""
OUTPUT = f"""
import sys, time
for _ in range(1 << 14): sys.stdout.buffer.write(b"x" * (1 << 16))
time.sleep({LIFE})
"""
MEMORY = f"import time; held = bytearray(b'x') * (1 << 30); time.sleep({LIFE})"


def _marked(mark: str) -> Iterator[int]:
    """Yield the processes whose command line holds a mark."""
    for folder in Path("/proc").glob("[1-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if mark.encode() in words and int(folder.name) != os.getpid():
            yield int(folder.name)


class _Peak:
    """Largest size of the folders of programs, and memory of marked processes, sampled while it is open."""

    def __init__(self, folder: Path, mark: str) -> None:
        self.folder, self.mark, self.bytes, self.memory, self._is_over = folder, mark, 0, 0, threading.Event()

    def __enter__(self) -> "_Peak":
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._is_over.wait(0.05):
            files = [path for path in self.folder.rglob("*") if path.is_file()]
            self.bytes = max(self.bytes, sum(path.stat().st_size for path in files if path.exists()))
            pages = 0
            for pid in _marked(self.mark):
                try:
                    pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                except (OSError, IndexError):
                    continue
            self.memory = max(self.memory, pages * os.sysconf("SC_PAGE_SIZE"))


def attack() -> dict[str, Any]:
    """Ask hostile programs, and count."""
    import aptone.run.system as systems
    from aptone.types import Audio

    question = Audio(0.25 * np.sin(np.arange(8000) / 10).astype(np.float32), rate=16_000)
    limits: Any = getattr(systems, "Limits", None)
    folder = Path(tempfile.mkdtemp(prefix="attack-"))
    tempfile.tempdir = str(folder)
    os.environ.update(dict.fromkeys(SECRETS, "not for you"))

    def ask(name: str, code: str, **options: Any) -> dict[str, Any]:
        mark = f"attack-{os.getpid()}-{name}"
        words = [sys.executable, "-c", code.replace("{mark}", mark), "{input}", "{output}", mark]
        command = " ".join(word if word.startswith("{") else shlex.quote(word) for word in words)
        began = time.monotonic()
        with _Peak(folder, mark) as peak:
            try:
                system = systems.CommandSystem(command, timeout=TIMEOUT, **options)
                system.respond(question, systems.Asked(name))
                told = "answered"
            except Exception as error:
                told = f"{type(error).__name__}: {error}"
            seconds = time.monotonic() - began
        time.sleep(1.0)
        left = list(_marked(mark))
        for pid in left:
            os.kill(pid, 9)
        return {
            "told": told.replace(str(folder), "FOLDER")[:120],
            "seconds": round(seconds, 2),
            "left_running": len(left),
            "peak_files_mb": round(peak.bytes / 1e6, 1),
            "peak_memory_mb": round(peak.memory / 1e6, 1),
        }

    environment = folder / "environment.txt"
    spy = f"{COPY}; import os; open({str(environment)!r}, 'w').write(repr(dict(os.environ)))"
    found: dict[str, Any] = {"keys": ask("keys", spy)}
    found["keys"]["secrets_seen"] = environment.read_text(encoding="utf-8").count("not for you")
    found["process tree"] = ask("tree", TREE)
    found["sleeping child"] = ask("child", CHILD)
    found["endless output"] = ask("output", OUTPUT)
    found["memory"] = ask("memory", MEMORY, **({"limits": limits(memory=300 << 20)} if limits else {}))
    found["cost"] = {"times_the_program_alone": _cost(systems, question, folder)}
    return found


def _cost(systems: Any, question: Any, folder: Path) -> float:
    """Return what asking takes, relative to the program alone: medians of 15 in turns."""
    source = folder / "in.txt"
    source.write_text("x", encoding="utf-8")
    words = [sys.executable, "-c", COPY]
    system = systems.CommandSystem(f"{shlex.join(words)} {{input}} {{output}}")
    asked, alone = [], []
    for _ in range(15):
        began = time.monotonic()
        system.respond(question, systems.Asked("a"))
        middle = time.monotonic()
        subprocess.run([*words, str(source), str(folder / "out.txt")], check=True)
        asked.append(middle - began)
        alone.append(time.monotonic() - middle)
    return round(float(np.median(asked) / np.median(alone)), 2)


def main() -> None:
    """Print and keep the figures; exit with 1 if a program keeps a process, or sees a secret."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--tree", type=Path, default=ROOT, help="Checkout whose code is attacked.")
    parser.add_argument("--name", default="after", help="Name of the figures in the results.")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    after = run_attack(__file__, parser.parse_args(), attack, RESULTS, timeout=600).get("after", {})
    if after and (after["keys"]["secrets_seen"] or any(row.get("left_running") for row in after.values())):
        raise SystemExit("a program saw a secret, or left a process behind")


if __name__ == "__main__":
    main()
