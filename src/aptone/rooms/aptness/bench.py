"""How lines flow through a planner and a judge to scores."""

import inspect
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from aptone.audio import from_array, read_ref, resample
from aptone.errors import UsageError
from aptone.judge import Judge
from aptone.models import Engine
from aptone.planner import Planner
from aptone.registry import Registry
from aptone.rooms.aptness.data import read_plan
from aptone.run import Call
from aptone.run.loop import run_to_the_end
from aptone.types import Audio, AudioRef, Item, Json, Language, Line, Outcome, Plan, Sample, from_json, signature

JUDGED_RATE = 16_000
"""Samples per second at which judges hear a clip."""

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class AptnessStep:
    """Sample → plan → judge → outcome.

    Args:
        planner: says how the line should sound.
        judge: says how well the clip does that.
    """

    planner: Planner
    judge: Judge

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """The outcome of one item whose payload is a `Sample`."""
        return await self.on_sample(from_json(Sample, item.payload), call)

    async def on_sample(self, sample: Sample, call: Call) -> Outcome:
        """The outcome of one sample."""
        plan = await _settled(self.planner.plan(sample, call))
        audio = sample.audio
        if not isinstance(audio, Audio):
            audio = read_ref(audio, rate=JUDGED_RATE, channel="mix")
        return await _settled(self.judge.judge(audio, plan, sample, call))

    def settings(self) -> dict[str, Json]:
        """What a score depends on, for the configuration of a run."""
        return {"planner": self.planner.signature, "judge": self.judge.signature}

    @property
    def signature(self) -> str:
        """Planner and judge in one line."""
        return signature("aptness", self.settings())


def make_step(engine: Engine, *, planner: str | None = None, judge: str | None = None) -> AptnessStep:
    """The step of an engine, with its planner and judge or with others.

    Raises:
        MissingExtraError: if the engine cannot run here.
        RegistryError: if a name is unknown.
    """
    engine.require()
    make_planner = Registry("planners", type).load(planner or engine.planner)
    make_judge = Registry("judges", type).load(judge or engine.judge)
    return AptnessStep(planner=make_planner(), judge=make_judge())


def score(
    audio: str | Path | Audio | npt.NDArray[np.float32],
    *,
    line: str,
    plan: Plan | Mapping[str, Json] | None = None,
    rate: int | None = None,
    context: Sequence[str] = (),
    language: Language = "en",
    engine: str = "built-in",
) -> Outcome:
    """Score one spoken line.

    Args:
        audio: a path, an `Audio`, or an array of samples (then with `rate`).
        line: the words that are spoken.
        plan: how it should sound; needed by engines that cannot plan.
        rate: samples per second of an array.
        context: the lines before it in the story.
        language: of the story, and so of the rationale.
        engine: what judges; ``aptone doctor`` lists them.

    Returns:
        The outcome, with ``scores["aptness"].value`` from 0 to 5, ``rationale`` and ``evidence``.

    Raises:
        AptoneError: if the recording, the plan or the engine cannot be used.
    """
    sample = Sample(
        id="line",
        audio=_given_audio(audio, rate),
        target=Line(line),
        context=tuple(Line(text) for text in context),
        language=language,
        plan=plan if plan is None or isinstance(plan, Plan) else read_plan(plan, where="plan"),
    )
    step = make_step(Registry("engines", Engine).load(engine))
    return run_to_the_end(step.on_sample(sample, Call()))


def _given_audio(audio: str | Path | Audio | npt.NDArray[np.float32], rate: int | None) -> Audio | AudioRef:
    if isinstance(audio, Audio):
        return resample(audio, rate=JUDGED_RATE)
    if isinstance(audio, str | Path):
        if rate is not None:
            raise UsageError("a rate belongs to an array; a file states its own.")
        return AudioRef(str(audio))
    if rate is None:
        raise UsageError("an array needs its rate in samples per second: score(samples, rate=16000, ...).")
    return resample(from_array(audio, rate=rate), rate=JUDGED_RATE)


async def _settled(value: Value | Awaitable[Value]) -> Value:
    return await value if inspect.isawaitable(value) else value
