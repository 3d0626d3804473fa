"""Security checks of every request, security headers of every reply, and the reply for every error.

Against other sites: the Host must be one of ours (a name that an attacker points at this machine is refused), requests
that change something must come from our own pages (Origin, and a value from the session in a header), cookies are for
the same site only. Against what people type: a content security policy that runs no script but ours. Against
curiosity: nothing in a log but the route, nothing kept by caches, and no traceback or path of this machine in a reply.
"""

import hmac
import ipaddress
import logging
import re
import secrets
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aptone.errors import UsageError
from aptone.messages import message, replaced, translate
from aptone.studio.refusals import BusyError, NotAllowedError, NotFoundError, RefusedError
from aptone.types import Json, dumps

JSON_TYPE = "application/json"


class RequestRefusedError(RefusedError):
    """Refused request, with extra headers such as ``Retry-After``."""

    def __init__(self, message: str, *, next: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message, next=next)
        self.headers = dict(headers or {})


class NotUnderstoodError(RequestRefusedError, status=400, code="not-understood"):
    """Malformed request."""


class ForeignRequestError(NotAllowedError, code="csrf"):
    """Request from a page of another site."""

    def __init__(self, why: str) -> None:
        super().__init__(why, next=message("studio.load-page-again"))


class WrongMethodError(RequestRefusedError, status=405, code="wrong-method"):
    """Method that this address does not support."""


class TooSlowError(RequestRefusedError, status=408, code="too-slow"):
    """Body that did not arrive in time; the connection ends."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            message("studio.body-did-not-arrive-within", seconds=seconds),
            next=message("studio.send-again"),
            headers={"Connection": "close"},
        )


class TooLargeError(RequestRefusedError, status=413, code="too-large"):
    """Body over the size limit; its rest is not read, so the connection ends."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            message("studio.most-bytes-taken-here", limit=limit),
            next=message("studio.send-less-time"),
            headers={"Connection": "close"},
        )


class NotThatTypeError(RequestRefusedError, status=415, code="not-that-type"):
    """Body of an unsupported media type."""


class NoSuchPartError(RequestRefusedError, status=416, code="no-such-part"):
    """Range beyond the end of the file."""


class WrongHostError(RequestRefusedError, status=421, code="wrong-host"):
    """Host header that does not name this studio."""


class TooOftenError(RequestRefusedError, status=429, code="too-often"):
    """Too many sign-in attempts."""

    def __init__(self, seconds: int) -> None:
        super().__init__(
            message("studio.too-many-attempts-come"),
            next=message("studio.wait-seconds-try-again", seconds=seconds),
            headers={"Retry-After": str(seconds)},
        )


class FaultError(RequestRefusedError, status=500, code="fault"):
    """Internal error."""


def refusal_response(refusal: RefusedError) -> Response:
    """Reply for an error of the studio."""
    mandarin: Json = {"message": translate(refusal.message, "zh"), "next": translate(refusal.next, "zh")}
    error: Json = {"code": refusal.code, "message": refusal.message, "next": refusal.next, "mandarin": mandarin}
    body = dumps({"error": error})
    headers = refusal.headers if isinstance(refusal, RequestRefusedError) else {}
    if isinstance(refusal, BusyError):
        headers = {"Retry-After": "1"}
    return Response(body, status_code=refusal.status, media_type=JSON_TYPE, headers=headers)


def without_folder(error: Exception, folder: Path) -> str:
    """Text of an error with paths relative to a folder, so that the reply does not reveal where it lies.

    >>> without_folder(ValueError("/srv/study/clips/a.wav: the file is empty."), Path("/srv/study"))
    'clips/a.wav: the file is empty.'
    """
    return replaced(replaced(str(error), f"{folder}/", ""), str(folder), message("studio.the-project"))


ACCESS = logging.getLogger("aptone.studio.access")
FAULTS = logging.getLogger("aptone.studio.faults")

CSRF_HEADER = "X-Aptone-CSRF"
SAFE_METHODS = frozenset({"GET", "HEAD"})
MOST_CAUSES, MOST_PLACES = 5, 8
"""Limits of the log line of a fault."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
NONCE_KEY = "csp-nonce"
"""Key of a reply's nonce in its scope."""

FIXED_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
_RAW_HEADERS = [(name.lower().encode(), value.encode()) for name, value in FIXED_HEADERS.items()]
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-%s'; img-src 'self' data:; font-src 'self'; "
    "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_CONTROL = re.compile("[\x00-\x1f\x7f]")


def content_policy(nonce: str) -> str:
    """Content security policy of a page: our own files, the sounds, and the one style sheet with the nonce."""
    return _POLICY % nonce


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of the studio.

    Args:
        host: address that the server listens at.
        public_url: address that people type, where it is another: ``https://studio.example.org``.

    Raises:
        UsageError: if the public address is not one of http or https without a path.
    """

    host: str = "127.0.0.1"
    public_url: str = ""
    _names: frozenset[str] = field(init=False, default=LOOPBACK, repr=False)

    def __post_init__(self) -> None:
        names = {*LOOPBACK, self.host.lower()}
        if self.public_url:
            names.add(_public_name(self.public_url))
        object.__setattr__(self, "_names", frozenset(names))

    @property
    def secure(self) -> bool:
        """True if people reach it by https, so that cookies can be restricted to it."""
        return self.public_url.lower().startswith("https://")

    @property
    def beyond_this_machine(self) -> bool:
        """True if others can reach the server without a proxy."""
        return self.host not in LOOPBACK

    def knows_host(self, host: str) -> bool:
        """True if a Host header names this studio.

        >>> Addresses().knows_host("localhost:8765"), Addresses().knows_host("evil.example:8765")
        (True, False)
        """
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
        except ValueError:
            return False
        if name in self._names:
            return "@" not in host
        return self.beyond_this_machine and _is_number(name)  # only names can be pointed elsewhere later

    def knows_origin(self, origin: str, *, host: str) -> bool:
        """True if an Origin header is that of our own pages, reached at this Host."""
        if self.public_url and origin.lower() == _origin(self.public_url):
            return True
        return origin.lower() == f"http://{host.lower()}"


def _public_name(url: str) -> str:
    try:
        parts = urlsplit(url)
        plain = parts.scheme in ("http", "https") and not parts.path.strip("/") and not parts.query
        named = plain and "@" not in parts.netloc and parts.port != 0  # a port that is none raises here
        name = (parts.hostname or "").lower() if named else ""
    except ValueError:
        name = ""
    if not name:
        raise UsageError(
            f"--public-url {url}: expected an address without a path, such as https://studio.example.org; "
            "give the studio a name of its own in the proxy."
        )
    return name


def _origin(url: str) -> str:
    parts = urlsplit(url.lower())
    standard = {"http": 80, "https": 443}[parts.scheme]
    name = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else str(parts.hostname)
    return f"{parts.scheme}://{name}" + (f":{parts.port}" if parts.port not in (None, standard) else "")


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def same_secret(given: str, expected: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())


class Guard:
    """Middleware that checks the Host, adds headers, logs, and turns faults into replies."""

    def __init__(self, app: ASGIApp, *, addresses: Addresses) -> None:
        self._app = app
        self._addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0
        nonce = scope[NONCE_KEY] = secrets.token_urlsafe(16)

        async def guarded_send(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(message["headers"], path=scope["path"], nonce=nonce)
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
            _log_fault(error, fault)
            if status:
                raise  # the reply has begun: the connection can only be cut
            refusal = FaultError(
                message("studio.something-failed-here-number", number=fault),
                next=message("studio.look-into-server-log"),
            )
            await refusal_response(refusal)(scope, receive, guarded_send)
        finally:
            if ACCESS.isEnabledFor(logging.INFO):
                milliseconds = 1000 * (time.perf_counter() - began)
                path = (
                    str(scope["path"])[:200].encode("unicode_escape").decode()
                )  # no query; secrets are never in a path
                ACCESS.info("%s %s %d %.1f ms", scope["method"], path, status, milliseconds)

    def _refusal(self, scope: Scope) -> RefusedError | None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._addresses.knows_host(hosts[0].decode("latin-1")):
            next_step = message("studio.use-address-studio-printed-start")
            return WrongHostError(message("studio.studio-not-known-name"), next=next_step)
        if _CONTROL.search(scope["path"]):
            return NotFoundError(message("studio.nothing-address"))
        return None


def _add_headers(headers: list[tuple[bytes, bytes]], *, path: str, nonce: str) -> None:
    headers += _RAW_HEADERS
    headers.append((b"content-security-policy", content_policy(nonce).encode()))
    if not any(name == b"cache-control" for name, _ in headers):
        headers.append((b"cache-control", b"no-store" if path.startswith("/api") else b"no-cache"))


def _log_fault(error: Exception, fault: str) -> None:
    """Log types and places of an error, not its text, which can hold an answer or a path."""
    kinds: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(kinds) < MOST_CAUSES:
        kinds.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    places = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)]
    FAULTS.error("fault %s: %s at %s", fault, " from ".join(kinds), " > ".join(places[-MOST_PLACES:]))
