"""Files over http: what is sent too slowly, compressed, or with every redirect is not waited for or kept."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from aptone.errors import UsageError
from aptone.run.http.download import BrokenOffError, download
from aptone.run.http.reading import EncodedReplyError, LargeReplyError, Limits

Talk = Callable[[socket.socket, threading.Event], None]
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Server:
    """A server that says to each connection what a test wants, byte by byte."""

    def __init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}/a.tar"
        self.heads: list[bytes] = []
        self.talks: list[Talk] = []
        self.over = threading.Event()
        self.threads: list[threading.Thread] = []

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                self.threads.append(threading.Thread(target=self._answer, args=(client, self.talks.pop(0))))
                self.threads[-1].start()

    def _answer(self, client: socket.socket, talk: Talk) -> None:
        with client, contextlib.suppress(OSError):
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(4096)
            self.heads.append(head)
            talk(client, self.over)


def says(data: bytes) -> Talk:
    return lambda client, over: client.sendall(data)


def drips(begin: bytes) -> Talk:
    """Send a beginning, then a byte every 20 ms without end."""

    def talk(client: socket.socket, over: threading.Event) -> None:
        client.sendall(begin)
        while not over.wait(0.02):
            client.sendall(b"x")

    return talk


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    thread = threading.Thread(target=made.serve)
    thread.start()
    yield made
    made.over.set()
    with contextlib.suppress(OSError):
        made.listening.shutdown(socket.SHUT_RDWR)
    made.listening.close()
    for one in (thread, *made.threads):
        one.join()


def test_a_file_is_written_as_it_is(server: Server, tmp_path: Path) -> None:
    server.talks = [says(WHOLE)]
    download(server.url, tmp_path / "a", Limits(5, 60.0))
    assert (tmp_path / "a").read_bytes() == b"hello"
    assert b"Accept-Encoding: identity\r\n" in server.heads[0]


@pytest.mark.parametrize(
    "begin",
    [
        b"HTTP/1.1 200 OK\r\nX-Slow: ",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_a_server_that_drips_is_given_up_in_time(server: Server, tmp_path: Path, begin: bytes) -> None:
    server.talks = [drips(begin)]
    with pytest.raises((BrokenOffError, TimeoutError)):
        download(server.url, tmp_path / "a", Limits(1 << 20, 0.3, renewed_by=1 << 10))
    assert list(tmp_path.iterdir()) == []


def test_a_compressed_file_is_not_kept(server: Server, tmp_path: Path) -> None:
    server.talks = [says(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\nxxxx")]
    with pytest.raises(EncodedReplyError):
        download(server.url, tmp_path / "a", Limits(1 << 20, 60.0))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_too_large_is_not_kept(server: Server, tmp_path: Path) -> None:
    server.talks = [says(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 2000)]
    with pytest.raises(LargeReplyError):
        download(server.url, tmp_path / "a", Limits(1000, 60.0))
    assert list(tmp_path.iterdir()) == []


def test_the_body_of_a_redirect_is_not_read(server: Server, tmp_path: Path) -> None:
    elsewhere = f"HTTP/1.1 302 Found\r\nLocation: {server.url}\r\n\r\n".encode()
    server.talks = [drips(elsewhere), says(WHOLE)]
    download(server.url, tmp_path / "a", Limits(5, 60.0))
    assert (tmp_path / "a").read_bytes() == b"hello"


def test_a_proxy_is_used_for_other_machines_alone(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    server.talks = [says(WHOLE), says(WHOLE)]
    download(server.url, tmp_path / "a", Limits(5, 60.0))
    monkeypatch.delenv("http_proxy")
    monkeypatch.setenv("all_proxy", server.url.removesuffix("/a.tar"))
    download("http://shards.example/b.tar", tmp_path / "b", Limits(5, 60.0))
    assert server.heads[1].startswith(b"GET http://shards.example/b.tar HTTP/1.1\r\n")
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:9")
    with pytest.raises(UsageError, match="the proxy that the environment names cannot be used"):
        download("http://shards.example/b.tar", tmp_path / "c", Limits(5, 60.0))
