"""The best path through candidates."""

import numpy as np
import numpy.typing as npt

from aptone.ear.measures.pitch import best_path
from tests.tables import for_each

Floats = npt.NDArray[np.float64]


def step_by_step(scores: Floats, octaves: Floats, *, jump_cost: float, voicing_cost: float) -> list[int]:
    """Viterbi's algorithm as it is written in books, a frame at a time."""
    candidates = scores.shape[1]
    reached, came_from = list(scores[0]), []
    for frame in range(1, len(scores)):
        arriving, origins = [], []
        for after in range(candidates):
            ways = []
            for before in range(candidates):
                if before == after == candidates - 1:
                    cost = 0.0
                elif candidates - 1 in (before, after):
                    cost = voicing_cost
                else:
                    cost = jump_cost * abs(octaves[frame - 1, before] - octaves[frame, after])
                ways.append(reached[before] - cost)
            origins.append(int(np.argmax(ways)))
            arriving.append(max(ways) + scores[frame, after])
        reached = arriving
        came_from.append(origins)
    path = [int(np.argmax(reached))]
    for origins in reversed(came_from):
        path.append(origins[path[-1]])
    return path[::-1]


@for_each("frames", [1, 2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 50])
def test_the_path_is_that_of_the_algorithm_one_frame_at_a_time(frames: int) -> None:
    generator = np.random.default_rng(frames)
    scores, octaves = generator.random((frames, 4)), 5.0 + 4.0 * generator.random((frames, 4))
    scores[:, :3][generator.random((frames, 3)) < 0.3] = -np.inf
    found = best_path(scores, octaves, jump_cost=0.3, voicing_cost=0.2)
    assert found.tolist() == step_by_step(scores, octaves, jump_cost=0.3, voicing_cost=0.2)


def test_a_candidate_that_is_not_there_is_never_taken() -> None:
    scores = np.array([[-np.inf, 0.1], [-np.inf, 0.1], [0.0, -5.0]])
    assert best_path(scores, np.zeros((3, 2)), jump_cost=1.0, voicing_cost=1.0).tolist() == [1, 1, 0]


def test_no_frames_have_no_path() -> None:
    assert best_path(np.empty((0, 3)), np.empty((0, 3)), jump_cost=1.0, voicing_cost=1.0).size == 0


def test_a_leap_is_taken_only_if_it_earns_more_than_it_costs() -> None:
    octaves = np.array([[7.0, 8.0, 0.0]] * 3)
    for gain, expected in ((0.59, [0, 0, 0]), (0.61, [0, 1, 0])):  # up and down again: 2 * 0.3 * 1 octave
        scores = np.array([[1.0, 0.0, 0.0], [1.0, 1.0 + gain, 0.0], [1.0, 0.0, 0.0]])
        assert best_path(scores, octaves, jump_cost=0.3, voicing_cost=0.2).tolist() == expected
