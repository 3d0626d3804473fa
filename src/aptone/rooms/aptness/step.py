"""Step of the room: planner and judge turn a spoken line into scores."""

import asyncio
import inspect
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from aptone.audio import read_ref, resample
from aptone.ear.reference import Clip
from aptone.ear.referenced import voice_in
from aptone.errors import UsageError
from aptone.judge import BatchJudge, Hearing, Judge, MultilingualJudge
from aptone.judge.calibration import calibrated, load_calibration
from aptone.messages import LANGUAGES, message
from aptone.models import About, Engine
from aptone.models.parts import make_part
from aptone.planner import KeepingPlanner, Planner
from aptone.run import AnyStep, Call, Ended, ReplyStore, RunConfig
from aptone.run.attempts import perform_once
from aptone.types import (
    Audio,
    Entry,
    Item,
    Json,
    Language,
    Outcome,
    Plan,
    Probe,
    ProbeState,
    Sample,
    from_json,
    to_json,
)

JUDGED_RATE = 16_000
"""Samples per second at which judges hear a clip."""

CALIBRATION = "judge.calibration"
"""The option that fits the scores of any judge to a person's ratings."""

LONGEST_LINE = 300.0
"""Seconds beyond which a recording is not one spoken line, but a chapter that has to be cut first."""


class CarryOut(Protocol):
    """Runner of a run over items, with the limits and the cache of a command; see `aptone.run.run_items`."""

    def __call__(
        self, items: Sequence[Item], step: AnyStep, *, folder: Path, config: RunConfig, width: int, label: str
    ) -> Ended:
        """The run, as far as it got."""
        ...


ONE_CLIP = Probe(ProbeState.NOT_APPLICABLE, detail=message("aptness.one-clip-at-a-time"))
"""Result of the order probe for a single clip."""


@dataclass(frozen=True, slots=True)
class AptnessStep:
    """Sample → plan → judge → outcome.

    Planner and judge may be plain or coroutines. Plain work is done in the runner's thread for this item, so that a
    slow judge does not hold up the other items.
    """

    planner: Planner
    judge: Judge

    def __call__(self, item: Item, call: Call, /) -> Outcome | Awaitable[Outcome]:
        """The outcome of one item whose payload is a `Sample`."""
        return self.on_sample(from_json(Sample, item.payload), call)

    def on_sample(self, sample: Sample, call: Call) -> Outcome | Awaitable[Outcome]:
        """The outcome of one sample."""
        audio = judged_audio(sample)  # before any call is paid for
        plan = self.planner.plan(sample, call)
        if isinstance(plan, Plan):
            return self.judge.judge(audio, plan, sample, call)
        return self._when_planned(plan, audio, sample, call)

    async def _when_planned(self, plan: Awaitable[Plan], audio: Audio, sample: Sample, call: Call) -> Outcome:
        planned = await plan
        is_plain = not inspect.iscoroutinefunction(self.judge.judge)
        judge = partial(self.judge.judge, audio, planned, sample, call)
        verdict = await asyncio.to_thread(judge) if is_plain else judge()
        return verdict if isinstance(verdict, Outcome) else await verdict

    def settings(self) -> dict[str, Json]:
        """Settings that a score depends on, for the configuration of a run."""
        return {"planner": self.planner.signature, "judge": self.judge.signature}

    @property
    def about(self) -> About:
        """Requirements and notices to show before a run."""
        return self.planner.about + self.judge.about

    def about_scoring(self, samples: Sequence[Sample]) -> About:
        """Requirements and notices for these samples; the planner's only where a sample needs a plan."""
        is_spared = isinstance(self.planner, KeepingPlanner) and not self.planner.replans
        return self.judge.about if is_spared and all(sample.plan for sample in samples) else self.about


@dataclass(frozen=True, slots=True)
class BatchedAptnessStep(AptnessStep):
    """The same on several samples at once, for judges that hear them together."""

    judge: BatchJudge

    @property
    def batch_size(self) -> int:
        """Batch size of the judge."""
        return self.judge.batch_size

    async def batch(self, items: Sequence[Item], calls: Sequence[Call], /) -> list[Outcome]:
        """The outcomes of items whose payloads are samples.

        What goes wrong with one is raised when the others are through, so that trying each alone repeats nothing.
        """
        waiting = (self._hearing(item, call) for item, call in zip(items, calls, strict=True))
        ready = await asyncio.gather(*waiting, return_exceptions=True)
        outcomes = await self.judge.judge_batch([hearing for hearing in ready if isinstance(hearing, Hearing)])
        for problem in ready:
            if isinstance(problem, BaseException):
                raise problem
        return outcomes

    async def _hearing(self, item: Item, call: Call) -> Hearing:
        sample = from_json(Sample, item.payload)
        audio = await asyncio.to_thread(judged_audio, sample)
        if inspect.iscoroutinefunction(self.planner.plan):
            plan = await self.planner.plan(sample, call)
        else:
            plan = await asyncio.to_thread(self.planner.plan, sample, call)
        return Hearing(audio, plan, sample, call)


def judged_audio(sample: Sample) -> Audio:
    """The recording of a sample as judges hear it.

    Raises:
        AudioError: if it cannot be read, or is longer than a line can be.
    """
    if isinstance(sample.audio, Audio):
        return resample(sample.audio, rate=JUDGED_RATE)
    return read_ref(sample.audio, rate=JUDGED_RATE, channel="mix", max_seconds=LONGEST_LINE)


def make_step(
    engine: Engine,
    *,
    planner: str | None = None,
    judge: str | None = None,
    settings: Mapping[str, Json] | None = None,
    lang: Language | None = None,
) -> AptnessStep:
    """The step of an engine, with its planner and judge or with others.

    Args:
        settings: options of the parts, as ``planner.<option>`` and ``judge.<option>``; they go before the engine's.
            ``judge.calibration`` is the file of a calibration, for any judge.
        lang: language of the reasons, where the judge can choose; by default that of the story. It changes no score.

    Raises:
        MissingExtraError: if a part cannot run here.
        RegistryError: if a name is unknown.
        UsageError: if a part has no such option, or no catalogue is in this language.
    """
    if lang is not None and lang not in LANGUAGES:
        raise UsageError(f"reasons cannot be given in {lang!r}; expected lang to be one of {', '.join(LANGUAGES)}.")
    given = {**engine.settings, **(settings or {})}
    if stray := [name for name in given if name.partition(".")[0] not in ("planner", "judge")]:
        raise UsageError(f"{stray[0]!r} belongs to no part; expected planner.<option> or judge.<option>.")
    calibration = given.pop(CALIBRATION, None)
    plans = make_part("planner", planner or engine.planner, given)
    judges = make_part("judge", judge or engine.judge, given)
    hears_several = isinstance(judges, BatchJudge) and judges.batch_size > 1
    step = in_language(BatchedAptnessStep(plans, judges) if hears_several else AptnessStep(plans, judges), lang)
    step.planner.about.require(f"planner {planner or engine.planner!r}")
    step.judge.about.require(f"judge {judge or engine.judge!r}")
    if calibration is None:
        return step
    if not isinstance(calibration, str):
        raise UsageError(f"{CALIBRATION} is the path of a file that aptone calibrate wrote, got {calibration!r}.")
    fitted = calibrated(step.judge, load_calibration(Path(calibration)), planner=step.planner.signature)
    return replace(step, judge=fitted)


def in_language(step: AptnessStep, lang: Language | None) -> AptnessStep:
    """The same step with reasons in a language, where the judge can choose; ``None`` for that of the story."""
    if lang is None or not isinstance(step.judge, MultilingualJudge):
        return step
    return replace(step, judge=step.judge.with_language(lang))


def voice_clips(samples: Iterable[Sample]) -> list[Clip]:
    """Samples as clips of a collection, with their voices where their identifiers say whose they are."""
    return [Clip(voice_in(sample.ids), sample.id, sample.audio) for sample in samples]


def score_sample(sample: Sample, step: AptnessStep, *, seed: int = 0, store: ReplyStore | None = None) -> Outcome:
    """Score one sample with the runner's care for retries and unreadable replies, but without a run folder.

    Raises:
        AptoneError: if it failed; a reply that could not be read is an unscored outcome instead.
    """
    return judge_sample(sample, step, seed=seed, store=store).outcome


def judge_sample(sample: Sample, step: AptnessStep, *, seed: int = 0, store: ReplyStore | None = None) -> Entry:
    """The same with what it took; the item of the entry has no payload."""
    heard = replace(sample, audio=judged_audio(sample))  # a bad recording raises as it is
    return perform_once(lambda call: step.on_sample(heard, call), id=sample.id, seed=seed, store=store)


def sample_entry(sample: Sample, outcome: Outcome) -> Entry:
    """An outcome beside its sample, as reports and tables take them."""
    return Entry(Item.make(sample.id, to_json(sample)), outcome)
