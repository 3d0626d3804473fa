"""Forecast of what judging captions will take; nothing is sent."""

import contextlib
from collections.abc import Sequence

from aptone.errors import AptoneError
from aptone.rooms.caption.data import CaptionSample
from aptone.rooms.caption.decompose.built_in import decompose
from aptone.rooms.caption.step import CaptionStep, heard
from aptone.run.forecast import RunForecast, forecast_run
from aptone.run.rehearsal import Rehearsal


def forecast_captions(step: CaptionStep, samples: Sequence[CaptionSample], *, repeats: int = 1) -> RunForecast:
    """Return what judging these takes; the claims that a model would find are taken to be those of our grammar."""

    async def rehearse(sample: CaptionSample, call: Rehearsal) -> None:
        texts = [text for text in (sample.caption, sample.reference) if text.strip()]
        if step.decomposer.about.asks_server:
            for text in texts:
                with contextlib.suppress(AptoneError):
                    await step.decomposer.decompose(text, language=sample.language, call=call)
        units = [decompose(text, language=sample.language) for text in texts]
        language = step.language or sample.language
        if units and step.verifier.about.asks_server:
            with contextlib.suppress(AptoneError):
                await step.verifier.verify(units[0], heard(sample.audio), sample, call, language=language)
        if len(units) > 1 and step.matcher.about.asks_server:
            with contextlib.suppress(AptoneError):
                await step.matcher.match(units[0], units[1], language=sample.language, call=call)

    has_prices = not step.about.unpriced
    return forecast_run(samples, lambda one: [one.audio], rehearse, has_prices=has_prices, repeats=repeats)
