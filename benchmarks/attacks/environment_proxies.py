"""Recordings and keys that a proxy of the environment gets, and what is asked before.

    python -m benchmarks.attacks.environment_proxies               # this tree
    python -m benchmarks.attacks.environment_proxies OTHER before  # another checkout, beside it

``HTTP_PROXY`` names a server that takes whatever comes. No ``--yes`` is given, and nobody is there to ask.

- ``judge here``, ``transcriber here``, ``system here``, ``shard here``: the server that is asked is on this machine.
- ``score, judge here``: ``aptone score`` with such a judge; `consent` is what the run says about it.
- ``score, judge elsewhere``: the same with a judge on another machine; `said` is what the user is told.
- ``Python, judge elsewhere``: ``aptone.score`` with that judge.

It exits with 1 if the proxy got anything.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.attacks.checkout import PARTS, SCORE, ask, completion, main, run, write_line
from benchmarks.attacks.hostile_server import HostileServer, says, serving, whole

KEY = "sk-secret-0123456789"
GOOD = whole(completion("As asked. <score>3.5</score>"), "Content-Type: application/json")
ELSEWHERE = "http://judge.example/v1"
FROM_PYTHON = """
import sys, aptone
plan = {"emotion": "hope", "rhythm": "heavy", "intonation": "falling"}
settings = {"judge.model": "m", "judge.base_url": sys.argv[1]}
aptone.score("clip.wav", line="Is anybody there?", plan=plan, engine="api", planner="by-hand", settings=settings)
"""


def counted(proxy: HostileServer) -> dict[str, int]:
    """Return what the proxy got since it was last counted."""
    requests = [one.lower() for one in proxy.requests]
    proxy.requests.clear()
    return {
        "requests": len(requests),
        "recordings": sum(b"input_audio" in one or b"riff" in one for one in requests),
        "keys": sum(KEY.encode() in one for one in requests),
    }


def measure(tree: Path) -> dict[str, Any]:
    """Return what the proxy got in every setting."""
    found: dict[str, Any] = {}
    with serving(says(GOOD)) as server, serving(says(GOOD)) as proxy:
        named = {
            **dict.fromkeys(("http_proxy", "HTTP_PROXY"), proxy.url),
            "OPENAI_API_KEY": KEY,
            "APTONE_SYSTEM_KEY": KEY,
        }
        for part in PARTS:
            ask(tree, part, server.url, timeout=20.0, patience=60.0, variables=named)
            found[f"{part} here"] = counted(proxy)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            write_line(folder)
            here = run(
                tree, [*SCORE, "--set", f"judge.base_url={server.url}/v1", "-o", "here"], folder=folder, variables=named
            )
            config = json.loads((folder / "here" / "config.json").read_text(encoding="utf-8"))
            found["score, judge here"] = {**counted(proxy), "exit": here.returncode, "consent": config["consent"]}
            away = run(
                tree, [*SCORE, "--set", f"judge.base_url={ELSEWHERE}", "-o", "away"], folder=folder, variables=named
            )
            said = away.stderr.strip().replace(str(proxy.port), "PORT")
            found["score, judge elsewhere"] = {**counted(proxy), "exit": away.returncode, "said": said[:300]}
            typed = run(tree, ["-c", FROM_PYTHON, ELSEWHERE], folder=folder, variables=named)
            said = (typed.stderr.strip().splitlines() or [""])[-1].replace(str(proxy.port), "PORT")
            found["Python, judge elsewhere"] = {**counted(proxy), "exit": typed.returncode, "said": said[:300]}
    return found


def judge(found: dict[str, Any]) -> list[str]:
    """Return what is not as it should be."""
    return [f"{setting}: {one}" for setting, one in found.items() if one["requests"]]


if __name__ == "__main__":
    sys.exit(main("environment_proxies", __doc__ or "", measure, judge))
