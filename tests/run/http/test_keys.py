"""Keys are found in whatever form they are echoed, and refused in addresses."""

import base64
import sys

import pytest

from aptone.errors import RecordError, UsageError
from aptone.run import typed_command
from aptone.run.http.keys import check_address, hide_environment_keys, hide_key, is_key_name, shown_address, without_key
from aptone.types import Json
from tests.tables import for_each

KEY = "sk-abc/def+123"


@pytest.mark.parametrize("before", [b"", b"a", b"ab", b"Bearer "])
@pytest.mark.parametrize("after", [b"", b"!", b"!!"])
def test_a_key_is_found_in_base64_wherever_its_bytes_begin(before: bytes, after: bytes) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        encoded = encode(before + KEY.encode() + after).decode()
        hidden = hide_key(f"x {encoded} y", KEY)
        assert "(key)" in hidden
        # At most the two characters at each end that hold bits of its neighbours are left, and the padding.
        assert len(hidden.replace("(key)", "").strip("=")) <= len("x  y") + len(before) * 4 // 3 + len(after) * 2 + 5


def test_a_key_is_found_in_every_part_of_a_reply() -> None:
    reply: Json = {"a": [KEY, {KEY: f"<{KEY}>"}], "n": 1.5, "t": True, "z": None}
    assert without_key(reply, KEY) == {"a": ["(key)", {"(key)": "<(key)>"}], "n": 1.5, "t": True, "z": None}
    assert without_key(reply, "") == reply


def test_a_reply_that_is_nested_too_deeply_is_not_read() -> None:
    deep: list[object] = []
    for _ in range(101):
        deep = [deep]
    with pytest.raises(RecordError, match="more than 100 levels"):
        without_key(deep, "")  # type: ignore[arg-type]


def test_keys_of_the_environment_are_known_by_the_names_of_their_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "t0ken-value")
    monkeypatch.setenv("OTHER_KEY", "short")
    monkeypatch.setenv("MY_TOPIC", "a-long-topic")
    monkeypatch.setenv("ODD_SECRET", "no text \udcff at all")
    assert hide_environment_keys("t0ken-value short a-long-topic") == "(key) short a-long-topic"
    monkeypatch.setattr(sys, "argv", ["aptone", "score", "--set", "judge.note=t0ken-value"])
    assert typed_command() == ("score", "--set", "judge.note=(key)")


@for_each(
    "url",
    [
        "https://anna@example.org/",
        "https://anna:geheim@example.org/",
        "https://example.org/?api_key=geheim",
        "https://example.org/?apikey=geheim",
        "https://example.org/?a=1&X-Amz-Signature=geheim",
        "https://example.org/?accessToken=geheim",
        "https://example.org/?auth=geheim",
        "https://example.org/?key=",
        "https://example.org/?password=geheim",
        "https://example.org/#token=geheim",
    ],
)
def test_an_address_with_a_key_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(UsageError, match=r"--system: .*environment variable MY_KEY") as caught:
        check_address(url, what="--system", variable="MY_KEY")
    assert "geheim" not in str(caught.value)


@for_each("url", ["http://example.org/", "http://example.org/?voice=anna", "http://example.org/?monkey=1&keys=2"])
def test_other_addresses_pass(url: str) -> None:
    check_address(url, what="--system", variable="MY_KEY")


@for_each("name", ["top_p", "stop_token_ids", "bos_token", "guided_json", "key_frames"])
def test_other_fields_are_no_keys(name: str) -> None:
    assert not is_key_name(name)


@for_each("url", ["https://a:geheim@h/p?q=geheim#geheim", "https://a:geheim@[::1/p?geheim", "geheim@h"])
def test_an_address_is_shown_without_what_may_be_secret(url: str) -> None:
    shown = shown_address(url)
    assert "h" in shown
    assert "geheim" not in shown
