"""The grid of frames."""

from aptone.ear.measures.frames import HOP, RATE, STEP, frames_within
from aptone.types import Segment
from tests.tables import for_each


def test_step_and_hop_are_the_same_time() -> None:
    assert HOP / RATE == STEP


@for_each(
    ("start", "end", "inside"),
    [
        (0.0, 0.05, [0, 1, 2, 3, 4]),
        (0.005, 0.015, [0]),  # the middles stand at 5, 15, 25 … ms; where a segment ends is outside it
        (0.006, 0.016, [1]),
        (0.02, 9.0, [2, 3, 4]),
        (7.0, 9.0, []),
    ],
)
def test_a_frame_is_inside_where_its_middle_is(start: float, end: float, inside: list[int]) -> None:
    assert frames_within([Segment(start, end)], count=5).nonzero()[0].tolist() == inside


def test_without_segments_nothing_is_inside() -> None:
    assert not frames_within([], count=3).any()
