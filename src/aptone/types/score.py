"""Numbers that say what they mean, input and output of a step (one pair for every room), and the trust card."""

import hashlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any, Self

from aptone.types.codec import Json, dumps, loads
from aptone.types.display import Displayed


class ScoreState(StrEnum):
    """State of a score: a number, undefined, or not needed."""

    DEFINED = "defined"
    UNDEFINED = "undefined"
    NOT_NEEDED = "not-needed"


@dataclass(frozen=True, slots=True)
class Score(Displayed):
    """One number about one item, or the reason why there is none.

    Args:
        value: the number; NaN when it is undefined or not needed.
        range: lowest and highest value the scale allows; ``None`` for an open scale.
        unit: unit such as ``semitones``; empty for a pure number.
        reason: reason why the value is NaN. Required then, and empty otherwise.
        signature: name and version of what produced the number; equal signature and equal input give an equal score.
        higher_is_better: the direction of the scale; ``None`` where neither end is better, as with a pitch in hertz.
        needed: false when the question does not arise for this item (EMO-Reasoning's "balancing not needed").
        spread: standard deviation over what may have been asked for, where that is uncertain; NaN where it is not.

    Raises:
        ValueError: if a NaN has no reason, a number has one, a number lies outside its range or is infinite, the ends
            of the range are not finite and in order, or the spread is negative.

    >>> Score(3.5, range=(0.0, 5.0)).state
    <ScoreState.DEFINED: 'defined'>
    >>> Score(math.nan, reason="no voiced frames").state
    <ScoreState.UNDEFINED: 'undefined'>
    """

    value: float
    range: tuple[float, float] | None = None
    unit: str = ""
    reason: str = ""
    signature: str = ""
    higher_is_better: bool | None = True
    needed: bool = True
    spread: float = math.nan

    def __post_init__(self) -> None:
        if self.range is not None and not -math.inf < self.range[0] <= self.range[1] < math.inf:
            raise ValueError(f"a range has a finite lower and upper end, got {self.range}; None is an open scale.")
        if not math.isnan(self.spread) and not 0.0 <= self.spread < math.inf:
            raise ValueError(f"a spread is 0 or more, got {self.spread}.")
        if math.isnan(self.value):
            if not self.reason:
                raise ValueError("an undefined score needs a reason.")
            return
        if math.isinf(self.value):
            raise ValueError("a score is a finite number or NaN with a reason.")
        if self.reason or not self.needed:
            raise ValueError("a reason belongs to an undefined score; put remarks into the rationale.")
        if self.range is not None and not self.range[0] <= self.value <= self.range[1]:
            raise ValueError(f"score {self.value} lies outside its range {self.range[0]} to {self.range[1]}.")

    def __reduce__(self) -> tuple[Callable[..., "Score"], tuple[object, ...]]:
        """Pickle as fields. NaN comes back as `math.nan`, so that equal scores are equal across processes."""
        return _score_of, tuple(getattr(self, one.name) for one in fields(self))

    @property
    def state(self) -> ScoreState:
        """Defined, undefined, or not needed."""
        if not math.isnan(self.value):
            return ScoreState.DEFINED
        return ScoreState.UNDEFINED if self.needed else ScoreState.NOT_NEEDED

    @property
    def is_defined(self) -> bool:
        """True when `value` is a number."""
        return not math.isnan(self.value)


def _score_of(*values: Any) -> Score:
    """Return a score from pickled fields."""
    kept: list[Any] = [math.nan if isinstance(value, float) and math.isnan(value) else value for value in values]
    return Score(*kept)


@dataclass(frozen=True, slots=True)
class Estimate(Displayed):
    """A statistic over many items, with its interval, or the reason why it is undefined.

    Args:
        value: the statistic; NaN when undefined.
        low, high: ends of the interval; NaN when there is none.
        confidence: coverage of the interval, for instance 0.95.
        method: method of the interval, for instance ``fisher-z`` or ``bootstrap-percentile``.
        reason: reason why the value, or else the interval, is NaN.

    Raises:
        ValueError: if the value is NaN without a reason, or one of the three numbers is infinite: no trust card could
            be written with it.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    count: int = 0
    confidence: float = 0.95
    method: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        if math.isnan(self.value) and not self.reason:
            raise ValueError("an undefined estimate needs a reason.")
        if any(math.isinf(number) for number in (self.value, self.low, self.high)):
            raise ValueError(
                f"an estimate is finite or NaN with a reason, got {self.value} in [{self.low}, {self.high}]."
            )

    @property
    def is_defined(self) -> bool:
        """True when `value` is a number."""
        return not math.isnan(self.value)


def signature(name: str, parameters: Mapping[str, Json]) -> str:
    """One line that identifies what made a score: a name and its parameters, in a fixed order.

    Text that holds a separator is quoted, so that other parameters cannot give the same line.

    >>> signature("judge", {"version": "1.0", "seed": 7})
    'judge|seed:7|version:1.0'
    """
    parts = [
        f"{_bare_or_quoted(key, separators='|:')}:{_bare_or_quoted(value, separators='|')}"
        for key, value in sorted(parameters.items())
    ]
    return "|".join([_bare_or_quoted(name, separators="|"), *parts])


def _bare_or_quoted(value: Json, *, separators: str) -> str:
    if isinstance(value, str) and value.isprintable() and not any(mark in value for mark in separators + '"'):
        return value
    return dumps(value)


class State(StrEnum):
    """Final state of the work on an item."""

    DONE = "done"
    UNSCORED = "unscored"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of work.

    Args:
        id: unique within its run.
        content_hash: hash of the payload and of the recordings that it names.
        position: place in the input, for reports in the user's order.

    Raises:
        ValueError: if the id is empty.
    """

    id: str
    payload: Mapping[str, Json]
    content_hash: str
    position: int = 0

    def __post_init__(self) -> None:
        if not self.id:
            raise ValueError("the id of an item is empty.")

    @classmethod
    def make(
        cls, id: str, payload: Mapping[str, Json], *, position: int = 0, hashed: Mapping[str, Json] | None = None
    ) -> Self:
        """An item whose hash is that of its payload. Recordings belong in it by their hash, not only by their path.

        The item keeps the payload as its journal will give it back (tuples are lists, NaN is ``None``), and keeps it
        when the caller's mapping changes: a resumed run sees what the first one saw.

        Args:
            hashed: what the hash is of, where the payload has more than the outcome depends on, such as the place of a
                file on the disk; by default the payload.

        >>> Item.make("a", {"x": 1}).content_hash == Item.make("b", {"x": 1}).content_hash
        True
        >>> here, there = ({"path": path, "sha256": "9f86"} for path in ("here.wav", "there.wav"))
        >>> kept = {"sha256": "9f86"}
        >>> Item.make("a", here, hashed=kept).content_hash == Item.make("a", there, hashed=kept).content_hash
        True
        """
        text = dumps(payload)
        kept = loads(text)
        assert isinstance(kept, Mapping)
        content = hashlib.sha256((text if hashed is None else dumps(hashed)).encode()).hexdigest()
        return cls(id=id, payload=kept, content_hash=content, position=position)


@dataclass(frozen=True, slots=True)
class Outcome(Displayed):
    """Result of a step for an item.

    Args:
        state: done, unscored (there is an answer, but no score can be read from it), or failed (there is no answer).
        scores: name to score. Only an outcome that is done has any: what could be read of one that is not done is
            evidence, and nothing may count it.
        main_score: name of the score that reports sort by and that runs are compared on; by default the first.
        evidence: basis of the scores: plan, perception, measured values, votes.
        reason: reason why it is unscored or failed; empty when done.

    Raises:
        ValueError: if it is done without a score or with a reason, not done with a score or without a reason, or the
            main score is not among the scores.
    """

    state: State
    scores: Mapping[str, Score] = field(default_factory=dict)
    main_score: str = ""
    rationale: str = ""
    evidence: Mapping[str, Json] = field(default_factory=dict)
    raw_reply: str = ""
    reason: str = ""
    signature: str = ""

    def __post_init__(self) -> None:
        if (self.state is State.DONE) != bool(self.scores):
            raise ValueError("an outcome holds scores if and only if it is done.")
        if (self.state is State.DONE) == bool(self.reason):
            raise ValueError("an outcome has a reason if and only if it is unscored or failed.")
        if "" in self.scores:
            raise ValueError("every score has a name.")
        if not self.main_score and self.scores:
            object.__setattr__(self, "main_score", next(iter(self.scores)))
        if self.main_score and self.main_score not in self.scores:
            raise ValueError(f"there is no score named {self.main_score!r} among {', '.join(self.scores)}.")

    @classmethod
    def unscored(
        cls, reason: str, *, raw_reply: str = "", evidence: Mapping[str, Json] | None = None, signature: str = ""
    ) -> Self:
        """There was a reply, but no score can be read from it."""
        return cls(State.UNSCORED, reason=reason, raw_reply=raw_reply, evidence=evidence or {}, signature=signature)

    @classmethod
    def failed(cls, reason: str, *, evidence: Mapping[str, Json] | None = None) -> Self:
        """There is no reply."""
        return cls(state=State.FAILED, reason=reason, evidence=evidence or {})


@dataclass(frozen=True, slots=True)
class Entry(Displayed):
    """One line of a run's journal: an item, its outcome, and what it took.

    Args:
        repeat: 0 for the run itself; 1, 2, … for repeat probes.
        attempts: tries so far, those of earlier sessions included.
        parse_failures: number of them with a reply that could not be read.
        seconds: time spent, waiting for retries left out.
        cost: cost in the currency of the price list; 0 for engines that cost nothing.
        finished: time in UTC (ISO 8601).
    """

    item: Item
    outcome: Outcome
    repeat: int = 0
    attempts: int = 1
    parse_failures: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    finished: str = ""


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
        state: passed (nothing changed), failed (something did), not run, or not applicable.
        value: measured value, for instance the largest change of a score.
        detail: explanation: what was compared, or why it was not.
    """

    state: ProbeState = ProbeState.NOT_RUN
    value: float = math.nan
    items: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TrustCard(Displayed):
    """Trust card: the summary at the end of every run.

    Args:
        pending: number of items of the input that were not reached yet.
        unscored: number of items with a reply but no readable score, by reason.
        failed: number of items without a reply, by reason.
        parse_failures: replies that could not be read, those that a retry repaired included.
        repeat: do repeated calls give the same score? `value` is the mean deviation within items.
        batch: does the batch size change scores? `value` is the largest difference.
        order: does the order change pairwise choices? `value` is the share that changed.
        signatures: signatures of the scores, and number of items of each; more than one means that they do not compare.
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
