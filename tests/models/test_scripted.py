import asyncio
from typing import Any

import numpy as np
import pytest

from aptone.errors import TransientError, UsageError
from aptone.models import AudioChat, Chat, Message, Reply, Speaker, TextEmbedder, Transcriber, Transcript
from aptone.models.scripted import ScriptedChat, ScriptedSpeaker, ScriptedTextEmbedder, ScriptedTranscriber
from aptone.types import Audio

CLIP = Audio(np.ones(4, dtype=np.float32), rate=8_000)


def run(coroutine: Any) -> Any:
    return asyncio.run(coroutine)


def test_each_script_stands_in_for_its_protocol() -> None:
    speaks: Chat = ScriptedChat([])
    hears: AudioChat = ScriptedChat([])
    others: tuple[Transcriber, Speaker, TextEmbedder] = (
        ScriptedTranscriber({}),
        ScriptedSpeaker(),
        ScriptedTextEmbedder({}),
    )
    assert {part.signature for part in (speaks, hears, *others)} == {"scripted"}


def test_a_chat_replies_and_fails_by_its_script_and_ends_with_it() -> None:
    chat = ScriptedChat(["one", Reply("two", cost=1.0), TransientError("busy")])

    def ask() -> Any:
        return run(chat.complete([Message("user", "?")], max_tokens=1, temperature=0.0))

    assert (ask(), ask()) == (Reply("one"), Reply("two", cost=1.0))
    with pytest.raises(TransientError, match="busy"):
        ask()
    with pytest.raises(UsageError, match="ended before question 4"):
        ask()


def test_a_transcriber_knows_recordings_by_their_sound() -> None:
    transcriber = ScriptedTranscriber({CLIP.hash: Transcript("Go.")})
    assert run(transcriber.transcribe(CLIP, language="en")).text == "Go."
    with pytest.raises(UsageError, match="no transcript"):
        run(transcriber.transcribe(Audio(np.zeros(4, dtype=np.float32), rate=8_000), language="en"))


def test_a_speaker_says_longer_texts_longer_and_faster_ones_shorter() -> None:
    speaker = ScriptedSpeaker(rate=8_000, seconds_per_character=0.1)
    assert run(speaker.speak("Go!", language="en")).samples.size == 2400  # 3 characters * 0.1 s * 8000 per second
    assert run(speaker.speak("Go!", language="en", speed=2.0)).samples.size == 1200
    assert speaker.said == ["Go!", "Go!"]


def test_an_embedder_gives_the_vectors_of_its_script() -> None:
    embedder = ScriptedTextEmbedder({"a": [1.0, 0.0], "b": [0.0, 1.0]})
    assert run(embedder.embed(["b", "a"])).tolist() == [[0.0, 1.0], [1.0, 0.0]]
    with pytest.raises(UsageError, match="no vector for 'c'"):
        run(embedder.embed(["c"]))
