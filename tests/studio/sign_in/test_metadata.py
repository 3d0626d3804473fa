"""What a provider publishes, over real connections: limits of its replies."""

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import anyio
import pytest

from aptone.studio.sign_in.metadata import Metadata, ProviderError, Published
from aptone.studio.sign_in.providers import Provider

Answer = tuple[int, dict[str, str], bytes]


@contextmanager
def serving(answer: Callable[[str, str], Answer]) -> Iterator[tuple[str, list[str]]]:
    """A server that answers by its address and the path that is asked for; the address, and the paths."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            status, headers, body = answer(f"http://127.0.0.1:{server.server_port}", self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def published_at(address: str) -> Published:
    return Published(Provider("it", "It", address, "aptone"))


@pytest.mark.parametrize(
    "answer",
    [
        (200, {"Content-Length": str(2 << 20)}, b"{}"),
        (200, {}, b" " * ((1 << 20) + 1)),
        (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b"),
        (302, {"Location": "/elsewhere"}, b""),
        (404, {}, b"{}"),
    ],
)
def test_what_is_too_large_compressed_or_elsewhere_is_not_read(answer: Answer) -> None:
    with serving(lambda address, path: answer) as (address, asked), pytest.raises(ProviderError):
        anyio.run(published_at(address).metadata)
    assert asked == ["/.well-known/openid-configuration"]  # no redirect is followed


def test_metadata_are_found_below_the_path_of_an_issuer_and_asked_for_once() -> None:
    def answer(address: str, path: str) -> Answer:
        ends = {"authorization_endpoint": "a", "token_endpoint": "t", "jwks_uri": "k"}
        urls = {name: f"https://login.example.org/{end}" for name, end in ends.items()}
        return 200, {}, json.dumps({"issuer": f"{address}/realm/", **urls}).encode()

    async def twice(published: Published) -> tuple[Metadata, Metadata]:
        return await published.metadata(), await published.metadata()

    with serving(answer) as (address, asked):
        first, second = anyio.run(twice, published_at(f"{address}/realm/"))
    assert asked == ["/realm/.well-known/openid-configuration"]
    assert first is second
    assert first.token == "https://login.example.org/t"
    with pytest.raises(ProviderError, match="no reply"):  # nobody is there any more
        anyio.run(published_at(address).metadata)
