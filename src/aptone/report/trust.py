"""The trust card of a run, made from its journal, and its rows in words, the same on the terminal and the page."""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from aptone.errors import RecordError, UsageError
from aptone.messages import message, translate, words
from aptone.ratings.people import Vote
from aptone.report.groups import ReasonGroups, counted_score, counted_scores, most_frequent_first
from aptone.report.listeners import ORDER, ListenerEntries, order_agreement
from aptone.report.notation import UNDEFINED, duration, figure, interval, percent
from aptone.report.people_agreement import agreement_of_pairs, human_ceiling, human_score, item_ratings
from aptone.report.repeat_spread import RepeatSpread, SpreadTally, repeat_probe
from aptone.run.entries import JournalEntries
from aptone.types import Entry, Estimate, Language, Probe, ProbeState, ScoreState, State, TrustCard


def repeat_spread(entries: Sequence[Entry], *, score: str) -> RepeatSpread:
    """Compare the repeats of each item among the entries of a run, in any order."""
    tally = SpreadTally()
    for entry in in_order(entries):
        given = counted_score(entry, score)
        tally.add(entry.item.id, math.nan if given is None else given.value)
    return tally.spread()


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
        score: name of the score that the card speaks of; ``None`` for the first one of the first item that has any.
        stopped: reason why the run ended early.
        pending: number of items of the input that were not reached yet.
        human: item id to what people gave; ``None`` takes ``human_score`` from the items.
        tolerance: largest difference that the accuracy ACC forgives, in units of the score (CEAEval: 1 on 0 to 5).

    Raises:
        RecordError: if the same repeat of the same item comes twice.
        UsageError: if no item has a score of the name that was asked for, though some have others.
    """
    ordered = single_in_order(entries)
    tally = CardTally(main_score_name(ordered) if score is None else _known_name(ordered, score), human=human)
    for entry in ordered:
        tally.add(entry)
    card = tally.card(version=version, tolerance=tolerance)
    return replace(
        card,
        batch=batch,
        order=order,
        prompt_hashes=dict(prompt_hashes or {}),
        notes=tuple(notes),
        licence=licence,
        stopped=stopped,
        pending=pending,
    )


class CardTally:
    """What a trust card says of the entries of a run, counted one by one; see `trust_card`.

    Args:
        score: name of the score that the card speaks of.
        human: item id to what people gave; ``None`` takes ``human_score`` from the items.
        votes: choices of people between two items.
    """

    def __init__(self, score: str, *, human: Mapping[str, float] | None = None, votes: Sequence[Vote] = ()) -> None:
        self._score = score
        self._given = human
        self._votes = votes
        self._compared = dict.fromkeys((name for vote in votes for name in vote.pair), math.nan)
        self._rivals = {name: score for vote in votes for name, score in vote.scores.items()}
        self._unscored: ReasonGroups[None] = ReasonGroups(most=0)
        self._failed: ReasonGroups[None] = ReasonGroups(most=0)
        self._signatures: Counter[str] = Counter()
        self._judged, self._people = array("d"), array("d")
        self._costs, self._seconds = array("d"), array("d")
        self._raters: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self._spread = SpreadTally()
        self._items = self._done = self._rated = self._parse_failures = 0

    def add(self, entry: Entry) -> None:
        """Count an entry; entries come in the order of the input, repeats after their item."""
        given = counted_score(entry, self._score)
        value = math.nan if given is None else given.value
        self._spread.add(entry.item.id, value)
        self._parse_failures += entry.parse_failures
        self._costs.append(entry.cost)
        self._seconds.append(entry.seconds)
        if entry.repeat:
            return
        if entry.item.id in self._compared:
            self._compared[entry.item.id] = value
        self._items += 1
        person = human_score(entry) if self._given is None else self._given.get(entry.item.id, math.nan)
        if not math.isnan(person):
            self._rated += 1
            if not math.isnan(value):
                self._judged.append(value)
                self._people.append(person)
        for rater, rating in item_ratings(entry).items():
            self._raters[rater][entry.item.id] = rating
        if entry.outcome.state is State.FAILED:
            self._failed.add(entry.outcome.reason, None)
        elif reason := why_unscored(entry, self._score):
            self._unscored.add(reason, None)
        else:
            self._done += 1
            self._signatures[entry.outcome.signature or (given.signature if given else "") or UNSIGNED] += 1

    def card(self, *, version: str, tolerance: float = 1.0) -> TrustCard:
        """Return the card of what was counted; what the journal does not say is left as it is by default."""
        rated = self._rated if self._given is None else len(self._given)
        order = order_agreement({**self._compared, **self._rivals}, self._votes) if self._votes else None
        return TrustCard(
            score=self._score,
            items=self._items,
            done=self._done,
            unscored={group.reason: group.count for group in self._unscored.groups()},
            failed={group.reason: group.count for group in self._failed.groups()},
            parse_failures=self._parse_failures,
            repeat=repeat_probe(self._spread.spread()),
            signatures=most_frequent_first(self._signatures),
            cost=math.fsum(self._costs),
            seconds=math.fsum(self._seconds),
            agreement=agreement_of_pairs(self._judged, self._people, rated=rated, tolerance=tolerance)
            | ({ORDER: order[0]} if order else {}),
            ceiling=human_ceiling(self._raters, tolerance=tolerance) | ({ORDER: order[1]} if order else {}),
            version=version,
        )


def single_in_order(entries: Sequence[Entry]) -> Sequence[Entry]:
    """The entries in order (`in_order`); raises `RecordError` if the same repeat of the same item comes twice."""
    ordered = in_order(entries)
    if ordered is not entries:  # those of a journal are single
        _refuse_doubles(ordered)
    return ordered


def in_order(entries: Sequence[Entry]) -> Sequence[Entry]:
    """The entries as the user gave the items, each item's repeats after it; those of a long journal as they are."""
    if isinstance(entries, JournalEntries | ListenerEntries):
        return entries
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


Tone = Literal["good", "bad", "neutral"]
Word = Callable[..., str]


@dataclass(frozen=True, slots=True)
class TrustRow:
    """One question about a run, and its answer.

    Args:
        tone: whether it is a reason to trust, to doubt, or neither.
        badge: the tone in a word or two, so that colour is never the only sign.
        reasons: reasons behind it, with counts, the most frequent first.
        hint: how to get an answer when there is none.
    """

    title: str
    value: str
    tone: Tone = "neutral"
    badge: str = ""
    explanation: str = ""
    reasons: Mapping[str, int] | None = None
    hint: str = ""


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One statistic: the judge with people, and people with each other."""

    name: str
    judge: str
    interval: str
    count: str
    people: str
    how: str


def trust_rows(card: TrustCard, *, language: Language, spread: RepeatSpread | None = None) -> list[TrustRow]:
    """The card as rows, in reading order; a spread of repeats, where at hand, says more than the card's own detail."""
    word = words(language, "report")
    without = {"unscored": card.unscored, "failed": card.failed}
    total = card.items + card.pending
    waiting = f", {word('pending', count=card.pending)}" if card.pending else ""
    scored = TrustRow(word("row_scored"), f"{card.done} / {total} ({percent(card.done, total)}){waiting}")
    rows = [
        _judged(scored, word, good=card.done == total > 0, key="scored"),
        *(_without(counts, word, key, language) for key, counts in without.items()),
        _judged(TrustRow(word("row_parse"), str(card.parse_failures)), word, good=not card.parse_failures, key="parse"),
        _probed(word, "repeat", _with_words(card.repeat, spread, word), language),
        _probed(word, "batch", card.batch, language),
        _probed(word, "order", card.order, language),
        _signed(card, word),
    ]
    cost = word("cost_free") if card.cost == 0 else figure(card.cost)
    rows.append(TrustRow(word("row_cost"), f"{cost} · {duration(card.seconds)}", explanation=word("why_cost")))
    if card.licence:
        rows.append(TrustRow(word("row_licence"), translate(card.licence, language), explanation=word("why_licence")))
    return rows


def _without(counts: Mapping[str, int], word: Word, key: str, language: Language) -> TrustRow:
    said: Counter[str] = Counter()
    for reason, count in most_frequent_first(counts).items():
        said[translate(reason, language)] += count
    total = sum(counts.values())
    return _judged(TrustRow(word(f"row_{key}"), str(total), reasons=said), word, good=not total, key=key)


def _judged(row: TrustRow, word: Word, *, good: bool, key: str) -> TrustRow:
    tone: Tone = "good" if good else "bad"
    return replace(row, tone=tone, badge=word("fine" if good else "attention"), explanation=word(f"why_{key}"))


def _with_words(probe: Probe, spread: RepeatSpread | None, word: Word) -> Probe:
    if spread is None or not spread.compared:
        return probe
    parts = [
        word("spread", value=figure(spread.deviation), changed=spread.changed, compared=spread.compared),
        *([word("spread_mixed", mixed=spread.mixed)] if spread.mixed else []),
    ]
    return replace(probe, value=math.nan, detail=word("semicolon").join(parts))


def _probed(word: Word, name: str, probe: Probe, language: Language) -> TrustRow:
    badge = word(f"probe_{probe.state.value}")
    tones: dict[ProbeState, Tone] = {ProbeState.PASSED: "good", ProbeState.FAILED: "bad"}
    parts = [] if math.isnan(probe.value) else [figure(probe.value)]
    if probe.detail and probe.state is not ProbeState.NOT_RUN:
        parts.append(translate(probe.detail, language))
    not_run = probe.state is ProbeState.NOT_RUN
    return TrustRow(
        word(f"row_{name}"),
        " · ".join(parts) or (UNDEFINED if not_run else badge),
        tone=tones.get(probe.state, "neutral"),
        badge=badge,
        explanation=word(f"why_{name}"),
        hint=word(f"how_{name}") if not_run else "",
    )


def _signed(card: TrustCard, word: Word) -> TrustRow:
    count = len(card.signatures)
    value = word("no_signature") if not count else word("one_signature")
    row = TrustRow(
        word("row_signatures"),
        value if count < 2 else word("signatures_count", count=count),
        explanation=word("why_signatures"),
        reasons=most_frequent_first(card.signatures),
    )
    return _judged(row, word, good=count == 1, key="signatures") if count else row


def agreement_rows(card: TrustCard, *, language: Language = "en") -> list[AgreementRow]:
    """Statistics of the judge with people, each beside that of people with each other; empty without human scores."""
    names = [*card.agreement, *(name for name in card.ceiling if name not in card.agreement)]
    rows = []
    for name in sorted(names, key=_reading_order):
        judge, people = card.agreement.get(name), card.ceiling.get(name)
        spread = UNDEFINED if people is None else interval(people)
        rows.append(
            AgreementRow(
                name,
                judge=_value(judge, language),
                interval=UNDEFINED if judge is None else interval(judge),
                count=UNDEFINED if judge is None else str(judge.count),
                people=_value(people, language) + ("" if spread == UNDEFINED else f" {spread}"),
                how="" if people is None else translate(people.method, language),
            )
        )
    return rows


def _reading_order(name: str) -> tuple[int, str]:
    known = ("LCC", "ACC", "Spearman")  # a card that comes back from a file has its statistics in another order
    return (known.index(name) if name in known else len(known), name)


def _value(estimate: Estimate | None, language: Language) -> str:
    if estimate is None:
        return UNDEFINED
    if not estimate.is_defined:
        return f"{UNDEFINED} ({translate(estimate.reason, language)})"
    return f"{estimate.value:.2f}"
