"""Questions, recordings and parts to judge answers with, that need no model."""

import math
from collections.abc import Mapping
from pathlib import Path

from aptone.models import About, Transcript
from aptone.rooms.answer.api import dimension_of
from aptone.rooms.answer.data import AnswerSample, AnswerStyle, Fields, Fitness, Prompt
from aptone.run import Call
from aptone.types import Audio, AudioRef, Language

CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"
ENGLISH, MANDARIN = CLIPS / "keeper-apt.opus", CLIPS / "sleep-zh-apt.opus"
SHORT = CLIPS / "anybody-apt.opus"
WORDS = "I am sorry that you have to wait for it."


def prompt(name: str, category: str = "angry", *, pair: str = "", audio: Path | None = ENGLISH) -> Prompt:
    ref = None if audio is None else AudioRef(str(audio))
    return Prompt(name, "Where is my parcel?", dimension_of(category), category, ref, pair=pair)


def sample(name: str, category: str = "angry", *, pair: str = "", answer: Path | None = ENGLISH) -> AnswerSample:
    ref = None if answer is None else AudioRef(str(answer))
    return AnswerSample(name, prompt(name, category, pair=pair), ref)


class ListedTranscriber:
    """Writes what a list says for a recording of that many seconds, to the tenth; else `WORDS`."""

    about = About()
    signature = "listed"

    def __init__(self, texts: Mapping[float, str] | None = None) -> None:
        self.heard = 0
        self._texts = dict(texts or {})

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        self.heard += 1
        return Transcript(self._texts.get(round(audio.seconds, 1), WORDS))


class CalmListener:
    """Hears a calm voice in everything."""

    about = About()
    signature = "calm"

    async def listen(self, audio: Audio, call: Call, /, *, language: Language) -> AnswerStyle:
        return AnswerStyle({"calm": 1.0}, rate="slow", description="A calm voice.")


class TableJudge:
    """Gives what a table says for a way of asking; NaN where it says nothing."""

    about = About()
    signature = "table"

    def __init__(self, fitness: Mapping[str, float]) -> None:
        self.asked: list[Fields] = []
        self._fitness = fitness

    async def judge(self, fields: Fields, call: Call, /, *, language: Language) -> Fitness:
        self.asked.append(fields)
        value = self._fitness.get(fields.input_style, math.nan)
        if math.isnan(value):
            return Fitness(math.nan, reason="the table is silent")
        return Fitness(value, rationale=f"{fields.input_style}: {value:g}", parts={"content": 5.0, "style": value})
