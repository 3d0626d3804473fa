"""Chat models and the runner: what is kept under which key, and that a cut reply is never read."""

import asyncio
from typing import Any

import numpy as np
import pytest

from aptone.errors import UnusableReplyError
from aptone.models import AudioMessage, Message, Reply, Sampling, ask_audio_chat, ask_chat
from aptone.models.asking.chat import cached_reply, whole
from aptone.models.scripted import ScriptedChat
from aptone.run import Ask, Call
from aptone.types import Audio
from tests.tables import for_each

SAMPLING = Sampling(max_tokens=20, temperature=0.5)
QUESTION = (Message("system", "Be brief."), Message("user", "How are you?"))


def clip(value: float) -> Audio:
    return Audio(np.full(8, value, dtype=np.float32), rate=16_000)


def key_of(ask: Ask[Any]) -> str:
    return ask.request.key(seed=0, repeat=0, attempt=0)


def test_a_reply_goes_to_the_reader_and_its_cost_to_the_call() -> None:
    chat, call = ScriptedChat([Reply("fine", cost=0.25, input_tokens=7)]), Call(seed=3)
    ask = ask_chat(chat, QUESTION, sampling=SAMPLING, read=str.upper, json_schema={"type": "string"})
    assert asyncio.run(call.ask(ask.request, ask.send, ask.read)) == "FINE"
    assert call.cost == 0.25
    (asked,) = chat.asked
    assert (asked.messages, asked.max_tokens, asked.temperature, asked.seed) == (QUESTION, 20, 0.5, 3)
    assert asked.json_schema == {"type": "string"}


def test_a_cut_reply_is_asked_for_again_with_another_seed() -> None:
    chat, call = ScriptedChat([Reply("<score>5</score> but", cut="stopped at 20 tokens"), "fine"]), Call()
    ask = ask_chat(chat, QUESTION, sampling=SAMPLING, read=str)
    assert asyncio.run(call.ask(ask.request, ask.send, ask.read)) == "fine"
    assert [asked.seed for asked in chat.asked] == [0, 1]
    assert call.parse_failures == 1


def test_a_cut_reply_stays_cut_in_the_cache() -> None:
    text = cached_reply(Reply("<score>5</score>", cut="stopped at 20 tokens")).text
    with pytest.raises(UnusableReplyError, match="not whole: stopped at 20 tokens") as caught:
        whole(text)
    assert caught.value.raw_reply.startswith("<score>5</score>")


@pytest.mark.parametrize("text", ["", " \n"])
def test_an_empty_reply_is_none(text: str) -> None:
    with pytest.raises(UnusableReplyError, match="the reply is empty"):
        whole(text)


def test_everything_that_a_reply_depends_on_is_in_its_key() -> None:
    chat = ScriptedChat([])

    def key(*messages: Message | AudioMessage, sampling: Sampling = SAMPLING, chat: ScriptedChat = chat) -> str:
        return key_of(ask_audio_chat(chat, messages, sampling=sampling, read=str))

    keys = [
        key(AudioMessage("user", ("Listen:", clip(0.1)))),
        key(AudioMessage("user", ("Listen:", clip(0.2)))),
        key(AudioMessage("user", (clip(0.1), "Listen:"))),
        key(AudioMessage("user", ("Listen!", clip(0.1)))),
        key(AudioMessage("assistant", ("Listen:", clip(0.1)))),
        key(AudioMessage("user", ("Listen:", clip(0.1))), sampling=Sampling(max_tokens=21, temperature=0.5)),
        key(AudioMessage("user", ("Listen:", clip(0.1))), sampling=Sampling(max_tokens=20, temperature=0.6)),
        key(AudioMessage("user", ("Listen:", clip(0.1))), chat=ScriptedChat([], name="other")),
        key(Message("user", "Listen:")),
        key_of(ask_chat(chat, [Message("user", "Listen:")], sampling=SAMPLING, read=str, json_schema={})),
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0] == key(AudioMessage("user", ("Listen:", clip(0.1))))


@for_each(("max_tokens", "temperature"), [(0, 0.0), (1, -0.1), (1, float("nan"))])
def test_a_model_must_be_able_to_write(max_tokens: int, temperature: float) -> None:
    with pytest.raises(ValueError, match="at least one token"):
        Sampling(max_tokens=max_tokens, temperature=temperature)
