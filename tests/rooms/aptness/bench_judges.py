"""Judges whose agreement with people is known by hand, for the tests of the benchmark."""

import math
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from aptone.audio import write
from aptone.errors import UnusableReplyError
from aptone.models import About
from aptone.run import Call
from aptone.types import Audio, AudioRef, Language, Line, Outcome, Plan, Sample, Score, State

HUMAN = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 4.0}
STORY = tuple(Line(f"Line {number} of the story.") for number in range(12))


def tone(folder: Path) -> Path:
    """A clip of a twentieth of a second."""
    path = folder / "tone.wav"
    write(path, Audio((0.1 * np.sin(np.arange(800) / 20)).astype(np.float32), rate=16_000))
    return path


def samples(clip: Path, human: Mapping[str, float] = HUMAN, *, plan: Plan | None = None) -> list[Sample]:
    """A rated line for each human score."""
    return [
        Sample(name, AudioRef(str(clip)), Line(f"It is {name}."), context=STORY, plan=plan, human_score=score)
        for name, score in human.items()
    ]


class TableJudge:
    """Gives each line the score that a table says; a line that is not in it gets a reply without a score."""

    def __init__(self, scores: Mapping[str, float], *, name: str = "table", parameters: int = 0) -> None:
        self.signature = name
        self.about = About(parameters=parameters)
        self.seen: list[tuple[str, int, str]] = []
        self._scores = scores

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        self.seen.append((sample.id, len(sample.context) + len(sample.following), plan.emotion))
        if sample.id not in self._scores:
            raise UnusableReplyError("no score in the reply", raw_reply="er")
        score = Score(self._scores[sample.id], range=(0.0, 5.0))
        return Outcome(State.DONE, {"aptness": score}, signature=self.signature)


class OpenPlanner:
    """Plans by the number of lines that it sees, so that tests can tell."""

    about = About()
    signature = "planner:open"

    def plan(self, sample: Sample, call: Call, /) -> Plan:
        return Plan(f"planned from {len(sample.context)} lines")


class SwitchedJudge:
    """A judge with every switch of the benchmark, which is right only under some conditions.

    It is exactly right with Mandarin prompts; with English ones it swaps b and c, and a reasoned verdict on d cannot be
    read.
    """

    about = About(notes=("made for a test",))

    def __init__(
        self,
        *,
        reasoning: bool = True,
        show: str = "plan",
        context_size: int = 15,
        prompt_language: Language | None = None,
    ) -> None:
        self._options = (reasoning, show, context_size, prompt_language)

    @property
    def signature(self) -> str:
        return f"switched {self._options}"

    async def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        reasoning, show, context_size, language = self._options
        assert show != "context" or len(sample.context) + len(sample.following) == min(context_size, len(STORY))
        if reasoning and sample.id == "d":
            return Outcome.unscored("cut off before the score", raw_reply="well", signature=self.signature)
        swapped = {"b": "c", "c": "b"} if language == "en" else {}
        value = HUMAN[swapped.get(sample.id, sample.id)]
        return Outcome(State.DONE, {"aptness": Score(value, range=(0.0, 5.0))}, signature=self.signature)


class StoppingJudge(TableJudge):
    """Writes down every line that it judges, and stops in the middle of one.

    Args:
        log: of what it has begun.
        stops_at: how many lines it begins; it is not done with the last of them while anybody looks.
    """

    def __init__(self, log: Path, *, stops_at: float = math.inf) -> None:
        super().__init__(HUMAN, name="slow")
        self._log = log
        self._stops_at = stops_at

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(f"{plan.emotion}/{sample.id}\n")
        if len(self._log.read_text(encoding="utf-8").splitlines()) >= self._stops_at:
            time.sleep(900)
        return super().judge(audio, plan, sample, call)
