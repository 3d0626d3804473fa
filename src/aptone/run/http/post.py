"""Requests whose whole reply is read into memory, within limits of size and time."""

import asyncio
import ssl
import weakref
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from aptone.errors import MissingExtraError, UsageError
from aptone.messages import message
from aptone.run.http.reading import IDENTITY, Limits, Reading
from aptone.run.http.route import Route, route_of
from aptone.types import Json

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class HttpReply:
    """Status, headers and body of a reply."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ConnectionFailedError(Exception):
    """The connection failed, or what came is no HTTP; the text says how."""


async def post(
    url: str,
    limits: Limits,
    *,
    headers: Mapping[str, str],
    content: bytes | None = None,
    json: Mapping[str, Json] | None = None,
    files: Mapping[str, tuple[str, bytes]] | None = None,
    data: Mapping[str, str] | None = None,
) -> HttpReply:
    """Post bytes, JSON or a form. Redirects are not followed: they could carry key and recording elsewhere.

    Raises:
        TimeoutError: if the whole request takes longer than its limit.
        ReplyRefusedError: if the reply is compressed, or has more bytes than its limit.
        ConnectionFailedError: if the connection failed.
        MissingExtraError: if httpx is not installed.
        UsageError: if there is no way to ask: an address or proxy that cannot be used.
    """
    return await _exchange("POST", url, limits, headers=headers, content=content, json=json, files=files, data=data)


async def get(url: str, limits: Limits, *, headers: Mapping[str, str]) -> HttpReply:
    """Get what an address holds; redirects are not followed, and errors are those of `post`."""
    return await _exchange("GET", url, limits, headers=headers)


async def _exchange(method: str, url: str, limits: Limits, **options: Any) -> HttpReply:
    try:
        import httpx
    except ImportError as error:
        raise MissingExtraError(message("run.talking-to-server"), extra="llm") from error
    route = route_of(url)
    reading = Reading(limits)
    body = bytearray()
    try:
        async with asyncio.timeout(limits.seconds):
            client = await _client(route)
            async with client.stream(method, url, **options) as response:
                reading.begin(response.headers.multi_items())
                async for block in response.aiter_raw():
                    reading.count(block)
                    body += block
    except httpx.TransportError as error:
        raise ConnectionFailedError(f"{type(error).__name__}: {error}") from error
    except (httpx.InvalidURL, httpx.HTTPError) as error:
        raise UsageError(message("run.cannot-be-asked", machine=route.machine, why=type(error).__name__)) from error
    return HttpReply(response.status_code, response.headers, bytes(body))


_Opened: TypeAlias = "tuple[httpx.AsyncClient, AsyncGenerator[httpx.AsyncClient]]"
"""Client, and the generator that closes it: without a reference to it the client would be closed at once."""
_opened: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _Opened]] = weakref.WeakKeyDictionary()
"""One client for each event loop and proxy: connections belong to the loop in which they were opened."""


async def _client(route: Route) -> "httpx.AsyncClient":
    clients = _opened.setdefault(asyncio.get_running_loop(), {})
    if (opened := clients.get(route.proxy)) is None:
        closing = _open_until_the_loop_ends(route, clients)
        opened = clients[route.proxy] = (await anext(closing), closing)
    return opened[0]


@cache
def _certificates() -> ssl.SSLContext:
    """Load the certificates once: it takes longer than everything else about a client."""
    import httpx

    return httpx.create_ssl_context()


async def _open_until_the_loop_ends(route: Route, clients: dict[str, _Opened]) -> "AsyncGenerator[httpx.AsyncClient]":
    """Yield a client that is closed with its loop: a loop that ends closes the generators that are still open in it."""
    import httpx

    try:
        made = httpx.AsyncClient(
            verify=_certificates(),
            timeout=None,  # noqa: S113 (each call has its own)
            # How many calls are under way at once is the runner's business.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=20),
            headers=IDENTITY,
            trust_env=False,  # the route says which proxy is used, and no netrc adds a password
            proxy=route.proxy or None,
        )
    except (ValueError, ImportError) as error:
        raise UsageError(message("run.proxy-unusable", machine=route.machine)) from error
    async with made as client:
        try:
            yield client
        finally:
            clients.pop(route.proxy, None)
