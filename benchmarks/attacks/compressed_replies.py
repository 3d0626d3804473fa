"""Memory and time of what asks a server that replies with a few kB, compressed twice, of 1 GiB of zeros.

    python -m benchmarks.attacks.compressed_replies               # this tree
    python -m benchmarks.attacks.compressed_replies OTHER before  # another checkout, beside it

The header is ``Content-Encoding: gzip, gzip``. A judge, a transcriber, a system under test and shards are asked once
each, with a limit of 20 s, in processes that may take 6 GiB; those not back after 60 s are ended. It exits with 1 if
one took more than 50 MB or its limit of time. Needs Linux.
"""

import gzip
import io
import sys
from pathlib import Path
from typing import Any

from benchmarks.attacks.checkout import PARTS, ask, main
from benchmarks.attacks.hostile_server import says, serving, whole

UNPACKED = 1 << 30
TIMEOUT, PATIENCE = 20.0, 60.0
MOST_MB = 50.0


def bomb() -> bytes:
    """Return the body: zeros, compressed twice."""
    inner = io.BytesIO()
    with gzip.GzipFile(fileobj=inner, mode="wb") as packed:
        for _ in range(UNPACKED >> 20):
            packed.write(bytes(1 << 20))
    return gzip.compress(inner.getvalue())


def measure(tree: Path) -> dict[str, Any]:
    """Return the figures of every part."""
    body = bomb()
    found: dict[str, Any] = {"reply_bytes": len(body), "unpacked_bytes": UNPACKED}
    with serving(says(whole(body, "Content-Encoding: gzip, gzip"))) as server:
        for part in PARTS:
            found[part] = ask(tree, part, server.url, timeout=TIMEOUT, patience=PATIENCE)
    return found


def judge(found: dict[str, Any]) -> list[str]:
    """Return what is not as it should be."""
    return [
        f"{part}: {found[part]}"
        for part in PARTS
        if found[part].get("memory_mb", MOST_MB + 1) > MOST_MB or found[part]["seconds"] > TIMEOUT
    ]


if __name__ == "__main__":
    sys.exit(main("compressed_replies", __doc__ or "", measure, judge))
