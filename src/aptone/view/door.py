"""Who may ask: tokens of the service and of the pages, and requests from our own pages only.

Everything is decided before a body is read. Without tokens, everybody on this machine may ask. With some, a program
sends one as ``Authorization: Bearer …``; a browser is opened with ``/?token=…`` once, and keeps it as a cookie that
no script and no other site can use.
"""

import hashlib
import hmac
import os
import stat
from collections.abc import Mapping
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from aptone.errors import UsageError
from aptone.messages import message
from aptone.web.addresses import Addresses
from aptone.web.error_replies import refusal_response
from aptone.web.refusals import NotSignedInError, RefusedError
from aptone.web.security import SAFE_METHODS

VARIABLE = "APTONE_VIEW_TOKEN"
"""Environment variable with the token of a view."""
COOKIE = "aptone_view"
CLIENT = "aptone-client"
"""Key of a request's scope that holds who asks: the name of the token, or else the address."""
OPEN = frozenset({"/healthz"})
"""Paths that need no token."""
SHORTEST_TOKEN, LONGEST_TOKEN, MOST_TOKENS = 16, 200, 1_000


class Tokens:
    """Tokens by the name of whoever holds them; only hashes are kept."""

    def __init__(self, tokens: Mapping[str, str]) -> None:
        for name, token in tokens.items():
            if not SHORTEST_TOKEN <= len(token) <= LONGEST_TOKEN or not token.isascii() or not token.isprintable():
                raise UsageError(message("view.weak-token", name=name, shortest=SHORTEST_TOKEN, longest=LONGEST_TOKEN))
        self._hashes = {name: _hash(token) for name, token in tokens.items()}

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def holder(self, token: str) -> str | None:
        """Name of whoever holds a token; ``None`` for an unknown one. Takes as long for every token."""
        given, found = _hash(token[: LONGEST_TOKEN + 1]), None
        for name, known in self._hashes.items():
            if hmac.compare_digest(given, known):
                found = name
        return found


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def read_tokens(file: Path) -> dict[str, str]:
    """Read a file of tokens: a name and a token a line; ``#`` begins a remark.

    Raises:
        UsageError: if others may read the file, or a line is not understood.
    """
    try:
        if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
            raise UsageError(message("view.token-file-open", name=file))
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(message("view.token-file-unreadable", name=file, what=error.strerror)) from error
    except UnicodeDecodeError as error:
        raise UsageError(message("view.token-file-unreadable", name=file, what=error.reason)) from error
    found: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        parts = line.partition("#")[0].split()
        if not parts:
            continue
        if len(parts) != 2 or parts[0] in found or len(found) >= MOST_TOKENS:
            raise UsageError(message("view.token-line", name=file, number=number))
        found[parts[0]] = parts[1]
    if not found:
        raise UsageError(message("view.token-file-empty", name=file))
    return found


class Door:
    """Middleware that lets requests in: those that change something from our own pages only, all with a token."""

    def __init__(self, app: ASGIApp, *, addresses: Addresses, tokens: Tokens) -> None:
        self._app = app
        self._addresses = addresses
        self._tokens = tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            answer = self._admit(scope)
        except RefusedError as refusal:
            answer = refusal_response(refusal)
        await (self._app if answer is None else answer)(scope, receive, send)

    def _admit(self, scope: Scope) -> Response | None:
        """Note who asks; return a reply where one is due before the application is asked."""
        headers = Headers(scope=scope)
        if scope["method"] not in SAFE_METHODS:
            self._addresses.check_origin(headers)
        scope[CLIENT] = scope["client"][0] if scope.get("client") else ""
        if not self._tokens or scope["path"] in OPEN:
            return None
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), max_num_fields=100))
        if (token := query.pop("token", "")) and scope["method"] in SAFE_METHODS:
            return self._enter(scope["path"], query, token)
        holder = self._tokens.holder(_bearer(headers) or _cookie(headers))
        if holder is None:
            raise NotSignedInError(
                message("view.no-token"),
                next=message("view.open-printed-link"),
                headers={"WWW-Authenticate": "Bearer"},
            )
        scope[CLIENT] = holder
        return None

    def _enter(self, path: str, query: Mapping[str, str], token: str) -> Response:
        if self._tokens.holder(token) is None:
            raise NotSignedInError(message("view.unknown-token"), next=message("view.open-printed-link"))
        place = path if path.startswith("/") and not path.startswith("//") else "/"  # never another site
        answer = RedirectResponse(f"{place}?{urlencode(query)}" if query else place, status_code=303)
        answer.set_cookie(COOKIE, token, path="/", secure=self._addresses.secure, httponly=True, samesite="strict")
        return answer


def _bearer(headers: Headers) -> str:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def _cookie(headers: Headers) -> str:
    kept = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    return kept.value if kept is not None else ""
