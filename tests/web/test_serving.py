"""From an address to a socket, and to the address that people type."""

import asyncio
import socket

import pytest

from aptone.errors import UsageError
from aptone.web.addresses import Addresses
from aptone.web.serving import listen, network_address, public_address


def test_a_socket_that_cannot_be_opened_is_told_in_the_name_of_the_program() -> None:
    with listen("127.0.0.1", 0, program="view") as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=rf"127\.0\.0\.1:{port}: the view cannot listen there .* --port 0"):
            listen("127.0.0.1", port, program="view")
    with pytest.raises(UsageError, match=r"--host 203\.0\.113\.7: the view cannot listen there"):
        listen("203.0.113.7", 0, program="view")


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_people_type_the_number_of_this_machine_or_the_public_address(host: str) -> None:
    with listen(host, 0, program="view") as listener:
        port = listener.getsockname()[1]
        assert public_address(Addresses(host=host), listener) == f"http://127.0.0.1:{port}"
        public = Addresses(host=host, public_url="https://aptone.example.org/")
        assert public_address(public, listener) == "https://aptone.example.org"


def test_a_number_of_version_six_stands_in_brackets() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 on this machine")
    try:
        listener = listen("::1", 0, program="view")
    except UsageError:
        pytest.skip("no IPv6 on this machine")
    with listener:
        assert public_address(Addresses(host="::1"), listener) == f"http://[::1]:{listener.getsockname()[1]}"


def test_answers_are_sent_at_once() -> None:
    """A head and a body that wait for each other's acknowledgement cost 40 ms each (Nagle's algorithm)."""

    async def accepted() -> object:
        connected: asyncio.Queue[asyncio.StreamWriter] = asyncio.Queue()
        with listen("127.0.0.1", 0, program="view") as listener:
            server = await asyncio.start_server(lambda _, writer: connected.put_nowait(writer), sock=listener)
            _, client = await asyncio.open_connection(*listener.getsockname())
            writer = await connected.get()
            option = writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            client.close()
            writer.close()
            server.close()
            await server.wait_closed()
            return option

    assert asyncio.run(accepted())


def test_others_type_the_address_of_the_network_and_not_that_of_this_machine() -> None:
    with listen("0.0.0.0", 0, program="studio") as listener:
        addresses = Addresses(host="0.0.0.0")
        name = network_address(addresses, listener)
        assert name.rpartition(":")[2] == str(listener.getsockname()[1])
        assert addresses.knows_host(name.removeprefix("http://"))
        with socket.create_connection((name.removeprefix("http://").rpartition(":")[0], listener.getsockname()[1])):
            pass  # it is an address of this machine
        public = Addresses(host="0.0.0.0", public_url="https://aptone.example.org")
        assert network_address(public, listener) == "https://aptone.example.org"
