"""Cloning of a reference clip: by an OpenAI-compatible server, and by CosyVoice's own."""

import asyncio
import base64
import io
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.errors import TransientError, UsageError
from aptone.models.openai.endpoint import Endpoint
from aptone.models.openai.parts import OpenAiSpeaker
from aptone.models.speakers.cosyvoice import CosyVoice, cosyvoice
from aptone.models.speakers.voices import CloningSpeaker, Reference
from aptone.types import AudioRef
from tests.models.mock_server import Answer, MockServer


@pytest.fixture
def reference(tmp_path: Path) -> Reference:
    path = tmp_path / "kid.wav"
    soundfile.write(path, np.full(1600, 0.5), 16_000, subtype="PCM_16")
    return Reference(AudioRef(str(path)), "The cat sat.")


def test_cosyvoice_gets_text_clip_and_its_words_and_sends_bare_samples(
    server: MockServer, reference: Reference
) -> None:
    server.answers(Answer(np.array([0, 16384, -32768], dtype="<i2").tobytes()))
    speaker = CosyVoice(Endpoint(server.base_url), 22_050)
    audio = asyncio.run(speaker.clone("What should I wear?", reference=reference, language="en"))
    assert audio.rate == 22_050
    assert audio.samples.tolist() == [0.0, 0.5, -1.0]  # divided by 2^15
    got = server.received[0]
    assert got.path.endswith("/inference_zero_shot")
    for part in (
        b'name="tts_text"',
        b"What should I wear?",
        b'name="prompt_text"',
        b"The cat sat.",
        b'name="prompt_wav"',
    ):
        assert part in got.body
    assert b"RIFF" in got.body


@pytest.mark.parametrize("body", [b"", b"\x00", b"\x00\x01\x02"])
def test_what_is_no_sound_may_be_sound_next_time(server: MockServer, reference: Reference, body: bytes) -> None:
    server.answers(Answer(body))
    speaker = CosyVoice(Endpoint(server.base_url), 22_050)
    with pytest.raises(TransientError, match="no sound came back"):
        asyncio.run(speaker.clone("Hello.", reference=reference, language="en"))


def test_cosyvoice_speaks_in_its_usual_voice_only_if_it_has_one(server: MockServer, reference: Reference) -> None:
    server.answers(Answer(b"\x00\x00"))
    options = {"base_url": server.base_url, "rate": 24_000}
    usual = cosyvoice(**options, reference=reference.audio.path, reference_text="The cat sat.")  # type: ignore[arg-type]
    assert asyncio.run(usual.speak("Hello.", language="en")).rate == 24_000
    with pytest.raises(UsageError, match="reference clip alone"):
        asyncio.run(usual.speak("Hello.", language="en", voice="anna"))
    with pytest.raises(UsageError, match="no voice of its own"):
        asyncio.run(cosyvoice(**options).speak("Hello.", language="en"))  # type: ignore[arg-type]


def test_an_openai_compatible_server_gets_the_clip_as_a_data_address(server: MockServer, reference: Reference) -> None:
    buffer = io.BytesIO()
    soundfile.write(buffer, np.zeros(240), 24_000, format="FLAC", subtype="PCM_16")
    server.answers(Answer(buffer.getvalue()))
    speaker = OpenAiSpeaker(Endpoint(server.base_url), "cosyvoice3", voice="default")
    asyncio.run(speaker.clone("Hello.", reference=reference, language="en"))
    sent = server.received[0].json
    kind, _, clip = sent["ref_audio"].partition(",")
    assert kind == "data:audio/wav;base64"
    assert base64.b64decode(clip)[:4] == b"RIFF"
    assert (sent["ref_text"], sent["input"]) == ("The cat sat.", "Hello.")


def test_reference_clips_go_to_another_machine_only_if_it_is_said() -> None:
    far = Endpoint("http://far.example/v1")
    for speaker in (CosyVoice(far, 22_050), OpenAiSpeaker(far, "m", voice="v")):
        assert isinstance(speaker, CloningSpeaker)
        assert speaker.cloning_about.sends_audio_to == ("far.example",)
    assert CosyVoice(Endpoint("http://localhost:50000"), 22_050).about.sends_audio_to == ()


def test_a_rate_is_never_guessed_and_a_clip_has_words(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="rate=22050"):
        cosyvoice(base_url="http://localhost:50000")
    with pytest.raises(UsageError, match="needs the words"):
        cosyvoice(base_url="http://localhost:50000", rate=22_050, reference="a.wav")
    speaker = cosyvoice(base_url="http://localhost:50000", rate=22_050)
    clip = Reference(AudioRef("a.wav"), "x")
    with pytest.raises(UsageError, match="one speed"):
        asyncio.run(speaker.clone("Hi.", reference=clip, language="en", speed=1.5))
