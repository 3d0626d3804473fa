"""Acceptor of connections: those for which there is no room are refused before anything is made for them.

asyncio makes a transport, a protocol and a task for every connection, which costs ten times as much as the reply that
there is no room. During a flood, requests of others would wait for all of that.
"""

import asyncio
import contextlib
import errno
import socket
from collections.abc import Callable

from aptone.web.connections import Connections, network_of

PAUSE_SECONDS = 0.1
"""Time without accepting after the process, or the system, had no room for another file."""
_NO_FILES = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM))


class Acceptor:
    """Takes over the listening sockets of a server on the running event loop.

    Args:
        make: makes the protocol of a connection.
        refusal: bytes that a connection gets for which there is no room.
        at_a_time: connections accepted before requests have their turn.
    """

    def __init__(
        self, connections: Connections, make: Callable[[], asyncio.Protocol], *, refusal: bytes, at_a_time: int
    ) -> None:
        self._connections = connections
        self._make = make
        self._refusal = refusal
        self._at_a_time = at_a_time
        self._loop = asyncio.get_running_loop()
        self._welcomes: set[asyncio.Task[object]] = set()

    def take_over(self, listener: socket.socket) -> None:
        """Accept the connections of a socket; an event loop that cannot watch sockets goes on as it did."""
        with contextlib.suppress(NotImplementedError):  # the default loop of Windows
            self._loop.remove_reader(listener.fileno())
            self._loop.add_reader(listener.fileno(), self._accept, listener)

    def _accept(self, listener: socket.socket) -> None:
        for _ in range(self._at_a_time):
            try:
                client, address = listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _NO_FILES:
                    raise
                self._loop.remove_reader(listener.fileno())
                self._loop.call_later(PAUSE_SECONDS, self._go_on, listener)
                return
            client.setblocking(False)
            if self._connections.has_room(network_of(address[0]), self._loop.time()):
                welcome = self._loop.create_task(self._welcome(client))
                self._welcomes.add(welcome)
                welcome.add_done_callback(self._welcomes.discard)
            else:
                with client, contextlib.suppress(OSError):
                    client.send(self._refusal)

    def _go_on(self, listener: socket.socket) -> None:
        if listener.fileno() >= 0:
            self.take_over(listener)

    async def _welcome(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError):  # it has gone by now
            await self._loop.connect_accepted_socket(self._make, client)
