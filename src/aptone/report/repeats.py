"""Do repeated calls give the same score? What the repeats of a run say about it."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aptone.messages import joined, message, sentence
from aptone.report.numbers import deviation, mean
from aptone.report.unscored import counted_score
from aptone.types import Entry, Probe, ProbeState


@dataclass(frozen=True, slots=True)
class RepeatSpread:
    """How much scores moved between repeats.

    Args:
        items: items that were judged more than once.
        compared: those of them with at least two numbers.
        changed: those of `compared` whose numbers are not all equal.
        mixed: items with a number in one repeat and none in another.
        most_repeats: the most times that one item was judged.
        deviation: mean over `compared` of the sample standard deviation within the item (divisor n - 1), in units of
            the score; 0 means that nothing moved; NaN when nothing could be compared, or when it is no finite float.
    """

    items: int = 0
    compared: int = 0
    changed: int = 0
    mixed: int = 0
    most_repeats: int = 0
    deviation: float = math.nan

    @property
    def state(self) -> ProbeState:
        """Passed only if every item that was repeated kept its score, or kept having none.

        Not run without repeats; not applicable when the repeated items never got two numbers.
        """
        if not self.items:
            return ProbeState.NOT_RUN
        if self.changed or self.mixed:
            return ProbeState.FAILED
        return ProbeState.PASSED if self.compared else ProbeState.NOT_APPLICABLE


def repeat_spread(entries: Iterable[Entry], *, score: str) -> RepeatSpread:
    """Compare the repeats of each item.

    Args:
        entries: of a run, repeats included, in any order.
        score: name of the score that is compared.
    """
    values: defaultdict[str, list[float]] = defaultdict(list)
    for entry in entries:
        given = counted_score(entry, score)
        values[entry.item.id].append(math.nan if given is None else given.value)
    repeated = [numbers for numbers in values.values() if len(numbers) > 1]
    defined = [[number for number in numbers if not math.isnan(number)] for numbers in repeated]
    compared = [numbers for numbers in defined if len(numbers) > 1]
    return RepeatSpread(
        items=len(repeated),
        compared=len(compared),
        changed=sum(len(set(numbers)) > 1 for numbers in compared),
        mixed=sum(0 < len(some) < len(every) for some, every in zip(defined, repeated, strict=True)),
        most_repeats=max(map(len, repeated), default=0),
        deviation=_mean_deviation(compared),
    )


def _mean_deviation(compared: Sequence[Sequence[float]]) -> float:
    within = [deviation(numbers) for numbers in compared]
    return math.nan if any(map(math.isnan, within)) else mean(within)


def repeat_probe(spread: RepeatSpread) -> Probe:
    """The spread as the card's probe; `value` is the mean deviation within items."""
    if not spread.items:
        return Probe(state=spread.state, detail=message("report.no-item-judged-more-once"))
    parts = [message("report.items-judged-up-times", items=spread.items, times=spread.most_repeats)]
    if spread.compared:
        share = spread.changed / spread.compared
        parts.append(message("report.scores-changed", changed=spread.changed, compared=spread.compared, share=share))
    else:
        parts.append(message("report.none-got-two-scores-compare"))
    if spread.mixed:
        parts.append(message("report.scored-repeat-not-another", mixed=spread.mixed))
    return Probe(state=spread.state, value=spread.deviation, items=spread.items, detail=sentence(joined(parts)))
