"""Who is let in when there is no room, and who gives way."""

import logging
import math
from dataclasses import dataclass, field

import pytest

from aptone.web.connections import LOG_SECONDS, LOOK_SECONDS, VOUCH_KEY, ConnectionLimits, Connections, vouch


@dataclass(eq=False)
class Client:
    """A connection whose turn the test says."""

    network: str = "a"
    since: float = 0.0
    dropped: bool = False
    done: bool = False
    waits: float = 0.5
    looked_at: list[float] = field(default_factory=list)

    def patience(self) -> float:
        return self.waits

    def waiting_since(self) -> float:
        self.looked_at.append(self.since)
        return self.since

    def client_is_done(self) -> bool:
        return self.done

    def end_if_overdue(self, now: float) -> None:
        self.dropped = self.dropped or now - self.since > 30.0

    def drop(self) -> None:
        self.dropped = True


def full(*clients: Client, each: int | None = None) -> Connections:
    """Connections without room for another one."""
    connections = Connections(ConnectionLimits(most=len(clients), most_each=each, give_way_seconds=0.5))
    for client in clients:
        assert connections.admit(client, 0.0)
    return connections


def test_one_too_many_is_refused_and_a_place_that_is_given_back_is_taken() -> None:
    first, second = Client(), Client()
    connections = full(first, second)
    assert not connections.admit(Client(), 0.4)  # both have waited for 0.4 s, and give way after 0.5
    connections.leave(first)
    assert connections.admit(Client(), 0.4)
    assert len(connections) == 2
    assert not first.dropped
    assert not second.dropped


def test_the_one_that_keeps_the_server_waiting_longest_gives_way() -> None:
    late, early, busy = Client(since=1.0), Client(since=0.5), Client(since=math.inf)
    connections = full(late, early, busy)
    assert connections.admit(Client(since=math.inf), 1.2)
    assert (late.dropped, early.dropped, busy.dropped) == (False, True, False)
    assert not connections.admit(Client(), 1.3)  # since 1.0: not yet
    assert connections.admit(Client(since=math.inf), 1.6)
    assert late.dropped
    assert not connections.admit(Client(), 1000.0)  # nobody is waited for
    assert len(connections) == 3


def test_one_that_has_done_its_part_does_not_give_way_to_a_server_that_is_behind_with_its_work() -> None:
    done, late = Client(since=0.0, done=True), Client(since=0.2)
    connections = full(done, late)
    assert connections.admit(Client(since=math.inf), 1.0)
    assert (done.dropped, late.dropped) == (False, True)
    assert not connections.admit(Client(), 1.1)
    done.done = False  # it was seen to, and stalls again
    assert connections.admit(Client(), 1.2)


def test_one_address_cannot_take_the_places_of_others() -> None:
    own, other = [Client("a") for _ in range(2)], Client("b")
    connections = Connections(ConnectionLimits(most=10, most_each=2, give_way_seconds=0.5))
    assert all(connections.admit(client, 0.0) for client in (*own, other))
    assert not connections.admit(Client("a"), 0.1)
    assert connections.admit(Client("b"), 0.1)
    assert connections.admit(Client("a"), 0.6)  # in the place of one of its own
    assert [client.dropped for client in own].count(True) == 1
    assert not other.dropped


def test_without_a_limit_by_address_only_the_number_of_all_counts() -> None:
    connections = full(*(Client() for _ in range(5)), each=None)
    assert not connections.admit(Client(), 0.1)
    assert len(connections) == 5


def test_a_flood_is_refused_without_looking_at_everybody_each_time() -> None:
    clients = [Client(since=0.0) for _ in range(50)]
    connections = full(*clients)
    for number in range(1000):
        assert not connections.admit(Client(), 0.3 + number / 1000 * 2 * LOOK_SECONDS)
    assert max(len(client.looked_at) for client in clients) <= 2
    assert connections.admit(Client(), 0.5)


def test_those_who_begin_to_wait_later_give_way_later_although_nobody_did_at_first() -> None:
    client = Client(since=math.inf)
    connections = full(client)
    assert not connections.admit(Client(), 1.0)
    client.since = 1.1
    assert not connections.admit(Client(), 1.5)
    assert connections.admit(Client(), 1.6)


def test_leaving_twice_or_without_having_been_let_in_changes_nothing() -> None:
    first, second = Client(), Client()
    connections = full(first, second)
    connections.leave(Client())
    connections.leave(first)
    connections.leave(first)
    assert len(connections) == 1


def test_overdue_connections_are_ended_and_refusals_are_logged_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    old, young = Client(since=0.0), Client(since=20.0)
    connections = full(old, young)
    for _ in range(3):
        assert not connections.admit(Client(), 0.1)
    with caplog.at_level(logging.WARNING):
        connections.sweep(31.0)
        assert (old.dropped, young.dropped) == (True, False)
        old.since = young.since = math.inf
        assert not connections.admit(Client(), 32.0)
        connections.sweep(32.0)
        assert [record.getMessage() for record in caplog.records] == ["connections refused: 3; open: 2"]
        connections.sweep(31.0 + LOG_SECONDS)
    assert caplog.records[1].getMessage() == "connections refused: 1; open: 2"


def test_one_whose_patience_is_shorter_gives_way_before_one_that_has_waited_longer() -> None:
    known, unheard = Client(since=0.0, waits=10.0), Client(since=0.8, waits=0.15)
    connections = full(known, unheard)
    assert not connections.admit(Client(), 0.9)
    assert connections.admit(Client(since=math.inf), 1.0)
    assert (known.dropped, unheard.dropped) == (False, True)
    assert not connections.admit(Client(), 9.9)
    assert connections.admit(Client(since=math.inf), 10.0)
    assert known.dropped


def test_those_that_one_look_has_found_give_way_without_another_look() -> None:
    clients = [Client(since=0.0) for _ in range(50)]
    connections = full(*clients)
    assert all(connections.admit(Client(since=math.inf), 1.0) for _ in range(50))
    assert all(client.dropped for client in clients)
    assert max(len(client.looked_at) for client in clients) == 2  # when it was found, and when it was its turn


def test_one_that_was_found_stalled_and_then_went_on_does_not_give_way() -> None:
    first, second, third = Client(since=0.0), Client(since=0.1), Client(since=0.2)
    connections = full(first, second, third)
    assert connections.admit(Client(since=math.inf), 1.0)
    second.since = 1.0  # it sent something after the look
    assert connections.admit(Client(since=math.inf), 1.0)
    assert (first.dropped, second.dropped, third.dropped) == (True, False, True)


def test_a_request_tells_its_connection_that_the_client_is_signed_in() -> None:
    told = []
    vouch({VOUCH_KEY: lambda: told.append(True)})
    vouch({})  # a server of another kind
    assert told == [True]
