"""Forecast of what scoring will take: items, seconds of sound, calls, tokens and cost; nothing is sent."""

import contextlib
import inspect
import math
from collections.abc import Sequence
from dataclasses import dataclass

from aptone.audio import probe
from aptone.errors import AptoneError, UnusableReplyError
from aptone.models import About
from aptone.rooms.aptness.step import AptnessStep, judged_audio
from aptone.run.attempts import run_to_the_end
from aptone.run.rehearsal import Rehearsal
from aptone.types import Audio, Plan, Sample

REHEARSED = 16
"""Most items whose requests are made up in full; the others are taken to be like them."""


@dataclass(frozen=True, slots=True)
class ScoringForecast:
    """What scoring takes at most, if every request is readable at once and none is in the cache.

    Args:
        seconds: seconds of sound, of the recordings that can be read.
        unreadable: recordings that cannot be read.
        output_tokens: tokens written if every reply has its full length.
        cost: upper bound of the cost; NaN where a price is unknown.
        rehearsed: items that calls and tokens were computed from.
    """

    items: int
    seconds: float
    unreadable: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float
    rehearsed: int


def forecast_scoring(step: AptnessStep, samples: Sequence[Sample], *, repeats: int = 1) -> ScoringForecast:
    """Return what scoring these samples takes. Up to `REHEARSED` of them, evenly spread, are rehearsed."""
    lengths = [_seconds(sample) for sample in samples]
    every = max(1, math.ceil(len(samples) / REHEARSED))
    chosen = samples[::every]
    known = [one for sample in chosen for one in _rehearse(step, sample).forecasts.values()]
    share = repeats * len(samples) / max(1, len(chosen))
    has_price = not step.about_scoring(samples).unpriced
    return ScoringForecast(
        items=len(samples),
        seconds=math.fsum(length for length in lengths if not math.isnan(length)),
        unreadable=sum(map(math.isnan, lengths)),
        calls=math.ceil(share * len(known)),
        input_tokens=math.ceil(share * sum(one.input_tokens for one in known)),
        output_tokens=math.ceil(share * sum(one.output_tokens for one in known)),
        cost=share * math.fsum(one.cost for one in known) if has_price else math.nan,
        rehearsed=len(chosen),
    )


def without_calls(about: About) -> bool:
    """Check that a part asks no server."""
    return "httpx" not in about.modules


def _seconds(sample: Sample) -> float:
    if isinstance(sample.audio, Audio):
        return sample.audio.seconds
    try:
        whole = probe(sample.audio.path).seconds
    except AptoneError:
        return math.nan
    end = whole if sample.audio.end is None else min(whole, sample.audio.end)
    return max(0.0, end - sample.audio.start)


def _rehearse(step: AptnessStep, sample: Sample) -> Rehearsal:
    """Rehearse planner and judge, each as far as it asks a server; work on this machine is not done."""
    call = Rehearsal(replies_per_request=1)

    async def work() -> None:
        planner, judge = step.planner, step.judge
        if not without_calls(planner.about) and inspect.iscoroutinefunction(planner.plan):
            with contextlib.suppress(UnusableReplyError):
                await planner.plan(sample, call)
        if not without_calls(judge.about) and inspect.iscoroutinefunction(judge.judge):
            plan = sample.plan or Plan("neutral")  # any plan: prompts differ by a few words
            with contextlib.suppress(AptoneError):  # a recording that cannot be read costs no call
                await judge.judge(judged_audio(sample), plan, sample, call)

    run_to_the_end(work())
    return call
