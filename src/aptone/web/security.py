"""Security checks of every request, and security headers of every reply.

Against other sites: the Host must be one of ours (a name that an attacker points at this machine is refused). Against
what people type: a content security policy that runs no script but ours. Against curiosity: nothing in a log but the
route, nothing kept by caches, and no traceback or path of this machine in a reply.
"""

import hmac
import logging
import re
import secrets
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aptone.messages import message
from aptone.web.addresses import Addresses
from aptone.web.error_replies import refusal_response
from aptone.web.refusals import FaultError, NotFoundError, RefusedError, WrongHostError

SAFE_METHODS = frozenset({"GET", "HEAD"})
MOST_CAUSES, MOST_PLACES = 5, 8
"""Limits of the log line of a fault."""
NONCE_KEY = "csp-nonce"
"""Key of a reply's nonce in its scope."""

FIXED_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_CONTROL = re.compile("[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Policy:
    """Policy of an application: what its pages may load and use, and what no cache may keep.

    Args:
        content: content security policy; in the place of ``{nonce}`` every reply has a value of its own, which its
            scope holds under `NONCE_KEY`.
        permissions: permissions policy.
        no_store: beginnings of the paths whose replies no cache may keep; others are checked before they are used
            again, unless they say something else.
    """

    content: str
    permissions: str = "camera=(), geolocation=(), microphone=()"
    no_store: tuple[str, ...] = ("/api",)

    @property
    def has_nonce(self) -> bool:
        """True if every reply needs a nonce."""
        return "{nonce}" in self.content

    def headers(self, *, path: str, nonce: str) -> list[tuple[bytes, bytes]]:
        """Headers of a reply; the last one says what caches may do."""
        named = {
            **FIXED_HEADERS,
            "Permissions-Policy": self.permissions,
            "Content-Security-Policy": self.content.replace("{nonce}", nonce),
            "Cache-Control": "no-store" if path.startswith(self.no_store) else "no-cache",
        }
        return [(name.lower().encode(), value.encode()) for name, value in named.items()]


def same_secret(given: str, expected: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())


class Guard:
    """Middleware that checks the Host, adds headers, logs, and turns faults into replies.

    Args:
        log: name of the application in logs: requests go to ``{log}.access``, faults to ``{log}.faults``.
    """

    def __init__(self, app: ASGIApp, *, addresses: Addresses, policy: Policy, log: str) -> None:
        self._app = app
        self._addresses = addresses
        self._policy = policy
        self._access = logging.getLogger(f"{log}.access")
        self._faults = logging.getLogger(f"{log}.faults")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0
        nonce = scope[NONCE_KEY] = secrets.token_urlsafe(16) if self._policy.has_nonce else ""

        async def guarded_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(message["headers"], self._policy.headers(path=scope["path"], nonce=nonce))
            await send(message)

        try:
            refusal = self._refusal(scope)
            if refusal is not None:
                await refusal_response(refusal)(scope, receive, guarded_send)
            else:
                await self._app(scope, receive, guarded_send)
        except ClientDisconnect:
            return  # whoever asked is gone, and that is no fault
        except Exception as error:
            fault = secrets.token_hex(4)
            self._log_fault(error, fault)
            if status:
                raise  # the reply has begun: the connection can only be cut
            refusal = FaultError(
                message("web.something-failed-here-number", number=fault), next=message("web.look-into-server-log")
            )
            await refusal_response(refusal)(scope, receive, guarded_send)
        finally:
            if self._access.isEnabledFor(logging.INFO):
                milliseconds = 1000 * (time.perf_counter() - began)
                # no query; secrets are never in a path
                path = str(scope["path"])[:200].encode("unicode_escape").decode()
                self._access.info("%s %s %d %.1f ms", scope["method"], path, status, milliseconds)

    def _refusal(self, scope: Scope) -> RefusedError | None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._addresses.knows_host(hosts[0].decode("latin-1")):
            return WrongHostError(message("web.not-known-by-name"), next=message("web.use-printed-address"))
        if _CONTROL.search(scope["path"]):
            return NotFoundError(message("web.nothing-address"))
        return None

    def _log_fault(self, error: Exception, fault: str) -> None:
        """Log types and places of an error, not its text, which can hold an answer or a path."""
        kinds: list[str] = []
        cause: BaseException | None = error
        while cause is not None and len(kinds) < MOST_CAUSES:
            kinds.append(type(cause).__name__)
            cause = cause.__cause__ or cause.__context__
        frames = traceback.extract_tb(error.__traceback__)
        places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        self._faults.error("fault %s: %s at %s", fault, " from ".join(kinds), " > ".join(places[-MOST_PLACES:]))


def _add_headers(headers: list[tuple[bytes, bytes]], ours: list[tuple[bytes, bytes]]) -> None:
    """Add our headers to those of a reply, which may say itself what caches may do."""
    *protecting, caching = ours
    headers += protecting
    if not any(name == caching[0] for name, _ in headers):
        headers.append(caching)
