"""Files on other machines over http and https, written as they arrive; by the standard library alone."""

import functools
import http.client
import io
import re
import socket
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from aptone.errors import RunError, UsageError
from aptone.files import whole_file
from aptone.messages import message
from aptone.run.http.keys import shown_address
from aptone.run.http.reading import IDENTITY, Limits, Reading
from aptone.run.http.route import route_of

ADDRESS = re.compile(r"https?://[^\s]+")
_BLOCK = 1 << 20
_SCHEMES = {"http": "", "https": ""}


class BrokenOffError(Exception):
    """The other side stopped sending; another try may succeed."""


def download(address: str, path: Path, limits: Limits) -> None:
    """Write the file behind an address; redirects are followed.

    Raises:
        BrokenOffError: if it broke off, or comes too slowly.
        ReplyRefusedError: if it is compressed for the way, or too large.
        OSError, http.client.HTTPException: if it cannot be had.
        RunError: if it cannot be written, or the server points to where one does not go.
        UsageError: if the proxy that the environment names cannot be used.
    """
    reading = Reading(limits)
    opener = urllib.request.build_opener(_Route(_SCHEMES), _Elsewhere, _Http(reading), _Https(reading))
    asked = urllib.request.Request(address, headers=IDENTITY)  # noqa: S310 (its scheme was looked at)
    with opener.open(asked, timeout=limits.seconds) as answer:
        reading.begin(answer.headers.items())
        with whole_file(path) as partial, partial.open("xb") as file:
            for block in _blocks(answer, reading):
                file.write(block)


def _blocks(answer: http.client.HTTPResponse, reading: Reading) -> Iterator[bytes]:
    promised = answer.headers.get("Content-Length", "")
    while True:
        try:
            block = answer.read1(_BLOCK)
            reading.count(block)
        except (OSError, http.client.HTTPException) as error:  # a TimeoutError, too; none is one of the disk
            raise BrokenOffError(str(error)) from error
        if not block:
            break
        yield block
    if promised.isdigit() and reading.size != int(promised):
        raise BrokenOffError(f"{reading.size} of {promised} bytes came")


class _Timed(io.RawIOBase):
    """Bytes of a connection; each wait for some ends with the time of the whole request."""

    def __init__(self, connection: socket.socket, reading: Reading) -> None:
        self._connection = connection
        self._raw = connection.makefile("rb", buffering=0)
        self._reading = reading

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._reading.seconds_left
        if left <= 0:
            raise TimeoutError(f"{self._reading.size} bytes came")
        self._connection.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, reading: Reading, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_Timed(sock, reading))


class _Http(urllib.request.HTTPHandler):
    def __init__(self, reading: Reading) -> None:
        super().__init__()
        self._connection = functools.partial(_connection, http.client.HTTPConnection, reading)

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._connection, req)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, reading: Reading) -> None:
        super().__init__()
        self._connection = functools.partial(_connection, http.client.HTTPSConnection, reading)

    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._connection, req)


def _connection(
    kind: type[http.client.HTTPConnection], reading: Reading, host: str, **options: Any
) -> http.client.HTTPConnection:
    made = kind(host, **options)
    made.response_class = functools.partial(_Response, reading=reading)  # type: ignore[assignment]
    return made


class _Route(urllib.request.ProxyHandler):
    """Goes through a proxy where the route says so; see `aptone.run.http.route`."""

    def proxy_open(self, req: urllib.request.Request, proxy: str, type: str) -> Any:
        route = route_of(req.full_url)
        if not route.proxy:
            return None
        if not route.proxy.lower().startswith("http://"):
            raise UsageError(message("run.proxy-unusable", machine=route.machine))
        return super().proxy_open(req, route.proxy, type)


class _Elsewhere(urllib.request.HTTPRedirectHandler):
    """Goes where a server points, as long as that is an address of the web, and no less safe than the one asked."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if ADDRESS.fullmatch(newurl) is None or (req.type == "https" and not newurl.startswith("https:")):
            where, there = shown_address(req.full_url), repr(shown_address(newurl))
            raise RunError(message("run.points-elsewhere", name=where, there=there))
        fp.close()  # or all of its body would be read
        return super().redirect_request(req, fp, code, msg, headers, newurl)
