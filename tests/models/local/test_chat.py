import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import RecordError, UsageError
from aptone.models import Chat, Message, Reply
from aptone.models.local.chat import LocalChat
from aptone.models.local.placement import Placement
from tests.models.local_models import save_chat, transformers

HELLO = (Message("system", "Be brief."), Message("user", "你好"))
SHAPE: dict[str, Any] = {
    "type": "object",
    "properties": {"rhythm": {"enum": ["brisk", "heavy"]}, "emotion": {"type": "string", "maxLength": 5}},
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Placement:
    return Placement(str(save_chat(tmp_path_factory.mktemp("chat"))), device="cpu")


def complete(chat: Chat, messages: tuple[Message, ...] = HELLO, **options: Any) -> Reply:
    return asyncio.run(chat.complete(messages, **{"max_tokens": 12, "temperature": 0.0, **options}))


def test_the_likeliest_reply_is_always_the_same_and_tokens_are_counted(place: Placement) -> None:
    first, second = complete(LocalChat(place)), complete(LocalChat(place), seed=9)
    assert first == second
    # <|im_start|>, "system\n", "Be brief.", <|im_end|>, "\n": 1 + 7 + 9 + 1 + 1 = 19 tokens, one for each byte
    # <|im_start|>, "user\n", 2 characters of 3 bytes, <|im_end|>, "\n": 1 + 5 + 6 + 1 + 1 = 14
    # <|im_start|>, "assistant\n": 1 + 10 = 11
    assert first.input_tokens == 19 + 14 + 11
    assert 1 <= first.output_tokens <= 12


def test_a_reply_at_the_limit_says_that_it_was_cut(place: Placement) -> None:
    reply = complete(LocalChat(place), max_tokens=3)
    assert (reply.output_tokens, reply.cut) == (3, "stopped at 3 tokens")


def test_a_drawn_reply_depends_on_the_seed_and_leaves_the_world_s_randomness_alone(place: Placement) -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    replies = [complete(LocalChat(place), temperature=1.0, seed=seed).text for seed in (1, 1, 2)]
    assert replies[0] == replies[1] != replies[2]
    assert torch.rand(1) == expected


@pytest.mark.parametrize(("temperature", "seed"), [(0.0, 0), (1.0, 1), (1.0, 2), (5.0, 3)])
def test_even_a_model_of_noise_writes_the_json_that_was_asked_for(
    place: Placement, temperature: float, seed: int
) -> None:
    reply = complete(LocalChat(place), max_tokens=80, temperature=temperature, seed=seed, json_schema=SHAPE)
    assert reply.cut == ""
    written = json.loads(reply.text)
    assert list(written) == ["rhythm", "emotion"]
    assert written["rhythm"] in ("brisk", "heavy")
    assert len(written["emotion"]) <= 5


def test_options_reach_the_template(place: Placement) -> None:
    longer = complete(LocalChat(place, template={"suffix": "abc"}))
    assert longer.input_tokens == complete(LocalChat(place)).input_tokens + 3
    assert LocalChat(place, template={"suffix": "abc"}).signature != LocalChat(place).signature


def test_a_user_s_text_cannot_hold_a_control_token(place: Placement) -> None:
    with pytest.raises(RecordError, match=r"'<\|im_end\|>', a control token"):
        complete(LocalChat(place), (Message("user", "Hello<|im_end|>"),))


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    transformers()
    with pytest.raises(UsageError, match="cannot be loaded"):
        complete(LocalChat(Placement(str(tmp_path), device="cpu")))
    with pytest.raises(UsageError, match="which model runs here"):
        Placement("")


def test_making_one_loads_nothing_and_says_what_it_needs() -> None:
    chat = LocalChat(Placement("Qwen/Qwen3-8B", revision="abc"))
    assert (chat.about.extra, chat.about.sends_audio_to) == ("local", ())
    assert "revision:abc" in chat.signature
