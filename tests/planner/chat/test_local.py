import asyncio
from pathlib import Path

import pytest

from aptone.planner.chat.parts import LocalPlanner
from aptone.run import Call
from aptone.types import AudioRef, Line, Sample
from tests.models.local_models import save_chat


def test_the_planner_of_the_paper_is_the_default_and_loads_nothing_before_it_plans() -> None:
    planner = LocalPlanner()
    assert "Qwen/Qwen3-8B" in planner.signature
    assert planner.about.extra == "local"
    assert LocalPlanner(revision="abc").signature != planner.signature


@pytest.mark.slow
def test_even_a_model_of_noise_gives_a_vote_since_it_is_held_to_json(tmp_path: Path) -> None:
    planner = LocalPlanner(model=str(save_chat(tmp_path)), device="cpu", windows=1, max_tokens=600)
    sample = Sample("a", AudioRef("a.wav"), Line("Go."), context=(Line("It rained."),))
    plan = asyncio.run(planner.plan(sample, Call()))
    assert [vote.window for vote in plan.votes] == [1]
    assert plan.rhythm is not None
