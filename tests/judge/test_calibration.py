import asyncio
import math
from collections.abc import Awaitable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import RecordError, UsageError
from aptone.judge.calibration import CalibratedJudge, Calibration, calibrated, load_calibration
from aptone.judge.protocol import BatchJudge, Hearing
from aptone.models import About
from aptone.run import Call
from aptone.types import Audio, AudioRef, Estimate, Line, Outcome, Plan, Sample, Score, State, dumps, to_json
from tests.tables import for_each

RANGE = (0.0, 5.0)
AUDIO = Audio(np.zeros(8, dtype=np.float32), rate=16_000)
SAMPLE = Sample("a", AudioRef("a.wav"), Line("Go."))


class OwnJudge:
    """Gives the same verdict on everything."""

    about = About(notes=("It is made up.",))
    signature = "judge:made-up"

    def __init__(self, outcome: Outcome) -> None:
        self._outcome = outcome

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome | Awaitable[Outcome]:
        return self._outcome


class LaterJudge(OwnJudge):
    """The same, later."""

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Awaitable[Outcome]:
        async def later() -> Outcome:
            return self._outcome

        return later()


DONE = Outcome(
    State.DONE,
    scores={
        "aptness": Score(3.0, range=RANGE, signature="judge:made-up"),
        "emotion": Score(4.0, range=RANGE),
        "rhythm": Score(math.nan, reason="the plan leaves it open"),
    },
    rationale="So so. Score: 3.0 of 5.",
    signature="judge:made-up",
)
AFFINE = Calibration("affine", "judge:made-up", planner="by-hand", intercept=0.5, slope=0.5, ratings=40)


def judged(judge: CalibratedJudge, sample: Sample = SAMPLE) -> Outcome:
    verdict = judge.judge(AUDIO, Plan("calm"), sample, Call())
    return verdict if isinstance(verdict, Outcome) else asyncio.run(_wait(verdict))


async def _wait(verdict: Awaitable[Outcome]) -> Outcome:
    return await verdict


@pytest.mark.parametrize("kind", [OwnJudge, LaterJudge])
def test_the_calibrated_score_is_the_main_one_and_the_raw_one_stands_beside_it(kind: type[OwnJudge]) -> None:
    judge = CalibratedJudge(kind(DONE), AFFINE, planner="by-hand")
    outcome = judged(judge)
    assert outcome.scores["aptness"].value == 2.0  # 0.5 + 0.5 · 3
    assert outcome.scores["raw_aptness"] == DONE.scores["aptness"]
    assert outcome.main_score == "aptness"
    assert outcome.rationale == "So so. Score: 3.0 of 5. Fitted to your ratings, that is 2.0 of 5."
    assert outcome.signature == judge.signature == outcome.scores["aptness"].signature


class ManyJudge(OwnJudge):
    """Hears two at once."""

    batch_size = 2

    async def judge_batch(self, hearings: Sequence[Hearing], /) -> list[Outcome]:
        return [self._outcome for _ in hearings]


def test_a_judge_that_hears_several_clips_still_does_and_each_is_calibrated() -> None:
    judge = calibrated(ManyJudge(DONE), AFFINE, planner="by-hand")
    assert isinstance(judge, BatchJudge)
    assert judge.batch_size == 2
    hearings = [Hearing(AUDIO, Plan("calm"), SAMPLE, Call()), Hearing(AUDIO, Plan("calm"), SAMPLE, Call())]
    assert [outcome.scores["aptness"].value for outcome in asyncio.run(judge.judge_batch(hearings))] == [2.0, 2.0]
    assert not isinstance(calibrated(OwnJudge(DONE), AFFINE, planner="by-hand"), BatchJudge)


def test_the_sentence_about_the_calibration_is_in_the_language_of_the_rationale() -> None:
    mandarin = replace(DONE, rationale="一般。总分3.0分（满分5分）。")
    judge = CalibratedJudge(OwnJudge(mandarin), AFFINE, planner="by-hand")
    assert judged(judge).rationale.endswith("按您的评分校准后为2.0分（满分5分）。")  # 0.5 + 0.5 · 3


def test_the_signature_changes_with_the_mapping_and_not_with_the_figures_beside_it() -> None:
    one = CalibratedJudge(OwnJudge(DONE), AFFINE, planner="by-hand").signature
    steeper = CalibratedJudge(OwnJudge(DONE), replace(AFFINE, slope=0.6), planner="by-hand").signature
    other_figures = CalibratedJudge(OwnJudge(DONE), replace(AFFINE, ratings=50), planner="by-hand").signature
    assert "judge:made-up" in one
    assert one != steeper
    assert one == other_figures


def test_a_calibration_of_another_judge_is_refused() -> None:
    with pytest.raises(UsageError, match="fitted on another judge: judge:other then, judge:made-up now"):
        CalibratedJudge(OwnJudge(DONE), replace(AFFINE, judge="judge:other"), planner="by-hand")


def test_what_has_no_score_gets_none() -> None:
    outcome = judged(CalibratedJudge(OwnJudge(Outcome.unscored("silence")), AFFINE, planner="by-hand"))
    assert (outcome.state, outcome.reason, dict(outcome.scores)) == (State.UNSCORED, "silence", {})


def test_the_notes_say_what_it_was_fitted_on_and_that_the_plans_differ() -> None:
    measured = replace(AFFINE, before={"MAE": Estimate(1.0)}, after={"MAE": Estimate(0.5)})
    notes = CalibratedJudge(OwnJudge(DONE), measured, planner="planner:other").about.notes
    assert notes == (
        "It is made up.",
        "Scores are calibrated (affine) to 40 ratings; on ratings that it was not fitted to, the mean error fell from "
        "1.00 to 0.50.",
        "The calibration was fitted on plans of another planner.",
    )
    assert "no sure gain" in replace(measured, forced=True).note
    assert "showed no sure gain" in replace(measured, kind="identity").note


def test_an_aspect_without_a_score_counts_as_the_score_itself() -> None:
    mapping = Calibration("aspects", "j", intercept=0.0, slope=0.5, weights={"emotion": 0.25, "rhythm": 0.25})
    assert mapping.apply(3.0, {"emotion": 4.0, "rhythm": math.nan}) == 3.25  # 1.5 + 1 + 0.75


def test_a_curve_is_straight_between_its_knots_and_level_beyond() -> None:
    mapping = Calibration("isotonic", "j", knots=((1.0, 2.0), (3.0, 4.0)))
    assert [mapping.apply(score, {}) for score in (0.0, 2.0, 5.0)] == [2.0, 3.0, 4.0]


@given(intercept=st.floats(-50, 50), slope=st.floats(0, 50), score=st.floats(0, 5), better=st.floats(0, 5))
def test_no_mapping_leaves_the_scale_or_puts_a_better_score_below_a_worse_one(
    intercept: float, slope: float, score: float, better: float
) -> None:
    mapping = Calibration("affine", "j", intercept=intercept, slope=slope)
    low, high = sorted([score, better])
    assert 0.0 <= mapping.apply(low, {}) <= mapping.apply(high, {}) <= 5.0


@for_each(
    "fields",
    [
        {"slope": -1.0},
        {"intercept": math.inf},
        {"weights": {"emotion": -0.1}},
        {"kind": "isotonic"},
        {"kind": "isotonic", "knots": ((1.0, 2.0), (2.0, 1.0))},
        {"kind": "isotonic", "knots": ((2.0, 1.0), (1.0, 2.0))},
    ],
)
def test_a_mapping_that_falls_or_is_not_finite_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"finite|negative|never fall"):
        Calibration(**{"kind": "affine", "judge": "j", **fields})  # type: ignore[arg-type]


def test_a_file_is_read_back_and_one_that_is_none_is_told(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(dumps(to_json(AFFINE)))
    assert load_calibration(file) == AFFINE
    file.write_text('{"kind": "cubic", "judge": "j"}')
    with pytest.raises(RecordError, match="this is no calibration"):
        load_calibration(file)
    with pytest.raises(UsageError, match="make one with aptone calibrate"):
        load_calibration(tmp_path / "gone.json")
