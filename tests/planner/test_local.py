import asyncio
from pathlib import Path

from aptone.planner.local import LocalPlanner
from aptone.run import Call
from aptone.types import AudioRef, Line, Sample
from tests.models.local_models import save_chat


def test_the_planner_of_the_paper_is_the_default_and_loads_nothing_before_it_plans() -> None:
    planner = LocalPlanner()
    assert "Qwen/Qwen3-8B" in planner.signature
    assert planner.about.extra == "local"
    assert LocalPlanner(revision="abc").signature != planner.signature


def test_even_a_model_of_noise_gives_a_vote_for_every_window(tmp_path: Path) -> None:
    planner = LocalPlanner(model=str(save_chat(tmp_path)), device="cpu", windows=2)
    sample = Sample("a", AudioRef("a.wav"), Line("Go."), context=(Line("It rained."), Line("It grew dark.")))
    plan = asyncio.run(planner.plan(sample, Call()))
    assert len(plan.votes) + len(plan.no_votes) == 2
    assert plan.rhythm is not None
