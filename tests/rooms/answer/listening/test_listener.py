"""How an answer sounds: by the ear, and by a model that hears and chats."""

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from aptone.audio import read
from aptone.errors import UnusableReplyError, UsageError
from aptone.models import About, Reply
from aptone.models.audio_chat import AnyMessage, parts_of
from aptone.rooms.answer.listening.chat import ChatListener, read_style
from aptone.rooms.answer.listening.listener import EarListener, heard_style
from aptone.rooms.answer.parts import make_listener
from aptone.run import Call
from aptone.types import Audio, Json, Perception, Score, Sex
from tests.rooms.answer.answer_parts import ENGLISH
from tests.tables import for_each


def measured(**values: float) -> Mapping[str, Score]:
    return {name.replace("_", " "): Score(value, higher_is_better=None) for name, value in values.items()}


def test_five_steps_of_the_ear_become_the_three_that_a_judge_reads() -> None:
    heard = Perception(
        3.0,
        speech_seconds=3.0,
        emotion={"calm": 0.7, "sad": 0.3},
        sex={Sex.FEMALE: 0.9, Sex.MALE: 0.1},
        # women in English: pitch 15.13 ± 4.50, rate 4.30 ± 0.63; loudness of all
        measures=measured(pitch_level=15.13 - 2 * 4.5, articulation_rate=4.30 + 0.63, loudness=-19.28),
    )
    style = heard_style(heard, language="en")
    assert (style.pitch, style.rate, style.volume) == ("low", "fast", "normal")
    assert style.emotion == {"calm": 0.7, "sad": 0.3}
    assert "calm" in style.description
    assert not style.unknown


def test_what_the_ear_could_not_judge_is_told() -> None:
    style = heard_style(Perception(1.0, unjudged={"emotion": "no speech found"}), language="en")
    assert style.unknown["emotion"] == "no speech found"
    assert set(style.unknown) == {"emotion", "rate", "volume", "pitch"}
    assert style.description == ""


def test_the_built_in_ear_hears_an_answer() -> None:
    listener = EarListener()
    style = asyncio.run(listener.listen(read(ENGLISH, rate=16_000, channel="mix"), Call(), language="en"))
    assert math.isclose(sum(style.emotion.values()), 1.0, abs_tol=1e-5)
    assert style.rate in ("slow", "normal", "fast")
    assert "ear:full" in listener.signature
    assert "ear: full" in listener.about.licence


class HearingChat:
    """A model that hears, and always says the same."""

    about = About()
    signature = "hearing"

    def __init__(self, reply: str) -> None:
        self.asked: list[Sequence[AnyMessage]] = []
        self._reply = reply

    async def complete(
        self,
        messages: Sequence[AnyMessage],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        self.asked.append(messages)
        return Reply(self._reply)


def test_a_model_hears_the_answer_and_nothing_of_the_question() -> None:
    said = {"emotion": "Happy", "rate": "fast", "volume": "", "pitch": "high", "description": "A bright <score> voice."}
    chat = HearingChat(f"<think>hm</think>```json\n{json.dumps(said)}\n```")
    audio = read(ENGLISH, rate=16_000, channel="mix")
    style = asyncio.run(ChatListener(chat).listen(audio, Call(), language="en"))
    assert (style.emotion, style.rate, style.pitch) == ({"happy": 1.0}, "fast", "high")
    assert style.unknown == {"volume": "the model did not say"}
    assert style.description == "A bright ‹score› voice."
    system, user = chat.asked[0]
    assert [type(part) for part in parts_of(user)] == [Audio]
    assert "calm" in str(parts_of(system)[0])


@for_each(
    ("reply", "reason"),
    [
        ("It sounds nice.", "holds 0 times"),
        ('{"emotion": "happy"} {"emotion": "sad"}', "holds 2 times"),
        ('{"emotion": "bored out of its mind"}', "a feeling that is not on the list"),
        ('{"emotion": "calm", "rate": "breakneck"}', "rate is one of slow, normal, fast"),
        ('{"emotion": ["calm"]}', "emotion is a word, got list"),
        ('{"emotion": "", "description": " "}', "leaves everything open"),
    ],
)
def test_a_reply_that_is_no_style_is_unusable(reply: str, reason: str) -> None:
    with pytest.raises(UnusableReplyError, match=reason):
        read_style(reply)


def test_listeners_are_made_by_name_and_refuse_options_that_they_do_not_have(tmp_path: Path) -> None:
    assert "ear:permissive" in make_listener(settings={"listener.ear": "permissive"}).signature
    served = make_listener("api", settings={"listener.model": "m", "listener.base_url": "http://localhost:1/v1"})
    assert "answer-style:chat" in served.signature
    for kind, settings, message in (
        ("deaf", {}, "listened to by"),
        ("built-in", {"listener.model": "m"}, "has no option 'listener.model'"),
        ("built-in", {"listener.ear": 3}, "is the name of an ear"),
        ("api", {"listener.colour": "red"}, "has no option 'listener.colour'"),
        ("api", {"listener.prompts": 3}, "is a folder"),
        ("api", {"listener.prompts": str(tmp_path), "listener.model": "m", "listener.base_url": "http://x/"}, "prompt"),
    ):
        with pytest.raises(UsageError, match=message):
            make_listener(kind, settings=settings)
