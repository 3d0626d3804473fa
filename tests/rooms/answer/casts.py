"""Voices and ears that need no program: what is said is written into the source of a tone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aptone.errors import TransientError
from aptone.models import About, Transcript
from aptone.rooms.answer.build.casting import Utterance
from aptone.rooms.answer.build.records import Candidate
from aptone.types import Audio, Language

RATE = 16_000


def tone(source: str, *, hertz: float = 200.0) -> Audio:
    wave = 0.1 * np.sin(2 * np.pi * hertz * np.arange(RATE // 10) / RATE)
    return Audio(wave.astype(np.float32), rate=RATE, source=source)


@dataclass
class ToneCast:
    """Says everything; the sound depends on sentence, way and attempt. Some sentences are garbled at some attempts."""

    garbled: Sequence[tuple[str, int]] = ()
    broken: bool = False
    signature: str = "tones"
    said: int = 0

    @property
    def about(self) -> About:
        return About()

    async def say(self, candidate: Candidate, category: str, *, attempt: int) -> Utterance:
        if self.broken:
            raise TransientError("the engine is away")
        self.said += 1
        is_garbled = any(words in candidate.content and attempt <= until for words, until in self.garbled)
        text = "nothing of the kind" if is_garbled else candidate.content
        pitch = 150 + sum(f"{candidate.content} {category} {attempt}".encode()) % 200
        return Utterance(tone(f"{category}|{attempt}|{text}", hertz=pitch), f"tones:{category}")

    async def say_plainly(self, candidate: Candidate) -> Utterance:
        return Utterance(tone(f"plain|1|{candidate.content}"), "tones:plain")


@dataclass
class ReadingTranscriber:
    """Reads what a tone says."""

    signature: str = "reader"

    @property
    def about(self) -> About:
        return About()

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        return Transcript(audio.source.split("|")[2])
