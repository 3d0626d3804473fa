"""The trust card: how far the scores of a run can be relied on."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from aptone.types.score import Estimate


class ProbeState(StrEnum):
    """Result of a probe."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not-run"
    NOT_APPLICABLE = "not-applicable"


@dataclass(frozen=True, slots=True)
class Probe:
    """An experiment on the judge itself.

    Args:
        value: measured value, for instance the largest change of a score.
        items: how many items it rests on.
        detail: explanation: what was compared, or why it was not.
    """

    state: ProbeState = ProbeState.NOT_RUN
    value: float = math.nan
    items: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TrustCard:
    """Trust card: the summary at the end of every run.

    Args:
        score: name of the score that the card speaks of.
        items: how many items were worked on.
        pending: how many items of the input were not reached yet.
        done: how many were scored.
        unscored: how many had a reply without a readable score, by reason.
        failed: how many had no reply, by reason.
        parse_failures: replies that could not be read, those that a retry mended included.
        repeat: do repeated calls give the same score? `value` is the mean deviation within items.
        batch: does the batch size change scores? `value` is the largest difference.
        order: does the order change pairwise choices? `value` is the share that changed.
        signatures: what produced the scores, and how many items each; more than one means that they do not compare.
        seconds: time spent on items, all workers together.
        agreement: agreement with people, by statistic; empty when there are no labels.
        ceiling: agreement of people with each other, by the same statistics.
        notes: notes for the reader, for instance that nobody compared the engine with listeners.
        stopped: reason why the run ended early; empty when it did not.
    """

    score: str
    items: int
    done: int
    unscored: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, int] = field(default_factory=dict)
    parse_failures: int = 0
    repeat: Probe = field(default_factory=Probe)
    batch: Probe = field(default_factory=Probe)
    order: Probe = field(default_factory=Probe)
    signatures: Mapping[str, int] = field(default_factory=dict)
    prompt_hashes: Mapping[str, str] = field(default_factory=dict)
    cost: float = 0.0
    seconds: float = 0.0
    agreement: Mapping[str, Estimate] = field(default_factory=dict)
    ceiling: Mapping[str, Estimate] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    licence: str = ""
    version: str = ""
    stopped: str = ""
    pending: int = 0
