"""Spread of scores between repeats of an item, and the trust card's probe of it."""

import math
from array import array
from dataclasses import dataclass

from aptone.messages import joined, message, sentence
from aptone.report.notation import deviation, mean
from aptone.types import Probe, ProbeState


@dataclass(frozen=True, slots=True)
class RepeatSpread:
    """Spread of scores between repeats.

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


class SpreadTally:
    """Spread of scores between repeats, from entries that come with the repeats of an item one after the other."""

    def __init__(self) -> None:
        self._id = ""
        self._numbers: list[float] = []
        self._items = self._compared = self._changed = self._mixed = self._most = 0
        self._within = array("d")

    def add(self, id: str, value: float) -> None:
        """Add the score of a repeat of an item, NaN where it has none."""
        if id != self._id:
            self.finish()
            self._id = id
        self._numbers.append(value)

    def finish(self) -> None:
        """Count the item that came last."""
        numbers, self._numbers, self._id = self._numbers, [], ""
        if len(numbers) < 2:
            return
        defined = [number for number in numbers if not math.isnan(number)]
        self._items += 1
        self._most = max(self._most, len(numbers))
        self._mixed += 0 < len(defined) < len(numbers)
        if len(defined) > 1:
            self._compared += 1
            self._changed += len(set(defined)) > 1
            self._within.append(deviation(defined))

    def spread(self) -> RepeatSpread:
        """Return the spread of all that was added."""
        self.finish()
        return RepeatSpread(
            items=self._items,
            compared=self._compared,
            changed=self._changed,
            mixed=self._mixed,
            most_repeats=self._most,
            deviation=math.nan if any(map(math.isnan, self._within)) else mean(self._within),
        )


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
