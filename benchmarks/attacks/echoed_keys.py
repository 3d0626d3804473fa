"""Places in which a key is found after a run whose judge echoes it, and who may read what the run leaves.

    python -m benchmarks.attacks.echoed_keys               # this tree
    python -m benchmarks.attacks.echoed_keys OTHER before  # another checkout, beside it

``aptone score`` with ``--json``, a report and an export, one run for each form of the key: as it is, in base64, in
hexadecimal digits, percent-encoded, with every character escaped in the JSON, and in an error of the server. ``system``
is the signature of ``--system http://host/?api_key=…``, which a run folder keeps. ``open to others`` lists files and
folders that everybody on the machine may read, with the usual umask of 022. It exits with 1 if anything is found.
"""

import base64
import json
import os
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.attacks.checkout import SCORE, completion, main, run, write_line
from benchmarks.attacks.hostile_server import says, serving, whole

KEY = "sk-secret-0123456789"
OF_SYSTEM = "import sys; from aptone.run.system import make_system; print(make_system(sys.argv[1]).signature)"


def good(echo: str) -> bytes:
    """Return a verdict that holds a text."""
    return whole(completion(f"Your key is {echo}.\nemotion: 4/5, as {echo} shows\n<score>3.5</score>"))


def escaped() -> bytes:
    """Return a verdict in which every character of the key is escaped."""
    code = "".join(f"\\u{ord(character):04x}" for character in KEY)
    return whole(completion("Your key is KEY. <score>3.5</score>").replace(b"KEY", code.encode()))


def refusal() -> bytes:
    """Return an error that holds the key."""
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}})
    return whole(body.encode(), status="401 Unauthorized")


FORMS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "as it is": (KEY, lambda: good(KEY)),
    "base64": (base64.b64encode(KEY.encode()).decode(), lambda: good(base64.b64encode(KEY.encode()).decode())),
    "hexadecimal": (KEY.encode().hex(), lambda: good(KEY.encode().hex())),
    "percent-encoded": (
        "".join(f"%{byte:02X}" for byte in KEY.encode()),
        lambda: good("".join(f"%{byte:02X}" for byte in KEY.encode())),
    ),
    "escaped": (KEY, escaped),
    "error": (KEY, refusal),
}
"""Form of the key to the text that is looked for, and the reply."""


def places(folder: Path, text: str) -> list[str]:
    """Return the files of a folder that hold a text."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted({path.name for path in files if text.encode() in path.read_bytes()})


def measure(tree: Path) -> dict[str, Any]:
    """Return the places of the key in every form."""
    found: dict[str, Any] = {}
    os.umask(0o022)
    for form, (text, reply) in FORMS.items():
        with tempfile.TemporaryDirectory() as place, serving(says(reply())) as server:
            folder = Path(place)
            write_line(folder)
            command = [*SCORE, "--set", f"judge.base_url={server.url}/v1", "-o", "run"]
            ended = run(tree, command, folder=folder, variables={"OPENAI_API_KEY": KEY})
            printed = [name for name, said in (("stdout", ended.stdout), ("stderr", ended.stderr)) if text in said]
            run(tree, ["-m", "aptone", "report", "run", "--export", "scores.csv"], folder=folder, variables={})
            found[form] = {"exit": ended.returncode, "found_in": [*printed, *places(folder, text)]}
            if form == "as it is":
                kept = [path for name in ("run", "cache") for path in (folder / name, *(folder / name).iterdir())]
                opened = [path.relative_to(folder).as_posix() for path in kept if path.stat().st_mode & stat.S_IROTH]
    with tempfile.TemporaryDirectory() as place:
        named = run(tree, ["-c", OF_SYSTEM, f"http://127.0.0.1:9/?api_key={KEY}"], folder=Path(place), variables={})
    said = (named.stdout + named.stderr).strip().splitlines()[-1]
    found["system"] = {"exit": named.returncode, "found_in": ["signature"] if KEY in said else [], "said": said[:300]}
    found["open to others"] = {"found_in": sorted(opened)}
    return found


def judge(found: dict[str, Any]) -> list[str]:
    """Return what is not as it should be."""
    return [f"{form}: {one['found_in']}" for form, one in found.items() if one["found_in"]]


if __name__ == "__main__":
    sys.exit(main("echoed_keys", __doc__ or "", measure, judge))
