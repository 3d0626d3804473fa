"""The shipped example shows what it says: apt readings score above flat and wrong ones, but for two lines."""

from pathlib import Path

import pytest

from aptone.judge.engines import BUILT_IN
from aptone.rooms.aptness.data import make_items, read_manifest
from aptone.rooms.aptness.step import make_step
from aptone.run import RunConfig, run_items

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "lighthouse"


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    samples = read_manifest(EXAMPLE / "manifest.jsonl")
    folder = tmp_path_factory.mktemp("example") / "run"
    ended = run_items(
        list(make_items(samples)), make_step(BUILT_IN), folder=folder, config=RunConfig("score", "built-in")
    )
    return {entry.item.id: entry.outcome.scores["aptness"].value for entry in ended.run.entries}


SHOUT = pytest.mark.xfail(
    reason="revision 6 of the ear hears little fear in the Mandarin shout of the synthetic voice; all three readings "
    "score alike (1.07, 1.23, 1.11)",
    strict=True,
)
LULLABY = pytest.mark.xfail(
    reason="the ear hears the same calm and the same flat melody in the apt and in the flat lullaby of the synthetic "
    "voice, whose melody moves little either way; both lie far above the wrong reading"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "wall",
        "anybody",
        "keeper",
        pytest.param("sleep", marks=LULLABY),
        pytest.param("wall-zh", marks=SHOUT),
        "sleep-zh",
    ],
)
def test_the_apt_reading_of_a_line_is_the_best_of_three(scores: dict[str, float], line: str) -> None:
    assert scores[f"{line}-apt"] > max(scores[f"{line}-flat"], scores[f"{line}-wrong"])


def test_no_plan_of_the_example_is_written_by_hand() -> None:
    assert all(sample.plan is None for sample in read_manifest(EXAMPLE / "manifest.jsonl"))


def test_the_example_has_three_readings_of_six_lines(scores: dict[str, float]) -> None:
    assert len(scores) == 18
