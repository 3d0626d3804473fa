"""The trust card as rows of words: the terminal and the page show the same ones."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from aptone.messages import translate, words
from aptone.report.numbers import UNDEFINED, duration, figure, interval, percent
from aptone.report.trust import RepeatSpread
from aptone.report.unscored import most_frequent_first
from aptone.types import Estimate, Language, Probe, ProbeState, TrustCard

Tone = Literal["good", "bad", "neutral"]
Word = Callable[..., str]


@dataclass(frozen=True, slots=True)
class TrustRow:
    """One question about a run, and its answer.

    Args:
        title: the question.
        value: the answer, short.
        tone: whether it is a reason to trust, to doubt, or neither.
        badge: the tone in a word or two, so that colour is never the only sign.
        explanation: meaning of the number, in plain words.
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
    """The card as rows, in the order in which they are read.

    Args:
        card: card of the run.
        language: language of the words.
        spread: spread of the repeats, where the entries are at hand: it says more than the card's own detail.
    """
    word = words(language, "report")
    unscored, failed = sum(card.unscored.values()), sum(card.failed.values())
    total = card.items + card.pending
    waiting = f", {word('pending', count=card.pending)}" if card.pending else ""
    scored = TrustRow(word("row_scored"), f"{card.done} / {total} ({percent(card.done, total)}){waiting}")
    rows = [
        _judged(scored, word, good=card.done == total > 0, key="scored"),
        _judged(
            TrustRow(word("row_unscored"), str(unscored), reasons=_reasons(card.unscored, language)),
            word,
            good=not unscored,
            key="unscored",
        ),
        _judged(
            TrustRow(word("row_failed"), str(failed), reasons=_reasons(card.failed, language)),
            word,
            good=not failed,
            key="failed",
        ),
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


def _reasons(counts: Mapping[str, int], language: Language) -> dict[str, int]:
    said: dict[str, int] = {}
    for reason, count in most_frequent_first(counts).items():
        told_so = translate(reason, language)
        said[told_so] = said.get(told_so, 0) + count
    return said


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
    if not count:
        return row
    return replace(row, tone="good" if count == 1 else "bad", badge=word("fine" if count == 1 else "attention"))


def agreement_rows(card: TrustCard, *, language: Language = "en") -> list[AgreementRow]:
    """Statistics of the judge with people, each beside that of people with each other; empty without human scores."""
    names = [*card.agreement, *(name for name in card.ceiling if name not in card.agreement)]
    rows = []
    for name in sorted(names, key=_reading_order):
        judge, people = card.agreement.get(name), card.ceiling.get(name)
        rows.append(
            AgreementRow(
                name,
                judge=_value(judge, language),
                interval=UNDEFINED if judge is None else interval(judge),
                count=UNDEFINED if judge is None else str(judge.count),
                people=" ".join([_value(people, language), *_interval_if_any(people)]),
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


def _interval_if_any(estimate: Estimate | None) -> list[str]:
    return [] if estimate is None or interval(estimate) == UNDEFINED else [interval(estimate)]
