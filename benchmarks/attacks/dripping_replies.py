"""Seconds until a server is given up that sends a byte a second, in its headers or in its body.

    python -m benchmarks.attacks.dripping_replies               # this tree
    python -m benchmarks.attacks.dripping_replies OTHER before  # another checkout, beside it

A judge, a transcriber, a system under test and shards are asked once each, with a limit of 3 s; those not back after
20 s are ended. ``redirect`` (shards only) points to a file that is there, with a body that does not end. It exits with
1 if one took more than twice its limit.
"""

import socket
import sys
import threading
from pathlib import Path
from typing import Any

from benchmarks.attacks.checkout import PARTS, ask, main
from benchmarks.attacks.hostile_server import Talk, serving

TIMEOUT, PATIENCE = 3.0, 20.0
HEADERS = b"HTTP/1.1 200 OK\r\nX-Slow: "
BODY = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
REDIRECT = b"HTTP/1.1 302 Found\r\nLocation: /there.tar\r\n\r\n"
THERE = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


def drips(begin: bytes) -> Talk:
    """Send a beginning, then a byte a second."""

    def talk(client: socket.socket, over: threading.Event) -> None:
        client.sendall(begin)
        while not over.wait(1.0):
            client.sendall(b"x")

    return talk


def points() -> Talk:
    """Point to a file, in a reply whose body drips; the second request is for that file."""
    asked: list[bool] = []

    def talk(client: socket.socket, over: threading.Event) -> None:
        if asked:
            client.sendall(THERE)
        else:
            asked.append(True)
            drips(REDIRECT)(client, over)

    return talk


def measure(tree: Path) -> dict[str, Any]:
    """Return the figures of every part and place."""
    found: dict[str, Any] = {"limit_seconds": TIMEOUT}
    for place, begin in (("headers", HEADERS), ("body", BODY)):
        with serving(drips(begin)) as server:
            found[place] = {part: ask(tree, part, server.url, timeout=TIMEOUT, patience=PATIENCE) for part in PARTS}
    with serving(points()) as server:
        found["redirect"] = {"shard": ask(tree, "shard", server.url, timeout=TIMEOUT, patience=PATIENCE)}
    return found


def judge(found: dict[str, Any]) -> list[str]:
    """Return what is not as it should be."""
    return [
        f"{place}, {part}: {one}"
        for place in ("headers", "body", "redirect")
        for part, one in found[place].items()
        if one.get("seconds", PATIENCE) > 2 * TIMEOUT
    ]


if __name__ == "__main__":
    sys.exit(main("dripping_replies", __doc__ or "", measure, judge))
