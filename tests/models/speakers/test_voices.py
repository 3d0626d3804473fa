import asyncio

import numpy as np
import pytest

from aptone.models import About
from aptone.models.speakers.delivery import Delivery
from aptone.models.speakers.voices import Voices
from aptone.types import Audio, Language

RATE = 16_000


class ToneSpeaker:
    """Says everything as a tone of 200 Hz, and notes how it was asked."""

    about = About()
    signature = "tone"

    def __init__(self) -> None:
        self.asked: list[tuple[str, float, str]] = []

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        self.asked.append((voice, speed, instruction))
        wave = 0.1 * np.sin(2 * np.pi * 200 * np.arange(RATE) / RATE)
        return Audio(wave.astype(np.float32), rate=RATE, source="tone")


@pytest.fixture
def speaker(monkeypatch: pytest.MonkeyPatch) -> ToneSpeaker:
    made = ToneSpeaker()
    monkeypatch.setattr("aptone.models.speakers.voices.make_part", lambda kind, name, settings: made)
    return made


def hertz(audio: Audio) -> float:
    """The frequency of the highest peak."""
    return float(np.abs(np.fft.rfft(audio.samples)).argmax() / audio.seconds)


def spoken(voices: Voices, *, semitones: float = 0.0, decibels: float = 0.0) -> Audio:
    delivery = Delivery(rate=1.2, decibels=decibels)
    said = voices.speak("Hi.", who="child", language="en", delivery=delivery, instruction="gently", semitones=semitones)
    return asyncio.run(said)


def test_a_raised_voice_is_higher_and_as_long(speaker: ToneSpeaker) -> None:
    plain, raised = (spoken(Voices("flite"), semitones=semitones) for semitones in (0.0, 12.0))
    assert hertz(plain) == pytest.approx(200, abs=2)
    assert hertz(raised) == pytest.approx(400, abs=8)  # twelve semitones are an octave
    assert raised.seconds == pytest.approx(plain.seconds, abs=0.01)


def test_a_voice_that_somebody_names_goes_before_the_usual_one(speaker: ToneSpeaker) -> None:
    usual: dict[str, dict[Language, dict[str, str]]] = {"flite": {"en": {"child": "slt"}}}
    for voices in (
        Voices("flite"),
        Voices("flite", usual=usual),
        Voices("flite", voices={"child": "kid"}, usual=usual),
    ):
        spoken(voices)
    assert [voice for voice, _, _ in speaker.asked] == ["", "slt", "kid"]


def test_only_speakers_that_take_words_are_told_in_words(speaker: ToneSpeaker) -> None:
    spoken(Voices("flite"))
    spoken(Voices("api"))
    assert [words for _, _, words in speaker.asked] == ["", "gently"]
    assert {speed for _, speed, _ in speaker.asked} == {1.2}


def test_loudness_is_set_afterwards(speaker: ToneSpeaker) -> None:
    quiet, loud = (float(np.abs(spoken(Voices("flite"), decibels=decibels).samples).max()) for decibels in (0.0, 6.0))
    assert loud / quiet == pytest.approx(10 ** (6 / 20), rel=1e-3)
