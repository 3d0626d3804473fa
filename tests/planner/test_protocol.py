import pytest

from aptone.errors import RecordError
from aptone.planner import ByHand
from aptone.run import Call
from aptone.types import AudioRef, Line, Plan, Sample


def test_the_plan_by_hand_is_the_one_in_the_sample() -> None:
    plan = Plan("calm")
    assert ByHand().plan(Sample("a", AudioRef("a.wav"), Line("Sleep."), plan=plan), Call()) is plan


def test_a_sample_without_a_plan_is_refused_and_told_what_to_do() -> None:
    with pytest.raises(RecordError, match="a: there is no plan, and this planner makes none"):
        ByHand().plan(Sample("a", AudioRef("a.wav"), Line("Sleep.")), Call())
