"""Connections: limits on the time and size of what a client sends before anything is known about it."""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LONGEST_HEAD = 64 * 1024
"""Bytes of a request before its body, beyond the first piece that arrives; browsers send some hundreds."""
HEAD_SECONDS = 30.0
"""Time limit for the head of a request."""


class BoundedProtocol(HttpToolsProtocol):
    """Uvicorn's HTTP protocol with limits on the time and size of a request's head."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._in_head = False
        self._received = 0
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time limit of the first head."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the time limit."""
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Refuse a head that grows too long."""
        was_in_head = self._in_head
        super().data_received(data)
        if was_in_head and self._in_head:
            self._received += len(data)
            if self._received > LONGEST_HEAD and not self.transport.is_closing():
                self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """Start counting the head of a request."""
        super().on_message_begin()
        self._in_head, self._received = True, 0
        if self._deadline is None:
            self._expect_head()

    def on_headers_complete(self) -> None:
        """Cancel the time limit after the head."""
        self._in_head = False
        self._stop_waiting()
        super().on_headers_complete()

    def _expect_head(self) -> None:
        self._deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
