"""Forecast of a run: items, seconds of sound, calls, tokens and cost; nothing is sent.

The requests of up to `REHEARSED` items are made up in full, and noted instead of being sent; the others are taken to be
like them.
"""

import math
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from aptone.audio import probe
from aptone.errors import AptoneError
from aptone.run.attempts import run_to_the_end
from aptone.run.rehearsal import Rehearsal
from aptone.types import Audio, AudioRef

Work = TypeVar("Work")

REHEARSED = 16
"""Most items whose requests are made up in full."""


@dataclass(frozen=True, slots=True)
class RunForecast:
    """What a run takes at most, if every request is readable at once and none is in the cache.

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


def forecast_run(
    works: Sequence[Work],
    recordings: Callable[[Work], Iterable[Audio | AudioRef]],
    rehearse: Callable[[Work, Rehearsal], Coroutine[Any, Any, None]],
    *,
    has_prices: bool,
    repeats: int = 1,
) -> RunForecast:
    """Return what a run over these takes.

    Args:
        recordings: recordings of an item.
        rehearse: asks what working on an item would ask, each part as far as it asks a server.
    """
    lengths = [_seconds(audio) for work in works for audio in recordings(work)]
    chosen = works[:: max(1, math.ceil(len(works) / REHEARSED))]
    calls = [Rehearsal(replies_per_request=1) for _ in chosen]
    for work, call in zip(chosen, calls, strict=True):
        run_to_the_end(rehearse(work, call))
    known = [one for call in calls for one in call.forecasts.values()]
    share = repeats * len(works) / max(1, len(chosen))
    return RunForecast(
        items=len(works),
        seconds=math.fsum(length for length in lengths if not math.isnan(length)),
        unreadable=sum(map(math.isnan, lengths)),
        calls=math.ceil(share * len(known)),
        input_tokens=math.ceil(share * sum(one.input_tokens for one in known)),
        output_tokens=math.ceil(share * sum(one.output_tokens for one in known)),
        cost=share * math.fsum(one.cost for one in known) if has_prices else math.nan,
        rehearsed=len(chosen),
    )


def _seconds(audio: Audio | AudioRef) -> float:
    if isinstance(audio, Audio):
        return audio.seconds
    try:
        whole = probe(audio.path).seconds
    except AptoneError:
        return math.nan
    return max(0.0, (whole if audio.end is None else min(whole, audio.end)) - audio.start)
