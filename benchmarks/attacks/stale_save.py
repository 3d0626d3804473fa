"""Save of a page that missed newer answers: is it told that it does not count?

    python -m benchmarks.attacks.stale_save                             # this tree
    python -m benchmarks.attacks.stale_save --tree OTHER --name before  # another checkout, beside it

Two windows of one person, through the real server: one has saved the value 4 under the sequence number 7; the other,
which knows nothing of it, saves the value 1 under the number 3. What each is told, and which value stands.

It exits with 1 if the second is told that its value was saved, or the first value does not stand.
"""

import argparse
import json
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from benchmarks.attacks.studio_clips import imported
from benchmarks.attacks.studio_server import Visitor, running_studio

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "attacks_stale_save.json"


def measure(tree: Path, place: Path) -> dict[str, Any]:
    """Return what both windows are told."""
    soundfile.write(place / "tone.wav", np.zeros(8000, dtype=np.int16), 8000)
    done = imported(tree, place, "tone.wav")
    assert done.returncode == 0, done.stderr
    with running_studio(tree, place / "project") as server:
        visitor = Visitor(server.port).enter(server.link)
        item = visitor.json("POST", "/api/tasks/listening/next", {})["assignment"]["id"]
        told = []
        for value, sequence in ((4, 7), (1, 3)):
            change = {"id": str(uuid.uuid4()), "control": "fit", "value": value, "sequence": sequence}
            reply = visitor.json("PUT", f"/api/assignments/{item}/changes", {"changes": [change]})
            newer = [{"value": one["value"], "sequence": one["sequence"]} for one in reply.get("superseded", [])]
            told.append({"value": value, "saved": change["id"] in reply["saved"], "superseded": newer})
        stands = visitor.json("GET", f"/api/assignments/{item}")["answers"]["fit"]
    return {"told": told, "stands": stands}


def main() -> int:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=ROOT, help="Checkout whose studio is attacked.")
    parser.add_argument("--name", default="now")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        found = measure(options.tree.resolve(), Path(place))
    print(json.dumps(found))
    record = json.loads(options.output.read_text(encoding="utf-8")) if options.output.exists() else {}
    record[options.name] = found
    options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return int(found["told"][1]["saved"] or found["stands"] != 4)


if __name__ == "__main__":
    sys.exit(main())
