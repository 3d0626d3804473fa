"""Calibration of a judge to ratings: the mapping, its file, and the judge that applies it.

`aptone.rooms.aptness.calibration.fit` fits such a mapping. It belongs to one judge, whose signature it names, and is
refused by any other. The uncalibrated score stays beside the calibrated one.
"""

import hashlib
import math
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from aptone.errors import RecordError, UsageError
from aptone.judge.chat.verdict import RANGE
from aptone.judge.parameters import on_curve
from aptone.judge.protocol import BatchJudge, Hearing, Judge
from aptone.messages import message
from aptone.models import About
from aptone.run import Call
from aptone.types import (
    Audio,
    Estimate,
    Json,
    Language,
    Outcome,
    Plan,
    Sample,
    Score,
    State,
    dumps,
    from_json,
    language_of_text,
    loads,
    to_json,
)
from aptone.types import signature as make_signature

Kind = Literal["identity", "affine", "isotonic", "aspects"]

RAW = "raw_aptness"
"""Name of the uncalibrated score."""

SAID: Mapping[Language, str] = {
    "en": " Fitted to your ratings, that is {score} of 5.",
    "zh": "按您的评分校准后为{score}分（满分5分）。",
}


@dataclass(frozen=True, slots=True)
class Calibration:
    """Mapping from a judge's scores to a person's.

    - ``identity``: the score as it is.
    - ``affine``: ``intercept + slope · score``.
    - ``isotonic``: straight lines between the knots, level beyond them.
    - ``aspects``: ``intercept + slope · score + Σ weight · aspect``; an aspect without a score counts as the score.

    Results are clipped to the scale from 0 to 5.

    Args:
        judge: signature of the judge whose scores it was fitted on.
        planner: signature of the planner whose plans that judge was given.
        slope: slope of the mapping, not negative.
        knots: knots of the mapping, never falling.
        weights: weight of each aspect, not negative.
        before: agreement of the judge's own scores with the ratings.
        after: agreement of calibrated scores with held-out ratings.
        gain: fall of the mean absolute error, with its interval.
        forced: true if it was requested although no gain was certain.

    Raises:
        ValueError: if a number is not finite, a slope or weight is negative, or the knots fall.
    """

    kind: Kind
    judge: str
    planner: str = ""
    intercept: float = 0.0
    slope: float = 1.0
    knots: tuple[tuple[float, float], ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    ratings: int = 0
    before: Mapping[str, Estimate] = field(default_factory=dict)
    after: Mapping[str, Estimate] = field(default_factory=dict)
    gain: Estimate | None = None
    forced: bool = False
    version: str = ""

    def __post_init__(self) -> None:
        numbers = [
            self.intercept,
            self.slope,
            *self.weights.values(),
            *(number for knot in self.knots for number in knot),
        ]
        if not all(math.isfinite(number) for number in numbers):
            raise ValueError("the numbers of a calibration are finite.")
        if self.slope < 0 or any(weight < 0 for weight in self.weights.values()):
            raise ValueError("a better score never makes a worse one: slope and weights are not negative.")
        places, values = [knot[0] for knot in self.knots], [knot[1] for knot in self.knots]
        if sorted(set(places)) != places or sorted(values) != values or (self.kind == "isotonic" and not self.knots):
            raise ValueError("the knots of an isotonic calibration go on to the right and never fall.")

    def apply(self, score: float, aspects: Mapping[str, float]) -> float:
        """Return the calibrated score.

        >>> Calibration("affine", judge="a judge", intercept=1.0, slope=0.5).apply(4.0, {})
        3.0

        Args:
            aspects: scores by aspect; NaN, or absent, where there is none.
        """
        if self.kind == "identity":
            mapped = score
        elif self.kind == "isotonic":
            mapped = on_curve(self.knots, score)
        else:
            given = {name: aspects.get(name, math.nan) for name in self.weights}
            filled = {name: score if math.isnan(value) else value for name, value in given.items()}
            parts = [self.weights[name] * value for name, value in filled.items()]
            mapped = math.fsum([self.intercept, self.slope * score, *parts])
        return min(RANGE[1], max(RANGE[0], mapped))

    @property
    def hash(self) -> str:
        """Hash of the mapping, without the figures beside it."""
        parts: list[Json] = [self.kind, self.judge, self.intercept, self.slope, self.knots, dict(self.weights)]
        return hashlib.sha256(dumps(parts).encode()).hexdigest()[:12]

    @property
    def note(self) -> str:
        """Note for readers of the scores."""
        if self.kind == "identity":
            return message("judge.calibration-changes-nothing", count=self.ratings)
        before, after = (
            f"{figures['MAE'].value:.2f}" if "MAE" in figures else "?" for figures in (self.before, self.after)
        )
        if self.forced:
            return message("judge.calibrated-by-force", kind=self.kind, count=self.ratings, before=before, after=after)
        return message("judge.calibrated", kind=self.kind, count=self.ratings, before=before, after=after)


def load_calibration(path: Path) -> Calibration:
    """Read a calibration from a file; raises `UsageError` if the file cannot be read, `RecordError` if it is none."""
    try:
        return from_json(Calibration, loads(path.read_bytes(), what=str(path)))
    except OSError as error:
        raise UsageError(
            f"{path}: the calibration cannot be read ({error}); make one with aptone calibrate."
        ) from error
    except RecordError as error:
        raise RecordError(f"{path}: this is no calibration ({error}) Make one with aptone calibrate.") from error


class CalibratedJudge:
    """Judge whose scores are calibrated to ratings.

    Args:
        planner: signature of the planner whose plans the judge receives.

    Raises:
        UsageError: if the calibration was fitted on another judge.
    """

    def __init__(self, judge: Judge, calibration: Calibration, *, planner: str) -> None:
        if calibration.judge != judge.signature:
            raise UsageError(
                f"the calibration was fitted on another judge: {calibration.judge} then, {judge.signature} now. "
                "Score rated lines with this judge, and calibrate on that run."
            )
        self._judge = judge
        self._calibration = calibration
        self._same_planner = calibration.planner == planner

    @property
    def about(self) -> About:
        """Requirements and limits of the judge, and of its calibration."""
        notes = [self._calibration.note]
        if not self._same_planner:
            notes.append(message("judge.calibration-of-another-planner"))
        return self._judge.about + About(notes=tuple(notes))

    @property
    def signature(self) -> str:
        """Signature of the judge, and the hash of the mapping."""
        parts = {"judge": self._judge.signature, "calibration": self._calibration.hash}
        return make_signature("judge:calibrated", parts)

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome | Awaitable[Outcome]:
        """Return the verdict with the calibrated score, the judge's own beside it."""
        verdict = self._judge.judge(audio, plan, sample, call)
        return self._calibrated(verdict) if isinstance(verdict, Outcome) else self._when_judged(verdict)

    async def _when_judged(self, verdict: Awaitable[Outcome]) -> Outcome:
        return self._calibrated(await verdict)

    def _calibrated(self, outcome: Outcome) -> Outcome:
        raw = outcome.scores.get(outcome.main_score)
        if outcome.state is not State.DONE or raw is None or not raw.is_defined:
            return replace(outcome, signature=self.signature)
        others = {name: score for name, score in outcome.scores.items() if name != outcome.main_score}
        mapped = self._calibration.apply(raw.value, {name: score.value for name, score in others.items()})
        changes = self._calibration.kind != "identity"
        sentence = SAID[language_of_text(outcome.rationale)].format(score=f"{mapped:.1f}")
        said = sentence if changes and outcome.rationale else ""
        return replace(
            outcome,
            scores={outcome.main_score: Score(mapped, range=RANGE, signature=self.signature), **others, RAW: raw},
            rationale=outcome.rationale + said,
            evidence={**outcome.evidence, "calibration": to_json(replace(self._calibration, before={}, after={}))},
            signature=self.signature,
        )


class CalibratedBatchJudge(CalibratedJudge):
    """Calibrated judge that takes several clips at once; arguments and errors as those of `CalibratedJudge`."""

    def __init__(self, judge: BatchJudge, calibration: Calibration, *, planner: str) -> None:
        super().__init__(judge, calibration, planner=planner)
        self._batch_judge = judge

    @property
    def batch_size(self) -> int:
        """Batch size of the judge."""
        return self._batch_judge.batch_size

    async def judge_batch(self, hearings: Sequence[Hearing], /) -> list[Outcome]:
        """Return the verdicts on several clips, in their order."""
        outcomes = await self._batch_judge.judge_batch(hearings)
        return [self._calibrated(outcome) for outcome in outcomes]


def calibrated(judge: Judge, calibration: Calibration, *, planner: str) -> Judge:
    """Return a calibrated judge of the same batch size; arguments and errors as those of `CalibratedJudge`."""
    if isinstance(judge, BatchJudge):
        return CalibratedBatchJudge(judge, calibration, planner=planner)
    return CalibratedJudge(judge, calibration, planner=planner)
