import asyncio
import io
from typing import Any

import numpy as np
import pytest
import soundfile

from aptone.errors import TransientError, UsageError
from aptone.models.openai.endpoint import Endpoint
from aptone.models.openai.parts import OpenAiSpeaker
from aptone.types import Audio
from tests.models.mock_server import Answer, MockServer


def speak(server: MockServer, text: str = "Get out!", **options: Any) -> Audio:
    speaker = OpenAiSpeaker(Endpoint(server.base_url), "tts", voice="anna")
    return asyncio.run(speaker.speak(text, language="en", **options))


def sound() -> bytes:
    buffer = io.BytesIO()
    soundfile.write(buffer, np.full(2400, 0.25), 24_000, format="FLAC", subtype="PCM_16")
    return buffer.getvalue()


def test_sound_comes_back_at_the_rate_of_the_file(server: MockServer) -> None:
    server.answers(Answer(sound()))
    audio = speak(server, voice="ben", speed=1.5, instruction="angry")
    assert (audio.rate, audio.samples.size, float(audio.samples[0])) == (24_000, 2400, 0.25)
    assert audio.source.endswith("ben")
    assert server.received[0].json == {
        "model": "tts",
        "voice": "ben",
        "input": "Get out!",
        "response_format": "flac",
        "speed": 1.5,
        "instructions": "angry",
    }


def test_its_own_voice_speaks_unless_another_is_named(server: MockServer) -> None:
    server.answers(Answer(sound()))
    speak(server)
    assert server.received[0].json["voice"] == "anna"
    assert "instructions" not in server.received[0].json


@pytest.mark.parametrize("body", [b"", b'{"error": "busy"}', sound()[:40]])
def test_what_is_no_sound_may_be_sound_next_time(server: MockServer, body: bytes) -> None:
    server.answers(Answer(body))
    with pytest.raises(TransientError, match="no sound came back") as caught:
        speak(server)
    assert "speech.flac" not in str(caught.value), "a path that is gone helps nobody"


def test_an_empty_text_is_not_sent(server: MockServer) -> None:
    with pytest.raises(UsageError, match="nothing to say"):
        speak(server, " ")
    assert server.received == []


def test_options_are_checked_when_it_is_made() -> None:
    here = Endpoint("http://localhost/v1")
    with pytest.raises(UsageError, match="which voice"):
        OpenAiSpeaker(here, "tts", voice="")
    with pytest.raises(UsageError, match="got 'pcm'"):
        OpenAiSpeaker(here, "tts", voice="anna", format="pcm")
    assert "voice:anna" in OpenAiSpeaker(here, "tts", voice="anna").signature
    assert OpenAiSpeaker(here, "tts", voice="anna").about.extra == "llm"
