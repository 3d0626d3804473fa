import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from aptone.ear.claims.verification import Verdict
from aptone.errors import TransientError, UnusableReplyError
from aptone.models import AnyMessage, Reply
from aptone.models.scripted import ScriptedChat
from aptone.rooms.caption.data import CaptionSample
from aptone.rooms.caption.verify import BuiltInVerifier, ChatVerifier, read_yes_or_no
from aptone.run import Call
from aptone.types import Audio, Json
from tests.rooms.caption.caption_parts import TONE, AnsweringChat, unit
from tests.tables import for_each

SAMPLE = CaptionSample("a", TONE, "A deep voice.", "A low voice.")


@for_each(
    ("reply", "answer"),
    [
        ("yes", True),
        ("**Yes.**", True),
        ('"No"', False),
        ("No, the voice is soft.", False),
        ("<think>it could be no</think>\nYes", True),
        ("是", True),
        ("否。", False),
        ("不是", False),
    ],
)
def test_yes_and_no_are_read(reply: str, answer: bool) -> None:
    assert read_yes_or_no(reply) is answer


@for_each(
    "reply",
    [
        "",
        "maybe",
        "yes and no",
        "Yes, but not really.",
        "No. Yes!",
        "nobody knows",
        "Say yes",
        "1",
        "是不是",
        "yesterday",
    ],
)
def test_a_reply_that_is_neither_or_both_is_no_answer(reply: str) -> None:
    with pytest.raises(UnusableReplyError):
        read_yes_or_no(reply)


def test_each_unit_is_a_question_of_its_own() -> None:
    chat = ScriptedChat(["yes", "no"])
    found = asyncio.run(
        ChatVerifier(chat).verify([unit("pitch"), unit("volume", "loud")], TONE, SAMPLE, Call(), language="en")
    )
    assert [one.verdict for one in found] == [Verdict.TRUE, Verdict.FALSE]
    assert len(chat.asked) == 2


def test_a_unit_whose_answers_are_neither_is_not_verified_and_counted() -> None:
    chat = AnsweringChat(lambda shown: "yes" if "pitch" in shown else "I would say it is possible")
    call = Call()
    found = asyncio.run(
        ChatVerifier(chat).verify([unit("pitch"), unit("volume", "loud")], TONE, SAMPLE, call, language="en")
    )
    assert [(one.verdict, one.is_format_failure) for one in found] == [(Verdict.TRUE, False), (Verdict.UNDECIDED, True)]
    assert not found[1].is_true
    assert call.parse_failures == 3  # a request is tried three times
    assert len(chat.asked) == 1 + 3


class BatchChat(AnsweringChat):
    """The same, asked several things at once."""

    batch_size = 2

    def __init__(self, answer: Callable[[str], str]) -> None:
        super().__init__(answer)
        self.batches: list[int] = []

    async def complete_batch(
        self,
        conversations: Sequence[Sequence[AnyMessage]],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seeds: Sequence[int],
    ) -> list[Reply]:
        self.batches.append(len(conversations))
        options: dict[str, Any] = {"max_tokens": max_tokens, "temperature": temperature}
        return [await self.complete(one, **options) for one in conversations]


def test_a_model_that_takes_several_questions_at_once_gets_them_in_batches() -> None:
    chat = BatchChat(lambda shown: "yes" if "pitch" in shown else "hm" if "rate" in shown else "no")
    units = [unit("pitch"), unit("pitch"), unit("volume", "loud"), unit("rate", "slow")]
    found = asyncio.run(ChatVerifier(chat).verify(units, TONE, SAMPLE, Call(), language="en"))
    assert [one.verdict for one in found] == [Verdict.TRUE, Verdict.TRUE, Verdict.FALSE, Verdict.UNDECIDED]
    assert chat.batches == [2, 1, 1, 1]  # the same fact is asked once; what cannot be read is asked three times


def test_the_reference_is_withheld_unless_asked_for() -> None:
    for show, expected in ((False, False), (True, True)):
        chat = AnsweringChat(lambda shown: "no")
        asyncio.run(ChatVerifier(chat, show_reference=show).verify([unit()], TONE, SAMPLE, Call(), language="en"))
        assert ("A low voice." in chat.asked[0]) is expected


def test_a_server_that_is_away_is_not_a_no() -> None:
    chat = ScriptedChat([TransientError("busy")])
    with pytest.raises(TransientError):
        asyncio.run(ChatVerifier(chat).verify([unit()], TONE, SAMPLE, Call(), language="en"))


def test_whether_the_reference_is_shown_is_part_of_the_signature() -> None:
    chat = ScriptedChat([])
    assert ChatVerifier(chat).signature != ChatVerifier(chat, show_reference=True).signature


def test_the_built_in_ear_decides_or_says_that_it_cannot() -> None:
    silence = Audio(TONE.samples * 0, rate=16_000)
    units = [unit("pitch"), unit("emotion", "confident"), unit("rate", "slow")]
    found = asyncio.run(BuiltInVerifier().verify(units, silence, SAMPLE, Call(), language="en"))
    assert [one.verdict for one in found] == [Verdict.UNDECIDED] * 3
    assert not any(one.is_true for one in found)
    assert [one.measured == "the ear has no measure for this" for one in found] == [False, True, False]
