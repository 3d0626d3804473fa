"""Bodies as they arrive, within their limits of size and time."""

from collections.abc import Iterator

import anyio
import pytest
from starlette.requests import Request
from starlette.types import Message

from aptone.web.bodies import BEGAN_KEY, REQUEST_SECONDS, SLOWEST, body_pieces, read_body, time_limit
from aptone.web.refusals import TooLargeError, TooSlowError


def request(pieces: list[bytes], *, stated: str = "", stalls: bool = False, age: float | None = None) -> Request:
    """A request whose body arrives in pieces, or stalls behind them."""
    coming: Iterator[bytes] = iter(pieces)

    async def receive() -> Message:
        for piece in coming:
            return {"type": "http.request", "body": piece, "more_body": True}
        if stalls:
            await anyio.sleep_forever()
        return {"type": "http.request", "body": b"", "more_body": False}

    headers = [(b"content-length", stated.encode())] if stated else []
    began = {} if age is None else {BEGAN_KEY: anyio.current_time() - age}
    return Request({"type": "http", "headers": headers, **began}, receive)


def test_a_body_is_read_whole_up_to_its_limit() -> None:
    async def read() -> None:
        assert await read_body(request([b"ab", b"c"]), 3) == b"abc"
        assert await read_body(request([]), 0) == b""
        for body in (request([b"ab", b"cd"]), request([], stated="4"), request([], stated="9" * 30)):
            with pytest.raises(TooLargeError):
                await read_body(body, 3)
        assert await read_body(request([b"ab"], stated="two"), 3) == b"ab"

    anyio.run(read)


def test_what_is_too_large_is_not_read_to_its_end() -> None:
    async def read() -> None:
        pieces = body_pieces(request([b"ab", b"cd"], stalls=True), 3)
        assert await anext(pieces) == b"ab"
        with pytest.raises(TooLargeError):
            await anext(pieces)

    anyio.run(read)


def test_a_body_that_stalls_is_given_up_at_the_limit_of_its_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aptone.web.bodies.REQUEST_SECONDS", 0.05)

    async def read() -> None:
        with pytest.raises(TooSlowError) as caught:
            await read_body(request([b"ab"], stalls=True), 100)
        assert caught.value.headers == {"Connection": "close"}

    anyio.run(read)


def test_the_time_that_the_head_took_is_none_for_the_body() -> None:
    async def read() -> None:
        with pytest.raises(TooSlowError, match="within 30 seconds"):
            await read_body(request([b"ab"], stalls=True, age=REQUEST_SECONDS), 100)
        assert await read_body(request([b"ab"], age=REQUEST_SECONDS / 2), 100) == b"ab"

    anyio.run(read)


def test_a_large_body_has_the_time_that_a_slow_client_needs() -> None:
    assert time_limit(0) == REQUEST_SECONDS
    assert time_limit(100 * SLOWEST) == REQUEST_SECONDS + 100
