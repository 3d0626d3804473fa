"""The trust card of a run: what stands at its end, made from its journal."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from aptone.errors import RecordError, UsageError
from aptone.messages import message
from aptone.report.people_agreement import agreement_with_people, human_ceiling, human_scores, single_ratings
from aptone.report.repeats import repeat_probe, repeat_spread
from aptone.report.unscored import count_reasons, counted_score, counted_scores, most_frequent_first
from aptone.types import Entry, Probe, ScoreState, State, TrustCard

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
    """How far the scores of a run can be relied on.

    ``items = done + unscored + failed`` always holds. An item counts as done when its score is a number, or is not
    needed; an outcome that is done, but whose score is undefined, counts as unscored, by the score's own reason.

    Agreement with people and the ceiling are described at `aptone.report.people_agreement`; repeats at
    `aptone.report.repeats`. Counts and agreement rest on repeat 0; parse failures, cost and seconds are sums over all
    entries.

    Args:
        entries: one for each journal line that counts, repeats included, in any order.
        version: of aptone.
        score: name of the score that the card speaks of; ``None`` for the first one of the first item that has any.
        batch: the batch probe, when it was run.
        order: the order probe, when it was run.
        prompt_hashes: hashes of the prompts, by name.
        notes: what a reader must know.
        licence: of the weights that judged.
        stopped: why the run ended early.
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
    """Why an entry that has not failed has no number of this name; empty when it has one, or needs none."""
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
