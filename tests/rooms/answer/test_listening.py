"""Style of an answer: by the ear, and by an audio-chat model."""

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from aptone.audio import read
from aptone.errors import UnusableReplyError, UsageError
from aptone.models import About, Reply
from aptone.models.chat import AnyMessage, parts_of
from aptone.rooms.answer.listening import (
    SMALL_WORDS,
    ChatListener,
    EarListener,
    language_spoken,
    read_style,
    style_of_perception,
)
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
    style = style_of_perception(heard, language="en")
    assert (style.pitch, style.rate, style.volume) == ("low", "fast", "normal")
    assert style.emotion == {"calm": 0.7, "sad": 0.3}
    assert "calm" in style.description
    assert not style.unknown


def test_what_the_ear_could_not_judge_is_told() -> None:
    style = style_of_perception(Perception(1.0, unjudged={"emotion": "no speech found"}), language="en")
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


SAID = {
    "en": "I am sorry that you have to wait, and I will look for it.",
    "de": "Das tut mir leid, ich verstehe, dass du dich ärgerst, und wir finden eine Lösung.",
    "fr": "Je suis désolé, je comprends que vous soyez en colère, et nous allons chercher le colis.",
    "es": "Lo siento mucho, entiendo que estés triste y estoy aquí para lo que necesites de mi.",
    "it": "Mi dispiace molto, capisco che non è facile e io sono qui per te, con il cuore.",
    "pt": "Sinto muito, eu entendo que você está triste e que isso não é fácil para você.",
    "nl": "Het spijt mij, ik begrijp dat je boos bent en wij zoeken het voor je op.",
    "pl": "Bardzo mi przykro, rozumiem, że to nie jest łatwe, i jestem z tobą, tak jak co dzień.",
    "zh": "别担心，我们明天就把包裹给您送到。",
    "ja": "申し訳ありません、すぐに確認します。",
    "ko": "죄송합니다, 바로 확인하겠습니다.",
    "ru": "Мне очень жаль, я сейчас посмотрю.",
    "ar": "أنا آسف جدا لذلك",
}


@pytest.mark.parametrize(("language", "text"), SAID.items())
def test_a_sentence_is_told_by_its_script_or_its_small_words(language: str, text: str) -> None:
    assert language_spoken(text) == language


@pytest.mark.parametrize("text", ["", "...", "Okay!", "42", "Hm, la la la.", "Berlin", "\u200b"])
def test_what_is_too_short_or_mixed_is_not_told(text: str) -> None:
    assert language_spoken(text) == ""


def test_a_foreign_name_in_an_english_answer_changes_nothing() -> None:
    assert language_spoken("You can find the shop of 田中 in the street that is behind the station.") == "en"


def test_the_small_words_of_two_languages_are_never_the_same() -> None:
    for name, words in SMALL_WORDS.items():
        others = [other for language, other in SMALL_WORDS.items() if language != name]
        assert all(len(words & other) <= len(words) // 2 for other in others), name
