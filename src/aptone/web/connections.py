"""Open connections: how many there may be, how long a client may keep the server waiting, and who gives way.

A client that stalls costs a file of the process and some memory before anything is known about it. So the number of
connections is limited, overall and by address, and one too many is refused at once with 503. A connection that keeps
the server waiting for longer than its patience gives way to a new one, so that clients which stall never keep out those
which do not: soonest one that has not sent the head of a request yet, last one whose client is signed in. Without a
need for its place it may stay up to the other limits.
"""

import ipaddress
import itertools
import logging
import math
from collections import deque
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Protocol

from aptone.web.bodies import REQUEST_SECONDS

LOG = logging.getLogger(__name__)
LOOK_SECONDS = 0.05
"""Shortest time between two looks for a connection that gives way, after there was none."""
VOUCH_KEY = "connection-vouch"
"""Key of a request's scope: the function that tells its connection that the client is signed in."""
LOG_SECONDS = 60.0
"""Shortest time between two log lines about refused connections."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Limits of a server's connections.

    Args:
        most: connections that are open at once.
        most_each: those of one address, or of one network of IPv6 (/64); ``None``: no such limit.
        head_seconds: time for the head of a request (the first one: from the connection on), and for the rest of a body
            whose request has been answered.
        idle_seconds: time without a request after the first one.
        linger_seconds: time in which nothing comes of such a rest.
        unread_seconds: time in which nothing of a reply is read.
        give_way_seconds: time of waiting for the client after which a connection gives way to a new one.
        unheard_seconds: the same for one that has never sent the whole head of a request; a browser sends it at once.
        known_seconds: the same for one without a request under way whose client was signed in at the last one.
        long_reply_seconds: duration of a reply after which its connection gives way, however steadily it is read.
    """

    most: int = 512
    most_each: int | None = 256
    head_seconds: float = REQUEST_SECONDS
    idle_seconds: float = 30.0
    linger_seconds: float = 5.0
    unread_seconds: float = 30.0
    give_way_seconds: float = 0.5
    unheard_seconds: float = 0.15
    known_seconds: float = 10.0
    long_reply_seconds: float = 60.0


class Connection(Protocol):
    """Connection as the limits see it; times are those of the event loop's clock."""

    @property
    def network(self) -> str:
        """Address or network that it comes from."""

    def waiting_since(self) -> float:
        """Time since which the server waits for the client; infinity while it does not."""

    def patience(self) -> float:
        """Seconds of waiting for the client after which it gives way to a new connection."""

    def client_is_done(self) -> bool:
        """True if the client has done its part, and the server, behind with its work, has yet to notice."""

    def end_if_overdue(self, now: float) -> None:
        """Close it if the client has kept the server waiting for too long."""

    def drop(self) -> None:
        """End it at once."""


class Connections:
    """Open connections of a server, by network."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self._open: dict[str, set[Connection]] = {}
        self._count = 0
        self._full_until: dict[str | None, float] = {}
        self._stalled: dict[str | None, deque[Connection]] = {}
        self._refused = 0
        self._logged = -math.inf

    def __len__(self) -> int:
        return self._count

    def admit(self, connection: Connection, now: float) -> bool:
        """Add a connection, if need be in the place of one that keeps the server waiting; false if there is no room."""
        if not self.has_room(connection.network, now):
            return False
        self._open.setdefault(connection.network, set()).add(connection)
        self._count += 1
        return True

    def has_room(self, network: str, now: float) -> bool:
        """Return true if there is room for another connection of a network; one that stalls gives way to it."""
        each = self.limits.most_each
        is_full_there = each is not None and len(self._open.get(network, ())) >= each
        if (is_full_there and not self._make_room(network, now)) or (
            self._count >= self.limits.most and not self._make_room(None, now)
        ):
            self._refused += 1
            return False
        return True

    def leave(self, connection: Connection) -> None:
        """Remove a connection that has ended; one that was never admitted, or has been removed, is no error."""
        own = self._open.get(connection.network, set())
        if connection not in own:
            return
        own.remove(connection)
        self._count -= 1
        if not own:
            del self._open[connection.network]
            self._full_until.pop(connection.network, None)
            self._stalled.pop(connection.network, None)

    def sweep(self, now: float) -> None:
        """End the connections that are overdue, and log how many were refused."""
        for connection in [*itertools.chain.from_iterable(self._open.values())]:
            connection.end_if_overdue(now)
        if self._refused and now - self._logged >= LOG_SECONDS:
            LOG.warning("connections refused: %d; open: %d", self._refused, self._count)
            self._refused, self._logged = 0, now

    def _make_room(self, network: str | None, now: float) -> bool:
        """Drop the connection of a network (``None``: of any) that has kept the server waiting longest.

        If none has for long enough, the next look is a little later; and those that a look has found are dropped one
        by one without another look. So a flood costs little for each of its connections.
        """
        stalled = self._next_stalled(network, now)
        if stalled is None and now >= self._full_until.get(network, -math.inf):
            among = itertools.chain.from_iterable(self._open.values()) if network is None else self._open[network]
            ripe = {one: ripe_at for one in among if (ripe_at := one.waiting_since() + one.patience()) <= now}
            self._stalled[network] = deque(sorted(ripe, key=ripe.__getitem__))
            stalled = self._next_stalled(network, now)
            if stalled is None:
                self._full_until[network] = now + LOOK_SECONDS
        if stalled is None:
            return False
        self.leave(stalled)
        stalled.drop()
        return True

    def _next_stalled(self, network: str | None, now: float) -> Connection | None:
        """Return the next connection that the last look has found, if the server still waits for it."""
        found = self._stalled.get(network, ())
        while found:
            one = found.popleft()
            is_open = one in self._open.get(one.network, ())
            if is_open and one.waiting_since() + one.patience() <= now and not one.client_is_done():
                return one
        return None


def vouch(scope: MutableMapping[str, Any]) -> None:
    """Tell the connection of a request that its client is signed in."""
    tell: Callable[[], None] | None = scope.get(VOUCH_KEY)
    if tell is not None:
        tell()


def network_of(host: str) -> str:
    """Return the address of a client, or the network of its IPv6 address, all of which one client may have.

    >>> network_of("192.0.2.7"), network_of("2001:db8:1:2:3::4"), network_of("::ffff:192.0.2.7"), network_of("")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7', '')
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))
