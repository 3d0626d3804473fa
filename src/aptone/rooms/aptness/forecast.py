"""Forecast of what scoring will take; nothing is sent."""

import contextlib
import inspect
from collections.abc import Sequence

from aptone.errors import AptoneError, UnusableReplyError
from aptone.rooms.aptness.step import AptnessStep, judged_audio
from aptone.run.forecast import RunForecast, forecast_run
from aptone.run.rehearsal import Rehearsal
from aptone.types import Plan, Sample


def forecast_scoring(step: AptnessStep, samples: Sequence[Sample], *, repeats: int = 1) -> RunForecast:
    """Return what scoring these samples takes."""

    async def rehearse(sample: Sample, call: Rehearsal) -> None:
        planner, judge = step.planner, step.judge
        if planner.about.asks_server and inspect.iscoroutinefunction(planner.plan):
            with contextlib.suppress(UnusableReplyError):
                await planner.plan(sample, call)
        if judge.about.asks_server and inspect.iscoroutinefunction(judge.judge):
            plan = sample.plan or Plan("neutral")  # any plan: prompts differ by a few words
            with contextlib.suppress(AptoneError):  # a recording that cannot be read costs no call
                await judge.judge(judged_audio(sample), plan, sample, call)

    has_prices = not step.about_scoring(samples).unpriced
    return forecast_run(samples, lambda one: [one.audio], rehearse, has_prices=has_prices, repeats=repeats)
