"""Failures of a server: transient or permanent, and never with the key in the message."""

import asyncio
import base64
import gc
import sys
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from aptone.errors import MissingExtraError, TransientError, UsageError
from aptone.models.openai import endpoint
from aptone.models.openai.endpoint import Endpoint, retry_after
from aptone.run.http import post
from aptone.types import Json, dumps
from tests.models.mock_server import BREAKS_OFF, NO_JSON, PAGE, RATE_LIMIT, STALL, Answer, MockServer
from tests.tables import for_each

KEY = "sk-secret-0123456789"


def ask(server: MockServer, *, timeout: float = 60.0) -> Mapping[str, Json]:
    return asyncio.run(Endpoint(server.base_url, timeout=timeout).post_json("chat/completions", {"a": 1}))


def test_a_json_object_comes_back_from_the_path_below_the_base_url(server: MockServer) -> None:
    server.answers(Answer({"fine": True}))
    assert ask(server) == {"fine": True}
    assert (server.received[0].path, server.received[0].json) == ("/v1/chat/completions", {"a": 1})
    assert "Authorization" not in server.received[0].headers


def test_the_key_goes_to_the_server_and_into_no_error(server: MockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.answers(Answer({"error": {"message": f"Incorrect API key provided: {KEY}."}}, status=401))
    with pytest.raises(UsageError) as caught:
        ask(server)
    assert server.received[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in str(caught.value)
    assert "environment variable OPENAI_API_KEY" in str(caught.value)


def test_a_key_in_a_reply_that_is_an_error_is_taken_out(server: MockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.answers(Answer({"error": {"message": f"quota of {KEY} is used up"}}))
    with pytest.raises(TransientError, match=r"quota of \(key\) is used up"):
        ask(server)


@pytest.mark.parametrize("key", ["sk-ключ", "sk-a\nX-Other: 1"])
def test_a_key_that_no_header_can_hold_is_refused_unseen(
    server: MockServer, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with pytest.raises(UsageError, match="OPENAI_API_KEY holds no key") as caught:
        ask(server)
    assert key not in str(caught.value)
    assert server.received == []


def test_a_rate_limit_may_pass_and_says_how_long_to_wait(server: MockServer) -> None:
    server.answers(RATE_LIMIT)
    with pytest.raises(TransientError, match="answered 429: slow down") as caught:
        ask(server)
    assert caught.value.retry_after == 0.01


@pytest.mark.parametrize("status", [408, 425, 500, 502, 503, 504, 529])
def test_a_server_that_is_in_trouble_may_recover(server: MockServer, status: int) -> None:
    server.answers(Answer(b"\x1b[31mupstream\x00 failed", status=status))
    with pytest.raises(TransientError) as caught:
        ask(server)
    assert str(caught.value).endswith(f"answered {status}: [31mupstream failed"), "no control reaches a terminal"
    assert caught.value.retry_after is None


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer({"error": {"message": "no such model"}}, status=404), "no such model. Next: check the base URL"),
        (Answer({"error": "audio is not supported"}, status=400), "audio is not supported. Next: check the options"),
        (Answer(b"", status=403), "answered 403. Next: the key in the environment"),
        (Answer(b"", status=302, headers={"Location": "http://127.0.0.1:1/"}), "answered 302"),
        (Answer({"error": {"code": "insufficient_quota", "message": "pay"}}, status=429), "answered 429: pay. Next"),
        (Answer(b"", status=501), "answered 501"),
        (Answer(b"no gzip", headers={"Content-Encoding": "gzip"}), "is compressed, which was not asked for"),
        (Answer(b"{}", headers={"Content-Encoding": "identity, br"}), "is compressed, which was not asked for"),
    ],
)
def test_what_another_try_cannot_mend_says_what_to_check(server: MockServer, answer: Answer, words: str) -> None:
    server.answers(answer)
    with pytest.raises(UsageError) as caught:
        ask(server)
    assert words in str(caught.value)
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (BREAKS_OFF, "the connection failed"),
        (NO_JSON, "breaks off or is no JSON"),
        (PAGE, "breaks off or is no JSON"),
        (Answer(b"\xff\xfe"), "breaks off or is no JSON"),
        (Answer(b'{"a": NaN}'), "breaks off or is no JSON"),
        (Answer([1, 2]), "expected a JSON object as reply, got list"),
    ],
)
def test_a_reply_that_is_cut_or_no_reply_may_come_whole_next_time(
    server: MockServer, answer: Answer, words: str
) -> None:
    server.answers(answer)
    with pytest.raises(TransientError) as caught:
        ask(server)
    assert words in str(caught.value)


def test_a_server_that_stalls_is_given_up_in_time(server: MockServer) -> None:
    server.answers(STALL)
    with pytest.raises(TransientError, match=r"no reply within 0\.1 s"):
        ask(server, timeout=0.1)


def test_nobody_listening_may_pass() -> None:
    pytest.importorskip("httpx", reason="the extra llm is not installed")
    with MockServer() as gone:
        pass
    with pytest.raises(TransientError, match="the connection failed"):
        ask(gone)


@pytest.mark.parametrize("claimed", [None, 1 << 40])
def test_a_reply_without_an_end_is_cut_off(server: MockServer, claimed: int | None) -> None:
    server.answers(Answer(b" " * (2 << 20), claimed=claimed))
    place = Endpoint(server.base_url)
    with pytest.raises(UsageError, match="longer than 1 MiB"):
        asyncio.run(place.post_json("x", {}, largest=1 << 20))


def test_a_reply_that_takes_much_more_memory_than_bytes_is_refused(server: MockServer) -> None:
    wide = b'{"a": [' + b"[]," * endpoint.MOST_PARTS + b"0]}"
    deep = b'{"a": ' + b"[" * 200 + b"]" * 200 + b"}"
    for body in (wide, deep):
        server.answers(Answer(body))
        with pytest.raises(TransientError, match="breaks off or is no JSON"):
            ask(server)
    server.answers(Answer(b'{"a": ' + b"[" * 90 + b"]" * 90 + b"}"))
    assert "a" in ask(server)


def test_a_large_reply_is_decoded_off_the_event_loop(server: MockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers(Answer({"fine": True}))
    threads: list[threading.Thread] = []

    def noted(body: bytes) -> Json:
        threads.append(threading.current_thread())
        return {"noted": True}

    monkeypatch.setattr(endpoint, "loads", noted)
    assert ask(server) == {"noted": True}
    assert len(threads) == 1
    assert threads[0] is not threading.current_thread()


def test_no_reply_is_asked_for_in_compressed_form(server: MockServer) -> None:
    server.answers(Answer({"fine": True}))
    ask(server)
    assert server.received[0].headers["Accept-Encoding"] == "identity"


ECHOES = {
    "as it is": KEY,
    "in capitals": KEY.upper(),
    "in base64": base64.b64encode(KEY.encode()).decode(),
    "in base64, behind its scheme": base64.b64encode(f"Bearer {KEY}".encode()).decode(),
    "in hexadecimal digits": KEY.encode().hex(),
    "percent-encoded": "".join(f"%{byte:02X}" for byte in KEY.encode()),
}


@for_each("how", list(ECHOES))
def test_a_key_that_is_echoed_comes_back_from_no_reply(
    server: MockServer, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    echo = ECHOES[how]
    server.answers(Answer({"choices": [{"text": f"I got {echo}."}], echo: 1}))
    reply = dumps(ask(server))
    assert "(key)" in reply
    assert echo not in reply


def test_a_key_that_is_echoed_in_escapes_comes_back_from_no_reply(
    server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    escaped = "".join(f"\\u{ord(character):04x}" for character in KEY)
    server.answers(Answer(f'{{"text": "{escaped}"}}'.encode()))
    assert ask(server) == {"text": "(key)"}


def test_no_part_of_a_key_is_left_where_a_long_error_is_cut(
    server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for spaces in (2390, 2395, 99_990, 99_995):
        server.answers(Answer(b" " * spaces + KEY.encode(), status=400))
        with pytest.raises(UsageError) as caught:
            ask(server)
        assert KEY[:4] not in str(caught.value)


def test_a_placeholder_of_a_key_changes_no_reply(server: MockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "EMPTY")
    server.answers(Answer({"text": "EMPTY words"}))
    assert ask(server) == {"text": "EMPTY words"}


def test_a_server_on_this_machine_is_asked_without_a_proxy(server: MockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    server.answers(Answer({"fine": True}))
    assert ask(server) == {"fine": True}


def test_another_machine_is_asked_through_the_proxy_that_the_question_names(
    server: MockServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = server.base_url.removesuffix("/v1")
    monkeypatch.setenv("http_proxy", proxy.replace("://", "://anna:geheim@"))
    monkeypatch.delenv("no_proxy", raising=False)
    server.answers(Answer({"fine": True}))
    place = Endpoint("http://judge.example/v1")
    assert asyncio.run(place.post_json("x", {})) == {"fine": True}
    assert server.received[0].path == "http://judge.example/v1/x"
    (named,) = place.about_audio.sends_audio_to
    assert named == f"judge.example through the proxy {proxy.removeprefix('http://')}"


def test_a_proxy_that_cannot_be_used_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("httpx", reason="the extra llm is not installed")
    monkeypatch.setenv("http_proxy", "gopher://127.0.0.1:9")
    with pytest.raises(UsageError, match="the proxy that the environment names cannot be used"):
        asyncio.run(Endpoint("http://judge.example/v1").post_json("x", {}))


def test_a_client_serves_one_loop_and_ends_with_it(server: MockServer) -> None:
    server.answers(Answer({"fine": True}))
    place = Endpoint(server.base_url)

    async def several() -> int:
        await asyncio.gather(*(place.post_json("x", {}) for _ in range(5)))
        return sum(map(len, post._opened.values()))

    assert asyncio.run(several()) == 1
    assert asyncio.run(several()) == 1, "a second loop has a client of its own"
    gc.collect()  # an unclosed connection would be told now, as an error
    assert sum(map(len, post._opened.values())) == 0


def test_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtraError, match=r'pip install .*\[llm\]"'):
        asyncio.run(Endpoint("http://localhost:1/v1").post_json("x", {}))


@for_each(
    ("base_url", "words"),
    [
        ("", "the address of the server is missing"),
        ("localhost:8000", "is no base URL"),
        ("ftp://localhost/v1", "is no base URL"),
        ("http://", "is no base URL"),
        ("http://[::1/v1", "is no base URL"),
        ("https://anna:geheim@example.org/v1", "holds no user name"),
        ("https://example.org/v1?key=geheim", "holds no user name"),
        ("ftp://anna:geheim@example.org/v1", "is no base URL"),
        ("http://anna:geheim@[::1/v1", "is no base URL"),
    ],
)
def test_a_base_url_is_checked_and_holds_no_secrets(base_url: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        Endpoint(base_url)
    assert "geheim" not in str(caught.value)


@for_each("timeout", [0.0, -1.0, float("nan"), float("inf")])
def test_a_time_out_is_a_positive_number(timeout: float) -> None:
    with pytest.raises(UsageError, match="a time-out is a positive number"):
        Endpoint("http://localhost/v1", timeout=timeout)


def test_the_machine_is_host_and_port_and_this_one_is_known() -> None:
    assert Endpoint("https://api.example.org/v1/").machine == "api.example.org"
    assert Endpoint("https://api.example.org/v1/").base_url == "https://api.example.org/v1"
    assert Endpoint("https://api.example.org/v1").about_audio.sends_audio_to == ("api.example.org",)
    assert Endpoint("http://localhost:8000/v1").about_audio.sends_audio_to == ()


def test_the_time_to_wait_may_be_a_date() -> None:
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    seconds = retry_after({"retry-after": moment})
    assert seconds is not None
    assert 25 < seconds <= 30


@for_each("value", ["", "soon", "nan", "inf", "Mon, 99 Foo 2020 00:00:00 GMT"])
def test_a_time_to_wait_that_makes_no_sense_is_none(value: str) -> None:
    assert retry_after({"retry-after": value}) is None


@pytest.mark.parametrize("value", ["-5", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_time_that_has_passed_is_no_wait(value: str) -> None:
    assert retry_after({"retry-after": value}) == 0.0
