"""OpenAI-compatible mock server that misbehaves on request, and records its requests."""

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

import pytest


@dataclass(frozen=True)
class Answer:
    """One answer of the server.

    Args:
        body: bytes as they are, or what is sent as JSON.
        status: of the response.
        headers: besides the usual ones.
        claimed: length that the header claims, for answers that break off; ``None`` for the true one.
        stalls: whether it never comes: the server waits until it is closed.
    """

    body: bytes | object = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    claimed: int | None = None
    stalls: bool = False


@dataclass(frozen=True)
class Received:
    """Request that the server received."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def completion(
    text: str | None, *, finish: str = "stop", tokens: tuple[int, int] = (100, 10), **message: Any
) -> Answer:
    """A chat completion as servers send it."""
    return Answer(
        {
            "model": "mock-1",
            "choices": [{"message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}],
            "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]},
        }
    )


STALL = Answer(stalls=True)
RATE_LIMIT = Answer({"error": {"message": "slow down"}}, status=429, headers={"Retry-After": "0.01"})
BREAKS_OFF = Answer(b'{"choices": [{"message": {"content": "<score>5.0</score>"}', claimed=10_000)
NO_JSON = Answer(b'{"choices": [{"message": {"content": "<score>5.0</score>')
PAGE = Answer(b"<html><body>Welcome to the hotel. <score>5.0</score></body></html>")


class _Quiet(ThreadingHTTPServer):
    """Says nothing of clients that hang up: that is what many tests are about."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        pass


class MockServer:
    """Gives its answers one by one; after the last, the last again."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self._answers: list[Answer] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = _Quiet(("127.0.0.1", 0), self._handler())
        self.base_url = f"http://127.0.0.1:{self._http.server_port}/v1"

    def answers(self, *answers: Answer) -> None:
        """Set the script."""
        self._answers = list(answers)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _next(self, received: Received) -> Answer:
        with self._lock:
            self.received.append(received)
            return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
                answer = server._next(Received(self.path, dict(self.headers.items()), body))
                if answer.stalls:
                    server._closing.wait(300)
                    self.close_connection = True
                    return
                content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content) if answer.claimed is None else answer.claimed))
                self.end_headers()
                self.wfile.write(content)
                self.close_connection = answer.claimed is not None

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[MockServer]:
    """A server on this machine that answers by a script."""
    pytest.importorskip("httpx", reason="the extra llm is not installed")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with MockServer() as running:
        yield running
