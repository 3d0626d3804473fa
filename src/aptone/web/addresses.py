"""Addresses of a server: the names that it answers to, and the pages that requests may come from."""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from aptone.errors import UsageError
from aptone.messages import message
from aptone.web.refusals import ForeignRequestError

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Addresses:
    """Addresses of a server.

    Args:
        host: address that the server listens at.
        public_url: address that people type, where it is another: ``https://aptone.example.org``.

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
        """True if a Host header names this server.

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

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Check that a request which would change something comes from our own pages, or from no page at all.

        Raises:
            ForeignRequestError: if it comes from a page of another site.
        """
        origin = headers.get("origin")
        if origin is not None and not self.knows_origin(origin, host=headers["host"]):
            raise ForeignRequestError(message("web.request-comes-page-another-site"))
        if origin is None and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise ForeignRequestError(message("web.request-comes-page-another-site"))


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
            f"--public-url {url}: expected an address without a path, such as https://aptone.example.org; "
            "give it a name of its own in the proxy."
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
