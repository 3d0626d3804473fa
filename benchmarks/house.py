"""The size and shape of the package: files, lines, folders, importers, repeated code, and what verbs touch.

    python -m benchmarks.house                                # this tree
    python -m benchmarks.house --tree OTHER --name before     # another checkout, beside it in the result file

A verb *touches* a file if a function of it is called while the verb runs on the shipped example (not while modules are
imported), and *reaches* it if it is in the closure of its imports, those inside functions included. A *crossing* is a
pair of packages (folders directly under ``aptone``) of which one calls the other. Repeated code: lines in windows of
eight lines, without blank lines and comments, that stand somewhere else as well. Times of one machine, as ratios to
``import click``, medians of five, with modules compiled before (`benchmarks.bytecode`).
"""

import argparse
import ast
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.bytecode import kept_bytecode
from benchmarks.made_with import with_revisions

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).parent / "results" / "house.json"
CLIP = "{examples}/lighthouse/clips/anybody-apt.opus"
STORY = "{examples}/lighthouse/story.en.txt"
RUN = {
    "score, a manifest with its report": ["score", "{examples}/lighthouse/manifest.jsonl", "-o", "run"],
    "score": ["score", CLIP, "--story", STORY, "--line", "Is anybody there?"],
    "caption": ["caption", CLIP, "A tense woman calls out."],
}
WINDOW = 8

TRACER = """
import os, sys, threading
source, arguments = sys.argv[1], sys.argv[2:]
sys.path.insert(0, source)
root = os.path.join(source, "aptone") + os.sep
files, pairs = set(), set()
def profile(frame, event, argument):
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(root) or not code.co_filename.endswith(".py"):
        return
    stack, caller = frame, None
    while stack is not None:
        if stack.f_code.co_filename.startswith(root):
            if stack.f_code.co_name == "<module>":
                return
            caller = stack if caller is None and stack is not frame else caller
        stack = stack.f_back
    files.add(code.co_filename)
    if caller is not None:
        one, other = (name[len(root):].split(os.sep)[0] for name in (caller.f_code.co_filename, code.co_filename))
        if one != other and not (one + other).count(".py"):
            pairs.add((one, other))
threading.setprofile(profile)
sys.setprofile(profile)
from aptone.cli.main import main
try:
    main(arguments)
except SystemExit:
    pass
sys.setprofile(None)
print(len(files), len(pairs), file=sys.stderr)
"""


def modules(source: Path) -> dict[str, Path]:
    """Return the modules of the package by their dotted names."""
    found = {}
    for path in sorted((source / "aptone").rglob("*.py")):
        name = ".".join(path.relative_to(source).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def imports(known: dict[str, Path]) -> dict[str, set[str]]:
    """Return what each module imports of the package, by statement or by a name in a string."""
    edges: dict[str, set[str]] = defaultdict(set)
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    edges[name].add(full if full in known else node.module)
            elif isinstance(node, ast.Import):
                edges[name] |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                edges[name].add(node.value.partition(":")[0])
        edges[name] = {other for other in edges[name] if other in known and other not in {name, "aptone"}}
    return edges


def reached(start: str, edges: dict[str, set[str]]) -> int:
    """Return how many modules are in the closure of the imports of one."""
    seen, left = {start}, [start]
    while left:
        for other in edges[left.pop()] - seen:
            seen.add(other)
            left.append(other)
    return len(seen)


def repeated(known: dict[str, Path]) -> int:
    """Return how many lines stand in windows that occur more than once."""
    places: dict[tuple[str, ...], list[tuple[str, int]]] = defaultdict(list)
    for name, path in known.items():
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
        kept = [line for line in lines if line and not line.startswith(("#", "import ", "from "))]
        for begin in range(len(kept) - WINDOW + 1):
            places[tuple(kept[begin : begin + WINDOW])].append((name, begin))
    twice = {(name, at + k) for found in places.values() if len(found) > 1 for name, at in found for k in range(WINDOW)}
    return len(twice)


def touched(source: Path, arguments: list[str]) -> tuple[int, int]:
    """Return how many files a verb touches while it runs, and how many crossings there are."""
    with tempfile.TemporaryDirectory() as folder:
        typed = [word.replace("{examples}", str(source.parent / "examples")) for word in arguments]
        command = [sys.executable, "-c", TRACER, str(source), *typed]
        ended = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=True)
    files, pairs = ended.stderr.strip().splitlines()[-1].split()
    return int(files), int(pairs)


def seconds(source: Path, arguments: list[str], compiled: Path) -> float:
    """Return the median processor time of a command, user and system; compiled modules are kept in a folder."""
    taken = []
    surroundings = {**os.environ, **kept_bytecode(compiled)}
    for _ in range(6):  # the first one compiles
        program = f"import sys; sys.path.insert(0, {str(source)!r}); " + arguments[0]
        timed = f"import resource, subprocess, sys; subprocess.run([sys.executable, '-c', {program!r}, *{arguments[1:]!r}], stdout=-3); used = resource.getrusage(resource.RUSAGE_CHILDREN); print(used.ru_utime + used.ru_stime)"  # noqa: E501
        ended = subprocess.run(
            [sys.executable, "-c", timed], capture_output=True, text=True, check=True, env=surroundings
        )
        taken.append(float(ended.stdout))
        time.sleep(0.05)
    return statistics.median(taken[1:])


def measure(source: Path) -> dict[str, Any]:
    """Return all figures of a tree."""
    known = modules(source)
    edges = imports(known)
    importers = Counter(other for others in edges.values() for other in others)
    plain = [name for name, path in known.items() if path.name != "__init__.py"]
    folders = Counter(str(path.parent.relative_to(source)) for path in known.values())
    starts = {name.rpartition(".")[2]: name for name in known if name.startswith("aptone.cli.")}
    start = {
        "score": "aptone.cli.score",
        "caption": "aptone.cli.caption",
        "studio": next(name for name in ("aptone.cli.studio.group", "aptone.cli.studio") if name in known),
        "train grpo": starts.get("train_grpo", "aptone.cli.train.judge"),
    }
    found: dict[str, Any] = {
        "files": len(known),
        "lines": sum(path.read_text(encoding="utf-8").count("\n") for path in known.values()),
        "largest folder": list(folders.most_common(1)[0]),
        "folders above 25 modules": sum(count > 25 for count in folders.values()),
        "modules with one importer": sum(importers[name] == 1 for name in plain),
        "repeated lines": repeated(known),
        "reached": {verb: reached(name, edges) for verb, name in start.items()},
        "touched and crossings": {verb: list(touched(source, typed)) for verb, typed in RUN.items()},
    }
    typed = "import sys; from aptone.__main__ import main; main()"
    starts_by = {
        "import aptone": ["import aptone"],
        "aptone --help": [typed, "--help"],
        "aptone score --help": [typed, "score", "--help"],
        "score's module": ["import aptone.cli.score"],
    }
    with tempfile.TemporaryDirectory() as folder:
        click = seconds(source, ["import click"], Path(folder))
        found["processor time, in imports of click"] = {
            name: round(seconds(source, arguments, Path(folder)) / click, 2) for name, arguments in starts_by.items()
        }
    return found


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=ROOT, help="Checkout that is measured.")
    parser.add_argument("--name", default="now")
    options = parser.parse_args()
    record = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    record[options.name] = measure(options.tree.resolve() / "src")
    print(json.dumps({options.name: record[options.name]}, indent=1))
    whole = with_revisions(record, "ear", "planner", "judge")
    RESULTS.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
