"""Memory of a judge, and stall of its event loop, when a reply of JSON is made to take much more than its bytes.

    python -m benchmarks.attacks.inflated_json               # this tree
    python -m benchmarks.attacks.inflated_json OTHER before  # another checkout, beside it

- ``lists``: 63 MB of empty lists, which take 64 bytes of memory for three of the reply.
- ``lists, 15 MB``: the same within the size that is read.
- ``objects, 15 MB``: objects with one field.
- ``texts, 15 MB``: short texts, which cannot be told from a long answer by counting brackets.
- ``deep``: 100,000 lists, one in the other.

The stall is the longest time for which the event loop did not come round: other requests of the run wait as long. It
exits with 1 if one took more than 400 MB. Needs Linux.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.attacks.checkout import ask, main
from benchmarks.attacks.hostile_server import says, serving, whole

TIMEOUT, PATIENCE = 30.0, 90.0
MOST_MB = 400.0


def filled(piece: str, size: int) -> bytes:
    """Return an object that holds as many pieces as fit into a size."""
    count = size // (len(piece) + 1)
    return ('{"a":[' + ",".join([piece] * count) + "]}").encode()


BODIES: dict[str, Callable[[], bytes]] = {
    "lists": lambda: filled("[]", 63_000_000),
    "lists, 15 MB": lambda: filled("[]", 15_000_000),
    "objects, 15 MB": lambda: filled('{"a":1}', 15_000_000),
    "texts, 15 MB": lambda: ('{"a":[' + ",".join(f'"{number:07d}"' for number in range(1_500_000)) + "]}").encode(),
    "deep": lambda: b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
}


def measure(tree: Path) -> dict[str, Any]:
    """Return the figures of every kind of reply."""
    found: dict[str, Any] = {}
    for kind, body in BODIES.items():
        made = body()
        with serving(says(whole(made))) as server:
            found[kind] = {
                "reply_bytes": len(made),
                **ask(tree, "judge", server.url, timeout=TIMEOUT, patience=PATIENCE),
            }
    return found


def judge(found: dict[str, Any]) -> list[str]:
    """Return what is not as it should be."""
    return [f"{kind}: {one}" for kind, one in found.items() if one.get("memory_mb", MOST_MB + 1) > MOST_MB]


if __name__ == "__main__":
    sys.exit(main("inflated_json", __doc__ or "", measure, judge))
