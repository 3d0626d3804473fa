import asyncio

import numpy as np
import pytest

from aptone.errors import TransientError, UsageError
from aptone.models import TimedText, Transcript
from aptone.models.openai.endpoint import Endpoint
from aptone.models.openai.parts import OpenAiTranscriber, Times
from aptone.types import Audio, Segment
from tests.models.mock_server import Answer, MockServer

CLIP = Audio(np.zeros(16_000 * 3, dtype=np.float32), rate=16_000)


def transcribe(server: MockServer, *, times: Times = "segment", price: float = 0.0) -> Transcript:
    model = OpenAiTranscriber(Endpoint(server.base_url), "whisper", times=times, price_per_minute=price)
    return asyncio.run(model.transcribe(CLIP, language="zh"))


def test_the_recording_goes_out_as_a_form_with_its_language(server: MockServer) -> None:
    server.answers(Answer({"text": " 你走吧。 "}))
    assert transcribe(server, times="none", price=0.5) == Transcript("你走吧。", cost=0.025)  # 3 s of 0.5 a minute
    (received,) = server.received
    assert received.path == "/v1/audio/transcriptions"
    assert received.headers["Content-Type"].startswith("multipart/form-data")
    assert b'name="language"\r\n\r\nzh\r\n' in received.body
    assert b"RIFF" in received.body
    assert b"verbose_json" not in received.body


def test_pieces_come_with_their_times(server: MockServer) -> None:
    server.answers(Answer({"text": "Go now.", "words": [{"word": "Go", "start": 0.5, "end": 1}]}))
    assert transcribe(server, times="word").pieces == (TimedText("Go", Segment(0.5, 1.0)),)
    assert b'name="timestamp_granularities[]"\r\n\r\nword\r\n' in server.received[0].body


@pytest.mark.parametrize(
    "piece",
    [
        7,
        {},
        {"text": 1, "start": 0, "end": 1},
        {"text": "a", "start": "0", "end": 1},
        {"text": "a", "start": 2, "end": 1},
    ],
)
def test_times_that_make_no_sense_are_left_out_and_the_words_are_not(server: MockServer, piece: object) -> None:
    server.answers(Answer({"text": "Go now.", "segments": [piece]}))
    assert transcribe(server) == Transcript("Go now.")


def test_what_is_no_transcript_is_no_silence(server: MockServer) -> None:
    server.answers(Answer({"words": []}))
    with pytest.raises(TransientError, match="expected a transcript"):
        transcribe(server)


def test_it_says_where_recordings_go_and_checks_its_options() -> None:
    away = Endpoint("https://api.example.org/v1")
    assert OpenAiTranscriber(away, "whisper").about.sends_audio_to == ("api.example.org",)
    assert "times:segment" in OpenAiTranscriber(away, "whisper").signature
    with pytest.raises(UsageError, match="which model"):
        OpenAiTranscriber(away, "")
    with pytest.raises(UsageError, match="a price is not negative"):
        OpenAiTranscriber(away, "whisper", price_per_minute=-1.0)
