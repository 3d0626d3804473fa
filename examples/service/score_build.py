"""Score the clips of a TTS build by a running service, and fail below a bound: for a CI job.

    python score_build.py manifest.jsonl --at-least 3.0 [--service http://127.0.0.1:8788]

The manifest is one of `aptone score`, a record a line: audio (a path beside it), line, and perhaps story (a file beside
it, or a text) or lists of context and following, role, language, plan. The token of the service, where it asks for one,
is read from APTONE_VIEW_TOKEN. Exit status 1: the mean is below the bound, or a clip has no score. Only the standard
library is used.
"""

import argparse
import base64
import json
import os
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

TRIES = 20
FIELDS = ("line", "story", "occurrence", "context", "following", "role", "language", "plan")


def ask(address: str, body: dict[str, Any]) -> dict[str, Any]:
    """The reply to a request; while the service has no room, it is asked again when it says so."""
    headers = {"Content-Type": "application/json"}
    if token := os.environ.get("APTONE_VIEW_TOKEN"):
        headers["Authorization"] = f"Bearer {token}"
    for left in reversed(range(TRIES)):
        try:
            with urllib.request.urlopen(urllib.request.Request(address, json.dumps(body).encode(), headers)) as reply:
                found: dict[str, Any] = json.load(reply)
                return found
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503) or not left:
                raise SystemExit(f"{error.code}: {error.read().decode()}") from error
            time.sleep(float(error.headers.get("Retry-After", 1)))
    raise AssertionError("unreachable")


def main() -> int:
    """Print a line for each clip, and the mean."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--at-least", type=float, default=3.0, help="mean score from 0 to 5 that the build needs")
    parser.add_argument("--service", default="http://127.0.0.1:8788")
    options = parser.parse_args()
    scores: list[float | None] = []
    for text in options.manifest.read_text(encoding="utf-8").splitlines():
        record = json.loads(text)
        clip = options.manifest.parent / record["audio"]
        body = {name: record[name] for name in FIELDS if name in record}
        if "story" in body and (told := options.manifest.parent / body["story"]).is_file():
            body["story"] = told.read_text(encoding="utf-8")
        body["audio"] = {"name": clip.name, "base64": base64.b64encode(clip.read_bytes()).decode()}
        outcome = ask(f"{options.service}/v1/score", body)["outcome"]
        scores.append(outcome["scores"].get("aptness", {}).get("value"))
        print(f"{record['audio']}: {'no score: ' + outcome['reason'] if scores[-1] is None else f'{scores[-1]:.2f}'}")
    known = [score for score in scores if score is not None]
    mean = sum(known) / len(known) if known else 0.0
    print(
        f"mean {mean:.2f} of {len(known)} clips, {len(scores) - len(known)} without a score; needed {options.at_least}"
    )
    return int(mean < options.at_least or len(known) < len(scores))


if __name__ == "__main__":
    sys.exit(main())
