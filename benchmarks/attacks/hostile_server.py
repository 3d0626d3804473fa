"""Server on the loopback address that says to each connection what an attack wants, and notes what it was sent."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Talk = Callable[[socket.socket, threading.Event], None]
"""Says something to a client whose request has come; the event is set when the attack is over."""


@dataclass(slots=True)
class HostileServer:
    """A server while it runs.

    Args:
        requests: head and body of each request.
    """

    port: int
    requests: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Address."""
        return f"http://127.0.0.1:{self.port}"


@contextlib.contextmanager
def serving(talk: Talk) -> Iterator[HostileServer]:
    """Serve on a free port of this machine until the context ends."""
    over = threading.Event()
    listening = socket.create_server(("127.0.0.1", 0))
    made = HostileServer(listening.getsockname()[1])

    def answer(client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            client.settimeout(60.0)
            made.requests.append(_request(client))
            talk(client, over)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listening.accept()
                threading.Thread(target=answer, args=(client,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        over.set()
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


def says(*parts: bytes) -> Talk:
    """Say this and hang up."""

    def talk(client: socket.socket, over: threading.Event) -> None:
        for part in parts:
            client.sendall(part)

    return talk


def whole(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    """Return a reply with its length."""
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers])
    return f"{head}\r\n\r\n".encode() + body


def _request(client: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := client.recv(1 << 16)):
            return data
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    fields = dict(line.split(b": ", 1) for line in head.lower().split(b"\r\n")[1:])
    length = int(fields.get(b"content-length", b"0"))
    while len(body) < length and (more := client.recv(1 << 16)):
        body += more
    return head + b"\r\n\r\n" + body
