"""Outcomes of `aptone score` before and after a change of its code, item by item, beside another checkout of Aptone.

    git worktree add ../before COMMIT
    python -m benchmarks.score_change --before ../before --data DATA [--items 500]

Both checkouts score the same manifest into journals, which are compared field by field but for times: plans with their
evidence, perceptions, aspects, scores, rationales, signatures and the items themselves. The same line is said by clips
of several corpora (`DATA` holds a folder of recordings for each; it does not come with Aptone): lines of the shipped
stories in both languages with what stands around them, stories given as a file and as text, turns with speakers, lines
alone, narration, stage directions, and recordings that fail: too short, silent, missing.
"""

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from aptone.audio import write
from aptone.rooms.aptness.story import load_story
from aptone.types import Audio

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).parent / "results" / "score_change.json"
EXAMPLE = ROOT / "examples" / "lighthouse"
TAKES = Path(__file__).parent / "stories" / "takes.json"
TIMES = ("seconds", "finished")
"""Fields of an entry that differ between any two runs."""
NEAR = 8
"""Lines around a line that its item brings."""


def texts() -> Iterator[dict[str, Any]]:
    """Yield lines in their contexts, as fields of a manifest."""
    for language in ("en", "zh"):
        path = EXAMPLE / f"story.{language}.txt"
        lines = [line.text for line in load_story(path).lines]
        for place, line in enumerate(lines):
            before, after = lines[max(0, place - NEAR) : place], lines[place + 1 : place + 1 + NEAR]
            yield {"line": line, "context": before, "following": after}
            if place % 4 == 0:
                yield {"line": line, "context": [{"text": one, "role": "AB"[at % 2]} for at, one in enumerate(before)]}
            if place % 5 == 0 and lines.count(line) == 1:
                yield {"line": line, "story": str(path)}
    for scene in json.loads(TAKES.read_text(encoding="utf-8")):
        for kind in ("explicit", "implicit"):
            yield {"line": scene["line"], "story": "\n\n".join(scene[kind])}
    yield {"line": "(laughs) You cannot mean that!", "context": ["He whispered, trembling:"]}
    yield {"line": "（笑）你不是认真的吧！", "context": ["她低声说："]}
    yield {"line": "Go away."}
    yield {"line": "你走吧。"}


def manifest(folder: Path, data: Path, *, items: int) -> Path:
    """Write a manifest of so many items; clips of all corpora in turn."""
    draw = random.Random(7)
    corpora = [
        found
        for corpus in sorted(one for one in data.iterdir() if one.is_dir())
        if (found := sorted(path for path in corpus.iterdir() if path.suffix in {".ogg", ".opus", ".wav", ".flac"}))
    ]
    write(folder / "short.wav", Audio(np.full(800, 0.1, dtype=np.float32), rate=16_000))
    write(folder / "silent.flac", Audio(np.zeros(48_000, dtype=np.float32), rate=16_000))
    lines = list(texts())
    records = []
    for number in range(items):
        if number % 50 == 49:
            audio = folder / ("short.wav", "silent.flac", "missing.wav")[number // 50 % 3]
        else:
            audio = draw.choice(corpora[number % len(corpora)])
        text = lines[number % len(lines)]
        records.append({"id": str(number), "audio": str(audio), **text})
    path = folder / "manifest.jsonl"
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def scored(source: Path, lines: Path, run: Path) -> dict[str, dict[str, Any]]:
    """Score a manifest with the code under `source` and return the entries of the journal by item."""
    command = [sys.executable, "-m", "aptone", "score", str(lines), "-o", str(run), "--no-cache"]
    surroundings = os.environ | {"PYTHONPATH": str(source), "NO_COLOR": "1", "OMP_NUM_THREADS": "1"}
    subprocess.run(command, env=surroundings, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    entries = [json.loads(line) for line in (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    return {entry["item"]["id"]: entry for entry in entries}


def differences(before: Any, after: Any, *, at: str = "") -> list[str]:
    """Name the places in which two JSON values differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        names = sorted(before.keys() | after.keys())
        return [one for name in names for one in differences(before.get(name), after.get(name), at=f"{at}/{name}")]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [one for place, pair in pairs for one in differences(*pair, at=f"{at}/{place}")]
    return [] if before == after and type(before) is type(after) else [at]


def main() -> None:
    """Score with both, compare, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True, help="Another checkout of Aptone.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with a folder of recordings a corpus.")
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = manifest(folder, options.data, items=options.items)
        before, after = (
            scored(source / "src", lines, folder / run)
            for source, run in ((options.before.resolve(), "before"), (ROOT, "after"))
        )
    if before.keys() != after.keys():
        raise SystemExit(f"the runs hold other items: {len(before)} and {len(after)}.")
    ignored = {*TIMES, "checksum"}
    found = {
        item: differences(*({name: value for name, value in entry.items() if name not in ignored} for entry in pair))
        for item, pair in ((item, (before[item], after[item])) for item in before)
    }
    differing = {item: places for item, places in found.items() if places}
    result = {
        "what": "outcomes of this checkout beside those of another one",
        "items": len(found),
        "languages": dict(Counter(entry["item"]["payload"]["language"] for entry in after.values())),
        "states": dict(Counter(entry["outcome"]["state"] for entry in after.values())),
        "equal to the last bit": len(found) - len(differing),
        "places that differ": dict(Counter(place for places in differing.values() for place in places).most_common(20)),
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("aptone", "numpy", "onnxruntime")},
    }
    print(json.dumps(result, indent=1, ensure_ascii=False))
    options.output.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
