"""Uvicorn's HTTP protocol with limits on what a client can cost before anything is known about it.

It knows whose turn it is on a connection: that of the server, which works on a reply, or that of the client, which is
to send a request, the rest of one, or to read a reply.
"""

import asyncio
import math
import select
import sys
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from aptone.messages import message
from aptone.web.bodies import BEGAN_KEY
from aptone.web.connections import VOUCH_KEY, Connections, network_of
from aptone.web.error_replies import refusal_response
from aptone.web.refusals import BusyError
from aptone.web.security import FIXED_HEADERS

LONGEST_HEAD = 64 * 1024
"""Bytes of a request before its body, beyond the first piece that arrives; browsers send some hundreds."""
MOST_PIPELINED = 16
"""Requests of a connection that wait behind the one that is answered; browsers send none."""


class BoundedProtocol(HttpToolsProtocol):
    """One connection, within the limits of all connections of its server."""

    def __init__(self, *given: Any, connections: Connections, **options: Any) -> None:
        super().__init__(*given, **options)
        self._registry = connections
        self._limits = connections.limits
        self._has_asked = False
        self._is_known = False
        self._in_head = False
        self._in_message = False
        self._head_bytes = 0
        self._since = self._received = 0.0  # the turn of the client began; it last sent something
        self._unread = 0  # bytes of replies that wait to be read
        self._unread_since = self._unread_changed = 0.0  # there are some; there are as many as now
        self.network = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place among the connections, or refuse this one."""
        super().connection_made(transport)
        self._since = self._received = self.loop.time()
        self.network = network_of(self.client[0] if self.client else "")
        if not self._registry.admit(self, self._since):
            transport.write(NO_ROOM)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self._registry.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Refuse a head that grows too long."""
        self._received = self.loop.time()
        was_in_head = self._in_head
        super().data_received(data)
        if was_in_head and self._in_head:
            self._head_bytes += len(data)
            if self._head_bytes > LONGEST_HEAD and not self.transport.is_closing():
                self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """Note when a request begins; the time limit of the first head began with the connection.

        Raises:
            ValueError: if too many requests wait already; the parser gives up, and the connection is closed.
        """
        if len(self.pipeline) >= MOST_PIPELINED:
            raise ValueError(f"more than {MOST_PIPELINED} requests wait")
        super().on_message_begin()
        now = self.loop.time()
        self.scope[BEGAN_KEY] = now  # type: ignore[literal-required]
        self.scope[VOUCH_KEY] = self.vouch  # type: ignore[literal-required]
        self._is_known = False  # a proxy sends the requests of many clients on one connection
        self._in_head = self._in_message = True
        self._head_bytes = 0
        if self._has_asked:
            self._since = now

    def on_headers_complete(self) -> None:
        """Note the end of a head."""
        self._in_head = False
        super().on_headers_complete()
        self._has_asked = True

    def on_message_complete(self) -> None:
        """Note the end of a request."""
        self._in_message = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Let the client have its turn, and forget what it sent and nobody read."""
        self._since = self.loop.time()
        if self.cycle.response_complete:
            self.cycle.body = bytearray()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Note that the client does not read as fast as it is answered."""
        super().pause_writing()
        self._note_unread(self.loop.time())

    def waiting_since(self) -> float:
        """Return the time since which the client has its turn; minus infinity if all that it can send is of no use."""
        if self._unread:
            return min(self._unread_changed, self._unread_since + self._limits.long_reply_seconds)
        if self._replying:
            return self._received if self._in_body and not self.flow.read_paused else math.inf
        return -math.inf if self._in_body else self._since

    def vouch(self) -> None:
        """Note that the client of the present request is signed in."""
        self._is_known = True

    def patience(self) -> float:
        """Return the time of waiting after which the connection gives way to a new one."""
        if not self._has_asked:
            return self._limits.unheard_seconds
        return self._limits.known_seconds if self._is_known else self._limits.give_way_seconds

    def client_is_done(self) -> bool:
        """Return true if there is something to read, or room to send, that the event loop has yet to come to."""
        is_of_use = self._replying or not self._in_body
        return is_of_use and _is_ready(self.transport.get_extra_info("socket").fileno(), to_send=self._unread > 0)

    def end_if_overdue(self, now: float) -> None:
        """Close the connection if the client has had its turn for too long."""
        self._note_unread(now)
        if self._unread:
            if now - self._unread_changed > self._limits.unread_seconds:
                self.drop()
        elif not self._replying and (now - self._since > self._seconds or self._lingers(now)):
            self.transport.close()

    def _note_unread(self, now: float) -> None:
        """Look how much of the replies waits to be read."""
        unread = self.transport.get_write_buffer_size()
        if unread and not self._unread:
            self._unread_since = now
        if unread != self._unread:
            self._unread, self._unread_changed = unread, now

    def drop(self) -> None:
        """End the connection at once, whatever waits to be sent."""
        self.transport.abort()

    @property
    def _replying(self) -> bool:
        """True from the end of a request's head to the end of its reply."""
        return self._has_asked and not self.cycle.response_complete

    @property
    def _in_body(self) -> bool:
        """True from the end of a request's head to the end of its body."""
        return self._in_message and not self._in_head

    @property
    def _seconds(self) -> float:
        """Time limit of the client's turn while no reply is made: for a head or the rest of a body, or without any."""
        is_sending = self._in_message or not self._has_asked
        return self._limits.head_seconds if is_sending else self._limits.idle_seconds

    def _lingers(self, now: float) -> bool:
        """True if nothing comes any more of a body that nobody reads."""
        return self._in_body and now - max(self._received, self._since) > self._limits.linger_seconds


def _is_ready(descriptor: int, *, to_send: bool) -> bool:
    """True if a socket can be read from, or written to, without waiting; one that is closed cannot."""
    if descriptor < 0:
        return False
    if sys.platform == "win32":
        return any(select.select([] if to_send else [descriptor], [descriptor] if to_send else [], [], 0))
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT if to_send else select.POLLIN)
    return bool(poll.poll(0))


def _no_room() -> bytes:
    """Reply to a connection for which there is no room."""
    refusal = BusyError(message("web.too-many-connections"), next=message("web.try-again-moment"))
    reply = refusal_response(refusal)
    reply.headers.update({**FIXED_HEADERS, "Cache-Control": "no-store", "Connection": "close"})
    lines = [b"HTTP/1.1 503 Service Unavailable", *(b"%b: %b" % header for header in reply.raw_headers), b"", b""]
    return b"\r\n".join(lines) + bytes(reply.body)


NO_ROOM = _no_room()
"""Reply to a connection for which there is no room."""
