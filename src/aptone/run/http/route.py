"""Route of a request: the machine that it names, and the proxy of the environment that it goes through.

What is asked of users before recordings leave this machine is decided here, and connections are opened by the same
route, so that the two cannot differ. A server on this machine is never asked through a proxy.
"""

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from aptone.messages import message


@dataclass(frozen=True, slots=True)
class Route:
    """Route of a request.

    Args:
        machine: host and, where given, port of the server.
        is_local: whether the server is this machine.
        proxy: address of the proxy, with its password if it has one; empty for none.
    """

    machine: str
    is_local: bool
    proxy: str = ""

    @property
    def receivers(self) -> tuple[str, ...]:
        """Names of the machines that receive what is sent, for `About.sends_audio_to`; none for this one."""
        if self.is_local:
            return ()
        if not self.proxy:
            return (self.machine,)
        return (
            message("run.through-proxy", machine=self.machine, proxy=urlsplit(self.proxy).netloc.rpartition("@")[2]),
        )


def route_of(url: str) -> Route:
    """Return the route of an http or https address, by the proxies and exceptions that the environment names.

    >>> route_of("http://127.0.0.1:8000/v1").receivers
    ()
    """
    parts = urlsplit(url)
    machine = parts.netloc.rpartition("@")[2]
    if is_this_machine(parts.hostname or ""):
        return Route(machine, is_local=True)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme.lower()) or proxies.get("all") or ""
    if not proxy or proxy_bypass(machine):
        return Route(machine, is_local=False)
    return Route(machine, is_local=False, proxy=proxy if "://" in proxy else f"http://{proxy}")


def is_this_machine(host: str) -> bool:
    """Return whether a host is this machine: a loopback address, or ``localhost`` where that leads to one.

    >>> is_this_machine("127.8.0.1"), is_this_machine("::1"), is_this_machine("127.0.0.1.example.org")
    (True, True, False)
    """
    try:
        return _is_loopback(host)
    except ValueError:
        pass
    if host.lower() != "localhost":
        return False
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        return all(_is_loopback(str(address[0])) for *_, address in found)
    except (OSError, ValueError):
        return False


def _is_loopback(address: str) -> bool:
    found = ipaddress.ip_address(address)
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return (mapped or found).is_loopback
