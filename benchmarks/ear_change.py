"""Comparison of the ear before and after a change of its code: clip by clip, beside another checkout of Aptone.

Two processes hear the same recordings, one with the code of another checkout, one with this one; clip after clip they
take turns, so that a busy machine slows both. Compared are where somebody speaks, every probability and every measure
of `aptone.hear`, and the processor time of hearing and of finding speech, as a ratio. Beside them stands what a change
that nobody can hear does to the other checkout alone: samples that are louder by a millionth. The ear's stem computes
in eight bits, so that a last digit can tip a rounding, and that one others.

    git worktree add ../before COMMIT
    python benchmarks/ear_change.py --before ../before --data DATA

`DATA` holds a folder of recordings for each corpus; so many of each are drawn by a seed. It does not come with Aptone.
The numbers of both are those of the same machine: another processor changes last digits, too.
"""

import argparse
import json
import math
import os
import platform
import random
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TIMED = 5
"""Repetitions of which the fastest counts."""

LISTENER = """
import json, sys, time
import aptone
import numpy as np
from aptone.audio import find_speech, read

def fastest(call, times):
    best = float("inf")
    for _ in range(times):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return best

for line in sys.stdin:
    path, times = json.loads(line)
    audio = read(path, rate=16_000)
    samples = audio.samples
    found = {
        "plain": aptone.to_json(aptone.hear(samples, rate=16_000)),
        "louder": aptone.to_json(aptone.hear(samples * np.float32(1.000001), rate=16_000)),
        "speech": [[span.start, span.end] for span in find_speech(audio)],
        "perception": aptone.to_json(aptone.hear(path)),
        "hear_seconds": fastest(lambda: aptone.hear(path), times),
        "speech_seconds": fastest(lambda: find_speech(audio), times),
    }
    print(json.dumps(found), flush=True)
"""

Numbers = Mapping[str, float]
PROBABILITIES = (
    "emotion",
    "vad",
    "intensity",
    "rhythm",
    "intonation",
    "recording_condition",
    "sex",
    "age",
    "naturalness",
)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="The ear before and after a change.")
    parser.add_argument("--before", type=Path, required=True, help="Another checkout of Aptone.")
    parser.add_argument("--data", type=Path, required=True, help="Folder with a folder of recordings a corpus.")
    parser.add_argument("--clips", type=int, default=20, help="Number of clips of each corpus.")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "ear_change.json")
    return parser.parse_args()


def draw(data: Path, *, clips: int, seed: int) -> list[Path]:
    """Draw recordings of every corpus."""
    generator = random.Random(seed)
    drawn = []
    for corpus in sorted(folder for folder in data.iterdir() if folder.is_dir()):
        recordings = sorted(path for path in corpus.iterdir() if path.suffix in {".ogg", ".opus", ".wav", ".flac"})
        drawn += generator.sample(recordings, min(clips, len(recordings)))
    return drawn


@contextmanager
def listener(source: Path) -> Iterator["subprocess.Popen[str]"]:
    """Start a process that hears with the code under `source`, on one thread."""
    surroundings = os.environ | {"PYTHONPATH": str(source), "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", LISTENER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=surroundings
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def ask(process: "subprocess.Popen[str]", path: Path, *, times: int) -> dict[str, Any]:
    """Let a process hear a clip."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps([str(path), times]) + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def numbers(record: object, *, at: str = "") -> dict[str, float]:
    """Return every number of a record by its place; an undefined one is NaN, and a score is its value."""
    if isinstance(record, Mapping):
        if "value" in record and "unit" in record:
            return {at: math.nan if record["value"] is None else float(record["value"])}
        inner = [numbers(value, at=f"{at}/{name}") for name, value in record.items() if name != "signature"]
        return {place: value for part in inner for place, value in part.items()}
    if isinstance(record, list):
        inner = [numbers(value, at=f"{at}/{place}") for place, value in enumerate(record)]
        return {place: value for part in inner for place, value in part.items()}
    if isinstance(record, bool) or not isinstance(record, int | float):
        return {}
    return {at: float(record)}


def difference(before: Numbers, after: Numbers) -> float:
    """Return the largest difference of numbers in the same place; infinite where only one is defined."""
    largest = 0.0
    for place in before.keys() | after.keys():
        one, other = before.get(place, math.nan), after.get(place, math.nan)
        if math.isnan(one) != math.isnan(other):
            return math.inf
        if not math.isnan(one):
            largest = max(largest, abs(one - other))
    return largest


def farthest(before: Numbers, after: Numbers) -> str:
    """Name the place where two perceptions differ most, with both numbers."""
    found = {
        place: difference({place: before.get(place, math.nan)}, {place: after.get(place, math.nan)})
        for place in before.keys() | after.keys()
    }
    place = max(found, key=lambda place: found[place])
    return f"{place} {before.get(place, math.nan):.4g} → {after.get(place, math.nan):.4g}"


def is_same_speech(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Tell whether speech was found in the same places: in the clip, and at the level at which the ear listens."""
    seconds = [float(one["perception"]["speech_seconds"]) for one in (before, after)]
    return bool(before["speech"] == after["speech"]) and abs(seconds[0] - seconds[1]) < 1e-9


def part(perception: Mapping[str, Any], names: Sequence[str]) -> dict[str, float]:
    """Return the numbers of some fields of a perception."""
    return numbers({name: perception.get(name) for name in names})


def compared(perception: Mapping[str, Any]) -> dict[str, float]:
    """Return all numbers of a perception that are compared."""
    return part(perception, [*PROBABILITIES, "measures"])


def words(perception: Mapping[str, Any]) -> list[str]:
    """Return what the ear holds likeliest: emotion, rhythm, intonation, recording condition."""
    fields = ("emotion", "rhythm", "intonation", "recording_condition")
    return [max(shares, key=shares.get) if (shares := perception.get(name)) else "" for name in fields]


def summary(values: Sequence[float]) -> dict[str, float | int | str]:
    """Describe differences: how many are beyond rounding, and how large they are."""
    shown = {f"above {limit:g}": sum(value > limit for value in values) for limit in (1e-6, 1e-4, 1e-2)}
    largest = max(values)
    return {
        "clips": len(values),
        "median": float(f"{statistics.median(values):.2g}"),
        "largest": float(f"{largest:.2g}") if math.isfinite(largest) else "one is undefined",
        **shown,
    }


def main() -> None:
    """Hear with both, compare, print and write the results."""
    options = parse()
    drawn = draw(options.data, clips=options.clips, seed=options.seed)
    with listener(options.before / "src") as before, listener(ROOT / "src") as after:
        heard = []
        for number, path in enumerate(drawn):
            times = TIMED if number % 4 == 0 else 1
            heard.append((path, times, ask(before, path, times=times), ask(after, path, times=times)))
    same_speech = [one for one in heard if is_same_speech(one[2], one[3])]
    pairs = [(old["perception"], new["perception"]) for _, _, old, new in same_speech]
    perturbed = [(old["plain"], old["louder"]) for _, _, old, _ in heard]
    timed = [(old, new) for _, times, old, new in heard if times == TIMED]
    moved = [(path, old, new) for path, _, old, new in heard if not is_same_speech(old, new)]
    record = {
        "what": "the ear of this checkout beside that of another one, clip by clip",
        "clips": len(heard),
        "corpora": len({path.parent for path in drawn}),
        "clips_with_the_same_speech": len(same_speech),
        "clips_with_other_speech": [
            f"{path.parent.name}/{path.name}: {old['speech']} → {new['speech']}, "
            f"{difference(part(old['perception'], PROBABILITIES), part(new['perception'], PROBABILITIES)):.2g}"
            for path, old, new in moved
        ],
        "where_speech_is_the_same": {
            "probabilities": summary([difference(part(a, PROBABILITIES), part(b, PROBABILITIES)) for a, b in pairs]),
            "measures": summary([difference(part(a, ["measures"]), part(b, ["measures"])) for a, b in pairs]),
            "clips_with_another_likeliest_word": sum(words(a) != words(b) for a, b in pairs),
        },
        "before_against_itself_a_millionth_louder": {
            "probabilities": summary(
                [difference(part(a, PROBABILITIES), part(b, PROBABILITIES)) for a, b in perturbed]
            ),
            "measures": summary([difference(part(a, ["measures"]), part(b, ["measures"])) for a, b in perturbed]),
            "clips_with_another_likeliest_word": sum(words(a) != words(b) for a, b in perturbed),
        },
        "farthest_apart": [
            f"{path.parent.name}/{path.name}: {farthest(compared(old), compared(new))}"
            for path, old, new in sorted(
                ((path, old["perception"], new["perception"]) for path, _, old, new in heard),
                key=lambda one: difference(compared(one[1]), compared(one[2])),
            )[-5:]
        ],
        "clips_with_another_likeliest_word": sum(
            words(old["perception"]) != words(new["perception"]) for _, _, old, new in heard
        ),
        "processor_time_after_against_before_median": {
            "hearing": round(statistics.median(new["hear_seconds"] / old["hear_seconds"] for old, new in timed), 2),
            "finding_speech": round(
                statistics.median(new["speech_seconds"] / old["speech_seconds"] for old, new in timed), 2
            ),
            "clips": len(timed),
        },
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("aptone", "numpy", "onnxruntime")},
    }
    print(json.dumps(record, indent=2, ensure_ascii=False))
    options.output.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
