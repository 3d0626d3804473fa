"""Clips that cost more than they seem to, and clips that break off, in the studio.

    python -m benchmarks.attacks.studio_clips                             # this tree
    python -m benchmarks.attacks.studio_clips --tree OTHER --name before  # another checkout, beside it

The real commands and the real server run as processes of their own.

- ``wide clip``: a FLAC of some 60 kB that holds 160 s of silence in eight channels is imported and played once.
  The peak memory of the server (``VmHWM``) with and without that request.
- ``broken clip``: half of the bytes of a FLAC, whose header promises all of it, is imported. What the import says, and,
  where it says nothing, what a rater gets who has to listen to it.

It exits with 1 if playing the clip takes more memory than the studio states, or the broken clip comes in. Needs Linux.
"""

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from benchmarks.attacks.studio_server import Visitor, environment, megabytes, running_studio

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "attacks_studio_clips.json"
SECONDS, CHANNELS, RATE = 160, 8, 48_000
GOAL_MB = 64.0
"""Memory that a request for a clip may add: two conversions of 16 MiB at a time, and what the libraries keep."""


def task(clip: str) -> dict[str, Any]:
    """Task with one clip to be heard."""
    return {
        "name": "listening",
        "title": {"en": "Listening"},
        "guide": {"en": "Listen."},
        "shown": [{"name": "clip", "kind": "audio"}],
        "controls": [{"name": "fit", "kind": "scale", "label": {"en": "Fit"}, "low": 0, "high": 5, "step": 1}],
        "items": [{"id": "only", "audio": {"clip": {"path": clip}}}],
    }


def imported(tree: Path, place: Path, clip: str) -> subprocess.CompletedProcess[str]:
    """Import a task with a clip into a new project; what the command did."""
    (place / "task.json").write_text(json.dumps(task(clip)), encoding="utf-8")
    command = [sys.executable, "-m", "aptone", "studio", "import", str(place / "project"), str(place / "task.json")]
    return subprocess.run(command, env=environment(tree), capture_output=True, text=True, timeout=300, check=False)


def wide_clip(tree: Path, place: Path) -> dict[str, Any]:
    """Play the wide clip; memory and time."""
    soundfile.write(place / "wide.flac", np.zeros((SECONDS * RATE, CHANNELS), dtype=np.int16), RATE)
    done = imported(tree, place, "wide.flac")
    assert done.returncode == 0, done.stderr
    with running_studio(tree, place / "project") as server:
        visitor = Visitor(server.port).enter(server.link)
        item = visitor.json("POST", "/api/tasks/listening/next", {})["assignment"]["id"]
        before, began = megabytes(server.pid, "VmHWM"), time.monotonic()
        status, sound, _ = visitor.ask("GET", f"/api/assignments/{item}/clips/c0")
        return {
            "file_kb": round((place / "wide.flac").stat().st_size / 1000, 1),
            "status": status,
            "sent_mb": round(len(sound) / 1e6, 1),
            "seconds": round(time.monotonic() - began, 2),
            "peak_mb": {"before": before, "after": (after := megabytes(server.pid, "VmHWM"))},
            "added_mb": round(after - before, 1),
        }


def broken_clip(tree: Path, place: Path) -> dict[str, Any]:
    """Import the broken clip, and play it if it came in."""
    noise = np.random.default_rng(0).integers(-8000, 8000, size=4 * RATE, dtype=np.int16)
    soundfile.write(place / "half.flac", noise, RATE)
    (place / "half.flac").write_bytes((place / "half.flac").read_bytes()[: (place / "half.flac").stat().st_size // 2])
    done = imported(tree, place, "half.flac")
    found: dict[str, Any] = {"import_exit_code": done.returncode, "names_the_clip": "half.flac" in done.stderr}
    if done.returncode == 0:
        with running_studio(tree, place / "project") as server:
            visitor = Visitor(server.port).enter(server.link)
            item = visitor.json("POST", "/api/tasks/listening/next", {})["assignment"]["id"]
            found["status_for_the_rater"] = visitor.ask("GET", f"/api/assignments/{item}/clips/c0")[0]
    return found


def main() -> int:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=ROOT, help="Checkout whose studio is attacked.")
    parser.add_argument("--name", default="now")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    found = {}
    for name, attack in (("wide clip", wide_clip), ("broken clip", broken_clip)):
        with tempfile.TemporaryDirectory() as place:
            found[name] = attack(options.tree.resolve(), Path(place))
        print(name, json.dumps(found[name]), flush=True)
    record = json.loads(options.output.read_text(encoding="utf-8")) if options.output.exists() else {}
    record["about"] = {"seconds": SECONDS, "channels": CHANNELS, "rate": RATE, "python": platform.python_version()}
    record[options.name] = found
    options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return int(found["wide clip"]["added_mb"] > GOAL_MB or found["broken clip"]["import_exit_code"] == 0)


if __name__ == "__main__":
    sys.exit(main())
