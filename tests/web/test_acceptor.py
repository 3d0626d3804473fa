"""Connections without a place are refused before a protocol is made for them."""

import asyncio
import errno
import socket
from collections.abc import Callable, Coroutine
from typing import Any

from aptone.web.acceptor import Acceptor
from aptone.web.connections import ConnectionLimits, Connections

REFUSAL = b"HTTP/1.1 503 Service Unavailable\r\n\r\n"


class Place(asyncio.Protocol):
    """A protocol that takes a place and keeps it."""

    network = "127.0.0.1"

    def __init__(self, connections: Connections, made: list["Place"]) -> None:
        self._connections = connections
        made.append(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert self._connections.admit(self, 0.0)
        assert isinstance(transport, asyncio.Transport)
        transport.write(b"welcome")

    def waiting_since(self) -> float:
        return float("inf")

    def patience(self) -> float:
        return 0.0

    def client_is_done(self) -> bool:
        return False

    def end_if_overdue(self, now: float) -> None: ...

    def drop(self) -> None: ...


class ScarceListener:
    """A listening socket whose first connections meet a process without a file left."""

    def __init__(self, listener: socket.socket, failures: int) -> None:
        self._listener = listener
        self.failures = failures

    def fileno(self) -> int:
        return self._listener.fileno()

    def accept(self) -> tuple[socket.socket, tuple[str, int]]:
        if self.failures:
            self.failures -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return self._listener.accept()


def with_listener(test: Callable[[socket.socket], Coroutine[Any, Any, None]]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        asyncio.run(test(listener))


async def first_bytes(port: int) -> tuple[bytes, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    return await reader.read(len(REFUSAL)), writer


def test_one_too_many_is_refused_and_nothing_is_made_for_it() -> None:
    async def test(listener: socket.socket) -> None:
        connections, made = Connections(ConnectionLimits(most=1)), list[Place]()
        acceptor = Acceptor(connections, lambda: Place(connections, made), refusal=REFUSAL, at_a_time=4)
        acceptor.take_over(listener)
        port = listener.getsockname()[1]
        first, kept = await first_bytes(port)
        second, refused = await first_bytes(port)
        assert (first, second) == (b"welcome", REFUSAL)
        assert len(made) == 1
        for writer in (kept, refused):
            writer.close()
        asyncio.get_running_loop().remove_reader(listener.fileno())

    with_listener(test)


def test_a_process_without_a_file_left_accepts_again_a_moment_later() -> None:
    async def test(listener: socket.socket) -> None:
        connections, made = Connections(ConnectionLimits()), list[Place]()
        acceptor = Acceptor(connections, lambda: Place(connections, made), refusal=REFUSAL, at_a_time=4)
        scarce = ScarceListener(listener, failures=2)
        acceptor.take_over(scarce)  # type: ignore[arg-type]
        said, writer = await first_bytes(listener.getsockname()[1])
        assert said == b"welcome"
        assert scarce.failures == 0
        writer.close()
        asyncio.get_running_loop().remove_reader(listener.fileno())

    with_listener(test)
