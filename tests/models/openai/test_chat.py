import asyncio
import base64
import io
from typing import Any

import numpy as np
import pytest
import soundfile

from aptone.errors import TransientError, UsageError
from aptone.models import AudioMessage, Message, Reply
from aptone.models.openai.chat import OpenAiAudioChat, OpenAiChat, read_completion
from aptone.models.openai.endpoint import Endpoint
from aptone.models.openai.prices import Prices
from aptone.types import Audio, Json
from tests.models.mock_server import Answer, MockServer, completion
from tests.tables import for_each

HELLO = (Message("user", "Hello"),)


def chat(server: MockServer, **options: Any) -> OpenAiChat:
    return OpenAiChat(Endpoint(server.base_url, timeout=60.0), model="mock", **options)


def complete(model: OpenAiChat, **options: Any) -> Reply:
    return asyncio.run(model.complete(HELLO, **{"max_tokens": 50, "temperature": 0.7, **options}))


def test_a_request_holds_what_was_asked_and_nothing_else(server: MockServer) -> None:
    server.answers(completion("Hi"))
    reply = complete(chat(server, extra={"top_p": 0.9}), seed=5)
    assert (reply.text, reply.cut, reply.model) == ("Hi", "", "mock-1")
    assert server.received[0].json == {
        "model": "mock",
        "messages": [{"role": "user", "content": "Hello"}],
        "max_tokens": 50,
        "temperature": 0.7,
        "seed": 5,
        "top_p": 0.9,
    }


def test_a_schema_is_passed_on_and_the_limit_has_the_name_that_the_server_wants(server: MockServer) -> None:
    server.answers(completion("{}"))
    complete(chat(server, limit_field="max_completion_tokens"), json_schema={"type": "object"})
    body = server.received[0].json
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert (body["max_completion_tokens"], "max_tokens" in body, "seed" in body) == (50, False, False)


def test_tokens_are_counted_and_paid_for(server: MockServer) -> None:
    server.answers(completion("Hi", tokens=(2000, 500)))
    reply = complete(chat(server, prices=Prices(input=2.5, output=10.0)))
    assert (reply.input_tokens, reply.output_tokens) == (2000, 500)
    assert reply.cost == 0.01  # 2000 * 2.5e-6 + 500 * 10e-6


@pytest.mark.parametrize(
    "usage", [None, "many", {"prompt_tokens": -5, "completion_tokens": True}, {"prompt_tokens": "9"}]
)
def test_tokens_that_the_server_does_not_count_are_estimated_and_said_to_be(server: MockServer, usage: object) -> None:
    body = completion("Hi, Tom").body
    assert isinstance(body, dict)
    server.answers(Answer({**body, "usage": usage}))
    reply = complete(chat(server, prices=Prices(input=1.0, output=1.0)))
    assert reply.estimated
    assert reply.output_tokens == 2  # seven letters, four a token
    assert reply.cost == pytest.approx((reply.input_tokens + 2) / 1e6)
    assert reply.input_tokens > 0


def test_tokens_of_sound_have_a_price_of_their_own(server: MockServer) -> None:
    body = completion("Hi", tokens=(1000, 100)).body
    assert isinstance(body, dict)
    counts = {**body["usage"], "prompt_tokens_details": {"audio_tokens": 600}}
    server.answers(Answer({**body, "usage": counts}))
    reply = complete(chat(server, prices=Prices(input=1.0, output=10.0, audio=100.0)))
    assert (reply.audio_tokens, reply.estimated) == (600, False)
    assert reply.cost == pytest.approx(0.0614)  # 400 at 1, 600 at 100 and 100 at 10 for a million


def test_a_model_that_refuses_a_temperature_is_sent_none(server: MockServer) -> None:
    server.answers(completion("Hi"))
    without, usual = chat(server, omit_temperature=True), chat(server)
    complete(without)
    complete(usual)
    assert "temperature" not in server.received[0].json
    assert "temperature" in server.received[1].json
    assert without.signature != usual.signature


@pytest.mark.parametrize(
    ("finish", "cut"), [("length", "stopped at 50 tokens"), ("content_filter", "withheld by the server's filter")]
)
def test_a_reply_that_is_not_whole_says_so(server: MockServer, finish: str, cut: str) -> None:
    server.answers(completion("<score>4", finish=finish))
    assert complete(chat(server)).cut == cut


def test_a_refusal_is_the_reply(server: MockServer) -> None:
    server.answers(completion(None, refusal="I will not."))
    assert complete(chat(server)).text == "I will not."


@pytest.mark.parametrize(
    "body", [{}, {"choices": []}, {"choices": "no"}, {"choices": [1]}, {"choices": [{"text": "x"}]}]
)
def test_what_is_no_completion_is_no_reply(server: MockServer, body: object) -> None:
    server.answers(Answer(body))
    with pytest.raises(TransientError, match="expected a chat completion"):
        complete(chat(server))


def test_a_recording_is_sent_as_a_wav_file_at_its_own_rate(server: MockServer) -> None:
    server.answers(completion("I hear."))
    model = OpenAiAudioChat(Endpoint(server.base_url), model="mock")
    samples = np.array([0.0, 0.5, -0.5, 1.25], dtype=np.float32)
    message = AudioMessage("user", ("Listen:", Audio(samples, rate=22_050)))
    asyncio.run(model.complete([message], max_tokens=5, temperature=0.0))
    text, sound = server.received[0].json["messages"][0]["content"]
    assert text == {"type": "text", "text": "Listen:"}
    assert (sound["type"], sound["input_audio"]["format"]) == ("input_audio", "wav")
    sent, rate = soundfile.read(io.BytesIO(base64.b64decode(sound["input_audio"]["data"])), dtype="float32")
    assert rate == 22_050
    np.testing.assert_allclose(sent, samples / 1.25, atol=1 / 32768)  # the peak of 1.25 becomes full scale


def test_only_recordings_that_leave_this_machine_are_told() -> None:
    away, here = Endpoint("https://api.example.org/v1"), Endpoint("http://localhost:8000/v1")
    assert OpenAiAudioChat(away, model="m").about.sends_audio_to == ("api.example.org",)
    assert OpenAiAudioChat(here, model="m").about.sends_audio_to == ()
    assert OpenAiChat(away, model="m").about.sends_audio_to == ()
    assert OpenAiAudioChat(away, model="m").about.extra == "llm"


def test_the_signature_tells_models_servers_and_extra_fields_apart_and_holds_no_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    one, two = Endpoint("http://one/v1"), Endpoint("http://two/v1")
    models = [
        OpenAiChat(one, "a"),
        OpenAiChat(one, "b"),
        OpenAiChat(two, "a"),
        OpenAiChat(one, "a", extra={"top_p": 1}),
    ]
    assert len({model.signature for model in models}) == 4
    assert not any("sk-secret" in model.signature + repr(model) for model in models)


def test_options_are_checked_when_it_is_made() -> None:
    here = Endpoint("http://localhost/v1")
    with pytest.raises(UsageError, match="which model"):
        OpenAiChat(here, "")
    with pytest.raises(UsageError, match="'seed' cannot be given as an extra field"):
        OpenAiChat(here, "m", extra={"seed": 1})
    with pytest.raises(UsageError, match="prices are not negative"):
        Prices(input=-1.0)


@for_each(
    "extra", [{"api_key": "x"}, {"Authorization": "x"}, {"user": "sk-0123456789"}, {"a": {"b": ["sk-0123456789"]}}]
)
def test_a_key_is_no_extra_field(extra: dict[str, Json]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
        with pytest.raises(UsageError, match=r"hold no key\..*OPENAI_API_KEY") as caught:
            OpenAiChat(Endpoint("http://localhost/v1"), "m", extra=extra)
    assert "sk-0" not in str(caught.value)


def test_a_text_that_is_longer_than_its_tokens_is_cut_and_no_verdict() -> None:
    message = {"role": "assistant", "content": "x" * 2000 + "<score>5.0</score>"}
    data: dict[str, Json] = {"choices": [{"message": message, "finish_reason": "stop"}], "model": "m" * 900}
    reply = read_completion(data, prices=Prices(), machine="here", max_tokens=10)
    assert (len(reply.text), reply.cut, len(reply.model)) == (1000, "stopped at 10 tokens", 200)
