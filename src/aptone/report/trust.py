"""The trust card of a run: what stands at its end, made from its journal."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from aptone.errors import RecordError, UsageError
from aptone.messages import joined, message, sentence
from aptone.report.numbers import deviation, mean
from aptone.report.people_agreement import agreement_with_people, human_ceiling, human_scores, single_ratings
from aptone.report.unscored import count_reasons, counted_score, counted_scores, most_frequent_first
from aptone.types import Entry, Probe, ProbeState, ScoreState, State, TrustCard


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


def repeat_spread(entries: Iterable[Entry], *, score: str) -> RepeatSpread:
    """Compare the repeats of each item.

    Args:
        entries: entries of a run, repeats included, in any order.
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


NOT_RUN = Probe()
"""A probe that nobody ran."""

UNSIGNED = "unsigned"
"""Stands for the signature of scores that carry none."""


def trust_card(
    entries: Sequence[Entry],
    *,
    version: str,
    score: str | None = None,
    batch: Probe = NOT_RUN,
    order: Probe = NOT_RUN,
    prompt_hashes: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    licence: str = "",
    stopped: str = "",
    pending: int = 0,
    human: Mapping[str, float] | None = None,
    tolerance: float = 1.0,
) -> TrustCard:
    """Return the trust card: how far the scores of a run can be relied on.

    ``items = done + unscored + failed`` always holds. An item counts as done when its score is a number, or is not
    needed; an outcome that is done, but whose score is undefined, counts as unscored, by the score's own reason.

    Agreement with people and the ceiling are described at `aptone.report.people_agreement`; repeats at
    `aptone.report.trust`. Counts and agreement rest on repeat 0; parse failures, cost and seconds are sums over all
    entries.

    Args:
        entries: one for each journal line that counts, repeats included, in any order.
        version: version of aptone.
        score: name of the score that the card speaks of; ``None`` for the first one of the first item that has any.
        batch: the batch probe, when it was run.
        order: the order probe, when it was run.
        prompt_hashes: hashes of the prompts, by name.
        notes: notes for the reader.
        licence: licence of the weights that judged.
        stopped: reason why the run ended early.
        pending: how many items of the input were not reached yet.
        human: item id to what people gave; ``None`` takes ``human_score`` from the items.
        tolerance: largest difference that the accuracy ACC forgives, in units of the score (CEAEval: 1 on 0 to 5).

    Raises:
        RecordError: if the same repeat of the same item comes twice.
        UsageError: if no item has a score of the name that was asked for, though some have others.
    """
    _refuse_doubles(entries)
    ordered = in_order(entries)
    name = main_score_name(ordered) if score is None else _known_name(ordered, score)
    first = [entry for entry in ordered if entry.repeat == 0]
    unscored: list[str] = []
    failed: list[str] = []
    signatures: Counter[str] = Counter()
    judged: dict[str, float] = {}
    for entry in first:
        given = counted_score(entry, name)
        judged[entry.item.id] = math.nan if given is None else given.value
        if entry.outcome.state is State.FAILED:
            failed.append(entry.outcome.reason)
        elif reason := why_unscored(entry, name):
            unscored.append(reason)
        else:
            signatures[entry.outcome.signature or (given.signature if given else "") or UNSIGNED] += 1
    return TrustCard(
        score=name,
        items=len(first),
        done=len(first) - len(unscored) - len(failed),
        unscored=count_reasons(unscored),
        failed=count_reasons(failed),
        parse_failures=sum(entry.parse_failures for entry in ordered),
        repeat=repeat_probe(repeat_spread(ordered, score=name)),
        batch=batch,
        order=order,
        signatures=most_frequent_first(signatures),
        prompt_hashes=dict(prompt_hashes or {}),
        cost=math.fsum(entry.cost for entry in ordered),
        seconds=math.fsum(entry.seconds for entry in ordered),
        agreement=agreement_with_people(judged, human_scores(first) if human is None else human, tolerance=tolerance),
        ceiling=human_ceiling(single_ratings(first), tolerance=tolerance),
        notes=tuple(notes),
        licence=licence,
        version=version,
        stopped=stopped,
        pending=pending,
    )


def in_order(entries: Sequence[Entry]) -> list[Entry]:
    """The entries as the user gave the items, each item's repeats after it."""
    return sorted(entries, key=lambda entry: (entry.item.position, entry.item.id, entry.repeat))


def main_score_name(entries: Sequence[Entry]) -> str:
    """Name of the main score of the first entry that has any; empty when none has."""
    return next((entry.outcome.main_score for entry in in_order(entries) if counted_scores(entry)), "")


def why_unscored(entry: Entry, name: str) -> str:
    """Return the reason why an entry has no number of this name; empty when it has one, or needs none."""
    if entry.outcome.state is not State.DONE:
        return entry.outcome.reason
    given = counted_score(entry, name)
    if given is None:
        return message("report.no-score-named-among", name=name, names=", ".join(entry.outcome.scores))
    return given.reason if given.state is ScoreState.UNDEFINED else ""


def _refuse_doubles(entries: Sequence[Entry]) -> None:
    seen: set[tuple[str, int]] = set()
    for entry in entries:
        key = (entry.item.id, entry.repeat)
        if key in seen:
            raise RecordError(
                f"item {entry.item.id!r}, repeat {entry.repeat}: expected one entry, got two; "
                "pass only the last journal line of each."
            )
        seen.add(key)


def _known_name(entries: Sequence[Entry], score: str) -> str:
    known = {name: None for entry in entries for name in counted_scores(entry)}
    if known and score not in known:
        raise UsageError(f"no item has a score named {score!r}; expected one of {', '.join(known)}.")
    return score
