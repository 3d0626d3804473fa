from typing import Any

import pytest

from aptone.errors import UsageError
from aptone.models.openai.chat import OpenAiAudioChat, OpenAiChat, served_chat
from tests.tables import for_each

GIVEN: dict[str, Any] = {
    "part": "judge",
    "model": "small",
    "base_url": "http://localhost:8000/v1",
    "key_variable": "OPENAI_API_KEY",
    "timeout": 5.0,
    "input_price": 1.0,
    "output_price": 2.0,
    "limit_field": "max_tokens",
    "extra": {"top_p": 0.9},
}


def test_options_become_the_model_that_was_asked_for() -> None:
    chat = served_chat(OpenAiAudioChat, **GIVEN)
    assert isinstance(chat, OpenAiAudioChat)
    assert (chat.model, chat.endpoint.base_url, dict(chat.extra)) == ("small", GIVEN["base_url"], {"top_p": 0.9})
    assert (chat.prices.input, chat.prices.output) == (1.0, 2.0)


def test_what_is_not_said_comes_from_the_environment_of_the_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APTONE_PLANNER_MODEL", "planning")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:9/v1")
    chat = served_chat(OpenAiChat, **GIVEN | {"part": "planner", "model": "", "base_url": ""})
    assert (chat.model, chat.endpoint.base_url) == ("planning", "http://localhost:9/v1")


def test_without_a_model_it_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("APTONE_JUDGE_MODEL", raising=False)
    with pytest.raises(UsageError, match=r"--set judge\.model=NAME \(or set OPENAI_BASE_URL and APTONE_JUDGE_MODEL\)"):
        served_chat(OpenAiChat, **GIVEN | {"model": ""})


@for_each(
    ("name", "value", "words"),
    [
        ("timeout", "soon", "a number of seconds"),
        ("timeout", True, "a number of seconds"),
        ("model", 3, "a name"),
        ("extra", [1], "an object"),
        ("input_price", "free", "a number"),
        ("omit_temperature", 1, "true or false"),
    ],
)
def test_an_option_of_another_kind_is_refused(name: str, value: object, words: str) -> None:
    with pytest.raises(UsageError, match=f"the judge's option {name} is {words}"):
        served_chat(OpenAiChat, **GIVEN | {name: value})
